//! Functions that SQLite lacks: lists as tables, exact sums, sums of wide decimals, and the parts of a search text.

use rusqlite::config::DbConfig;
use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Error, Result};

use crate::store::{decimal, fold};

/// Registers the store's functions; every connection that the store uses needs them.
///
/// It also makes the planner ignore bound values. Otherwise SQLite looks at them (at `limit ?`, for one) and compiles
/// a cached statement again whenever they are bound again, which costs more than to run it.
pub fn register(connection: &Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    rusqlite::vtab::array::load_module(connection)?;
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_aggregate_function("stoa_sum", 1, flags, ExactSum)?;
    connection.create_scalar_function("stoa_add", 2, flags, |context| {
        Ok(decimal::add_encoded(text(context, 0)?, text(context, 1)?))
    })?;
    connection.create_scalar_function("stoa_fold", 1, flags, |context| match context.get_raw(0) {
        ValueRef::Null => Ok(String::new()),
        _ => Ok(fold::fold(text(context, 0)?)),
    })?;
    connection.create_scalar_function("stoa_part", 2, flags, |context| {
        let index: i64 = context.get(1)?;
        Ok(fold::part(text(context, 0)?, usize::try_from(index).unwrap_or(usize::MAX)).to_owned())
    })
}

fn text<'a>(context: &'a Context<'_>, index: usize) -> Result<&'a str> {
    context.get_raw(index).as_str().map_err(|error| Error::UserFunctionError(error.into()))
}

/// Sum of scaled integers or encoded texts, as text; null beyond 38 digits. SQLite's own sum() fails beyond 2^63.
struct ExactSum;

impl Aggregate<decimal::Sum, Option<String>> for ExactSum {
    fn init(&self, _: &mut Context<'_>) -> Result<decimal::Sum> {
        Ok(decimal::Sum::default())
    }

    fn step(&self, context: &mut Context<'_>, sum: &mut decimal::Sum) -> Result<()> {
        match context.get_raw(0) {
            ValueRef::Null => {}
            ValueRef::Integer(value) => sum.add(i128::from(value)),
            ValueRef::Text(bytes) => {
                let value = std::str::from_utf8(bytes).ok().and_then(decimal::decode);
                sum.add(value.ok_or_else(|| Error::UserFunctionError("no encoded decimal".into()))?);
            }
            _ => return Err(Error::UserFunctionError("no number".into())),
        }
        Ok(())
    }

    fn finalize(&self, _: &mut Context<'_>, sum: Option<decimal::Sum>) -> Result<Option<String>> {
        Ok(sum.unwrap_or_default().total().map(|total| total.to_string()))
    }
}
