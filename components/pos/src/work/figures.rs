//! The figures of a session: sums of its receipts, movements and refunds, and what its close kept of them (sales-pos.md 10.4).

use std::collections::BTreeMap;

use stoa_sdk::host::fault;
use stoa_sdk::store::{Value, aggregate, run, select};
use stoa_sdk::{Field, Id, Problem, map, new_id, totals, view};
use stoa_trade::clients::tills::{self, State};
use stoa_trade::new_row;
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::{Money, Sum};

use crate::records::cash_movement::{CashDirection, CashMovementRow};
use crate::records::closing_total::{ClosingTotalRow, NONE, TotalKind};
use crate::records::payment::PaymentRow;
use crate::records::receipt::ReceiptRow;
use crate::records::session_report::{Ends, Figures, MethodTotal, Tally};
use crate::work::drawer::{parse, read_states};

totals! {
    /// Receipts of a session.
    SessionReceipts of ReceiptRow by [session_id: Id] {
        count: i64 = count,
        total: Sum = sum(total),
        change: Sum = sum(change),
    }
}

totals! {
    /// A session's payments by method and kind of card.
    SessionPayments of PaymentRow by [session_id: Id, method: Method, card_kind: Option<CardKind>] {
        count: i64 = count,
        amount: Sum = sum(amount),
    }
}

totals! {
    /// Cash that was moved into a drawer, and out of it.
    SessionMovements of CashMovementRow by [session_id: Id, direction: CashDirection] {
        count: i64 = count,
        amount: Sum = sum(amount),
    }
}

/// A session's figures, and its drawer as finance keeps it.
pub struct Computed {
    pub figures: Figures,
    pub drawer: State,
}

impl Computed {
    /// Cash that the drawer should contain.
    pub fn expected_cash(&self) -> Money {
        parse(&self.drawer.expected)
    }
}

/// The figures of a session, from its rows and from finance.
pub fn compute_figures(session: Id) -> Result<Computed, Problem> {
    let computed = compute_all(&[session])?.remove(&session);
    Ok(computed.unwrap_or_else(|| fault("a session has no drawer")))
}

/// The figures of each of these sessions; one without a drawer is absent.
pub fn compute_all(sessions: &[Id]) -> Result<BTreeMap<Id, Computed>, Problem> {
    let these = || sessions.iter().copied();
    let (receipts, payments, movements) = run((
        aggregate::<SessionReceipts>(ReceiptRow::session_id.one_of(these())).whole(),
        aggregate::<SessionPayments>(PaymentRow::session_id.one_of(these())).whole(),
        aggregate::<SessionMovements>(CashMovementRow::session_id.one_of(these())).whole(),
    ))?;
    let drawers = read_states(these());
    Ok(map(drawers.into_iter().map(|(id, drawer)| {
        let session_receipts = receipts.iter().find(|sums| sums.session_id == id);
        let moved = |direction: CashDirection| {
            let movement = movements.iter().find(|sums| sums.session_id == id && sums.direction == direction);
            movement.map_or(Tally::NONE, |sums| Tally { count: sums.count, amount: sums.amount })
        };
        let mut by_method: Vec<MethodTotal> =
            payments.iter().filter(|sums| sums.session_id == id).map(method_taken).collect();
        by_method.sort_by_key(|total| (total.method, total.card_kind));
        let figures = Figures {
            receipts: session_receipts.map_or(Tally::NONE, |sums| Tally { count: sums.count, amount: sums.total }),
            change_given: session_receipts.map_or(Sum::ZERO, |sums| sums.change),
            by_method,
            movements_in: moved(CashDirection::In),
            movements_out: moved(CashDirection::Out),
            refunds: tally_of(&drawer.refunds),
            refunds_voided: tally_of(&drawer.voided_refunds),
        };
        (id, Computed { figures, drawer })
    })))
}

fn method_taken(sums: &SessionPayments) -> MethodTotal {
    MethodTotal { method: sums.method, card_kind: sums.card_kind, count: sums.count, amount: sums.amount }
}

fn tally_of(tally: &tills::Tally) -> Tally {
    Tally { count: i64::try_from(tally.count).unwrap_or(i64::MAX), amount: parse(&tally.amount) }
}

/// The figures as the close of a session keeps them.
pub fn draw_totals(session: Id, figures: &Figures) -> Vec<ClosingTotalRow> {
    let row = |kind: TotalKind, method: &str, card_kind: &str, tally: Tally| {
        new_row!(ClosingTotalRow {
            id: new_id(),
            session_id: session,
            kind,
            method: method.to_owned(),
            card_kind: card_kind.to_owned(),
            count: tally.count,
            amount: tally.amount,
        })
    };
    let of_method = |total: &MethodTotal| {
        let card_kind = total.card_kind.map_or(NONE, CardKind::as_str);
        row(TotalKind::Method, total.method.as_str(), card_kind, Tally { count: total.count, amount: total.amount })
    };
    let of_kind = [
        (TotalKind::In, figures.movements_in),
        (TotalKind::Out, figures.movements_out),
        (TotalKind::Refund, figures.refunds),
        (TotalKind::RefundVoid, figures.refunds_voided),
        (TotalKind::Change, Tally { count: figures.receipts.count, amount: figures.change_given }),
    ];
    let of_kind = of_kind.into_iter().map(|(kind, tally)| row(kind, NONE, NONE, tally));
    figures.by_method.iter().map(of_method).chain(of_kind).collect()
}

/// The figures that the close of a session kept.
pub fn read_totals(rows: &[ClosingTotalRow]) -> Figures {
    let kept: BTreeMap<&str, Tally> =
        map(rows.iter().map(|row| (row.kind.as_str(), Tally { count: row.count, amount: row.amount })));
    let find_tally = |kind: TotalKind| kept.get(kind.as_str()).copied().unwrap_or(Tally::NONE);
    let methods = rows.iter().filter(|row| row.kind == TotalKind::Method);
    let mut by_method: Vec<MethodTotal> = methods.map(method_of).collect();
    by_method.sort_by_key(|total| (total.method, total.card_kind));
    let change = find_tally(TotalKind::Change);
    let total = by_method.iter().map(|method_total| method_total.amount.units()).sum();
    Figures {
        receipts: Tally { count: change.count, amount: Sum::from_units(total) },
        change_given: change.amount,
        by_method,
        movements_in: find_tally(TotalKind::In),
        movements_out: find_tally(TotalKind::Out),
        refunds: find_tally(TotalKind::Refund),
        refunds_voided: find_tally(TotalKind::RefundVoid),
    }
}

fn method_of(row: &ClosingTotalRow) -> MethodTotal {
    let method = Method::take(Value::Text(row.method.clone()));
    MethodTotal {
        method: method.unwrap_or_else(|| fault("a total of a method that there is not")),
        card_kind: CardKind::take(Value::Text(row.card_kind.clone())),
        count: row.count,
        amount: row.amount,
    }
}

view! { ReceiptId of ReceiptRow { id: Id } }

/// The first and the last receipt of a session.
pub fn read_ends(session: Id) -> Result<Ends, Problem> {
    let of_session = || select::<ReceiptId>(ReceiptRow::session_id.eq(session));
    let (first, last) = run((
        of_session().by(ReceiptRow::session_version).first(),
        of_session().by_descending(ReceiptRow::session_version).first(),
    ))?;
    Ok((first.map(|receipt| receipt.id), last.map(|receipt| receipt.id)))
}

#[cfg(test)]
mod tests {
    use stoa_sdk::scripted::script;

    use super::*;

    fn tally(count: i64, amount: &str) -> Tally {
        Tally { count, amount: amount.parse().unwrap() }
    }

    fn method(method: Method, card_kind: Option<CardKind>, count: i64, amount: &str) -> MethodTotal {
        MethodTotal { method, card_kind, count, amount: amount.parse().unwrap() }
    }

    #[test]
    fn what_a_close_keeps_tells_the_figures_again() {
        script([]);
        for figures in [
            Figures {
                receipts: tally(3, "50"),
                change_given: "2.5".parse().unwrap(),
                by_method: vec![
                    method(Method::Cash, None, 2, "20"),
                    method(Method::Card, Some(CardKind::Debit), 1, "10"),
                    method(Method::Card, Some(CardKind::Credit), 1, "20"),
                ],
                movements_in: tally(1, "5"),
                movements_out: tally(1, "15"),
                refunds: tally(1, "10"),
                refunds_voided: Tally::NONE,
            },
            Figures {
                receipts: Tally::NONE,
                change_given: Sum::ZERO,
                by_method: Vec::new(),
                movements_in: Tally::NONE,
                movements_out: Tally::NONE,
                refunds: Tally::NONE,
                refunds_voided: Tally::NONE,
            },
        ] {
            let rows = draw_totals(Id(1, 1), &figures);
            assert_eq!(rows.len(), figures.by_method.len() + 5);
            assert_eq!(read_totals(&rows), figures);
        }
    }
}
