//! Calls, checked: every name resolved, every value in its column's form, every limit that can be reported beforehand kept.
//! A whole batch is checked before its first statement runs, so that misuse and limits are reported alike on both databases.

use std::collections::HashSet;

use stoa_descriptor::{ColumnType, Kind};
use uuid::Uuid;

use super::datum::Datum;
use super::filter::{self, Condition};
use super::names::{find_column, key, list_columns, table, table_columns};
use super::schema::{ID, Table, Tables};
use super::scope::Scope;
use super::{Refused, excess, misuse, write};
use crate::wit::store::{
    Agg, AggregateCall, Ask, Call, Each, FindCall, GetCall, LockCall, LockMode, NumberCall, Order, SelectCall, Value,
};

pub(super) enum Checked {
    Keyed(Keyed),
    Select(Select),
    Aggregate(Aggregate),
    Insert(write::Insert),
    Update(write::Update),
    Lock(Vec<(String, bool)>),
    Number { sequence: String, at_least: u64 },
}

impl Checked {
    /// As `is_write` of the call that was checked.
    pub fn is_write(&self) -> bool {
        matches!(self, Checked::Insert(_) | Checked::Update(_) | Checked::Number { .. })
    }
}

/// `get` and `find`: at most one row per key, in the order of the keys.
pub(super) struct Keyed {
    pub table: usize,
    pub columns: Vec<usize>,
    pub lock: Option<LockMode>,
    pub key: Vec<usize>,
    /// Each once.
    pub keys: Vec<Vec<Datum>>,
}

#[derive(Clone)]
pub(super) struct Select {
    pub table: usize,
    pub columns: Vec<usize>,
    pub lock: Option<LockMode>,
    pub filter: Condition,
    /// With the id as the last, unless it is there already. True: descending.
    pub order: Vec<(usize, bool)>,
    pub after: Option<Vec<Datum>>,
    pub limit: usize,
    pub each: Option<PerKey>,
    /// The last row that a search may look at, where more follow.
    pub reached: Option<Uuid>,
}

/// The first `limit` rows of every key.
#[derive(Clone)]
pub(super) struct PerKey {
    pub columns: Vec<usize>,
    pub keys: Vec<Vec<Datum>>,
    pub limit: usize,
}

pub(super) struct Aggregate {
    pub table: usize,
    pub filter: Condition,
    pub by: Vec<usize>,
    pub measures: Vec<Measure>,
    pub keep_zero: bool,
    pub after: Option<Vec<Datum>>,
    pub limit: usize,
}

pub(super) struct Measure {
    pub op: Agg,
    /// None: `count` of rows.
    pub column: Option<usize>,
    pub when: Condition,
}

/// Checks one call of a batch.
pub(super) fn check(schema: &Tables, scope: &mut Scope, call: Call) -> Result<Checked, Refused> {
    let writes = matches!(call, Call::Insert(_) | Call::Update(_) | Call::Lock(_) | Call::Number(_));
    if writes && scope.read_only {
        return Err(misuse("a read-only request does not write or lock"));
    }
    match call {
        Call::Get(call) => get(schema, scope, call),
        Call::Find(call) => find(schema, scope, call),
        Call::Select(call) => select(schema, scope, call),
        Call::Aggregate(call) => aggregate(schema, scope, call),
        Call::Insert(call) => write::check_insert(schema, scope, call).map(Checked::Insert),
        Call::Update(call) => write::check_update(schema, scope, call).map(Checked::Update),
        Call::Lock(call) => lock(scope, call),
        Call::Number(call) => number(call),
    }
}

fn ask(schema: &Tables, scope: &Scope, ask: &Ask) -> Result<(usize, Vec<usize>), Refused> {
    let table_index = table(schema, &ask.collection)?;
    let table = schema.table(table_index);
    if ask.lock.is_some() {
        if scope.read_only {
            return Err(misuse("a read-only request does not write or lock"));
        }
        if table.kind == Kind::Ledger {
            return Err(misuse(&format!("collection {}: ledger rows cannot be locked", table.name)));
        }
    }
    Ok((table_index, table_columns(table, &ask.columns)?))
}

fn get(schema: &Tables, scope: &Scope, call: GetCall) -> Result<Checked, Refused> {
    let (table_index, columns) = ask(schema, scope, &call.ask)?;
    let rows = call.ids.into_iter().map(|id| vec![id]).collect();
    let keys = keys(schema.table(table_index), &[ID], rows, scope)?;
    Ok(Checked::Keyed(Keyed { table: table_index, columns, lock: call.ask.lock, key: vec![ID], keys }))
}

fn find(schema: &Tables, scope: &Scope, call: FindCall) -> Result<Checked, Refused> {
    let (table_index, columns) = ask(schema, scope, &call.ask)?;
    let table = schema.table(table_index);
    let key = key(table, &call.key)?;
    let keys = keys(table, &key, call.keys, scope)?;
    Ok(Checked::Keyed(Keyed { table: table_index, columns, lock: call.ask.lock, key, keys }))
}

fn keys(table: &Table, columns: &[usize], rows: Vec<Vec<Value>>, scope: &Scope) -> Result<Vec<Vec<Datum>>, Refused> {
    if rows.len() > scope.limits.keys {
        return Err(excess("ids or keys", scope.limits.keys));
    }
    let mut seen = HashSet::new();
    let mut keys = Vec::with_capacity(rows.len());
    for row in rows {
        if row.len() != columns.len() {
            return Err(misuse(&format!("collection {}: a key takes as many values as columns", table.name)));
        }
        let key = filter::row(table, columns, row)?;
        if seen.insert(key.clone()) {
            keys.push(key);
        }
    }
    Ok(keys)
}

fn page(limit: u32, scope: &Scope) -> Result<usize, Refused> {
    match usize::try_from(limit) {
        Ok(0) => Err(misuse("a limit of no rows")),
        Ok(limit) if limit <= scope.limits.rows_per_call => Ok(limit),
        _ => Err(excess("rows of a call", scope.limits.rows_per_call)),
    }
}

fn select(schema: &Tables, scope: &Scope, call: SelectCall) -> Result<Checked, Refused> {
    let (table_index, columns) = ask(schema, scope, &call.ask)?;
    let table = schema.table(table_index);
    let limit = page(call.limit, scope)?;
    let filter = filter::check(schema, table, call.where_, &scope.limits)?;
    if call.ask.lock.is_some() && (call.each.is_some() || call.after.is_some() || !call.order.is_empty()) {
        return Err(misuse("a locking select has no order, after or each of its own"));
    }
    let order = order(table, &call.order)?;
    let after = match call.after {
        Some(_) if call.each.is_some() => return Err(misuse("each and after exclude each other")),
        Some(values) if values.len() != order.len() => {
            return Err(misuse("after takes the values of the order and the id"));
        }
        Some(values) => {
            let columns: Vec<usize> = order.iter().map(|(column, _)| *column).collect();
            Some(filter::row(table, &columns, values)?)
        }
        None => None,
    };
    let each = call.each.map(|each| per_key(table, each, scope)).transpose()?;
    Ok(Checked::Select(Select {
        table: table_index,
        columns,
        lock: call.ask.lock,
        filter,
        order,
        after,
        limit,
        each,
        reached: None,
    }))
}

/// The id is appended in the direction of the last column, so that an order has one direction where it can.
fn order(table: &Table, wanted: &[Order]) -> Result<Vec<(usize, bool)>, Refused> {
    let mut order: Vec<(usize, bool)> = Vec::with_capacity(wanted.len() + 1);
    for item in wanted {
        let column = find_column(table, &item.column)?;
        if !filter::is_orderable(table, column) || order.iter().any(|(other, _)| *other == column) {
            return Err(misuse("order: columns must be required, ordered and different"));
        }
        order.push((column, item.descending));
    }
    if !order.iter().any(|(column, _)| *column == ID) {
        let descending = order.last().is_some_and(|(_, descending)| *descending);
        order.push((ID, descending));
    }
    Ok(order)
}

fn per_key(table: &Table, each: Each, scope: &Scope) -> Result<PerKey, Refused> {
    let columns = list_columns(table, &each.columns)?;
    if columns.is_empty() || columns.iter().any(|column| table.type_of(*column) == ColumnType::Json) {
        return Err(misuse("each takes columns that can be compared"));
    }
    let keys = keys(table, &columns, each.keys, scope)?;
    Ok(PerKey { columns, keys, limit: page(each.limit, scope)? })
}

fn aggregate(schema: &Tables, scope: &Scope, call: AggregateCall) -> Result<Checked, Refused> {
    let table_index = table(schema, &call.collection)?;
    let table = schema.table(table_index);
    if call.measures.len() > scope.limits.measures {
        return Err(excess("measures", scope.limits.measures));
    }
    if call.by.len() > scope.limits.groups {
        return Err(excess("group keys", scope.limits.groups));
    }
    if call.measures.is_empty() {
        return Err(misuse("an aggregate without measures"));
    }
    let limit = page(call.limit, scope)?;
    let by = list_columns(table, &call.by)?;
    if by.iter().any(|column| table.type_of(*column) == ColumnType::Json) {
        return Err(misuse("json columns make no groups"));
    }
    let after = match call.after {
        Some(_) if by.is_empty() || by.iter().any(|column| table.column(*column).nullable) => {
            return Err(misuse("groups by nullable columns, or no groups, have no pages"));
        }
        Some(values) if values.len() != by.len() => return Err(misuse("after takes the values of the groups")),
        Some(values) => Some(filter::row(table, &by, values)?),
        None => None,
    };
    let filter = filter::check(schema, table, call.where_, &scope.limits)?;
    let mut measures = Vec::with_capacity(call.measures.len());
    for measure in call.measures {
        let column = match measure.column.as_str() {
            "" if measure.op == Agg::Count => None,
            name => {
                let column = table.find(name).ok_or_else(|| misuse("a measure names no column"))?;
                if !measurable(measure.op, table.type_of(column)) {
                    return Err(misuse("a measure that the column's type does not have"));
                }
                Some(column)
            }
        };
        let when = filter::check(schema, table, measure.when, &scope.limits)?;
        measures.push(Measure { op: measure.op, column, when });
    }
    Ok(Checked::Aggregate(Aggregate {
        table: table_index,
        filter,
        by,
        measures,
        keep_zero: call.keep_zero,
        after,
        limit,
    }))
}

fn measurable(op: Agg, type_: ColumnType) -> bool {
    let number = matches!(type_, ColumnType::Integer | ColumnType::Decimal { .. });
    match op {
        Agg::Count => true,
        Agg::Sum => number,
        Agg::Min | Agg::Max => number || matches!(type_, ColumnType::Text | ColumnType::Date | ColumnType::Timestamp),
    }
}

fn name(text: &str) -> bool {
    !text.is_empty() && text.len() <= 200 && !text.contains('\0')
}

/// Names with the stronger of the modes asked for; true: exclusive.
fn lock(scope: &Scope, call: LockCall) -> Result<Checked, Refused> {
    if call.names.len() > scope.limits.keys {
        return Err(excess("lock names", scope.limits.keys));
    }
    if call.names.iter().any(|(text, _)| !name(text)) {
        return Err(misuse("a lock's name has 1 to 200 bytes"));
    }
    Ok(Checked::Lock(call.names.into_iter().map(|(name, mode)| (name, mode == LockMode::Exclusive)).collect()))
}

/// Highest figure to which a sequence can be moved.
const HIGHEST_FLOOR: u64 = 999_999_999_999_999;

fn number(call: NumberCall) -> Result<Checked, Refused> {
    if !name(&call.sequence) {
        return Err(misuse("a sequence's name has 1 to 200 bytes"));
    }
    let at_least = call.at_least.unwrap_or(0);
    if at_least > HIGHEST_FLOOR {
        return Err(Refused::Range("at-least".to_owned()));
    }
    Ok(Checked::Number { sequence: call.sequence, at_least })
}
