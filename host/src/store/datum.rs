//! A value in the form of its column: what a module sent, checked, and what the databases bind and read.

use chrono::{DateTime, NaiveDate};
use stoa_descriptor::ColumnType;
use uuid::Uuid;

use super::{decimal, json};
use crate::wit::store::Value;

/// A checked value. Decimals are scaled by their column's scale; instants are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Datum {
    Null,
    Id(Uuid),
    Text(String),
    Bool(bool),
    Int(i64),
    Decimal(i128),
    Instant(i64),
    Date(NaiveDate),
    Json(String),
}

/// Why a value is not one of its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    /// Another type, or no value of the type at all.
    Type,
    /// The right type, but the column cannot hold it exactly.
    Range,
}

/// 0001-01-01 to 9999-12-31, the range that both databases write in the same way.
const INSTANTS: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;

impl Datum {
    /// Checks a module's value against a column's type.
    pub fn from_value(value: Value, type_: ColumnType) -> Result<Datum, Unfit> {
        Ok(match (type_, value) {
            (_, Value::Null) => Datum::Null,
            (ColumnType::Uuid, Value::Id((high, low))) => Datum::Id(Uuid::from_u64_pair(high, low)),
            (ColumnType::Text, Value::Text(text)) if text.contains('\0') => return Err(Unfit::Range),
            (ColumnType::Text, Value::Text(text)) => Datum::Text(text),
            (ColumnType::Boolean, Value::Boolean(value)) => Datum::Bool(value),
            (ColumnType::Integer, Value::Integer(value)) => Datum::Int(value),
            (ColumnType::Decimal { precision, scale }, Value::Decimal(text)) => {
                match decimal::parse(&text, scale).ok_or(Unfit::Type)? {
                    decimal::Parsed::Exact(value) if decimal::fits(value, precision) => Datum::Decimal(value),
                    _ => return Err(Unfit::Range),
                }
            }
            (ColumnType::Timestamp, Value::Instant(ms)) if INSTANTS.contains(&ms) => Datum::Instant(ms),
            (ColumnType::Timestamp, Value::Instant(_)) => return Err(Unfit::Range),
            (ColumnType::Date, Value::Date(text)) => Datum::Date(date(&text).ok_or(Unfit::Type)?),
            (ColumnType::Json, Value::Json(text)) => match json::normal(&text) {
                Some(text) => Datum::Json(text),
                None if text.contains("\\u0000") => return Err(Unfit::Range),
                None => return Err(Unfit::Type),
            },
            _ => return Err(Unfit::Type),
        })
    }

    /// The constant of a descriptor: text forms for what JSON has no type for, milliseconds for timestamps.
    pub fn of_json(value: &serde_json::Value, type_: ColumnType) -> Option<Datum> {
        use serde_json::Value as Json;
        let value = match (type_, value) {
            (ColumnType::Json, value) => return json::normal_value(value).map(Datum::Json),
            (_, Json::Null) => return None,
            (ColumnType::Uuid, Json::String(text)) => Value::Id(Uuid::parse_str(text).ok()?.as_u64_pair()),
            (ColumnType::Text, Json::String(text)) => Value::Text(text.clone()),
            (ColumnType::Boolean, Json::Bool(value)) => Value::Boolean(*value),
            (ColumnType::Integer, Json::Number(number)) => Value::Integer(number.as_i64()?),
            (ColumnType::Decimal { .. }, Json::String(text)) => Value::Decimal(text.clone()),
            (ColumnType::Timestamp, Json::Number(number)) => Value::Instant(number.as_i64()?),
            (ColumnType::Date, Json::String(text)) => Value::Date(text.clone()),
            _ => return None,
        };
        Datum::from_value(value, type_).ok()
    }

    /// The value that a module reads. A decimal has exactly its column's scale.
    pub fn value(self, type_: ColumnType) -> Value {
        match self {
            Datum::Null => Value::Null,
            Datum::Id(id) => Value::Id(id.as_u64_pair()),
            Datum::Text(text) => Value::Text(text),
            Datum::Bool(value) => Value::Boolean(value),
            Datum::Int(value) => Value::Integer(value),
            Datum::Decimal(value) => {
                let scale = if let ColumnType::Decimal { scale, .. } = type_ { scale } else { 0 };
                Value::Decimal(decimal::format(value, scale))
            }
            Datum::Instant(ms) => Value::Instant(ms),
            Datum::Date(date) => Value::Date(date.format("%Y-%m-%d").to_string()),
            Datum::Json(text) => Value::Json(text),
        }
    }

    /// Bytes that the value takes in a reply, about.
    pub fn size(&self) -> usize {
        match self {
            Datum::Text(text) | Datum::Json(text) => 16 + text.len(),
            Datum::Decimal(_) => 40,
            _ => 16,
        }
    }
}

/// `YYYY-MM-DD` of a day that exists, in the years 0001 to 9999.
pub fn date(text: &str) -> Option<NaiveDate> {
    let shape = text
        .bytes()
        .enumerate()
        .all(|(index, b)| if index == 4 || index == 7 { b == b'-' } else { b.is_ascii_digit() });
    if text.len() != 10 || !shape || text.starts_with("0000") {
        return None;
    }
    NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()
}

/// An instant as chrono's type; none outside its range.
pub fn instant(ms: i64) -> Option<DateTime<chrono::Utc>> {
    DateTime::from_timestamp_millis(ms)
}
