//! Data to and from PostgreSQL. Decimals and json travel as text: exact for all 38 digits, and no number type of another
//! crate stands between.

use chrono::{DateTime, NaiveDate, Utc};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::{Arguments, Row};
use stoa_descriptor::ColumnType;
use uuid::Uuid;

use super::fault;
use crate::database::Error;
use crate::store::Stop;
use crate::store::datum::{self, Datum};
use crate::store::decimal::{self, Parsed};
use crate::store::json;
use crate::store::read::Output;
use crate::store::sql::{Bound, Param};

pub(super) fn arguments(params: Vec<Param>) -> Result<PgArguments, Stop> {
    let mut arguments = PgArguments::default();
    for param in params {
        let type_ = param.type_;
        let added = match param.bound {
            Bound::One(datum) => match type_ {
                ColumnType::Uuid => arguments.add(id(datum)),
                ColumnType::Text | ColumnType::Json | ColumnType::Decimal { .. } => arguments.add(text(type_, datum)),
                ColumnType::Boolean => arguments.add(boolean(datum)),
                ColumnType::Integer => arguments.add(integer(datum)),
                ColumnType::Timestamp => arguments.add(instant(datum)),
                ColumnType::Date => arguments.add(date(datum)),
            },
            Bound::Many(data) => {
                let data = data.into_iter();
                match type_ {
                    ColumnType::Uuid => arguments.add(data.map(id).collect::<Vec<_>>()),
                    ColumnType::Text | ColumnType::Json | ColumnType::Decimal { .. } => {
                        arguments.add(data.map(|datum| text(type_, datum)).collect::<Vec<_>>())
                    }
                    ColumnType::Boolean => arguments.add(data.map(boolean).collect::<Vec<_>>()),
                    ColumnType::Integer => arguments.add(data.map(integer).collect::<Vec<_>>()),
                    ColumnType::Timestamp => arguments.add(data.map(instant).collect::<Vec<_>>()),
                    ColumnType::Date => arguments.add(data.map(date).collect::<Vec<_>>()),
                }
            }
        };
        added.map_err(|error| Stop::Database(Error::Fault(format!("a value cannot be bound: {error}"))))?;
    }
    Ok(arguments)
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

/// Reads a column of a row; what the type never holds is a fault.
pub(super) fn load(row: &PgRow, at: usize, output: &Output) -> Result<Datum, Stop> {
    let type_ = match output {
        Output::Sum { type_, .. } => {
            let text: Option<String> = row.try_get(at).map_err(fault)?;
            return Ok(text.map_or(Datum::Null, |text| total(*type_, &text)));
        }
        Output::Column(type_) => *type_,
    };
    let datum = match type_ {
        ColumnType::Uuid => row.try_get::<Option<Uuid>, _>(at).map_err(fault)?.map(Datum::Id),
        ColumnType::Text => row.try_get::<Option<String>, _>(at).map_err(fault)?.map(Datum::Text),
        ColumnType::Boolean => row.try_get::<Option<bool>, _>(at).map_err(fault)?.map(Datum::Bool),
        ColumnType::Integer => row.try_get::<Option<i64>, _>(at).map_err(fault)?.map(Datum::Int),
        ColumnType::Timestamp => {
            let instant: Option<DateTime<Utc>> = row.try_get(at).map_err(fault)?;
            instant.map(|instant| Datum::Instant(instant.timestamp_millis()))
        }
        ColumnType::Date => row.try_get::<Option<NaiveDate>, _>(at).map_err(fault)?.map(Datum::Date),
        ColumnType::Decimal { scale, .. } => match row.try_get::<Option<&str>, _>(at).map_err(fault)? {
            None => None,
            Some(text) => match decimal::parse(text, scale) {
                Some(Parsed::Exact(value)) => Some(Datum::Decimal(value)),
                _ => return Err(Stop::Database(Error::Fault("a stored decimal is not of its type".to_owned()))),
            },
        },
        ColumnType::Json => match row.try_get::<Option<&str>, _>(at).map_err(fault)? {
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
