//! The ledgers of finance and their totals by month: how lines are written, and what their totals are of.

use stoa_sdk::store::{Batch, Failure, Row, insert, run, select};
use stoa_sdk::{Column, Date, Field, Filter, Id, Problem, all, view};
use stoa_trade::dates::Month;
use stoa_trade::plain_ledger;
use stoa_trade::quantity::{Amount, Sum, widen};
use stoa_trade::snapshot::{
    Figure, Ledger, LineSums, MonthlyLines, PlainLedger, Snapshots, late_entities, ledger_step, list_counters,
    read_counters, read_parts,
};

use crate::records::money_move::{MoneyMoveRow, MoveOrigin};
use crate::records::month_total::{MoneyTotalRow, PartyTotalRow, RevenueTotalRow};
use crate::records::party_entry::{DocumentKind, PartyAccount, PartyAct, PartyEntryRow};
use crate::records::revenue_line::RevenueLineRow;
use crate::records::side::Side;

/// The ledgers whose totals are brought forward together.
const SNAPSHOTS: Snapshots = Snapshots {
    lock: "lines",
    offset: 256,
    ledgers: &[ledger_step::<Parties, 1>(), ledger_step::<Revenue, 3>(), ledger_step::<MoneyMoves, 1>()],
};

/// Lines of one entity that a request writes.
#[derive(Debug, Default)]
pub struct Lines {
    pub entries: Vec<PartyEntryRow>,
    pub moves: Vec<MoneyMoveRow>,
    pub revenue: Vec<RevenueLineRow>,
}

/// Writes lines of the entity, in one batch with what else is written; now and then those that came before are added to
/// the totals.
pub fn write_lines<B: Batch>(entity: Id, rest: B, lines: &Lines) -> Result<B::Answer, Failure> {
    let count = lines.entries.len() + lines.moves.len() + lines.revenue.len();
    let hold = SNAPSHOTS.hold((count > 0).then_some(entity));
    let inserts = (insert(&lines.entries), insert(&lines.moves), insert(&lines.revenue));
    let (hold, answer, _) = run((hold, rest, inserts))?;
    if hold.is_some_and(|(_, summed)| !late_entities(&summed).is_empty()) {
        SNAPSHOTS.add_late::<Parties, 1>(entity, &lines.entries)?;
        SNAPSHOTS.add_late::<Revenue, 3>(entity, &lines.revenue)?;
        SNAPSHOTS.add_late::<MoneyMoves, 1>(entity, &lines.moves)?;
    }
    if count > 0 {
        SNAPSHOTS.follow(entity, count)?;
    }
    Ok(answer)
}

view! { EntityOfEntry of PartyEntryRow { legal_entity_id: Id } }

view! { EntityOfMove of MoneyMoveRow { legal_entity_id: Id } }

/// Brings the totals of one entity forward, over lines that are older than they.
pub fn upgrade(cursor: Option<String>) -> Result<Option<String>, Problem> {
    let next = |after: Option<Id>| {
        let (entry, moved) = run((
            select::<EntityOfEntry>(all(after.map(|after| PartyEntryRow::legal_entity_id.gt(after))))
                .by(PartyEntryRow::legal_entity_id)
                .first(),
            select::<EntityOfMove>(all(after.map(|after| MoneyMoveRow::legal_entity_id.gt(after))))
                .by(MoneyMoveRow::legal_entity_id)
                .first(),
        ))?;
        let entities = entry.map(|row| row.legal_entity_id).into_iter().chain(moved.map(|row| row.legal_entity_id));
        Ok(entities.min())
    };
    Ok(SNAPSHOTS.upgrade(cursor, next)?)
}

/// A sum of money as such: it has no more digits after the point.
pub fn to_sum(sum: Amount) -> Sum {
    Sum::from_units(sum.units() / widen(Sum::from_units(1)).units())
}

/// Month totals of parties' debts.
pub struct Parties;

/// Group of a total of parties' debts; `due_on` of INVOICES.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartyGroup {
    currency_code: String,
    side: Side,
    account: PartyAccount,
    document: DocumentKind,
    act: PartyAct,
    month: Month,
    due_on: Option<Date>,
}

impl PlainLedger<1> for Parties {
    const PLAIN: [Figure; 1] = [Figure::sum(PartyEntryRow::amount, PartyTotalRow::amount)];
}

impl MonthlyLines<1> for Parties {
    const LINE_MONTH: Column<Month> = PartyEntryRow::month;
}

impl Ledger<1> for Parties {
    type Row = PartyEntryRow;
    type Total = PartyTotalRow;
    type Group = PartyGroup;
    type LineSums = LineSums<Parties, 1>;
    const LINE_ENTITY: Column<Id> = PartyEntryRow::legal_entity_id;
    const LINE_ID: Column<Id> = PartyEntryRow::id;
    const LINE_DAY: Column<Date> = PartyEntryRow::on_date;
    const TOTAL_ENTITY: Column<Id> = PartyTotalRow::legal_entity_id;
    const TOTAL_MONTH: Column<Month> = PartyTotalRow::month;
    const FIGURES: [Column<Amount>; 1] = list_counters(Parties::PLAIN);

    fn read_line(line: &PartyEntryRow) -> (Id, Id, PartyGroup, [Amount; 1]) {
        let group = PartyGroup {
            currency_code: line.currency_code.clone(),
            side: line.side,
            account: line.account,
            document: line.document,
            act: line.act,
            month: Month::from_day(line.on_date),
            due_on: line.due_on,
        };
        (line.id, line.legal_entity_id, group, read_parts::<Parties, 1>(line))
    }

    fn key(entity: Id, group: &PartyGroup) -> Row {
        vec![
            entity.put(),
            group.currency_code.put(),
            group.side.put(),
            group.account.put(),
            group.document.put(),
            group.act.put(),
            group.month.put(),
            group.due_on.or_else(|| group.month.first_day()).put(),
        ]
    }

    fn read_total(total: &PartyTotalRow) -> (Id, PartyGroup, [Amount; 1]) {
        let group = PartyGroup {
            currency_code: total.currency_code.clone(),
            side: total.side,
            account: total.account,
            document: total.document,
            act: total.act,
            month: total.month,
            due_on: (total.account == PartyAccount::Invoices).then_some(total.due_on),
        };
        (total.legal_entity_id, group, read_counters::<Parties, 1>(total))
    }

    fn lines_of(group: &PartyGroup) -> Filter {
        let due_on = group.due_on.map_or_else(|| PartyEntryRow::due_on.is_null(), |day| PartyEntryRow::due_on.eq(day));
        all([
            PartyEntryRow::currency_code.eq(group.currency_code.as_str()),
            PartyEntryRow::side.eq(group.side),
            PartyEntryRow::account.eq(group.account),
            PartyEntryRow::document.eq(group.document),
            PartyEntryRow::act.eq(group.act),
            group.month.days_of(PartyEntryRow::on_date),
            due_on,
        ])
    }

    fn read_sums(sums: &Self::LineSums) -> [Amount; 1] {
        sums.figures
    }
}

plain_ledger! {
    /// Revenue that was recognised without an order.
    pub Revenue[3] of RevenueLineRow in RevenueTotalRow by [currency_code: String] {
        Figure::sum(RevenueLineRow::document_count, RevenueTotalRow::documents),
        Figure::sum(RevenueLineRow::quantity, RevenueTotalRow::quantity),
        Figure::sum(RevenueLineRow::revenue, RevenueTotalRow::revenue),
    }
}

impl MonthlyLines<3> for Revenue {
    const LINE_MONTH: Column<Month> = RevenueLineRow::month;
}

plain_ledger! {
    /// Money as it moved.
    pub MoneyMoves[1] of MoneyMoveRow in MoneyTotalRow by [currency_code: String, origin: MoveOrigin] {
        Figure::sum(MoneyMoveRow::amount, MoneyTotalRow::amount),
    }
}
