//! Calls that write: inserts, updates, locks by name and numbers.

use std::marker::PhantomData;

use super::read::rows;
use super::{Batch, Call, Failure, LockMode, Replies, Reply, Row, names};
use crate::bindings::commerce::platform::store::{Change, Initial, InsertCall, LockCall, NumberCall, UpdateCall};
use crate::collection::{Entity, View};
use crate::field::{Column, Field};
use crate::filter::Filter;
use crate::id::Id;

/// New rows; see [`insert`].
pub struct Insert {
    call: InsertCall,
}

/// Inserts the rows: id and own columns are taken from the structs, the rest is the host's. A taken unique key is a failure.
pub fn insert<'a, E: Entity + 'a>(rows: impl IntoIterator<Item = &'a E>) -> Insert {
    let call = InsertCall {
        collection: E::NAME.to_owned(),
        columns: names(E::INSERTED),
        rows: rows.into_iter().map(Entity::write).collect(),
        skip_clashes: false,
    };
    Insert { call }
}

impl Insert {
    /// Rows whose unique key is taken stay out; the answer says of each row whether it went in.
    pub fn unless_taken(mut self) -> Self {
        self.call.skip_clashes = true;
        self
    }
}

impl Batch for Insert {
    type Answer = Vec<bool>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        if !self.call.rows.is_empty() {
            calls.push(Call::Insert(self.call.clone()));
        }
    }

    fn read(self, replies: &mut Replies) -> Result<Vec<bool>, Failure> {
        if self.call.rows.is_empty() {
            return Ok(Vec::new());
        }
        Ok(replies.take(|reply| match reply {
            Reply::Inserted(went_in) => Some(went_in),
            Reply::Done => Some(vec![true; self.call.rows.len()]),
            _ => None,
        }))
    }
}

/// Changes of rows; see [`update`].
pub struct Update<E> {
    count: usize,
    key: Option<&'static str>,
    rows: Vec<Change>,
    set: Vec<String>,
    values: Row,
    add: Vec<String>,
    amounts: Vec<String>,
    initial: Option<Initial>,
    when: Filter,
    entity: PhantomData<fn() -> E>,
}

/// Changes the row of this id; say what with `set` and `add`.
pub fn update<E: Entity>(id: Id) -> Update<E> {
    update_all([id])
}

/// Changes the rows of these ids in the same way; at most 2,000. No call is made for an empty list.
pub fn update_all<E: Entity>(ids: impl IntoIterator<Item = Id>) -> Update<E> {
    changes(None, ids.into_iter().map(|id| vec![id.put()]))
}

/// Sets columns of each of these rows to what the row has in them; at most 2,000. No call is made for an empty list.
pub fn update_from<'a, E: Entity + 'a>(rows: impl IntoIterator<Item = &'a E>, columns: &[&str]) -> Update<E> {
    let rows: Vec<&E> = rows.into_iter().collect();
    let mut update = update_all(rows.iter().map(|row| row.id()));
    let set = E::INSERTED.iter().filter(|name| columns.contains(name));
    update.set = set.map(|name| (*name).to_owned()).collect();
    for (change, row) in update.rows.iter_mut().zip(rows) {
        let values = E::INSERTED.iter().zip(row.write()).filter(|(name, _)| columns.contains(name));
        change.set = values.map(|(_, value)| value).collect();
    }
    update
}

/// Changes the rows of which the declared unique key `key` has these values, in the same way; at most 2,000. No call is made
/// for an empty list.
pub fn update_by<E: Entity>(key: &'static str, keys: impl IntoIterator<Item = Row>) -> Update<E> {
    changes(Some(key), keys)
}

fn changes<E>(key: Option<&'static str>, keys: impl IntoIterator<Item = Row>) -> Update<E> {
    let change = |key: Row| Change { key, version: None, set: Vec::new(), add: Vec::new() };
    let rows: Vec<Change> = keys.into_iter().map(change).collect();
    Update {
        count: rows.len(),
        key,
        rows,
        set: Vec::new(),
        values: Vec::new(),
        add: Vec::new(),
        amounts: Vec::new(),
        initial: None,
        when: Filter::default(),
        entity: PhantomData,
    }
}

impl<E: Entity> Update<E> {
    /// Sets a column of every row to one value.
    pub fn set<T: Field>(mut self, column: Column<T>, value: &T) -> Self {
        self.set.push(column.name().to_owned());
        self.values.push(value.put());
        self
    }

    /// Sets columns of every row to what a row of the same collection has in them.
    pub fn set_from(mut self, row: &E, columns: &[&'static str]) -> Self {
        for (name, value) in E::INSERTED.iter().zip(row.write()) {
            if columns.contains(name) {
                self.set.push((*name).to_owned());
                self.values.push(value);
            }
        }
        self
    }

    /// Sets a column of each row to its own value, in the order of the ids; before any `set`.
    pub fn set_each<T: Field>(mut self, column: Column<T>, values: impl IntoIterator<Item = T>) -> Self {
        self.set.push(column.name().to_owned());
        for (row, value) in self.rows.iter_mut().zip(values) {
            row.set.push(value.put());
        }
        self
    }

    /// Adds to a counter of each row its own signed amount, in the order of the rows; before any `add`.
    pub fn add_each<T: Field>(
        mut self,
        column: Column<T>,
        amounts: impl IntoIterator<Item = impl std::fmt::Display>,
    ) -> Self {
        self.add.push(column.name().to_owned());
        for (row, amount) in self.rows.iter_mut().zip(amounts) {
            row.add.push(amount.to_string());
        }
        self
    }

    /// Adds a signed amount to a counter.
    pub fn add<T: Field>(mut self, column: Column<T>, amount: impl std::fmt::Display) -> Self {
        self.add.push(column.name().to_owned());
        self.amounts.push(amount.to_string());
        self
    }

    /// Inserts the row of a projection that an update by its one unique key does not find, and then changes it. `rows`
    /// has, in the order of the keys, each row's values of `columns`: the key comes with the change, the rest takes its
    /// defaults and the id is the host's. None: the row must be there.
    pub fn or_insert(mut self, columns: &[&str], rows: impl IntoIterator<Item = Option<Row>>) -> Self {
        self.initial = Some(Initial { columns: names(columns), rows: rows.into_iter().collect() });
        self
    }

    /// Refuses the change where a row has another version.
    pub fn version(mut self, version: i64) -> Self {
        self.rows.iter_mut().for_each(|row| row.version = Some(version));
        self
    }

    /// Refuses the change where a row does not meet the filter.
    pub fn when(mut self, filter: Filter) -> Self {
        self.when = filter;
        self
    }

    /// Answers the rows as they are after the change.
    pub fn answer<V: View<Entity = E>>(self) -> UpdateAnswering<V> {
        UpdateAnswering { update: self }
    }

    fn call(&mut self, answer: Vec<String>) -> Call {
        let mut rows = std::mem::take(&mut self.rows);
        for row in &mut rows {
            row.set.extend(self.values.iter().cloned());
            row.add.extend(self.amounts.iter().cloned());
        }
        Call::Update(UpdateCall {
            collection: E::NAME.to_owned(),
            key: self.key.map(str::to_owned),
            set: std::mem::take(&mut self.set),
            add: std::mem::take(&mut self.add),
            rows,
            initial: self.initial.take(),
            when: std::mem::take(&mut self.when.0),
            answer,
        })
    }
}

impl<E: Entity> Batch for Update<E> {
    type Answer = ();

    fn push(&mut self, calls: &mut Vec<Call>) {
        if self.count > 0 {
            calls.push(self.call(Vec::new()));
        }
    }

    fn read(self, replies: &mut Replies) -> Result<(), Failure> {
        if self.count > 0 {
            replies.take(|_| Some(()));
        }
        Ok(())
    }
}

/// An update that answers its rows; see [`Update::answer`].
pub struct UpdateAnswering<V: View> {
    update: Update<V::Entity>,
}

impl<V: View> Batch for UpdateAnswering<V> {
    type Answer = Vec<V>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        if self.update.count > 0 {
            // No columns named would mean no answer.
            let columns = if V::COLUMNS.is_empty() { V::Entity::ALL } else { V::COLUMNS };
            calls.push(self.update.call(names(columns)));
        }
    }

    fn read(self, replies: &mut Replies) -> Result<Vec<V>, Failure> {
        if self.update.count == 0 {
            return Ok(Vec::new());
        }
        Ok(replies.take(rows::<V>).items)
    }
}

/// Locks by name; see [`lock`].
pub struct Lock {
    names: Vec<(String, LockMode)>,
}

/// Holds this name of the module against everybody else until the transaction ends. Reads after it in the same batch see what the
/// lock waited for.
pub fn lock(name: String) -> Lock {
    Lock { names: vec![(name, LockMode::Exclusive)] }
}

/// Holds this name against `lock`, but not against other sharers.
pub fn lock_shared(name: String) -> Lock {
    lock_all_shared([name])
}

/// Holds these names against `lock`, but not against other sharers; at most 1,000.
pub fn lock_all_shared(names: impl IntoIterator<Item = String>) -> Lock {
    Lock { names: names.into_iter().map(|name| (name, LockMode::Shared)).collect() }
}

/// Holds all of these names; the host takes them in one fixed order.
pub fn lock_all(names: impl IntoIterator<Item = String>) -> Lock {
    Lock { names: names.into_iter().map(|name| (name, LockMode::Exclusive)).collect() }
}

impl Batch for Lock {
    type Answer = ();

    fn push(&mut self, calls: &mut Vec<Call>) {
        calls.push(Call::Lock(LockCall { names: std::mem::take(&mut self.names) }));
    }

    fn read(self, replies: &mut Replies) -> Result<(), Failure> {
        replies.take(|_| Some(()));
        Ok(())
    }
}

/// The next number of a sequence; see [`number`].
pub struct Number {
    call: NumberCall,
}

/// The next number of this sequence: distinct and rising, with gaps; above `at_least` where it is stated.
pub fn number(sequence: &str, at_least: Option<u64>) -> Number {
    Number { call: NumberCall { sequence: sequence.to_owned(), at_least } }
}

impl Batch for Number {
    type Answer = u64;

    fn push(&mut self, calls: &mut Vec<Call>) {
        calls.push(Call::Number(self.call.clone()));
    }

    fn read(self, replies: &mut Replies) -> Result<u64, Failure> {
        Ok(replies.take(|reply| match reply {
            Reply::Number(number) => Some(number),
            _ => None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::run;
    use super::*;
    use crate::collection;
    use crate::instant::Instant;
    use crate::scripted::script;

    collection! {
        record LineRow in "line" { order_id: Id, line_no: i64, name: String }
    }

    #[test]
    fn each_row_is_set_to_what_it_has_in_the_columns() {
        let line = |nth: u64| LineRow {
            id: Id(1, nth),
            version: 1,
            created_at: Instant(1),
            updated_at: Instant(1),
            order_id: Id(2, 2),
            line_no: 7,
            name: format!("line {nth}"),
        };
        let log = script([vec![Reply::Done]]);
        run(update_from(&[line(1), line(2)], &[LineRow::name.name(), LineRow::line_no.name()])).unwrap();
        let runs = &log.borrow().runs;
        let [Call::Update(update)] = runs[0].as_slice() else { panic!("{runs:?}") };
        assert_eq!(update.set, ["line_no", "name"]);
        let rows: Vec<(Row, Row)> = update.rows.iter().map(|row| (row.key.clone(), row.set.clone())).collect();
        let expected = |nth: u64| (vec![Id(1, nth).put()], vec![7_i64.put(), format!("line {nth}").put()]);
        assert_eq!(rows, [expected(1), expected(2)]);
    }
}
