//! Removed prices of a price list: those that the list of API clients with `updatedSince` leaves out, because they were archived
//! or are not in effect now.

use stoa_sdk::store::Rows;
use stoa_sdk::{Answer, Call, Filter, Instant, Operation, Page, Problem, all, any, now};
use stoa_trade::lists::{answer_page, before_watermark};
use stoa_trade::{Status, list_query};

use crate::operations::price::read::read_list_and_page;
use crate::records::permission::READ;
use crate::records::price::PriceRow;
use crate::records::price_list::ListRow;
use crate::records::removal::{PriceRemoval, PriceRemovalStatus, RemovedPriceType};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    // No twin of a person's: people list archived prices and those of any time.
    Operation::read("/pricing/price-lists/{listId}/removals", "apiListPriceRemovals", list)
        .summary("Prices of a public list that were archived or are not in effect")
        .description("Complements the list of prices with `updatedSince`, which contains only prices in effect. Lists the prices that \
            were archived, whose period is over, or that were changed and begin later. Prices of variants and \
            products that were archived or taken off sale are not listed: `GET /api-client/catalog/removals` lists those records.")
        .machine(READ).query::<ListPriceRemovals>().answers::<Page<PriceRemoval>>(),
];

list_query! {
    pub struct ListPriceRemovals {
        /// Only prices that were changed, or whose period ended, at or after this instant.
        updated_since: Option<Instant>,
    }
}

pub fn list(call: &Call) -> Answer {
    let list_id = call.path_id("listId")?;
    let query: ListPriceRemovals = call.query()?;
    let time = now();
    let filter = all([PriceRow::list_id.eq(list_id)].into_iter().chain(filters_of_removed(time, query.updated_since)));
    let (list, rows): (Option<ListRow>, Rows<PriceRow>) =
        read_list_and_page(list_id, &filter, query.cursor, query.limit)?;
    list.filter(ListRow::is_public).ok_or_else(Problem::not_found)?;
    answer_page(rows, |row| row.id, |row| show_removal(&row, time))
}

/// Conditions of prices that are archived or not in effect, by a change or by the end of their period since the stated
/// instant. A price that never changed and begins later is not one of them unless no instant is stated. They are flat:
/// the store limits the depth.
fn filters_of_removed(time: Instant, since: Option<Instant>) -> Vec<Filter> {
    let is_over = || PriceRow::valid_to.le(time);
    let mut filters = vec![any([PriceRow::status.eq(Status::Archived), is_over(), PriceRow::valid_from.gt(time)])];
    if let Some(since) = since {
        let has_ended = all([is_over(), PriceRow::valid_to.ge(since)]);
        filters.push(any([PriceRow::updated_at.ge(since), has_ended]));
        filters.push(before_watermark(PriceRow::updated_at));
    }
    filters
}

fn show_removal(row: &PriceRow, time: Instant) -> PriceRemoval {
    let ended = row.valid_to.filter(|end| *end <= time && row.status == Status::Active);
    PriceRemoval {
        resource_type: RemovedPriceType::Price,
        id: row.id,
        variant_id: row.variant_id,
        status: match row.status {
            Status::Active => PriceRemovalStatus::NotInEffect,
            Status::Archived => PriceRemovalStatus::Archived,
        },
        updated_at: ended.map_or(row.updated_at, |end| end.max(row.updated_at)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_that_ended_by_itself_was_removed_at_its_end() {
        let row = PriceRow { updated_at: Instant(5), valid_to: Some(Instant(9)), ..PriceRow::example() };
        let removed_at = |row: &PriceRow, time: i64| show_removal(row, Instant(time)).updated_at;
        assert_eq!(removed_at(&row, 9), Instant(9));
        assert_eq!(removed_at(&row, 8), Instant(5), "its period has not ended");
        assert_eq!(removed_at(&PriceRow { updated_at: Instant(12), ..row.clone() }, 20), Instant(12));
        assert_eq!(removed_at(&PriceRow { status: Status::Archived, ..row }, 20), Instant(5));
    }
}
