//! A collection's declared checks, in Rust for rows to insert and in SQL for updates and constraints. A comparison with
//! null does not refuse, as in a CHECK constraint.

use stoa_descriptor::ColumnType;

use super::datum::Datum;
use super::decimal;
use super::schema::{Check, Right, Table};
use super::sql::Dialect;

/// Returns whether a row to insert meets the check; `row` holds the module's own columns.
pub(super) fn holds(table: &Table, check: &Check, row: &[Datum]) -> bool {
    let value = |column: usize| column.checked_sub(table.host).and_then(|index| row.get(index));
    check.all.iter().all(|comparison| {
        let left = value(comparison.column);
        let right = match &comparison.right {
            Right::Column(column) => value(*column),
            Right::Constant(datum) => Some(datum),
        };
        match (left, right) {
            (None | Some(Datum::Null), _) | (_, None | Some(Datum::Null)) => true,
            (Some(left), Some(right)) if comparison.at_least => left >= right,
            (Some(left), Some(right)) => left <= right,
        }
    })
}

/// Columns that the check reads.
pub(super) fn columns(check: &Check) -> impl Iterator<Item = usize> {
    check.all.iter().flat_map(|comparison| {
        let right = if let Right::Column(column) = comparison.right { Some(column) } else { None };
        std::iter::once(comparison.column).chain(right)
    })
}

/// The check as SQL, over whatever `value` writes for a column; null where it is undecided.
pub(super) fn sql(table: &Table, check: &Check, dialect: Dialect, value: &dyn Fn(usize) -> String) -> String {
    let parts: Vec<String> = check
        .all
        .iter()
        .map(|comparison| {
            let op = if comparison.at_least { ">=" } else { "<=" };
            let right = match &comparison.right {
                Right::Column(column) => value(*column),
                Right::Constant(datum) => literal(datum, table.type_of(comparison.column), dialect),
            };
            format!("{} {op} {right}", value(comparison.column))
        })
        .collect();
    format!("({})", parts.join(" and "))
}

/// A checked constant as an SQL literal; numbers and defaults of descriptors only.
pub(super) fn literal(datum: &Datum, type_: ColumnType, dialect: Dialect) -> String {
    let text = |text: &str| format!("'{}'", text.replace('\'', "''"));
    match (datum, type_, dialect) {
        (Datum::Null, ..) => "null".to_owned(),
        (Datum::Int(value), ..) => value.to_string(),
        (Datum::Bool(value), _, Dialect::Sqlite) => u8::from(*value).to_string(),
        (Datum::Bool(value), _, Dialect::Postgres) => value.to_string(),
        (Datum::Decimal(value), ColumnType::Decimal { precision, scale }, Dialect::Sqlite) => {
            if precision <= 18 {
                value.to_string()
            } else {
                text(&decimal::encode(*value, precision, scale))
            }
        }
        (Datum::Decimal(value), ColumnType::Decimal { scale, .. }, Dialect::Postgres) => decimal::format(*value, scale),
        (Datum::Decimal(value), ..) => value.to_string(),
        (Datum::Instant(ms), _, Dialect::Sqlite) => ms.to_string(),
        (Datum::Instant(ms), _, Dialect::Postgres) => format!("(timestamptz 'epoch' + interval '{ms} milliseconds')"),
        (Datum::Id(id), _, Dialect::Sqlite) => format!("x'{}'", id.simple()),
        (Datum::Id(id), ..) => format!("'{id}'"),
        (Datum::Date(date), ..) => format!("'{}'", date.format("%Y-%m-%d")),
        (Datum::Text(value) | Datum::Json(value), ..) => text(value),
    }
}
