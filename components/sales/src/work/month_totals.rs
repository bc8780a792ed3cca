//! Deliveries and returns, and their totals by month: how lines are written, and the groups of their totals.

use std::collections::BTreeMap;

use stoa_sdk::store::{Aggregate, Batch, Failure, Row, aggregate, insert, run, select};
use stoa_sdk::{Column, Date, Field, Filter, Id, Problem, all, totals, view};
use stoa_trade::dates::Month;
use stoa_trade::quantity::{Amount, of_count, widen};
use stoa_trade::snapshot::{Days, Ledger, Part, Snapshots, Summed, group_days, late_entities, ledger_step};

use crate::records::delivery::{DeliveryLineRow, SignedQuantity};
use crate::records::month_total::DeliveryTotalRow;

const SNAPSHOTS: Snapshots = Snapshots { lock: "lines", offset: 768, ledgers: &[ledger_step::<Deliveries, 6>()] };

/// Writes lines of the entity, in one batch with what else is written; now and then those that came before are added to the totals.
pub fn write_deliveries<B: Batch>(entity: Id, rest: B, lines: &[DeliveryLineRow]) -> Result<B::Answer, Failure> {
    let hold = SNAPSHOTS.hold((!lines.is_empty()).then_some(entity));
    let (hold, answer, _) = run((hold, rest, insert(lines)))?;
    if let Some((_, summed)) = hold {
        for entity in late_entities(&summed) {
            SNAPSHOTS.add_late::<Deliveries, 6>(entity, lines)?;
        }
        SNAPSHOTS.follow(entity, lines.len())?;
    }
    Ok(answer)
}

view! { EntityOfLine of DeliveryLineRow { legal_entity_id: Id } }

/// Brings the totals of one entity forward, over lines that are older than they.
pub fn upgrade(cursor: Option<String>) -> Result<Option<String>, Problem> {
    let next = |after: Option<Id>| {
        let later = all(after.map(|after| DeliveryLineRow::legal_entity_id.gt(after)));
        let line = run(select::<EntityOfLine>(later).by(DeliveryLineRow::legal_entity_id).first())?;
        Ok(line.map(|line| line.legal_entity_id))
    };
    Ok(SNAPSHOTS.upgrade(cursor, next)?)
}

/// Deliveries and returns.
pub struct Deliveries;

totals! {
    pub LineSums of DeliveryLineRow by [] {
        documents: i64 = sum(document_count),
        quantity: SignedQuantity = sum(quantity),
        revenue: Amount = sum(revenue),
        cost: Amount = sum(cost),
        costed: i64 = count,
        uncosted: SignedQuantity = sum(uncosted_quantity),
    }
}

totals! {
    LineMonths of DeliveryLineRow by [month: Month] {
        documents: i64 = sum(document_count),
        quantity: SignedQuantity = sum(quantity),
        revenue: Amount = sum(revenue),
        cost: Amount = sum(cost),
        costed: i64 = count,
        uncosted: SignedQuantity = sum(uncosted_quantity),
    }
}

totals! {
    TotalMonths of DeliveryTotalRow by [month: Month] {
        documents: Amount = sum(documents),
        quantity: Amount = sum(quantity),
        revenue: Amount = sum(revenue),
        cost: Amount = sum(cost),
        costed: Amount = sum(costed),
        uncosted: Amount = sum(uncosted),
    }
}

impl Ledger<6> for Deliveries {
    type Row = DeliveryLineRow;
    type Total = DeliveryTotalRow;
    type Group = (String, Month);
    type LineSums = LineSums;
    const LINE_ENTITY: Column<Id> = DeliveryLineRow::legal_entity_id;
    const LINE_ID: Column<Id> = DeliveryLineRow::id;
    const LINE_DAY: Column<Date> = DeliveryLineRow::on_date;
    const TOTAL_ENTITY: Column<Id> = DeliveryTotalRow::legal_entity_id;
    const TOTAL_MONTH: Column<Month> = DeliveryTotalRow::month;
    const FIGURES: [Column<Amount>; 6] = [
        DeliveryTotalRow::documents,
        DeliveryTotalRow::quantity,
        DeliveryTotalRow::revenue,
        DeliveryTotalRow::cost,
        DeliveryTotalRow::costed,
        DeliveryTotalRow::uncosted,
    ];

    fn read_line(line: &DeliveryLineRow) -> (Id, Id, (String, Month), [Amount; 6]) {
        let figures = [
            of_count(line.document_count),
            widen(line.quantity),
            line.revenue,
            line.cost.unwrap_or(Amount::ZERO),
            of_count(i64::from(line.cost.is_some())),
            widen(line.uncosted_quantity),
        ];
        (line.id, line.legal_entity_id, (line.currency_code.clone(), Month::from_day(line.on_date)), figures)
    }

    fn key(entity: Id, (currency_code, month): &(String, Month)) -> Row {
        vec![entity.put(), currency_code.put(), month.put()]
    }

    fn read_total(total: &DeliveryTotalRow) -> (Id, (String, Month), [Amount; 6]) {
        let figures = [total.documents, total.quantity, total.revenue, total.cost, total.costed, total.uncosted];
        (total.legal_entity_id, (total.currency_code.clone(), total.month), figures)
    }

    fn lines_of((currency_code, month): &(String, Month)) -> Filter {
        all([DeliveryLineRow::currency_code.eq(currency_code.as_str()), month.days_of(DeliveryLineRow::on_date)])
    }

    fn measure(filter: Filter) -> Aggregate<LineSums> {
        aggregate(filter).when(LineSums::costed, DeliveryLineRow::cost.not_null())
    }

    fn read_sums(sums: &LineSums) -> [Amount; 6] {
        [
            of_count(sums.documents),
            widen(sums.quantity),
            sums.revenue,
            sums.cost,
            of_count(sums.costed),
            widen(sums.uncosted),
        ]
    }
}

/// Sums of an entity's deliveries and returns in a currency on these days, by month: orders, quantity, revenue, cost, number of lines
/// with a known cost, and quantity without one.
pub fn sum_deliveries(
    entity: Id,
    currency_code: &str,
    days: Days,
    summed: Option<Summed>,
) -> impl Batch<Answer = BTreeMap<Month, [Amount; 6]>> {
    group_days::<Deliveries, _, _, _, _, _>(
        entity,
        summed,
        days,
        Part {
            filter: DeliveryTotalRow::currency_code.eq(currency_code),
            measure: &aggregate::<TotalMonths>,
            figures: |sums| {
                (sums.month, [sums.documents, sums.quantity, sums.revenue, sums.cost, sums.costed, sums.uncosted])
            },
        },
        Part {
            filter: DeliveryLineRow::currency_code.eq(currency_code),
            measure: &|filter| {
                aggregate::<LineMonths>(filter).when(LineMonths::costed, DeliveryLineRow::cost.not_null())
            },
            figures: |sums| {
                let (documents, costed) = (of_count(sums.documents), of_count(sums.costed));
                let figures = [documents, widen(sums.quantity), sums.revenue, sums.cost, costed, widen(sums.uncosted)];
                (sums.month, figures)
            },
        },
    )
}
