//! T2, T5 and T6: sessions against their receipts and movements, the drawers of finance and what their close kept.

use std::collections::BTreeMap;

use stoa_sdk::host::fault;
use stoa_sdk::store::{aggregate, read};
use stoa_sdk::{Filter, Finding, Id, totals};
use stoa_trade::pages::read_every;
use stoa_trade::quantity::Money;
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::cash_movement::CashMovementRow;
use crate::records::closing_total::ClosingTotalRow;
use crate::records::receipt::ReceiptRow;
use crate::records::session::{OPEN_SLOT, SessionRow, SessionStatus};
use crate::records::session_report::Figures;
use crate::verify::BATCH;
use crate::work::figures::{Computed, compute_all, read_totals};

totals! {
    /// The versions that receipts gave their sessions.
    OfReceipts of ReceiptRow by [session_id: Id] { versions: i64 = sum(session_version) }
}

totals! {
    /// The versions that movements gave their sessions.
    OfMovements of CashMovementRow by [session_id: Id] { versions: i64 = sum(session_version) }
}

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<SessionRow>(Filter::default(), after, BATCH) else { return NOTHING_LEFT };
    let sessions = page.rows;
    let ids: Vec<Id> = sessions.iter().map(|session| session.id).collect();
    let computed = compute_all(&ids).unwrap_or_else(|problem| fault(&format!("a read failed: {}", problem.code)));
    let these = || ids.iter().copied();
    let kept = read_every(&ClosingTotalRow::session_id.one_of(these()), |row: &ClosingTotalRow| row.id);
    let (receipts, movements) = read((
        aggregate::<OfReceipts>(ReceiptRow::session_id.one_of(these())).whole(),
        aggregate::<OfMovements>(CashMovementRow::session_id.one_of(these())).whole(),
    ));
    let mut versions: BTreeMap<Id, i64> = BTreeMap::new();
    let given = receipts.into_iter().map(|row| (row.session_id, row.versions));
    for (id, sum) in given.chain(movements.into_iter().map(|row| (row.session_id, row.versions))) {
        *versions.entry(id).or_default() += sum;
    }
    let mut findings = Vec::new();
    for session in &sessions {
        let Some(facts) = computed.get(&session.id) else {
            findings.push(finding("T2", session.id, "The session has no drawer."));
            continue;
        };
        let closing_totals: Vec<ClosingTotalRow> =
            kept.iter().filter(|row| row.session_id == session.id).cloned().collect();
        findings.extend(check_cash(session, facts));
        findings.extend(check_versions(session, &facts.figures, versions.get(&session.id).copied().unwrap_or(0)));
        findings.extend(check_close(session, &facts.figures, &closing_totals));
    }
    (findings, page.last)
}

/// T2: the drawer holds the sum of the session's rows.
fn check_cash(session: &SessionRow, computed: &Computed) -> Option<Finding> {
    let figures = &computed.figures;
    let reported = session.opening_amount.units()
        + figures.cash_sales().units()
        + figures.movements_in.amount.units()
        + figures.refunds_voided.amount.units()
        - figures.movements_out.amount.units()
        - figures.refunds.amount.units();
    let expected = computed.expected_cash();
    let is_kept = session.expected_at_close.is_none_or(|kept| kept == expected);
    let is_open = session.status == SessionStatus::Open;
    let holds = reported == expected.units() && reported >= 0 && is_kept && is_open == computed.drawer.is_open;
    (!holds).then(|| {
        finding("T2", session.id, "The expected cash of the drawer differs from its receipts, movements and refunds.")
    })
}

/// T5: each receipt and movement gave the session a version, and so did its close; `given` is their sum without the close's.
fn check_versions(session: &SessionRow, figures: &Figures, given: i64) -> Option<Finding> {
    let rows = figures.receipts.count + figures.movements_in.count + figures.movements_out.count;
    let is_closed = session.status == SessionStatus::Closed;
    // 2, 3, .. up to 1 + rows.
    let is_gapless = given == rows * (rows + 3) / 2;
    let holds = is_gapless && session.version == 1 + rows + i64::from(is_closed);
    (!holds).then(|| {
        finding("T5", session.id, "The session's version differs from the count of its receipts and movements.")
    })
}

/// T6: the close fixed the variance and the figures, and nothing came after it.
fn check_close(session: &SessionRow, figures: &Figures, kept: &[ClosingTotalRow]) -> Option<Finding> {
    let counted: Option<(Money, Money, Money)> =
        session.counted_amount.zip(session.expected_at_close).zip(session.variance).map(|((a, b), c)| (a, b, c));
    let holds = match (session.status, counted) {
        (SessionStatus::Open, None) => session.open_slot == Some(OPEN_SLOT) && kept.is_empty(),
        (SessionStatus::Closed, Some((counted, expected, variance))) => {
            session.open_slot.is_none()
                && session.closed_at.is_some()
                && variance.units() == counted.units() - expected.units()
                && read_totals(kept) == *figures
        }
        _ => false,
    };
    (!holds).then(|| finding("T6", session.id, "The totals of the close differ from the session's rows."))
}
