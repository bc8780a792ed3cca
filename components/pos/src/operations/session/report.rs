//! The report of a session: X is computed from its rows and finance's drawer, Z is what the close kept. One snapshot, so that the parts
//! agree.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Problem, Reply, has};

use crate::records::closing_total::ClosingTotalRow;
use crate::records::register::RegisterRow;
use crate::records::session::SessionRow;
use crate::records::session_report::{CashTotals, PosSessionReport, ReceiptTotals, ReportKind, SessionFacts};
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
    let (kind, figures, expected) = match session.expected_at_close {
        Some(expected) => (ReportKind::Z, read_totals(&totals), expected),
        None => {
            let computed = compute_figures(id)?;
            let expected = computed.expected_cash();
            (ReportKind::X, computed.figures, expected)
        }
    };
    let (first_id, last_id) = read_ends(id)?;
    let facts = SessionFacts {
        kind,
        receipts: ReceiptTotals { count: figures.receipts.count, total: figures.receipts.amount, first_id, last_id },
        cash: CashTotals {
            sales: figures.cash_sales(),
            change_given: figures.change_given,
            movements_in: figures.movements_in,
            movements_out: figures.movements_out,
            refunds: figures.refunds,
            refunds_voided: figures.refunds_voided,
            expected,
        },
        by_method: figures.by_method,
    };
    let code = register.map(|register| register.code).unwrap_or_default();
    Ok(Reply::json(&PosSessionReport::from_row(&session, code, facts)).resource(id))
}
