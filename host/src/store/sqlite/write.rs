//! Inserts and updates on SQLite: one prepared statement per call, run for every row.

use rusqlite::{CachedStatement, Connection, OptionalExtension, Row};
use stoa_descriptor::ColumnType;

use super::{Stored, bind, fault, load, start};
use crate::database::Error;
use crate::store::datum::Datum;
use crate::store::read::Output;
use crate::store::schema::{ID, Key, Table, Tables};
use crate::store::scope::Scope;
use crate::store::sql::{Dialect, Sql};
use crate::store::write::{self, Insert, NewRow, Spelling, Update};
use crate::store::{Reading, Stop, number as nth_number};
use crate::wit::store::{Clash, Page, Reply, Spot};

/// Binds a parameter, unless the statement's text does not come to it: an update and its look-ups share their
/// positions.
fn put(statement: &mut CachedStatement<'_>, index: usize, type_: ColumnType, datum: &Datum) -> Result<(), Stop> {
    if index > statement.parameter_count() {
        return Ok(());
    }
    statement.raw_bind_parameter(index, Stored { type_, datum }).map_err(fault)
}

/// Which rows went in, or every clash.
pub(super) fn insert(
    connection: &Connection,
    schema: &Tables,
    scope: &Scope,
    call: usize,
    insert: Insert,
) -> Result<Vec<bool>, Stop> {
    if !insert.refused.is_empty() {
        return Err(Stop::Refused(write::list_misses(call, insert.refused)));
    }
    let table = schema.table(insert.table);
    let mut inserted = vec![false; insert.rows.len()];
    let mut statement = prepare_insert(connection, table, scope)?;
    for nth in &insert.order {
        if let (Some(row), Some(went_in)) = (insert.rows.get(*nth), inserted.get_mut(*nth)) {
            *went_in = insert_row(&mut statement, table, row)?;
        }
    }
    if !insert.skip && inserted.contains(&false) {
        let clashing = inserted.iter().zip(&insert.rows).enumerate().filter(|(_, (went_in, _))| !**went_in);
        let mut clashes = Vec::new();
        for (nth, (_, row)) in clashing {
            let keys = find_clashing_keys(connection, table, scope, row)?;
            clashes.extend(keys.into_iter().map(|key| Clash { call: nth_number(call), row: nth_number(nth), key }));
        }
        return Err(Stop::Duplicate(clashes));
    }
    Ok(inserted)
}

/// Inserts one row, which stays out where it clashes. The tenant and the instant are bound, the row's values follow.
fn prepare_insert<'a>(connection: &'a Connection, table: &Table, scope: &Scope) -> Result<CachedStatement<'a>, Stop> {
    let mut text = format!("insert into {} (tenant_id, created_at, updated_at, id", table.sql);
    if table.has_version() {
        text.push_str(", version");
    }
    for name in table.own().iter().map(|column| &column.sql).chain(table.search.iter().map(|group| &group.sql)) {
        text.push_str(", ");
        text.push_str(name);
    }
    text.push_str(") values (?1, ?2, ?2, ?3");
    if table.has_version() {
        text.push_str(", 1");
    }
    (0..table.own().len() + table.search.len()).for_each(|nth| text.push_str(&format!(", ?{}", nth + 4)));
    text.push_str(") on conflict do nothing");
    let mut statement = connection.prepare_cached(&text).map_err(fault)?;
    put(&mut statement, 1, ColumnType::Uuid, &Datum::Id(scope.tenant))?;
    put(&mut statement, 2, ColumnType::Timestamp, &Datum::Instant(scope.now_ms))?;
    Ok(statement)
}

/// Returns whether the row went in.
fn insert_row(statement: &mut CachedStatement<'_>, table: &Table, row: &NewRow) -> Result<bool, Stop> {
    put(statement, 3, ColumnType::Uuid, &row.id)?;
    for (index, (column, datum)) in table.own().iter().zip(&row.data).enumerate() {
        put(statement, index + 4, column.type_, datum)?;
    }
    for (index, folded) in row.folded.iter().enumerate() {
        statement.raw_bind_parameter(index + 4 + row.data.len(), folded.as_str()).map_err(fault)?;
    }
    Ok(statement.raw_execute().map_err(fault)? > 0)
}

/// The keys by which a row that stayed out meets another.
fn find_clashing_keys(
    connection: &Connection,
    table: &Table,
    scope: &Scope,
    new: &NewRow,
) -> Result<Vec<String>, Stop> {
    let mut clashing = Vec::new();
    let id = ("id", [ID].as_slice());
    let keys = table.unique.iter().map(|key| (key.name.as_str(), key.columns.as_slice()));
    for (name, columns) in std::iter::once(id).chain(keys) {
        let mut sql = start(scope);
        sql.put("select 1 from ").put(&table.sql).put(" t").of_tenant("t");
        for column in columns {
            sql.put(" and ").column("t", table, *column).put(" = ");
            sql.bind(table.type_of(*column), new.get(table, *column).clone());
        }
        let mut statement = connection.prepare_cached(&sql.text).map_err(fault)?;
        bind(&mut statement, &sql.params)?;
        if statement.raw_query().next().map_err(fault)?.is_some() {
            clashing.push(name.to_owned());
        }
    }
    Ok(clashing)
}

/// One update under way, with the positions of a change's values among its statements' parameters; the tenant and the
/// instant are the first two, the key follows.
struct Work<'a> {
    connection: &'a Connection,
    schema: &'a Tables,
    table: &'a Table,
    call: usize,
    update: &'a Update,
    spelling: Spelling<'static>,
    version: usize,
    set: usize,
    add: usize,
    folded: usize,
}

/// The changed rows' answers, or every row that does not take its change.
pub(super) fn update(
    connection: &Connection,
    schema: &Tables,
    scope: &mut Scope,
    reading: &mut Reading,
    call: usize,
    update: Update,
) -> Result<Reply, Stop> {
    if !update.refused.is_empty() {
        return Err(Stop::Refused(write::list_misses(call, update.refused)));
    }
    let table = schema.table(update.table);
    let version = 3 + update.key.len();
    let set = version + 1;
    let add = set + update.set.len();
    let folded = add + update.add.len();
    let mark = |first: usize, count: usize| (first..first + count).map(|number| format!("?{number}")).collect();
    let spelling = Spelling {
        alias: "t",
        set: mark(set, update.set.len()),
        add: mark(add, update.add.len()),
        version: format!("?{version}"),
    };
    let work = Work { connection, schema, table, call, update: &update, spelling, version, set, add, folded };
    if !update.unique.is_empty() {
        work.foresee(scope)?;
    }
    let (rows, missed) = work.change(scope, reading)?;
    if !missed.is_empty() {
        return Err(work.misses(scope, missed)?);
    }
    if update.answer.is_empty() {
        return Ok(Reply::Done);
    }
    let rows = rows.into_iter().map(|row| write::answer_values(table, &update.answer, row)).collect();
    Ok(Reply::Rows(Page { rows, more: false, reached: None }))
}

impl Work<'_> {
    /// A statement whose first parameters are reserved for the tenant, the instant and a change's values.
    fn reserve_parameters(&self, scope: &Scope) -> Sql {
        let update = self.update;
        let mut sql = start(scope);
        sql.supply(ColumnType::Timestamp, Datum::Instant(scope.now_ms));
        sql.reserve(update.key.len() + 1 + update.set.len() + update.add.len() + update.folds());
        sql
    }

    fn bind_change(&self, statement: &mut CachedStatement<'_>, nth: usize) -> Result<(), Stop> {
        let (table, update) = (self.table, self.update);
        let Some(row) = update.rows.get(nth) else { return Ok(()) };
        for (index, (column, datum)) in update.key.iter().zip(&row.key).enumerate() {
            put(statement, index + 3, table.type_of(*column), datum)?;
        }
        let version = row.version.map_or(Datum::Null, Datum::Int);
        put(statement, self.version, ColumnType::Integer, &version)?;
        for (index, (column, datum)) in update.set.iter().zip(&row.set).enumerate() {
            put(statement, self.set + index, table.type_of(*column), datum)?;
        }
        for (index, (column, datum)) in update.add.iter().zip(&row.add).enumerate() {
            put(statement, self.add + index, table.type_of(*column), datum)?;
        }
        for (index, datum) in update.folded_texts(row).iter().enumerate() {
            put(statement, self.folded + index, ColumnType::Text, datum)?;
        }
        Ok(())
    }

    fn of_key(&self, sql: &mut Sql) {
        sql.of_tenant("t");
        for (nth, column) in self.update.key.iter().enumerate() {
            sql.put(" and ").column("t", self.table, *column).put(&format!(" = ?{}", nth + 3));
        }
    }

    fn answers(&self, row: &Row<'_>) -> Result<Vec<Datum>, Stop> {
        let columns = self.update.answer.iter().enumerate();
        columns.map(|(index, column)| self.column(row, index + 1, *column)).collect()
    }

    fn column(&self, row: &Row<'_>, position: usize, column: usize) -> Result<Datum, Stop> {
        load(row.get_ref(position).map_err(fault)?, &Output::Column(self.table.type_of(column)))
    }

    /// Changes the rows that take their change: their answers, and which rows did not.
    fn change(&self, scope: &mut Scope, reading: &mut Reading) -> Result<(Vec<Vec<Datum>>, Vec<usize>), Stop> {
        let sql = self.statement(scope);
        let mut statement = self.connection.prepare_cached(&sql.text).map_err(fault)?;
        bind(&mut statement, &sql.params)?;
        let (mut rows, mut missed) = (Vec::with_capacity(self.update.rows.len()), Vec::new());
        for nth in 0..self.update.rows.len() {
            let mut data = self.change_row(&mut statement, nth)?;
            if data.is_none() && self.insert_initial(scope, nth)? {
                data = self.change_row(&mut statement, nth)?;
            }
            let Some(data) = data else {
                missed.push(nth);
                continue;
            };
            reading.row(scope, &data)?;
            rows.push(data);
        }
        Ok((rows, missed))
    }

    /// The answer of a row that took its change.
    fn change_row(&self, statement: &mut CachedStatement<'_>, nth: usize) -> Result<Option<Vec<Datum>>, Stop> {
        self.bind_change(statement, nth)?;
        let mut changed = statement.raw_query();
        let Some(row) = changed.next().map_err(fault)? else { return Ok(None) };
        let data = self.answers(row)?;
        // A statement that answers rows has done its work only when it is stepped to its end.
        if changed.next().map_err(fault)?.is_some() {
            return Err(Stop::Database(Error::Fault("a unique key found two rows".to_owned())));
        }
        Ok(Some(data))
    }

    /// Inserts the row that is to be there, and returns whether it was missing.
    fn insert_initial(&self, scope: &Scope, nth: usize) -> Result<bool, Stop> {
        let row = self.update.initial.as_ref().and_then(|initial| initial.rows.get(nth)?.as_ref());
        match row {
            Some(row) => insert_row(&mut prepare_insert(self.connection, self.table, scope)?, self.table, row),
            None => Ok(false),
        }
    }

    /// The first output is the id, which shows that a row changed where nothing else is returned.
    fn statement(&self, scope: &Scope) -> Sql {
        let (table, update) = (self.table, self.update);
        let mut sql = self.reserve_parameters(scope);
        sql.put("update ").put(&table.sql).put(" as t set updated_at = ?2");
        if table.has_version() {
            sql.put(", version = t.version + 1");
        }
        for column in update.set.iter().chain(&update.add) {
            let after = self.spelling.after(table, update, Dialect::Sqlite, *column);
            sql.put(", ").put(&table.column(*column).sql).put(" = ").put(&after);
        }
        sql.put(&table.turn_marks());
        let mut next = self.folded;
        for (group, parts) in &update.groups {
            let Some(group) = table.search.get(*group) else { continue };
            sql.put(", ").put(&group.sql).put(" = ");
            for (nth, part) in parts.iter().enumerate() {
                sql.put(if nth > 0 { " || char(31) || " } else { "" });
                if part.is_some() {
                    sql.put(&format!("?{next}"));
                    next += 1;
                } else {
                    sql.put("stoa_part(t.").put(&group.sql).put(&format!(", {nth})"));
                }
            }
        }
        self.of_key(&mut sql);
        sql.put(" and ");
        write::refusal(self.schema, update, &self.spelling, &mut sql);
        sql.put(" = 0 returning id");
        for column in &update.answer {
            sql.put(", ").put(&table.column(*column).sql);
        }
        sql
    }

    /// Finds why rows did not change: one look-up for each, on the error path only.
    fn misses(&self, scope: &Scope, rows: Vec<usize>) -> Result<Stop, Stop> {
        let mut sql = self.reserve_parameters(scope);
        sql.put("select ");
        write::refusal(self.schema, self.update, &self.spelling, &mut sql);
        if !self.update.answer.is_empty() {
            sql.put(", ").outputs("t", self.table, &self.update.answer);
        }
        sql.put(" from ").put(&self.table.sql).put(" t");
        self.of_key(&mut sql);
        let mut statement = self.connection.prepare_cached(&sql.text).map_err(fault)?;
        bind(&mut statement, &sql.params)?;
        let mut refusals = Vec::with_capacity(rows.len());
        for nth in rows {
            self.bind_change(&mut statement, nth)?;
            let mut found = statement.raw_query();
            refusals.push(match found.next().map_err(fault)? {
                None => write::Refusal { row: nth, code: None, current: Vec::new() },
                Some(row) => {
                    let code = Some(row.get(0).map_err(fault)?);
                    write::Refusal { row: nth, code, current: self.answers(row)? }
                }
            });
        }
        Ok(write::refusals(self.table, self.update, self.call, refusals))
    }

    /// Before an update that sets columns of unique keys: rows that do not take their change, then rows whose new key
    /// another row has. Reported before the first row changes, so that all are reported and the order of rows means nothing.
    fn foresee(&self, scope: &Scope) -> Result<(), Stop> {
        let (table, update) = (self.table, self.update);
        let keys: Vec<&Key> = update.unique.iter().filter_map(|nth| table.unique.get(*nth)).collect();
        let sql = self.foresight(scope, &keys);
        let mut statement = self.connection.prepare_cached(&sql.text).map_err(fault)?;
        bind(&mut statement, &sql.params)?;
        let mut missed = Vec::new();
        let mut clashes: Vec<(usize, usize)> = Vec::new();
        let mut afters: Vec<Vec<Option<Vec<Datum>>>> = keys.iter().map(|_| vec![None; update.rows.len()]).collect();
        for nth in 0..update.rows.len() {
            self.bind_change(&mut statement, nth)?;
            let mut found = statement.raw_query();
            let Some(row) = found.next().map_err(fault)? else {
                missed.push(nth);
                continue;
            };
            if row.get::<_, i64>(0).map_err(fault)? != 0 {
                missed.push(nth);
            }
            let mut position = 1;
            for (key_nth, (key, after)) in keys.iter().zip(&mut afters).enumerate() {
                if row.get::<_, bool>(position).map_err(fault)? {
                    clashes.push((nth, key_nth));
                }
                let columns = key.columns.iter().enumerate();
                let data = columns.map(|(index, column)| self.column(row, position + 1 + index, *column));
                if let Some(slot) = after.get_mut(nth) {
                    *slot = Some(data.collect::<Result<_, _>>()?);
                }
                position += 1 + key.columns.len();
            }
        }
        drop(statement);
        if !missed.is_empty() {
            return Err(self.misses(scope, missed)?);
        }
        for (key_nth, after) in afters.iter().enumerate() {
            clashes.extend(write::doubles(after).into_iter().map(|row| (row, key_nth)));
        }
        write::clashes(table, update, self.call, clashes)
    }

    /// The verdict; then of each key whether another row has it, and its values after the change.
    fn foresight(&self, scope: &Scope, keys: &[&Key]) -> Sql {
        let (table, update) = (self.table, self.update);
        let after = |column: usize| self.spelling.after(table, update, Dialect::Sqlite, column);
        let mut sql = self.reserve_parameters(scope);
        sql.put("select ");
        write::refusal(self.schema, update, &self.spelling, &mut sql);
        for key in keys {
            sql.put(", exists (select 1 from ").put(&table.sql).put(" o").of_tenant("o").put(" and o.id <> t.id");
            for column in &key.columns {
                sql.put(" and ").column("o", table, *column).put(" = ").put(&after(*column));
            }
            sql.put(")");
            for column in &key.columns {
                sql.put(", ").put(&after(*column));
            }
        }
        sql.put(" from ").put(&table.sql).put(" t");
        self.of_key(&mut sql);
        sql
    }
}

/// The next figure of a sequence, or `at_least` if that is higher.
pub(super) fn number(
    connection: &Connection,
    schema: &Tables,
    scope: &Scope,
    call: usize,
    sequence: &str,
    at_least: u64,
) -> Result<u64, Stop> {
    let mut statement = connection
        .prepare_cached(
            "insert into stoa_sequence (tenant_id, module, name, next) values (?1, ?2, ?3, max(?4, 1) + 1)
             on conflict (tenant_id, module, name) do update set next = max(next, ?4) + 1 returning next - 1",
        )
        .map_err(fault)?;
    let at_least = i64::try_from(at_least).unwrap_or(i64::MAX);
    let parameters = rusqlite::params![scope.tenant.as_bytes(), schema.module(), sequence, at_least];
    let next: Option<i64> = statement.query_row(parameters, |row| row.get(0)).optional().map_err(fault)?;
    next.and_then(|next| u64::try_from(next).ok())
        .ok_or_else(|| Stop::Range(Spot { call: nth_number(call), column: "at-least".to_owned() }))
}
