//! Searches of text look at so many rows and no more: no index finds the rows that contain a text (a trigram index
//! would serve neither behind row-level security nor on SQLite), and the number of a company's rows has no limit. A
//! page that found less than was asked for returns how far it looked, and the next one goes on from there.
//!
//! Other filters do not narrow these rows, since a filter that few rows meet would have all of them read. Those that an
//! index serves in the order of the ids are the exception: the rows that they leave are the only ones that are read.

use stoa_descriptor::ColumnType;
use uuid::Uuid;

use super::call::Select;
use super::datum::Datum;
use super::filter::Condition;
use super::read::{self, Query};
use super::schema::{ID, Key, Table, Tables};
use super::sql::Sql;

/// The statement that finds the last row that a search may look at; none where nothing is searched, or not page by page in the order of
/// the ids. `most`: rows that it may look at.
pub(super) fn find_end(schema: &Tables, select: &Select, most: usize, sql: Sql) -> Option<Query> {
    let by_id = matches!(select.order.as_slice(), [(ID, _)]);
    if !by_id || select.lock.is_some() || select.each.is_some() || !select.filter.searches() {
        return None;
    }
    let filter = find_served(schema.table(select.table), &select.filter);
    let candidates = Select { columns: vec![ID], filter, limit: 1, ..select.clone() };
    let mut query = read::select(schema, candidates, sql);
    query.sql.put(&format!(" offset {}", most.saturating_sub(1)));
    Some(query)
}

/// The part of a filter that an index serves in the order of the ids: ids and their bounds, which keep a reader of news
/// before the watermark, and a value for each column before the id.
fn find_served(table: &Table, filter: &Condition) -> Condition {
    let mut parts = Vec::new();
    collect_parts(filter, &mut parts);
    // Decimals are compared behind row-level security, not by an index.
    let is_decimal = |column: usize| matches!(table.type_of(column), ColumnType::Decimal { .. });
    let find_value = |wanted: &usize| {
        let is_value =
            |part: &&&Condition| matches!(part, Condition::Compare { column, op: "=", .. } if column == wanted);
        parts.iter().find(is_value).filter(|_| !is_decimal(*wanted)).copied()
    };
    let find_values = |key: &Key| -> Option<Vec<&Condition>> {
        key.columns.iter().take_while(|column| **column != ID).map(find_value).collect()
    };
    // A reference leaves fewer rows than a status does.
    let refers = |part: &&Condition| matches!(part, Condition::Compare { column, .. } if matches!(table.type_of(*column), ColumnType::Uuid));
    let keys = table.indexes.iter().chain(&table.unique).filter_map(find_values);
    let values = keys.max_by_key(|values| (values.iter().any(refers), values.len()));
    let of_id =
        |part: &&Condition| matches!(part, Condition::Compare { column: ID, .. } | Condition::OneOf { column: ID, .. });
    let bounds = parts.iter().copied().filter(of_id);
    Condition::All(values.into_iter().flatten().chain(bounds).cloned().collect())
}

/// The conditions that every row must meet.
fn collect_parts<'a>(filter: &'a Condition, parts: &mut Vec<&'a Condition>) {
    match filter {
        Condition::All(all) => all.iter().for_each(|part| collect_parts(part, parts)),
        part => parts.push(part),
    }
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
