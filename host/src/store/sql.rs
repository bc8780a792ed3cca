//! One statement under construction: text with numbered placeholders and their values.
//!
//! Hand-built and not by sea-query: a text is put together in one pass over the checked call (well under a microsecond
//! for usual calls, where sea-query takes as long as SQLite's own read), the same pass that a look-up key would take, so
//! there is no cache of texts here. The drivers' caches of prepared statements are keyed by the text, which is why it
//! depends on the shape of a call only: values and list lengths are bound.

use std::fmt::Write;

use stoa_descriptor::ColumnType;
use uuid::Uuid;

use super::datum::Datum;
use super::schema::Table;

/// Limits that texts for PostgreSQL have: the usual pages and one row more.
const LIMITS: [usize; 12] = [2, 3, 6, 11, 21, 26, 51, 101, 201, 501, 1_001, 2_001];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

#[derive(Debug, Clone)]
pub(super) struct Param {
    pub type_: ColumnType,
    pub bound: Bound,
}

#[derive(Debug, Clone)]
pub(super) enum Bound {
    One(Datum),
    Many(Vec<Datum>),
}

#[derive(Debug, Clone)]
pub(super) struct Sql {
    pub dialect: Dialect,
    pub text: String,
    pub params: Vec<Param>,
}

impl Sql {
    /// The first placeholder is always the tenant.
    pub fn new(dialect: Dialect, tenant: Uuid) -> Sql {
        let tenant = Param { type_: ColumnType::Uuid, bound: Bound::One(Datum::Id(tenant)) };
        Sql { dialect, text: String::with_capacity(512), params: vec![tenant] }
    }

    pub fn put(&mut self, text: &str) -> &mut Sql {
        self.text.push_str(text);
        self
    }

    /// Placeholder of the nth parameter, from 1.
    pub fn placeholder(&self, number: usize) -> String {
        match self.dialect {
            Dialect::Sqlite => format!("?{number}"),
            Dialect::Postgres => format!("${number}"),
        }
    }

    fn mark(&mut self) {
        let sign = if self.dialect == Dialect::Sqlite { '?' } else { '$' };
        // Writing to a String cannot fail.
        let _ = write!(self.text, "{sign}{}", self.params.len());
    }

    /// Binds one value. Decimals and json reach PostgreSQL as text, whole and unrounded.
    pub fn bind(&mut self, type_: ColumnType, datum: Datum) -> &mut Sql {
        self.supply(type_, datum).mark();
        if self.dialect == Dialect::Postgres {
            self.text.push_str(cast(type_));
        }
        self
    }

    /// A value that the text names by its number.
    pub fn supply(&mut self, type_: ColumnType, datum: Datum) -> &mut Sql {
        self.params.push(Param { type_, bound: Bound::One(datum) });
        self
    }

    /// Leaves numbers for values that are bound later, row by row: values bound from here on are numbered behind them.
    pub fn reserve(&mut self, count: usize) -> &mut Sql {
        let later = Param { type_: ColumnType::Text, bound: Bound::One(Datum::Null) };
        self.params.extend(std::iter::repeat_n(later, count));
        self
    }

    /// Binds a list: an array on PostgreSQL, a pointer for `rarray` on SQLite.
    pub fn bind_many(&mut self, type_: ColumnType, data: Vec<Datum>) -> &mut Sql {
        self.params.push(Param { type_, bound: Bound::Many(data) });
        self.mark();
        self
    }

    /// `alias."column"`
    pub fn column(&mut self, alias: &str, table: &Table, column: usize) -> &mut Sql {
        self.text.push_str(alias);
        self.text.push('.');
        self.text.push_str(&table.column(column).sql);
        self
    }

    /// A comma-separated list of columns, each as the database hands it out.
    pub fn outputs(&mut self, alias: &str, table: &Table, columns: &[usize]) -> &mut Sql {
        for (nth, column) in columns.iter().enumerate() {
            if nth > 0 {
                self.text.push_str(", ");
            }
            self.column(alias, table, *column);
            self.output(table.type_of(*column));
        }
        self
    }

    /// The suffix of an expression of a type with which PostgreSQL returns it as this crate reads it.
    pub fn output(&mut self, type_: ColumnType) -> &mut Sql {
        let textual = matches!(type_, ColumnType::Decimal { .. } | ColumnType::Json);
        if textual && self.dialect == Dialect::Postgres {
            self.text.push_str("::text");
        }
        self
    }

    /// One row more than the limit, to know whether there are more. PostgreSQL plans once for all values, and takes any limit that is
    /// bound for a tenth of the rows: the text has it, rounded up to one of a few. The rows beyond are left out of the reply.
    pub fn limit(&mut self, limit: usize) -> &mut Sql {
        match self.dialect {
            Dialect::Sqlite => {
                let count = i64::try_from(limit).unwrap_or(i64::MAX - 1) + 1;
                self.put(" limit ").bind(ColumnType::Integer, Datum::Int(count))
            }
            Dialect::Postgres => {
                let step = LIMITS.iter().find(|step| **step > limit).copied().unwrap_or(limit + 1);
                self.put(&format!(" limit {step}"))
            }
        }
    }

    /// ` where alias.tenant_id = $1`
    pub fn of_tenant(&mut self, alias: &str) -> &mut Sql {
        let first = self.placeholder(1);
        self.put(" where ").put(alias).put(".tenant_id = ").put(&first)
    }
}

/// The suffix of a bound text that represents another type.
pub(super) fn cast(type_: ColumnType) -> &'static str {
    match type_ {
        ColumnType::Decimal { .. } => "::numeric",
        ColumnType::Json => "::jsonb",
        _ => "",
    }
}
