//! Deliveries and returns, and their totals by month: how lines are written, and the groups of their totals.

use stoa_sdk::store::{Batch, Failure, insert, run};
use stoa_sdk::{Column, Id, Problem};
use stoa_trade::dates::Month;
use stoa_trade::plain_ledger;
use stoa_trade::snapshot::{
    Days, Figure, MonthSums, MonthlyLines, Snapshots, Summed, late_entities, ledger_step, sum_months,
};

use crate::records::delivery::DeliveryLineRow;
use crate::records::month_total::DeliveryTotalRow;

const SNAPSHOTS: Snapshots = Snapshots { lock: "lines", offset: 768, ledgers: &[ledger_step::<Deliveries, FIGURES>()] };

/// Writes lines of the entity, in one batch with what else is written; now and then those that came before are added to
/// the totals.
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

/// Figures of a total: orders, quantity, revenue, cost, number of lines with a known cost, and quantity without one.
pub const FIGURES: usize = 6;

plain_ledger! {
    /// Deliveries and returns.
    pub Deliveries[FIGURES] of DeliveryLineRow in DeliveryTotalRow by [currency_code: String] {
        Figure::sum(DeliveryLineRow::document_count, DeliveryTotalRow::documents),
        Figure::sum(DeliveryLineRow::quantity, DeliveryTotalRow::quantity),
        Figure::sum(DeliveryLineRow::revenue, DeliveryTotalRow::revenue),
        Figure::sum(DeliveryLineRow::cost, DeliveryTotalRow::cost),
        Figure::count(DeliveryLineRow::cost, DeliveryTotalRow::costed),
        Figure::sum(DeliveryLineRow::uncosted_quantity, DeliveryTotalRow::uncosted),
    }
}

impl MonthlyLines<FIGURES> for Deliveries {
    const LINE_MONTH: Column<Month> = DeliveryLineRow::month;
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
