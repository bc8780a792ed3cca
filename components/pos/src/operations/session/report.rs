//! The report of a session: X is computed from its rows and finance's drawer, Z is what the close kept. One snapshot,
//! so that the parts agree.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Problem, Reply, has};

use crate::records::closing_total::ClosingTotalRow;
use crate::records::register::RegisterRow;
use crate::records::session::SessionRow;
use crate::records::session_report::PosSessionReport;
use crate::work::figures::{compute_figures, read_ends, read_totals};

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let its = has::<SessionRow, _, _>(RegisterRow::id, SessionRow::register_id, SessionRow::id.eq(id));
    let (session, register, totals) = run((
        get::<SessionRow>(id),
        select::<RegisterRow>(its).first(),
        select::<ClosingTotalRow>(ClosingTotalRow::session_id.eq(id)).whole(),
    ))?;
    let session = session.ok_or_else(Problem::not_found)?;
    let (figures, expected) = match session.expected_at_close {
        Some(expected) => (read_totals(&totals), expected),
        None => {
            let computed = compute_figures(id)?;
            let expected = computed.expected_cash();
            (computed.figures, expected)
        }
    };
    let code = register.map(|register| register.code).unwrap_or_default();
    let report = PosSessionReport::from_row(&session, code, &figures, expected, read_ends(id)?);
    Ok(Reply::json(&report).resource(id))
}
