//! Deliveries and returns, and their totals by month: how lines are written, and the groups of their totals.

use stoa_sdk::store::{Aggregate, Batch, Failure, Row, insert, run};
use stoa_sdk::{Column, Date, Field, Filter, Id, Problem, all};
use stoa_trade::dates::Month;
use stoa_trade::quantity::Amount;
use stoa_trade::snapshot::{
    Days, Figure, Ledger, LineSums, MonthSums, PlainLedger, Snapshots, Summed, late_entities, ledger_step,
    list_counters, measure_lines, read_counters, read_parts, sum_months,
};

use crate::records::delivery::DeliveryLineRow;
use crate::records::month_total::DeliveryTotalRow;

const SNAPSHOTS: Snapshots = Snapshots { lock: "lines", offset: 768, ledgers: &[ledger_step::<Deliveries, FIGURES>()] };

/// Writes lines of the entity, in one batch with what else is written; now and then those that came before are added to the totals.
pub fn write_deliveries<B: Batch>(entity: Id, rest: B, lines: &[DeliveryLineRow]) -> Result<B::Answer, Failure> {
    let hold = SNAPSHOTS.hold((!lines.is_empty()).then_some(entity));
    let (hold, answer, _) = run((hold, rest, insert(lines)))?;
    if let Some((_, summed)) = hold {
        for entity in late_entities(&summed) {
            SNAPSHOTS.add_late::<Deliveries, FIGURES>(entity, lines)?;
        }
        SNAPSHOTS.follow(entity, lines.len())?;
    }
    Ok(answer)
}

/// Brings the totals of one entity forward, over lines that are older than they.
pub fn upgrade(cursor: Option<String>) -> Result<Option<String>, Problem> {
    Ok(SNAPSHOTS.upgrade_lines::<Deliveries, FIGURES>(cursor)?)
}

/// Deliveries and returns.
pub struct Deliveries;

/// Figures of a total: orders, quantity, revenue, cost, number of lines with a known cost, and quantity without one.
pub const FIGURES: usize = 6;

impl PlainLedger<FIGURES> for Deliveries {
    const PLAIN: [Figure; FIGURES] = [
        Figure::sum(DeliveryLineRow::document_count, DeliveryTotalRow::documents),
        Figure::sum(DeliveryLineRow::quantity, DeliveryTotalRow::quantity),
        Figure::sum(DeliveryLineRow::revenue, DeliveryTotalRow::revenue),
        Figure::sum(DeliveryLineRow::cost, DeliveryTotalRow::cost),
        Figure::count(DeliveryLineRow::cost, DeliveryTotalRow::costed),
        Figure::sum(DeliveryLineRow::uncosted_quantity, DeliveryTotalRow::uncosted),
    ];
    const LINE_MONTH: Column<Month> = DeliveryLineRow::month;
}

impl Ledger<FIGURES> for Deliveries {
    type Row = DeliveryLineRow;
    type Total = DeliveryTotalRow;
    type Group = (String, Month);
    type LineSums = LineSums<Deliveries, FIGURES>;
    const LINE_ENTITY: Column<Id> = DeliveryLineRow::legal_entity_id;
    const LINE_ID: Column<Id> = DeliveryLineRow::id;
    const LINE_DAY: Column<Date> = DeliveryLineRow::on_date;
    const TOTAL_ENTITY: Column<Id> = DeliveryTotalRow::legal_entity_id;
    const TOTAL_MONTH: Column<Month> = DeliveryTotalRow::month;
    const FIGURES: [Column<Amount>; FIGURES] = list_counters(Deliveries::PLAIN);

    fn read_line(line: &DeliveryLineRow) -> (Id, Id, (String, Month), [Amount; FIGURES]) {
        let group = (line.currency_code.clone(), Month::from_day(line.on_date));
        (line.id, line.legal_entity_id, group, read_parts::<Deliveries, FIGURES>(line))
    }

    fn key(entity: Id, (currency_code, month): &(String, Month)) -> Row {
        vec![entity.put(), currency_code.put(), month.put()]
    }

    fn read_total(total: &DeliveryTotalRow) -> (Id, (String, Month), [Amount; FIGURES]) {
        let group = (total.currency_code.clone(), total.month);
        (total.legal_entity_id, group, read_counters::<Deliveries, FIGURES>(total))
    }

    fn lines_of((currency_code, month): &(String, Month)) -> Filter {
        all([DeliveryLineRow::currency_code.eq(currency_code.as_str()), month.days_of(DeliveryLineRow::on_date)])
    }

    fn measure(filter: Filter) -> Aggregate<Self::LineSums> {
        measure_lines::<Deliveries, _, FIGURES>(filter)
    }

    fn read_sums(sums: &Self::LineSums) -> [Amount; FIGURES] {
        sums.figures
    }
}

/// Sums of an entity's deliveries and returns in a currency on these days, by month.
pub fn sum_deliveries(
    entity: Id,
    currency_code: &str,
    days: Days,
    summed: Option<Summed>,
) -> MonthSums<Deliveries, FIGURES> {
    let of_totals = DeliveryTotalRow::currency_code.eq(currency_code);
    sum_months(entity, summed, days, of_totals, DeliveryLineRow::currency_code.eq(currency_code))
}
