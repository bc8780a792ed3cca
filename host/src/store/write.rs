//! Inserts and updates, checked; and the part of an update's SQL that both databases share: one expression that says
//! why a row does not take its change.

use std::collections::{HashMap, HashSet};

use stoa_descriptor::{ColumnType, Kind, LAST_VERSION};

use super::checks;
use super::datum::Datum;
use super::decimal;
use super::filter::{self, Condition};
use super::fold;
use super::names;
use super::schema::{ID, Table, Tables};
use super::scope::Scope;
use super::sql::{Dialect, Sql};
use super::{Refused, Stop, excess, misuse, number};
use crate::wit::store::{
    Change as ChangeRow, Clash, Initial as InitialRows, InsertCall, Miss, Row, Spot, UpdateCall, Value, Why,
};

pub(super) struct Insert {
    pub table: usize,
    pub rows: Vec<NewRow>,
    /// Rows by the first unique key, so that two batches of the same identities meet in one order.
    pub order: Vec<usize>,
    pub skip: bool,
    /// Rows that a check refuses, with its name.
    pub refused: Vec<(usize, String)>,
}

pub(super) struct NewRow {
    pub id: Datum,
    /// The module's columns, as declared.
    pub data: Vec<Datum>,
    /// One text per search group.
    pub folded: Vec<String>,
}

impl NewRow {
    pub fn get(&self, table: &Table, column: usize) -> &Datum {
        column.checked_sub(table.host).and_then(|index| self.data.get(index)).unwrap_or(&self.id)
    }
}

pub(super) fn check_insert(schema: &Tables, scope: &mut Scope, call: InsertCall) -> Result<Insert, Refused> {
    let table_index = names::table(schema, &call.collection)?;
    let table = schema.table(table_index);
    if call.rows.len() > scope.limits.rows_per_call {
        return Err(excess("rows of an insert", scope.limits.rows_per_call));
    }
    scope.count_written(call.rows.len())?;
    let columns = names::list_columns(table, &call.columns)?;
    if let Some(host) = columns.iter().find(|column| **column != ID && **column < table.host) {
        return Err(misuse(&format!("column {} is the host's", table.column(*host).name)));
    }
    let absent = defaults(table, &columns)?;
    let mut rows = Vec::with_capacity(call.rows.len());
    let mut refused = Vec::new();
    let mut ids = HashSet::new();
    for (nth, values) in call.rows.into_iter().enumerate() {
        if values.len() != columns.len() {
            return Err(misuse("a row takes as many values as columns"));
        }
        let mut id = None;
        let mut data = absent.clone();
        for (column, value) in columns.iter().zip(values) {
            let datum = read_stored(table, *column, value)?;
            match column.checked_sub(table.host).and_then(|index| data.get_mut(index)) {
                Some(slot) => *slot = datum,
                None => id = Some(datum),
            }
        }
        if let Some(check) = table.checks.iter().find(|check| !checks::holds(table, check, &data)) {
            refused.push((nth, check.name.clone()));
        }
        let folded = table
            .search
            .iter()
            .map(|group| {
                let parts: Vec<String> = group.columns.iter().map(|column| folded_own(table, *column, &data)).collect();
                parts.join(&fold::PART.to_string())
            })
            .collect();
        let id = id.unwrap_or_else(|| Datum::Id(scope.new_id()));
        if !ids.insert(id.clone()) {
            return Err(misuse("an insert names an id twice"));
        }
        rows.push(NewRow { id, data, folded });
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    let by = table.unique.first().map(|key| key.columns.as_slice()).unwrap_or(&[ID]);
    order.sort_by(|a, b| match (rows.get(*a), rows.get(*b)) {
        (Some(a), Some(b)) => {
            by.iter().map(|column| a.get(table, *column)).cmp(by.iter().map(|column| b.get(table, *column)))
        }
        _ => a.cmp(b),
    });
    Ok(Insert { table: table_index, rows, order, skip: call.skip_clashes, refused })
}

/// The module's columns with nothing stated yet; `stated` must be all that have no value by themselves.
fn defaults(table: &Table, stated: &[usize]) -> Result<Vec<Datum>, Refused> {
    for (index, column) in table.own().iter().enumerate() {
        if !stated.contains(&(index + table.host)) && !column.nullable && column.default.is_none() {
            return Err(misuse(&format!("column {} is required", column.name)));
        }
    }
    Ok(table.own().iter().map(|column| column.default.clone().unwrap_or(Datum::Null)).collect())
}

fn folded_own(table: &Table, column: usize, data: &[Datum]) -> String {
    fold_datum(column.checked_sub(table.host).and_then(|index| data.get(index)).unwrap_or(&Datum::Null))
}

fn fold_datum(datum: &Datum) -> String {
    if let Datum::Text(text) = datum { fold::fold(text) } else { String::new() }
}

/// A value to store.
fn read_stored(table: &Table, index: usize, value: Value) -> Result<Datum, Refused> {
    let column = table.column(index);
    match Datum::from_value(value, column.type_) {
        Ok(Datum::Null) if !column.nullable => Err(misuse(&format!("column {} is required", column.name))),
        Ok(datum) => Ok(datum),
        Err(unfit) => Err(filter::unfit_column(unfit, &column.name)),
    }
}

pub(super) struct Update {
    pub table: usize,
    pub key: Vec<usize>,
    pub set: Vec<usize>,
    pub add: Vec<usize>,
    pub rows: Vec<Change>,
    pub when: Condition,
    pub answer: Vec<usize>,
    /// Rows to insert where there is none.
    pub initial: Option<Initial>,
    /// Rows to insert that a check refuses, with its name.
    pub refused: Vec<(usize, String)>,
    pub guards: Vec<Guard>,
    /// Unique keys of which the update sets a column, by index.
    pub unique: Vec<usize>,
    /// Search groups of which the update sets a column: the group, and for each of its columns the nth of `set`.
    pub groups: Vec<(usize, Vec<Option<usize>>)>,
}

pub(super) struct Change {
    pub key: Vec<Datum>,
    pub version: Option<i64>,
    pub set: Vec<Datum>,
    pub add: Vec<Datum>,
}

/// Rows that an update inserts where it finds none.
pub(super) struct Initial {
    /// Columns that are stated, in addition to the key's.
    pub columns: Vec<usize>,
    /// One for each change; none: its row must be there.
    pub rows: Vec<Option<NewRow>>,
}

/// Changes that an update must not make to a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Guard {
    /// Raise the version beyond the last.
    Version,
    /// Add beyond the column's range.
    Range(usize),
    /// Break a check.
    Check(usize),
}

pub(super) fn check_update(schema: &Tables, scope: &mut Scope, call: UpdateCall) -> Result<Update, Refused> {
    let table_index = names::table(schema, &call.collection)?;
    let table = schema.table(table_index);
    if table.kind == Kind::Ledger {
        return Err(misuse(&format!("collection {}: ledger rows are never changed", table.name)));
    }
    if call.rows.len() > scope.limits.rows_per_call {
        return Err(excess("rows of an update", scope.limits.rows_per_call));
    }
    scope.count_written(call.rows.len())?;
    let key = match &call.key {
        Some(name) => names::key(table, name)?,
        None => vec![ID],
    };
    let set = names::list_columns(table, &call.set)?;
    let add = names::list_columns(table, &call.add)?;
    if let Some(host) = set.iter().find(|column| **column < table.host) {
        return Err(misuse(&format!("column {} is the host's", table.column(*host).name)));
    }
    if let Some(other) = add.iter().find(|column| !table.counters.contains(column) || set.contains(column)) {
        return Err(misuse(&format!("column {} is no counter, or is set as well", table.column(*other).name)));
    }
    let answer = names::list_columns(table, &call.answer)?;
    let when = filter::check(schema, table, call.when, &scope.limits)?;
    let mut seen = HashSet::new();
    let mut rows = Vec::with_capacity(call.rows.len());
    for row in call.rows {
        rows.push(check_change(table, (&key, &set, &add), row, &mut seen)?);
    }
    let guards = guards(table, &set, &add);
    let unique = find_touched(table.unique.iter().map(|key| key.columns.as_slice()), &set);
    let groups = find_touched(table.search.iter().map(|group| group.columns.as_slice()), &set)
        .into_iter()
        .filter_map(|nth| {
            let group = table.search.get(nth)?;
            Some((nth, group.columns.iter().map(|column| set.iter().position(|other| other == column)).collect()))
        })
        .collect();
    let mut update = Update {
        table: table_index,
        key,
        set,
        add,
        rows,
        when,
        answer,
        initial: None,
        refused: Vec::new(),
        guards,
        unique,
        groups,
    };
    if let Some(initial) = call.initial {
        check_initial(table, scope, &mut update, initial)?;
    }
    Ok(update)
}

/// Checks one row of an update: values of its key's columns, of those that it sets and of those that it adds to.
/// `seen`: the keys of the rows before.
fn check_change(
    table: &Table,
    (key, set, add): (&[usize], &[usize], &[usize]),
    row: ChangeRow,
    seen: &mut HashSet<Vec<Datum>>,
) -> Result<Change, Refused> {
    if row.key.len() != key.len() || row.set.len() != set.len() || row.add.len() != add.len() {
        return Err(misuse("a change takes as many values as columns"));
    }
    if row.version.is_some() && !table.has_version() {
        return Err(misuse(&format!("collection {} has no versions", table.name)));
    }
    let change_key = filter::row(table, key, row.key)?;
    if !seen.insert(change_key.clone()) {
        return Err(misuse("an update names a row twice"));
    }
    let values = set.iter().zip(row.set).map(|(column, value)| read_stored(table, *column, value));
    let amounts =
        add.iter().zip(row.add).map(|(column, text)| read_stored(table, *column, amount(table, *column, text)?));
    Ok(Change {
        key: change_key,
        version: row.version,
        set: values.collect::<Result<_, _>>()?,
        add: amounts.collect::<Result<_, _>>()?,
    })
}

/// Only where the row that goes in can meet no other but by the update's own key, and has no search text.
fn check_initial(table: &Table, scope: &mut Scope, update: &mut Update, initial: InitialRows) -> Result<(), Refused> {
    let is_only_key = matches!(table.unique.as_slice(), [key] if key.columns == update.key);
    if table.kind != Kind::Projection || !is_only_key || !update.unique.is_empty() || !table.search.is_empty() {
        let what = "only a projection's update by its only unique key inserts, and sets none of it";
        return Err(misuse(&format!("collection {}: {what}", table.name)));
    }
    if initial.rows.len() != update.rows.len() {
        return Err(misuse("an update takes as many rows to insert as changes"));
    }
    let columns = names::list_columns(table, &initial.columns)?;
    if let Some(other) = columns.iter().find(|column| **column < table.host || update.key.contains(column)) {
        return Err(misuse(&format!("column {} is the host's or the key's", table.column(*other).name)));
    }
    let stated: Vec<usize> = update.key.iter().chain(&columns).copied().collect();
    let absent = defaults(table, &stated)?;
    let mut rows = Vec::with_capacity(initial.rows.len());
    for (nth, (values, change)) in initial.rows.into_iter().zip(&update.rows).enumerate() {
        let Some(values) = values else {
            rows.push(None);
            continue;
        };
        let data = own_values(table, &columns, values, update.key.iter().zip(&change.key), &absent)?;
        if let Some(check) = table.checks.iter().find(|check| !checks::holds(table, check, &data)) {
            update.refused.push((nth, check.name.clone()));
        }
        rows.push(Some(NewRow { id: Datum::Id(scope.new_id()), data, folded: Vec::new() }));
    }
    update.initial = Some(Initial { columns, rows });
    Ok(())
}

/// The module's columns of a row to insert: `absent`, the key's and what is stated.
fn own_values<'a>(
    table: &Table,
    columns: &[usize],
    values: Row,
    key: impl Iterator<Item = (&'a usize, &'a Datum)>,
    absent: &[Datum],
) -> Result<Vec<Datum>, Refused> {
    if values.len() != columns.len() {
        return Err(misuse("a row takes as many values as columns"));
    }
    let mut data = absent.to_vec();
    let stated = columns.iter().zip(values).map(|(column, value)| Ok((*column, read_stored(table, *column, value)?)));
    for stated in key.map(|(column, datum)| Ok((*column, datum.clone()))).chain(stated) {
        let (column, datum) = stated?;
        if let Some(slot) = column.checked_sub(table.host).and_then(|index| data.get_mut(index)) {
            *slot = datum;
        }
    }
    Ok(data)
}

/// An amount to add comes as a decimal text, also for integers.
fn amount(table: &Table, column: usize, text: String) -> Result<Value, Refused> {
    if table.type_of(column) != ColumnType::Integer {
        return Ok(Value::Decimal(text));
    }
    match decimal::parse(&text, 0) {
        Some(decimal::Parsed::Exact(amount)) => i64::try_from(amount).ok(),
        Some(_) => None,
        None => return Err(misuse("an amount is no number")),
    }
    .map(Value::Integer)
    .ok_or_else(|| Refused::Range(table.column(column).name.clone()))
}

fn find_touched<'a>(lists: impl Iterator<Item = &'a [usize]>, set: &[usize]) -> Vec<usize> {
    lists
        .enumerate()
        .filter(|(_, columns)| columns.iter().any(|column| set.contains(column)))
        .map(|(nth, _)| nth)
        .collect()
}

fn guards(table: &Table, set: &[usize], add: &[usize]) -> Vec<Guard> {
    let mut guards: Vec<Guard> = table.has_version().then_some(Guard::Version).into_iter().collect();
    guards.extend(add.iter().map(|column| Guard::Range(*column)));
    for (nth, check) in table.checks.iter().enumerate() {
        if checks::columns(check).any(|column| set.contains(&column) || add.contains(&column)) {
            guards.push(Guard::Check(nth));
        }
    }
    guards
}

impl Update {
    /// The folded texts of a change, in the order in which `groups` names set columns.
    pub fn folded_texts(&self, change: &Change) -> Vec<Datum> {
        let sets = self.groups.iter().flat_map(|(_, parts)| parts.iter().flatten());
        sets.map(|nth| Datum::Text(fold_datum(change.set.get(*nth).unwrap_or(&Datum::Null)))).collect()
    }

    pub fn folds(&self) -> usize {
        self.groups.iter().flat_map(|(_, parts)| parts.iter().flatten()).count()
    }

    /// The reason for a rejection with the given code; `Err`: the change goes beyond this column's range.
    pub fn why(&self, table: &Table, code: i64) -> Result<Why, String> {
        let guard = usize::try_from(code - FIRST_GUARD).ok().and_then(|nth| self.guards.get(nth));
        match (code, guard) {
            (STALE, _) => Ok(Why::Stale),
            (_, Some(Guard::Version)) => Err("version".to_owned()),
            (_, Some(Guard::Range(column))) => Err(table.column(*column).name.clone()),
            (_, Some(Guard::Check(nth))) => {
                Ok(Why::Check(table.checks.get(*nth).map(|check| check.name.clone()).unwrap_or_default()))
            }
            _ => Ok(Why::Condition),
        }
    }
}

/// Codes of the refusal expression; 0: the row takes its change.
const STALE: i64 = 1;
const CONDITION: i64 = 2;
const FIRST_GUARD: i64 = 3;

/// How a statement spells the values of the change.
pub(super) struct Spelling<'a> {
    /// Alias of the row before the change.
    pub alias: &'a str,
    pub set: Vec<String>,
    pub add: Vec<String>,
    /// Null where no version is stated.
    pub version: String,
}

impl Spelling<'_> {
    /// The column after the change. Integers add up as numeric on PostgreSQL, which would fail beyond 64 bits.
    pub fn after(&self, table: &Table, update: &Update, dialect: Dialect, column: usize) -> String {
        let current = format!("{}.{}", self.alias, table.column(column).sql);
        let position = |list: &[usize]| list.iter().position(|other| *other == column);
        if let Some(new) = position(&update.set).and_then(|nth| self.set.get(nth)) {
            return new.clone();
        }
        let Some(amount) = position(&update.add).and_then(|nth| self.add.get(nth)) else {
            return current;
        };
        match (table.type_of(column), dialect) {
            (ColumnType::Decimal { precision: 19.., .. }, Dialect::Sqlite) => {
                format!("stoa_add({current}, {amount})")
            }
            (ColumnType::Integer, Dialect::Postgres) => format!("({current}::numeric + {amount})"),
            _ => format!("({current} + {amount})"),
        }
    }
}

/// Writes an integer expression: 0 where the row takes its change, else the reason's code. Reasons come in one order:
/// stale, condition, version and range, checks.
pub(super) fn refusal(schema: &Tables, update: &Update, spelling: &Spelling, sql: &mut Sql) {
    let table = schema.table(update.table);
    let dialect = sql.dialect;
    if !table.has_version() && update.when.is_always() && update.guards.is_empty() {
        sql.put("0");
        return;
    }
    sql.put("case");
    if table.has_version() {
        let (version, alias) = (&spelling.version, spelling.alias);
        sql.put(&format!(" when {version} is not null and {alias}.\"version\" <> {version} then {STALE}"));
    }
    if !update.when.is_always() {
        sql.put(" when (");
        filter::write(schema, table, spelling.alias, update.when.clone(), sql);
        sql.put(&format!(") is not true then {CONDITION}"));
    }
    for (code, guard) in (FIRST_GUARD..).zip(&update.guards) {
        let after = |column: usize| spelling.after(table, update, dialect, column);
        let holds = match guard {
            Guard::Version => format!("{}.\"version\" < {LAST_VERSION}", spelling.alias),
            Guard::Range(column) => in_range(table.type_of(*column), dialect, &after(*column)),
            Guard::Check(nth) => match table.checks.get(*nth) {
                Some(check) => format!("{} is not false", checks::sql(table, check, dialect, &after)),
                None => continue,
            },
        };
        sql.put(&format!(" when not ({holds}) then {code}"));
    }
    sql.put(" else 0 end");
}

fn in_range(type_: ColumnType, dialect: Dialect, sum: &str) -> String {
    match (type_, dialect) {
        (ColumnType::Decimal { precision, scale }, Dialect::Postgres) => {
            format!("abs({sum}) < 1e{}", precision.saturating_sub(scale))
        }
        (ColumnType::Decimal { precision: 19.., .. }, Dialect::Sqlite) => format!("{sum} is not null"),
        (ColumnType::Decimal { precision, .. }, Dialect::Sqlite) => {
            format!("abs({sum}) < {}", 10i64.pow(u32::from(precision)))
        }
        (_, Dialect::Postgres) => format!("{sum} between {} and {}", i64::MIN, i64::MAX),
        (_, Dialect::Sqlite) => format!("typeof({sum}) = 'integer'"),
    }
}

/// Rows of one update that would have the same unique key after it: every row of such a set clashes.
pub(super) fn doubles(keys: &[Option<Vec<Datum>>]) -> Vec<usize> {
    let mut by_key: HashMap<&Vec<Datum>, Vec<usize>> = HashMap::new();
    for (row, key) in keys.iter().enumerate() {
        if let Some(key) = key.as_ref().filter(|key| !key.contains(&Datum::Null)) {
            by_key.entry(key).or_default().push(row);
        }
    }
    by_key.into_values().filter(|rows| rows.len() > 1).flatten().collect()
}

/// A row that an update finds unfit; no code: there is no such row.
pub(super) struct Refusal {
    pub row: usize,
    pub code: Option<i64>,
    pub current: Vec<Datum>,
}

/// The module's error for rejected rows: a version or a sum out of range before anything else.
pub(super) fn refusals(table: &Table, update: &Update, call: usize, mut refusals: Vec<Refusal>) -> Stop {
    refusals.sort_by_key(|refusal| refusal.row);
    let mut misses = Vec::with_capacity(refusals.len());
    for refusal in refusals {
        let why = match refusal.code.map(|code| update.why(table, code)) {
            None => Why::Absent,
            Some(Ok(why)) => why,
            Some(Err(column)) => return Stop::Range(Spot { call: number(call), column }),
        };
        let known = refusal.code.is_some() && !update.answer.is_empty();
        let current = known.then(|| answer_values(table, &update.answer, refusal.current));
        misses.push(Miss { call: number(call), row: number(refusal.row), why, current });
    }
    Stop::Refused(misses)
}

/// Rows to insert that a check refuses.
pub(super) fn list_misses(call: usize, rows: Vec<(usize, String)>) -> Vec<Miss> {
    let miss = |(row, check)| Miss { call: number(call), row: number(row), why: Why::Check(check), current: None };
    rows.into_iter().map(miss).collect()
}

/// Fails with the clashes of an update, if there are any: each a row and one of the update's unique keys.
pub(super) fn clashes(
    table: &Table,
    update: &Update,
    call: usize,
    mut clashes: Vec<(usize, usize)>,
) -> Result<(), Stop> {
    clashes.sort_unstable();
    clashes.dedup();
    let name = |nth: usize| update.unique.get(nth).and_then(|nth| table.unique.get(*nth)).map(|key| key.name.clone());
    let reported: Vec<Clash> = clashes
        .into_iter()
        .map(|(row, nth)| Clash { call: number(call), row: number(row), key: name(nth).unwrap_or_default() })
        .collect();
    if reported.is_empty() { Ok(()) } else { Err(Stop::Duplicate(reported)) }
}

pub(super) fn answer_values(table: &Table, columns: &[usize], row: Vec<Datum>) -> Vec<Value> {
    columns.iter().zip(row).map(|(column, datum)| datum.value(table.type_of(*column))).collect()
}
