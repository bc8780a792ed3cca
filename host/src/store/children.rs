//! Pages through children: a page of parents in the order of their ids whose `has` names children that an index keeps in the
//! order of their parents. The children are read from the cursor on, and no more of them than the page takes, however many
//! there are; parents follow from them. Every other `has` looks up all its matches first (`filter.rs`).

use stoa_descriptor::ColumnType;

use super::call::Select;
use super::datum::Datum;
use super::filter::{self, Condition};
use super::schema::{ID, Key, Table, Tables};
use super::sql::{Dialect, Sql};

/// Children of one step (PostgreSQL). Their number is in the text as a query: planned for few rows, the step reads the
/// index in its order and never sorts all there is, even where statistics show few matches.
const STEP: usize = 128;

/// The `has` that a page of ids follows.
pub(super) struct Children {
    table: usize,
    theirs: usize,
    terms: Vec<Condition>,
    descending: bool,
    after: Option<Datum>,
    /// The last parent at which a search of text looks.
    until: Option<Datum>,
}

/// Takes the `has` to follow, and the cursor, out of the select; a select that has none stays as it is.
pub(super) fn take(schema: &Tables, select: &mut Select) -> Option<Children> {
    let [(ID, descending)] = select.order.as_slice() else { return None };
    let descending = *descending;
    if select.lock.is_some() {
        return None;
    }
    let Condition::Has { table, theirs, terms, .. } = take_first(schema, &mut select.filter)? else { return None };
    look_up_rest(schema, &mut select.filter);
    let after = select.after.take().and_then(|mut row| row.pop());
    let until = select.reached.map(Datum::Id);
    Some(Children { table, theirs, terms, descending, after, until })
}

/// The first condition that every row must meet and that can be followed; `true` takes its place.
fn take_first(schema: &Tables, condition: &mut Condition) -> Option<Condition> {
    match condition {
        Condition::Has { table, own_column: ID, theirs, terms, .. }
            if is_in_order(schema.table(*table), *theirs, terms) =>
        {
            Some(std::mem::replace(condition, Condition::always()))
        }
        Condition::All(parts) => parts.iter_mut().find_map(|part| take_first(schema, part)),
        _ => None,
    }
}

/// The other conditions are checked for each parent that comes.
fn look_up_rest(schema: &Tables, condition: &mut Condition) {
    match condition {
        Condition::Has { table, theirs, terms, each, .. } => *each = is_in_order(schema.table(*table), *theirs, terms),
        Condition::All(parts) => parts.iter_mut().for_each(|part| look_up_rest(schema, part)),
        _ => {}
    }
}

/// Returns whether an index holds the matches of the terms in the order of `theirs`, and no other index could find fewer.
fn is_in_order(table: &Table, theirs: usize, terms: &[Condition]) -> bool {
    let keys = || table.indexes.iter().chain(&table.unique);
    let begins = |key: &Key| {
        let position = key.columns.iter().position(|column| *column == theirs)?;
        let before = key.columns.get(..position)?;
        let pinned = before.iter().all(|column| terms.iter().any(|term| is_equal_to(table, term, *column)));
        (pinned && (position > 0 || terms.is_empty())).then_some(before.to_vec())
    };
    let leads = |column: &usize| *column == ID || keys().any(|key| key.columns.first() == Some(column));
    keys().filter_map(begins).any(|before| {
        let mut used = Vec::new();
        terms.iter().filter(|term| !matches!(term, Condition::Null { .. })).for_each(|term| term.columns(&mut used));
        used.iter().all(|column| before.contains(column) || !leads(column))
    })
}

/// Decimals are compared behind row-level security, not by an index.
fn is_equal_to(table: &Table, term: &Condition, index: usize) -> bool {
    let decimal = matches!(table.type_of(index), ColumnType::Decimal { .. });
    matches!(term, Condition::Compare { column, op: "=", .. } if *column == index && !decimal)
}

impl Children {
    /// Begins the statement: `m` is the parents' ids in order, made as they are asked for.
    pub fn write_ids(&self, schema: &Tables, sql: &mut Sql) {
        let last = match sql.dialect {
            Dialect::Sqlite => "m.k".to_owned(),
            Dialect::Postgres => format!("m.k[{STEP}]"),
        };
        sql.put("with recursive m(k) as (select ");
        self.write_step(schema, None, sql);
        sql.put(" union all select ");
        self.write_step(schema, Some(&last), sql);
        sql.put(" from m where ").put(&last).put(" is not null) ");
    }

    /// The next children's parents beyond `last`, or beyond the cursor: one on SQLite, an array on PostgreSQL.
    fn write_step(&self, schema: &Tables, last: Option<&str>, sql: &mut Sql) {
        let table = schema.table(self.table);
        let array = sql.dialect == Dialect::Postgres;
        sql.put(if array { "array(select " } else { "(select " }).column("h", table, self.theirs);
        sql.put(" from ").put(&table.sql).put(" h").of_tenant("h");
        for term in &self.terms {
            sql.put(" and ");
            filter::write(schema, table, "h", term.clone(), sql);
        }
        if table.column(self.theirs).nullable {
            sql.put(" and ").column("h", table, self.theirs).put(" is not null");
        }
        let sign = if self.descending { " < " } else { " > " };
        if let Some(last) = last {
            sql.put(" and ").column("h", table, self.theirs).put(sign).put(last);
        } else if let Some(after) = &self.after {
            sql.put(" and ").column("h", table, self.theirs).put(sign).bind(table.type_of(self.theirs), after.clone());
        }
        if let Some(until) = &self.until {
            let sign = if self.descending { " >= " } else { " <= " };
            sql.put(" and ").column("h", table, self.theirs).put(sign).bind(table.type_of(self.theirs), until.clone());
        }
        sql.put(" order by ").column("h", table, self.theirs).put(if self.descending { " desc" } else { "" });
        let limit = if array { format!(" limit (select {STEP}))") } else { " limit 1)".to_owned() };
        sql.put(&limit);
    }

    /// ` from .. where`: the parents of those ids, in their order. Further conditions may follow, then `end_from`.
    pub fn begin_from(&self, table: &Table, sql: &mut Sql) {
        let postgres = sql.dialect == Dialect::Postgres;
        sql.put(" from m cross join ").put(if postgres { "lateral (select * from " } else { "" });
        sql.put(&table.sql).put(" t").of_tenant("t").put(" and ").column("t", table, ID);
        sql.put(if postgres { " = any(m.k)" } else { " = m.k" });
    }

    /// A step's parents are sorted before the next step begins; both databases answer a join of this form in the order of its
    /// left side.
    pub fn end_from(&self, table: &Table, sql: &mut Sql) {
        if sql.dialect == Dialect::Postgres {
            sql.put(" order by ").column("t", table, ID).put(if self.descending { " desc) t" } else { ") t" });
        }
    }
}
