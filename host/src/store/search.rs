//! Searches of text look at so many rows and no more: no index knows which rows contain a text (a trigram index would serve neither
//! behind row-level security nor on SQLite), and a company has as many rows as it likes. A page that found less than was asked for
//! tells how far it looked, and the next one goes on from there.

use uuid::Uuid;

use super::call::Select;
use super::datum::Datum;
use super::filter::Condition;
use super::read::{self, Query};
use super::schema::{ID, Tables};
use super::sql::Sql;

/// The statement that finds the last row that a search may look at; none where nothing is searched, or not page by page in the order of
/// the ids. `most`: rows that it may look at.
pub(super) fn find_end(schema: &Tables, select: &Select, most: usize, sql: Sql) -> Option<Query> {
    let by_id = matches!(select.order.as_slice(), [(ID, _)]);
    if !by_id || select.lock.is_some() || select.each.is_some() || !select.filter.searches() {
        return None;
    }
    let candidates = Select { columns: vec![ID], filter: select.filter.without_search(), limit: 1, ..select.clone() };
    let mut query = read::select(schema, candidates, sql);
    query.sql.put(&format!(" offset {}", most.saturating_sub(1)));
    Some(query)
}

/// Ends a search with this row.
pub(super) fn end_at(select: &mut Select, last: Uuid) {
    let descending = select.order.first().is_some_and(|(_, descending)| *descending);
    let (beyond, until) = if descending { ("<", ">=") } else { (">", "<=") };
    let after = select.after.as_ref().and_then(|row| row.first()).map(|datum| (beyond, datum.clone()));
    let bounds: Vec<_> = after.into_iter().chain([(until, Datum::Id(last))]).collect();
    let mut filter = std::mem::replace(&mut select.filter, Condition::always());
    filter.bound_matches(&bounds);
    let end = Condition::Compare { column: ID, op: until, datum: Datum::Id(last) };
    select.filter = Condition::All(vec![filter, end]);
    select.reached = Some(last);
}

/// The row that `find_end` found.
pub(super) fn read_end(rows: &[Vec<Datum>]) -> Option<Uuid> {
    match rows.first().map(Vec::as_slice) {
        Some([Datum::Id(id)]) => Some(*id),
        _ => None,
    }
}
