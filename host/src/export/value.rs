//! Types of columns, and the text of a value: the same for both databases.

use std::fmt;
use std::str::FromStr;

use anyhow::Context as _;
use rusqlite::types::Value as SqliteValue;
use serde_json::Value as Json;
use stoa_descriptor::ColumnType;
use uuid::Uuid;

use crate::calendar::time;
use crate::database::Cell;
use crate::store::{decimal, json};

/// A row: the text of each value, none for null.
pub type Values = Vec<Option<String>>;

/// A column with its type, written `id uuid`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub type_: ValueType,
}

/// A type of a module's column, or bytes, which only tables of the host have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    Column(ColumnType),
    Bytes,
}

/// Names in the file of types without parameters. A decimal is written `decimal(20,4)`: all digits, and those after the point. An
/// instant is RFC 3339 in UTC with milliseconds, the members of JSON are sorted, and bytes are hexadecimal.
const PLAIN: [(&str, ValueType); 8] = [
    ("uuid", ValueType::Column(ColumnType::Uuid)),
    ("text", ValueType::Column(ColumnType::Text)),
    ("boolean", ValueType::Column(ColumnType::Boolean)),
    ("integer", ValueType::Column(ColumnType::Integer)),
    ("instant", ValueType::Column(ColumnType::Timestamp)),
    ("date", ValueType::Column(ColumnType::Date)),
    ("json", ValueType::Column(ColumnType::Json)),
    ("bytes", ValueType::Bytes),
];

impl FromStr for Column {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Column> {
        let unknown = || format!("`{text}` is no column");
        let (name, type_) = text.split_once(' ').with_context(unknown)?;
        let decimal = || {
            let (precision, scale) = type_.strip_prefix("decimal(")?.strip_suffix(')')?.split_once(',')?;
            let (precision, scale) = (precision.parse().ok()?, scale.parse().ok()?);
            Some(ValueType::Column(ColumnType::Decimal { precision, scale }))
        };
        let plain = PLAIN.iter().find(|(plain, _)| *plain == type_).map(|(_, type_)| *type_);
        Ok(Column { name: name.to_owned(), type_: plain.or_else(decimal).with_context(unknown)? })
    }
}

impl fmt::Display for Column {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ", self.name)?;
        if let ValueType::Column(ColumnType::Decimal { precision, scale }) = self.type_ {
            return write!(formatter, "decimal({precision},{scale})");
        }
        let name = PLAIN.iter().find(|(_, type_)| *type_ == self.type_).map_or("", |(name, _)| name);
        formatter.write_str(name)
    }
}

impl ValueType {
    /// The expression by which PostgreSQL returns the text of a column.
    pub fn sql_text(self, column: &str) -> String {
        match self {
            ValueType::Column(ColumnType::Text) => column.to_owned(),
            ValueType::Column(ColumnType::Timestamp) => {
                format!("to_char({column} at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')")
            }
            ValueType::Column(ColumnType::Date) => format!("to_char({column}, 'YYYY-MM-DD')"),
            ValueType::Column(_) => format!("{column}::text"),
            ValueType::Bytes => format!("encode({column}, 'hex')"),
        }
    }

    /// The expression by which PostgreSQL makes a value from its text.
    pub fn sql_value(self, text: &str) -> String {
        let ValueType::Column(type_) = self else { return format!("decode({text}, 'hex')") };
        match type_ {
            ColumnType::Text => text.to_owned(),
            ColumnType::Uuid => format!("{text}::uuid"),
            ColumnType::Boolean => format!("{text}::boolean"),
            ColumnType::Integer => format!("{text}::bigint"),
            ColumnType::Decimal { precision, scale } => format!("{text}::numeric({precision},{scale})"),
            ColumnType::Timestamp => format!("{text}::timestamptz"),
            ColumnType::Date => format!("{text}::date"),
            ColumnType::Json => format!("{text}::jsonb"),
        }
    }

    /// The text of a value that PostgreSQL returned as text; none if the value is not of its type.
    pub fn read_postgres(self, cell: &Cell) -> Option<String> {
        match (self, cell) {
            (ValueType::Column(ColumnType::Json), Cell::Text(text)) => json::normal(text),
            (_, Cell::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    /// The text of a value as SQLite keeps it; none if the value is not of its type.
    pub fn read_sqlite(self, cell: &Cell) -> Option<String> {
        let ValueType::Column(type_) = self else {
            return if let Cell::Bytes(bytes) = cell { Some(hex::encode(bytes)) } else { None };
        };
        Some(match (type_, cell) {
            (ColumnType::Uuid, Cell::Bytes(bytes)) => Uuid::from_slice(bytes).ok()?.to_string(),
            (ColumnType::Text | ColumnType::Date, Cell::Text(text)) => text.clone(),
            (ColumnType::Boolean, Cell::Integer(flag)) => (*flag != 0).to_string(),
            (ColumnType::Integer, Cell::Integer(number)) => number.to_string(),
            (ColumnType::Decimal { precision: ..=18, scale }, Cell::Integer(number)) => {
                decimal::format(i128::from(*number), scale)
            }
            (ColumnType::Decimal { scale, .. }, Cell::Text(text)) => decimal::format(decimal::decode(text)?, scale),
            (ColumnType::Timestamp, Cell::Integer(ms)) => time(*ms),
            (ColumnType::Json, Cell::Text(text)) => json::normal(text)?,
            _ => return None,
        })
    }

    /// The value of a text as SQLite keeps it; none if the text is not a value of the type.
    pub fn to_sqlite(self, text: &str) -> Option<SqliteValue> {
        let ValueType::Column(type_) = self else { return hex::decode(text).ok().map(SqliteValue::Blob) };
        Some(match type_ {
            ColumnType::Uuid => SqliteValue::Blob(Uuid::parse_str(text).ok()?.as_bytes().to_vec()),
            ColumnType::Text | ColumnType::Date | ColumnType::Json => SqliteValue::Text(text.to_owned()),
            ColumnType::Boolean => SqliteValue::Integer(i64::from(text.parse::<bool>().ok()?)),
            ColumnType::Integer => SqliteValue::Integer(text.parse().ok()?),
            ColumnType::Decimal { precision, scale } => match decimal::parse(text, scale)? {
                decimal::Parsed::Exact(value) if !decimal::fits(value, precision) => return None,
                decimal::Parsed::Exact(value) if precision <= 18 => SqliteValue::Integer(i64::try_from(value).ok()?),
                decimal::Parsed::Exact(value) => SqliteValue::Text(decimal::encode(value, precision, scale)),
                _ => return None,
            },
            ColumnType::Timestamp => {
                SqliteValue::Integer(chrono::DateTime::parse_from_rfc3339(text).ok()?.timestamp_millis())
            }
        })
    }

    /// A text as the file has it.
    pub fn to_json(self, text: &str) -> Json {
        match self {
            ValueType::Column(ColumnType::Boolean) => Json::Bool(text == "true"),
            ValueType::Column(ColumnType::Integer) => text.parse::<i64>().map_or(Json::Null, Json::from),
            _ => Json::String(text.to_owned()),
        }
    }

    /// The text of a value of the file; none if the value is not of the type.
    pub fn read_json(self, value: &Json) -> Option<String> {
        match (self, value) {
            (ValueType::Column(ColumnType::Boolean), Json::Bool(flag)) => Some(flag.to_string()),
            (ValueType::Column(ColumnType::Integer), Json::Number(number)) => {
                number.as_i64().map(|number| number.to_string())
            }
            (ValueType::Column(ColumnType::Boolean | ColumnType::Integer), _) => None,
            (_, Json::String(text)) => Some(text.clone()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sqlite_cell(value: SqliteValue) -> Cell {
        match value {
            SqliteValue::Integer(number) => Cell::Integer(number),
            SqliteValue::Text(text) => Cell::Text(text),
            SqliteValue::Blob(bytes) => Cell::Bytes(bytes),
            SqliteValue::Null | SqliteValue::Real(_) => Cell::Null,
        }
    }

    #[test]
    fn a_text_survives_sqlite_and_the_file() {
        for (column, text) in [
            ("a uuid", "0198c0de-0000-7000-8000-000000000001"),
            ("a text", "Grüße\n\"x\""),
            ("a boolean", "true"),
            ("a integer", "-9223372036854775808"),
            ("a decimal(18,6)", "-123456789012.000001"),
            ("a decimal(38,12)", "-0.000000000001"),
            ("a decimal(38,0)", "99999999999999999999999999999999999999"),
            ("a instant", "0001-01-01T00:00:00.001Z"),
            ("a date", "9999-12-31"),
            ("a json", r#"{"a":[1,1.5],"b":null}"#),
            ("a bytes", "00ff"),
        ] {
            let parsed: Column = column.parse().unwrap();
            assert_eq!(parsed.to_string(), column);
            let kept = parsed.type_.to_sqlite(text).unwrap_or_else(|| panic!("{column}: {text}"));
            assert_eq!(parsed.type_.read_sqlite(&sqlite_cell(kept)).as_deref(), Some(text), "{column}");
            assert_eq!(parsed.type_.read_json(&parsed.type_.to_json(text)).as_deref(), Some(text), "{column}");
        }
        for column in ["a", "a number", "a decimal(20)", "a decimal(20,4", ""] {
            assert!(column.parse::<Column>().is_err(), "{column}");
        }
    }

    #[test]
    fn a_text_of_another_type_is_rejected() {
        for (column, text) in [
            ("a uuid", "x"),
            ("a boolean", "1"),
            ("a integer", "1.0"),
            ("a decimal(4,2)", "100.00"),
            ("a decimal(4,2)", "1.001"),
            ("a instant", "yesterday"),
            ("a bytes", "0"),
        ] {
            let parsed: Column = column.parse().unwrap();
            assert!(parsed.type_.to_sqlite(text).is_none(), "{column}: {text}");
        }
    }
}
