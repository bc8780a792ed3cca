//! The ledgers of finance and their totals by month: how lines are written, and what their totals are of.

use stoa_sdk::store::{Batch, Failure, Row, insert, run, select};
use stoa_sdk::{Column, Date, Field, Filter, Id, Problem, all, totals, view};
use stoa_trade::dates::Month;
use stoa_trade::quantity::{Amount, Quantity, Sum, of_count, widen};
use stoa_trade::snapshot::{Ledger, Snapshots, late_entities, ledger_step};

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

/// Writes lines of the entity, in one batch with what else is written; now and then those that came before are added to the totals.
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

totals! { pub PartySums of PartyEntryRow by [] { amount: Sum = sum(amount) } }

impl Ledger<1> for Parties {
    type Row = PartyEntryRow;
    type Total = PartyTotalRow;
    type Group = PartyGroup;
    type LineSums = PartySums;
    const LINE_ENTITY: Column<Id> = PartyEntryRow::legal_entity_id;
    const LINE_ID: Column<Id> = PartyEntryRow::id;
    const LINE_DAY: Column<Date> = PartyEntryRow::on_date;
    const TOTAL_ENTITY: Column<Id> = PartyTotalRow::legal_entity_id;
    const TOTAL_MONTH: Column<Month> = PartyTotalRow::month;
    const FIGURES: [Column<Amount>; 1] = [PartyTotalRow::amount];

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
        (line.id, line.legal_entity_id, group, [widen(line.amount)])
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
        (total.legal_entity_id, group, [total.amount])
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

    fn read_sums(sums: &PartySums) -> [Amount; 1] {
        [widen(sums.amount)]
    }
}

/// Revenue that was recognised without an order.
pub struct Revenue;

totals! {
    pub RevenueSums of RevenueLineRow by [] {
        documents: i64 = sum(document_count),
        quantity: Quantity = sum(quantity),
        revenue: Amount = sum(revenue),
    }
}

impl Ledger<3> for Revenue {
    type Row = RevenueLineRow;
    type Total = RevenueTotalRow;
    type Group = (String, Month);
    type LineSums = RevenueSums;
    const LINE_ENTITY: Column<Id> = RevenueLineRow::legal_entity_id;
    const LINE_ID: Column<Id> = RevenueLineRow::id;
    const LINE_DAY: Column<Date> = RevenueLineRow::on_date;
    const TOTAL_ENTITY: Column<Id> = RevenueTotalRow::legal_entity_id;
    const TOTAL_MONTH: Column<Month> = RevenueTotalRow::month;
    const FIGURES: [Column<Amount>; 3] =
        [RevenueTotalRow::documents, RevenueTotalRow::quantity, RevenueTotalRow::revenue];

    fn read_line(line: &RevenueLineRow) -> (Id, Id, (String, Month), [Amount; 3]) {
        let figures = [of_count(line.document_count), widen(line.quantity), line.revenue];
        (line.id, line.legal_entity_id, (line.currency_code.clone(), Month::from_day(line.on_date)), figures)
    }

    fn key(entity: Id, (currency_code, month): &(String, Month)) -> Row {
        vec![entity.put(), currency_code.put(), month.put()]
    }

    fn read_total(total: &RevenueTotalRow) -> (Id, (String, Month), [Amount; 3]) {
        let figures = [total.documents, total.quantity, total.revenue];
        (total.legal_entity_id, (total.currency_code.clone(), total.month), figures)
    }

    fn lines_of((currency_code, month): &(String, Month)) -> Filter {
        all([RevenueLineRow::currency_code.eq(currency_code.as_str()), month.days_of(RevenueLineRow::on_date)])
    }

    fn read_sums(sums: &RevenueSums) -> [Amount; 3] {
        [of_count(sums.documents), widen(sums.quantity), sums.revenue]
    }
}

/// Money as it moved.
pub struct MoneyMoves;

totals! { pub MoneySums of MoneyMoveRow by [] { amount: Sum = sum(amount) } }

impl Ledger<1> for MoneyMoves {
    type Row = MoneyMoveRow;
    type Total = MoneyTotalRow;
    type Group = (String, MoveOrigin, Month);
    type LineSums = MoneySums;
    const LINE_ENTITY: Column<Id> = MoneyMoveRow::legal_entity_id;
    const LINE_ID: Column<Id> = MoneyMoveRow::id;
    const LINE_DAY: Column<Date> = MoneyMoveRow::on_date;
    const TOTAL_ENTITY: Column<Id> = MoneyTotalRow::legal_entity_id;
    const TOTAL_MONTH: Column<Month> = MoneyTotalRow::month;
    const FIGURES: [Column<Amount>; 1] = [MoneyTotalRow::amount];

    fn read_line(line: &MoneyMoveRow) -> (Id, Id, (String, MoveOrigin, Month), [Amount; 1]) {
        let group = (line.currency_code.clone(), line.origin, Month::from_day(line.on_date));
        (line.id, line.legal_entity_id, group, [widen(line.amount)])
    }

    fn key(entity: Id, (currency_code, origin, month): &(String, MoveOrigin, Month)) -> Row {
        vec![entity.put(), currency_code.put(), origin.put(), month.put()]
    }

    fn read_total(total: &MoneyTotalRow) -> (Id, (String, MoveOrigin, Month), [Amount; 1]) {
        let group = (total.currency_code.clone(), total.origin, total.month);
        (total.legal_entity_id, group, [total.amount])
    }

    fn lines_of((currency_code, origin, month): &(String, MoveOrigin, Month)) -> Filter {
        all([
            MoneyMoveRow::currency_code.eq(currency_code.as_str()),
            MoneyMoveRow::origin.eq(*origin),
            month.days_of(MoneyMoveRow::on_date),
        ])
    }

    fn read_sums(sums: &MoneySums) -> [Amount; 1] {
        [widen(sums.amount)]
    }
}
