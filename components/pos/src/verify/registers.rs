//! T1 and T7: registers against their sessions.

use std::collections::BTreeMap;

use stoa_sdk::store::{aggregate, read, select};
use stoa_sdk::{Filter, Id, all, map, totals, view};
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::register::RegisterRow;
use crate::records::session::{SessionRow, SessionStatus};
use crate::verify::BATCH;

view! { OpenSession of SessionRow { id: Id, register_id: Id } }

totals! {
    /// The sessions of a register.
    Numbered of SessionRow by [register_id: Id] {
        count: i64 = count,
        last: Option<i64> = max(session_no),
    }
}

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<RegisterRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let registers = page.rows;
    let theirs = || SessionRow::register_id.one_of(registers.iter().map(|register| register.id));
    let (open, numbered) = read((
        select::<OpenSession>(all([theirs(), SessionRow::status.eq(SessionStatus::Open)])).whole(),
        aggregate::<Numbered>(theirs()).whole(),
    ));
    let numbered: BTreeMap<Id, Numbered> = map(numbered.into_iter().map(|row| (row.register_id, row)));
    let mut findings = Vec::new();
    for register in &registers {
        let open_sessions: Vec<Id> =
            open.iter().filter(|session| session.register_id == register.id).map(|session| session.id).collect();
        if open_sessions.as_slice() != register.open_session_id.as_slice() {
            findings.push(finding("T1", register.id, "The register names another session than the one that is open."));
        }
        let (count, last_no) = numbered.get(&register.id).map_or((0, 0), |row| (row.count, row.last.unwrap_or(0)));
        if count != last_no || last_no != register.last_session_no {
            findings.push(finding("T7", register.id, "The sessions of the register are not numbered without a gap."));
        }
    }
    (findings, page.last)
}
