//! The parameters by which every document of a side is listed, and pages of documents that others change.

use std::collections::BTreeMap;

use stoa_sdk::store::{Rows, run, select};
use stoa_sdk::{Entity, Filter, Id, Limit, Problem, all, fit_page, map};

/// The query of a list of documents: the parameters that all of them have, then its own. The comment of `text` says
/// which columns that parameter searches.
macro_rules! document_list {
    ($name:ident of $row:ident, $status:ident {
        $(#[$searched:meta])* text; $($parameter:tt)*
    } dated {
        $(#[$dated:meta])* $day:ident; $($other_days:tt)*
    } of $amount:ident) => {
        stoa_trade::list_query! {
            pub struct $name of $row {
                /// Only these documents, at most 100, separated by commas.
                ids: Option<stoa_trade::ids::Ids> = stoa_trade::ids::among($row::id, ids.as_ref()),
                status: Option<$status>,
                legal_entity_id: Option<stoa_sdk::Id>,
                party_id: Option<stoa_sdk::Id>,
                currency_code: Option<stoa_trade::document::currency::CurrencyCode>,
                /// Only documents whose number contains the text, ignoring case.
                number: Option<stoa_sdk::Text<1, 64>> = stoa_trade::lists::mentions("number", number.as_deref()),
                $(#[$searched])*
                text: Option<stoa_sdk::Text<1, 200>> = stoa_trade::lists::mentions("text", text.as_deref()),
                $($parameter)*
                $(#[$dated])*
                from: Option<stoa_sdk::Date> = stoa_trade::lists::at_least($row::$day, from),
                to: Option<stoa_sdk::Date> = stoa_trade::lists::at_most($row::$day, to),
                $($other_days)*
                total_min: Option<stoa_trade::quantity::Money> = stoa_trade::lists::at_least($row::$amount, total_min),
                total_max: Option<stoa_trade::quantity::Money> = stoa_trade::lists::at_most($row::$amount, total_max),
            }
        }
    };
}

pub(crate) use document_list;

/// Reads a page of the documents that meet the filter and changed themselves, or whose other row did, which is all that payments
/// change of an invoice. Each of the two has an index; as alternatives of one filter they have none.
pub fn read_changed<R: Entity>(
    filter: &Filter,
    changed: [Filter; 2],
    cursor: Option<Id>,
    limit: Limit,
) -> Result<Rows<R>, Problem> {
    let [documents, settlements] = changed.map(|changed| all([filter.clone(), changed]));
    fit_page(limit, |limit| {
        let page = |filter: &Filter| select::<R>(filter.clone()).page(cursor).limit(limit);
        let (documents, settlements) = run((page(&documents), page(&settlements)))?;
        Ok(merge(documents, settlements, limit as usize))
    })
}

/// The page that both pages make: rows behind the end of either are for the next one.
fn merge<R: Entity>(one: Rows<R>, other: Rows<R>, limit: usize) -> Rows<R> {
    let end = [one.next(Entity::id), other.next(Entity::id)].into_iter().flatten().min();
    let rows = one.items.into_iter().chain(other.items).filter(|row| end.is_none_or(|end| row.id() <= end));
    let rows: BTreeMap<Id, R> = map(rows.map(|row| (row.id(), row)));
    let is_cut = rows.len() > limit;
    let reached = end.filter(|_| !is_cut);
    Rows { items: rows.into_values().take(limit).collect(), more: is_cut || end.is_some(), reached }
}

#[cfg(test)]
mod tests {
    use stoa_sdk::{Instant, collection};

    use super::*;

    collection! {
        record SlipRow in "slip" {
            number: String,
        }
    }

    fn page(ids: &[u64], more: bool, reached: Option<u64>) -> Rows<SlipRow> {
        let row = |id: &u64| SlipRow {
            id: Id(0, *id),
            version: 1,
            created_at: Instant(0),
            updated_at: Instant(0),
            number: id.to_string(),
        };
        Rows { items: ids.iter().map(row).collect(), more, reached: reached.map(|id| Id(0, id)) }
    }

    #[test]
    fn two_pages_make_one_that_leads_on() {
        let merged = |one, other| {
            let page = merge::<SlipRow>(one, other, 3);
            let ids: Vec<u64> = page.items.iter().map(|row| row.id.1).collect();
            (ids, page.next(Entity::id).map(|id| id.1))
        };
        let whole = |ids: &[u64]| page(ids, false, None);
        assert_eq!(merged(whole(&[]), whole(&[])), (vec![], None));
        assert_eq!(merged(whole(&[1, 3]), whole(&[2, 3])), (vec![1, 2, 3], None), "each once, in order");
        assert_eq!(merged(whole(&[1, 2, 3]), whole(&[4])), (vec![1, 2, 3], Some(3)), "no more than the limit");
        let first = page(&[1, 2, 5], true, None);
        assert_eq!(merged(first, whole(&[3, 7])), (vec![1, 2, 3], Some(3)));
        let first = page(&[1, 2, 3], true, None);
        assert_eq!(merged(first, whole(&[2, 7])), (vec![1, 2, 3], Some(3)), "7 may follow what 3 leads to");
        let searched = page(&[], true, Some(6));
        assert_eq!(merged(searched, whole(&[4, 9])), (vec![4], Some(6)), "a search that stopped at 6");
    }
}
