//! Data to and from PostgreSQL. Decimals and json travel as text: exact for all 38 digits, and no number type of
//! another crate is in between.

use chrono::{DateTime, NaiveDate, Utc};
use stoa_descriptor::ColumnType;
use tokio_postgres::Row;
use tokio_postgres::types::Type;
use uuid::Uuid;

use crate::database::Error;
use crate::database::postgres::{PgStatement, Value, field};
use crate::store::Stop;
use crate::store::datum::{self, Datum};
use crate::store::decimal::{self, Parsed};
use crate::store::json;
use crate::store::read::Output;
use crate::store::sql::{Bound, Param, Sql};

pub(super) fn statement(sql: Sql) -> PgStatement {
    PgStatement { text: sql.text.into(), values: sql.params.into_iter().map(value).collect() }
}

fn value(param: Param) -> Value {
    let type_ = param.type_;
    match param.bound {
        Bound::One(datum) => match type_ {
            ColumnType::Uuid => Value::new(Type::UUID, id(datum)),
            ColumnType::Text | ColumnType::Json | ColumnType::Decimal { .. } => {
                Value::new(Type::TEXT, text(type_, datum))
            }
            ColumnType::Boolean => Value::new(Type::BOOL, boolean(datum)),
            ColumnType::Integer => Value::new(Type::INT8, integer(datum)),
            ColumnType::Timestamp => Value::new(Type::TIMESTAMPTZ, instant(datum)),
            ColumnType::Date => Value::new(Type::DATE, date(datum)),
        },
        Bound::Many(data) => {
            let data = data.into_iter();
            match type_ {
                ColumnType::Uuid => Value::new(Type::UUID_ARRAY, data.map(id).collect::<Vec<_>>()),
                ColumnType::Text | ColumnType::Json | ColumnType::Decimal { .. } => {
                    Value::new(Type::TEXT_ARRAY, data.map(|datum| text(type_, datum)).collect::<Vec<_>>())
                }
                ColumnType::Boolean => Value::new(Type::BOOL_ARRAY, data.map(boolean).collect::<Vec<_>>()),
                ColumnType::Integer => Value::new(Type::INT8_ARRAY, data.map(integer).collect::<Vec<_>>()),
                ColumnType::Timestamp => Value::new(Type::TIMESTAMPTZ_ARRAY, data.map(instant).collect::<Vec<_>>()),
                ColumnType::Date => Value::new(Type::DATE_ARRAY, data.map(date).collect::<Vec<_>>()),
            }
        }
    }
}

fn id(datum: Datum) -> Option<Uuid> {
    if let Datum::Id(id) = datum { Some(id) } else { None }
}

fn text(type_: ColumnType, datum: Datum) -> Option<String> {
    match (datum, type_) {
        (Datum::Text(text) | Datum::Json(text), _) => Some(text),
        (Datum::Decimal(value), ColumnType::Decimal { scale, .. }) => Some(decimal::format(value, scale)),
        _ => None,
    }
}

fn boolean(datum: Datum) -> Option<bool> {
    if let Datum::Bool(value) = datum { Some(value) } else { None }
}

fn integer(datum: Datum) -> Option<i64> {
    if let Datum::Int(value) = datum { Some(value) } else { None }
}

fn instant(datum: Datum) -> Option<DateTime<Utc>> {
    if let Datum::Instant(ms) = datum { datum::instant(ms) } else { None }
}

fn date(datum: Datum) -> Option<NaiveDate> {
    if let Datum::Date(date) = datum { Some(date) } else { None }
}

/// Reads a column of a row; a value that the type never holds is a fault.
pub(super) fn load(row: &Row, column: usize, output: &Output) -> Result<Datum, Stop> {
    let type_ = match output {
        Output::Sum { type_, .. } => {
            let text: Option<String> = field(row, column)?;
            return Ok(text.map_or(Datum::Null, |text| total(*type_, &text)));
        }
        Output::Column(type_) => *type_,
    };
    let datum = match type_ {
        ColumnType::Uuid => field::<Option<Uuid>>(row, column)?.map(Datum::Id),
        ColumnType::Text => field::<Option<String>>(row, column)?.map(Datum::Text),
        ColumnType::Boolean => field::<Option<bool>>(row, column)?.map(Datum::Bool),
        ColumnType::Integer => field::<Option<i64>>(row, column)?.map(Datum::Int),
        ColumnType::Timestamp => {
            let instant: Option<DateTime<Utc>> = field(row, column)?;
            instant.map(|instant| Datum::Instant(instant.timestamp_millis()))
        }
        ColumnType::Date => field::<Option<NaiveDate>>(row, column)?.map(Datum::Date),
        ColumnType::Decimal { scale, .. } => match field::<Option<&str>>(row, column)? {
            None => None,
            Some(text) => match decimal::parse(text, scale) {
                Some(Parsed::Exact(value)) => Some(Datum::Decimal(value)),
                _ => return Err(Stop::Database(Error::Fault("a stored decimal is not of its type".to_owned()))),
            },
        },
        ColumnType::Json => match field::<Option<&str>>(row, column)? {
            None => None,
            Some(text) => match json::normal(text) {
                Some(text) => Some(Datum::Json(text)),
                None => return Err(Stop::Database(Error::Fault("a stored json is none".to_owned()))),
            },
        },
    };
    Ok(datum.unwrap_or(Datum::Null))
}

/// A sum; null beyond 38 digits, or beyond 64 bits of integers.
fn total(type_: ColumnType, text: &str) -> Datum {
    match (type_, decimal::parse(text, if let ColumnType::Decimal { scale, .. } = type_ { scale } else { 0 })) {
        (ColumnType::Integer, Some(Parsed::Exact(value))) => i64::try_from(value).map_or(Datum::Null, Datum::Int),
        (_, Some(Parsed::Exact(value))) => Datum::Decimal(value),
        _ => Datum::Null,
    }
}
