//! Reads as SQL: select and aggregate, in the words that both databases share; get and find, where they differ.

use stoa_descriptor::ColumnType;
use uuid::Uuid;

use super::call::{Aggregate, Keyed, Measure, PerKey, Select};
use super::children;
use super::datum::Datum;
use super::filter;
use super::schema::{Table, Tables};
use super::sql::{Dialect, Sql};
use crate::wit::store::{Agg, LockMode};

/// A statement that reads, and how its rows become a reply.
pub(super) struct Query {
    pub sql: Sql,
    pub outputs: Vec<Output>,
    /// Leading outputs that the reply leaves out; the first of them is the position of the row's key.
    pub hidden: usize,
    /// Rows of the reply; one more than these means that there are more.
    pub limit: Option<usize>,
    /// All matches or failure.
    pub whole: bool,
    /// Where a search ends that does not find as many as are wanted, though more rows follow.
    pub reached: Option<Uuid>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Output {
    Column(ColumnType),
    /// A sum comes as text; null means one beyond 38 digits (or 64 bits, of integers).
    Sum {
        column: String,
        type_: ColumnType,
    },
}

impl Output {
    /// The type in which a module sees it.
    pub fn type_(&self) -> ColumnType {
        match self {
            Output::Column(type_) | Output::Sum { type_, .. } => *type_,
        }
    }
}

impl Query {
    /// Puts rows in the order of their keys; rows of one key stay in theirs.
    pub fn arrange(&self, rows: &mut [Vec<Datum>]) {
        if self.hidden > 0 {
            rows.sort_by(|a, b| a.first().cmp(&b.first()));
        }
    }
}

fn outputs(table: &Table, columns: &[usize]) -> Vec<Output> {
    columns.iter().map(|column| Output::Column(table.type_of(*column))).collect()
}

fn from(sql: &mut Sql, table: &Table) {
    sql.put(" from ").put(&table.sql).put(" t").of_tenant("t");
}

fn lock(sql: &mut Sql, mode: Option<LockMode>) {
    if sql.dialect == Dialect::Postgres {
        match mode {
            Some(LockMode::Exclusive) => sql.put(" for no key update of t"),
            Some(LockMode::Shared) => sql.put(" for share of t"),
            None => sql,
        };
    }
}

fn order_by(sql: &mut Sql, table: &Table, order: impl Iterator<Item = (usize, bool)>) {
    for (nth, (column, descending)) in order.enumerate() {
        sql.put(if nth == 0 { " order by " } else { ", " }).column("t", table, column);
        sql.put(if descending { " desc" } else { "" });
    }
}

/// One statement for one key. Where the statement is the first of its text, the key's values are parameters 2 and on:
/// SQLite runs it for every key.
pub(super) fn one_key(schema: &Tables, keyed: &Keyed, key: Vec<Datum>, sql: Sql) -> Query {
    let table = schema.table(keyed.table);
    let mut sql = sql;
    sql.put("select ").outputs("t", table, &keyed.columns);
    from(&mut sql, table);
    for (column, datum) in keyed.key.iter().zip(key) {
        sql.put(" and ").column("t", table, *column).put(" = ").bind(table.type_of(*column), datum);
    }
    let outputs = outputs(table, &keyed.columns);
    Query { sql, outputs, hidden: 0, limit: None, whole: false, reached: None }
}

/// All keys in one statement, with each row's position among them: PostgreSQL's form. A single key, the usual case, is
/// a plain comparison, which takes the server a third of the time.
pub(super) fn all_keys(schema: &Tables, mut keyed: Keyed, sql: Sql) -> Query {
    if keyed.keys.len() == 1 {
        let key = keyed.keys.pop().unwrap_or_default();
        let mut query = one_key(schema, &keyed, key, sql);
        lock(&mut query.sql, keyed.lock);
        return query;
    }
    let table = schema.table(keyed.table);
    let mut sql = sql;
    sql.put("select k.n, ").outputs("t", table, &keyed.columns).put(" from ");
    unnest_keys(&mut sql, table, &keyed.key, keyed.keys);
    sql.put(" join ").put(&table.sql).put(" t on t.tenant_id = $1");
    key_matches(&mut sql, table, &keyed.key);
    if keyed.lock.is_some() {
        order_by(&mut sql, table, table.lock_order.iter().map(|column| (*column, false)));
        lock(&mut sql, keyed.lock);
    }
    let mut outputs = outputs(table, &keyed.columns);
    outputs.insert(0, Output::Column(ColumnType::Integer));
    Query { sql, outputs, hidden: 1, limit: None, whole: false, reached: None }
}

/// `unnest($2, $3) with ordinality as k(c0, c1, n)`
fn unnest_keys(sql: &mut Sql, table: &Table, columns: &[usize], keys: Vec<Vec<Datum>>) {
    let mut lists: Vec<Vec<Datum>> = columns.iter().map(|_| Vec::with_capacity(keys.len())).collect();
    for key in keys {
        for (list, datum) in lists.iter_mut().zip(key) {
            list.push(datum);
        }
    }
    sql.put("unnest(");
    for (nth, (column, list)) in columns.iter().zip(lists).enumerate() {
        sql.put(if nth > 0 { ", " } else { "" }).bind_many(table.type_of(*column), list);
    }
    sql.put(") with ordinality as k(");
    (0..columns.len()).for_each(|nth| {
        sql.put(&format!("c{nth}, "));
    });
    sql.put("n)");
}

fn key_matches(sql: &mut Sql, table: &Table, columns: &[usize]) {
    for (nth, column) in columns.iter().enumerate() {
        let type_ = table.type_of(*column);
        sql.put(" and ").column("t", table, *column).put(&format!(" = k.c{nth}{}", super::sql::cast(type_)));
    }
}

pub(super) fn select(schema: &Tables, mut select: Select, sql: Sql) -> Query {
    let table = schema.table(select.table);
    let mut sql = sql;
    let children = children::take(schema, &mut select);
    if let Some(children) = &children {
        children.write_ids(schema, &mut sql);
    }
    sql.put("select ").outputs("t", table, &select.columns);
    match &children {
        Some(children) => children.begin_from(table, &mut sql),
        None => from(&mut sql, table),
    }
    if !select.filter.is_always() {
        sql.put(" and ");
        filter::write(schema, table, "t", select.filter, &mut sql);
    }
    if let Some(after) = select.after {
        sql.put(" and ");
        beyond(&mut sql, table, &select.order, after);
    }
    if let Some(children) = &children {
        children.end_from(table, &mut sql);
    } else if select.lock.is_some() {
        order_by(&mut sql, table, table.lock_order.iter().map(|column| (*column, false)));
    } else {
        order_by(&mut sql, table, select.order.into_iter());
    }
    sql.limit(select.limit);
    lock(&mut sql, select.lock);
    let outputs = outputs(table, &select.columns);
    Query { sql, outputs, hidden: 0, limit: Some(select.limit), whole: select.lock.is_some(), reached: select.reached }
}

/// The first rows of one key, run for every key: SQLite's form. The key's values are parameters 2 and on.
pub(super) fn each_of_one(schema: &Tables, select: &Select, each: &PerKey, sql: Sql) -> Query {
    let table = schema.table(select.table);
    let mut sql = sql;
    sql.put("select ").outputs("t", table, &select.columns);
    from(&mut sql, table);
    for column in &each.columns {
        sql.put(" and ").column("t", table, *column).put(" = ").bind(table.type_of(*column), Datum::Null);
    }
    each_tail(schema, table, select, each, &mut sql);
    let outputs = outputs(table, &select.columns);
    Query { sql, outputs, hidden: 0, limit: Some(select.limit), whole: true, reached: None }
}

/// The first rows of every key in one statement: PostgreSQL's form.
pub(super) fn each_of_all(schema: &Tables, select: Select, each: PerKey, sql: Sql) -> Query {
    let table = schema.table(select.table);
    let mut sql = sql;
    sql.put("select k.n, r.* from ");
    unnest_keys(&mut sql, table, &each.columns, each.keys.clone());
    sql.put(" cross join lateral (select ").outputs("t", table, &select.columns);
    from(&mut sql, table);
    key_matches(&mut sql, table, &each.columns);
    each_tail(schema, table, &select, &each, &mut sql);
    sql.put(") r").limit(select.limit);
    let mut outputs = outputs(table, &select.columns);
    outputs.insert(0, Output::Column(ColumnType::Integer));
    Query { sql, outputs, hidden: 1, limit: Some(select.limit), whole: true, reached: None }
}

fn each_tail(schema: &Tables, table: &Table, select: &Select, each: &PerKey, sql: &mut Sql) {
    if !select.filter.is_always() {
        sql.put(" and ");
        filter::write(schema, table, "t", select.filter.clone(), sql);
    }
    order_by(sql, table, select.order.iter().copied());
    // The module's to choose, not its caller's: few texts.
    sql.put(&format!(" limit {}", each.limit));
}

/// Rows that come later in the order than the given one: a tuple comparison where all columns run one way, which an
/// index serves as it is, else the same column by column.
fn beyond(sql: &mut Sql, table: &Table, order: &[(usize, bool)], after: Vec<Datum>) {
    let descending = order.first().is_some_and(|(_, descending)| *descending);
    let sign = |descending: bool| if descending { " < " } else { " > " };
    if order.iter().all(|(_, other)| *other == descending) {
        sql.put("(");
        for (nth, (column, _)) in order.iter().enumerate() {
            sql.put(if nth > 0 { ", " } else { "" }).column("t", table, *column);
        }
        sql.put(")").put(sign(descending)).put("(");
        for (nth, ((column, _), datum)) in order.iter().zip(after).enumerate() {
            sql.put(if nth > 0 { ", " } else { "" }).bind(table.type_of(*column), datum);
        }
        sql.put(")");
        return;
    }
    let last = order.len().saturating_sub(1);
    for (nth, ((column, descending), datum)) in order.iter().zip(after).enumerate() {
        let type_ = table.type_of(*column);
        sql.put("(").column("t", table, *column).put(sign(*descending)).bind(type_, datum.clone());
        if nth < last {
            sql.put(" or (").column("t", table, *column).put(" = ").bind(type_, datum).put(" and ");
        }
    }
    sql.put(&"))".repeat(last)).put(")");
}

pub(super) fn aggregate(schema: &Tables, aggregate: Aggregate, sql: Sql) -> Query {
    let table = schema.table(aggregate.table);
    let mut sql = sql;
    let mut outputs = outputs(table, &aggregate.by);
    sql.put("select ").outputs("t", table, &aggregate.by);
    for (nth, measure) in aggregate.measures.iter().enumerate() {
        sql.put(if nth > 0 || !aggregate.by.is_empty() { ", " } else { "" });
        outputs.push(write_measure(schema, table, measure, &mut sql));
    }
    from(&mut sql, table);
    if !aggregate.filter.is_always() {
        sql.put(" and ");
        filter::write(schema, table, "t", aggregate.filter, &mut sql);
    }
    let order: Vec<(usize, bool)> = aggregate.by.iter().map(|column| (*column, false)).collect();
    if let Some(after) = aggregate.after {
        sql.put(" and ");
        beyond(&mut sql, table, &order, after);
    }
    for (nth, (column, _)) in order.iter().enumerate() {
        sql.put(if nth == 0 { " group by " } else { ", " }).column("t", table, *column);
    }
    let mut sums = aggregate.measures.iter().filter(|measure| measure.op == Agg::Sum).peekable();
    if !aggregate.keep_zero && !order.is_empty() && sums.peek().is_some() {
        for (nth, measure) in sums.enumerate() {
            sql.put(if nth == 0 { " having (" } else { " or " });
            write_sum(schema, table, measure, &mut sql);
            sql.put(if sql.dialect == Dialect::Sqlite { " is not '0'" } else { " <> 0" });
        }
        sql.put(")");
    }
    for (nth, (column, _)) in order.iter().enumerate() {
        sql.put(if nth == 0 { " order by " } else { ", " }).column("t", table, *column);
        sql.put(if table.column(*column).nullable { " nulls first" } else { "" });
    }
    sql.limit(aggregate.limit);
    Query { sql, outputs, hidden: 0, limit: Some(aggregate.limit), whole: false, reached: None }
}

fn write_measure(schema: &Tables, table: &Table, measure: &Measure, sql: &mut Sql) -> Output {
    match (measure.op, measure.column) {
        (Agg::Sum, Some(column)) => {
            write_sum(schema, table, measure, sql);
            sql.put(if sql.dialect == Dialect::Postgres { "::text" } else { "" });
            let type_ = match table.type_of(column) {
                ColumnType::Decimal { scale, .. } => ColumnType::Decimal { precision: 38, scale },
                other => other,
            };
            Output::Sum { column: table.column(column).name.clone(), type_ }
        }
        (Agg::Min | Agg::Max, Some(column)) => {
            sql.put(if measure.op == Agg::Min { "min(" } else { "max(" }).column("t", table, column).put(")");
            write_filter(schema, table, measure, sql);
            sql.output(table.type_of(column));
            Output::Column(table.type_of(column))
        }
        (_, column) => {
            match column {
                Some(column) => sql.put("count(").column("t", table, column).put(")"),
                None => sql.put("count(*)"),
            };
            write_filter(schema, table, measure, sql);
            Output::Column(ColumnType::Integer)
        }
    }
}

/// A sum that is zero, not null, where there is nothing to add.
fn write_sum(schema: &Tables, table: &Table, measure: &Measure, sql: &mut Sql) {
    let Some(column) = measure.column else { return };
    sql.put(if sql.dialect == Dialect::Sqlite { "stoa_sum(" } else { "coalesce(sum(" });
    sql.column("t", table, column).put(")");
    write_filter(schema, table, measure, sql);
    sql.put(if sql.dialect == Dialect::Sqlite { "" } else { ", 0)" });
}

fn write_filter(schema: &Tables, table: &Table, measure: &Measure, sql: &mut Sql) {
    if !measure.when.is_always() {
        sql.put(" filter (where ");
        filter::write(schema, table, "t", measure.when.clone(), sql);
        sql.put(")");
    }
}
