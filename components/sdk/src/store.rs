//! Typed store calls. Each builder is a batch of one; a tuple, a vector or an option of batches is a batch too, and `run`
//! sends a whole batch in one round trip: `run((get::<Product>(id).locked(), find::<Unit>("code", key)))`.

use std::marker::PhantomData;
use std::vec::IntoIter;

pub use crate::bindings::commerce::platform::store::{
    Agg, Call, Clash, Failure, LockMode, Miss, Reply, Row, Spot, Value, Why,
};
use crate::bindings::commerce::platform::store::{
    AggregateCall, Ask, Change, FindCall, GetCall, InsertCall, LockCall, Measure, NumberCall, Order, SelectCall,
    UpdateCall,
};
use crate::collection::{Entity, View};
use crate::field::{Column, Field};
use crate::filter::Filter;
use crate::host::{self, fault};
use crate::id::Id;

/// Rows that one select answers at most.
pub const MOST_ROWS: u32 = 2_000;
/// Ids, keys or values of one term at most.
pub const MOST_KEYS: usize = 1_000;

/// Calls that are sent together, and what their replies become.
pub trait Batch {
    type Answer;
    fn push(&mut self, calls: &mut Vec<Call>);
    /// None where a reply does not fit its call.
    fn read(self, replies: &mut IntoIter<Reply>) -> Option<Self::Answer>;
}

/// Sends the batch. After a failure that refuses a write the store is closed: the request can only end in a problem.
///
/// # Errors
/// `Duplicate`, `RefusedChange`, `OutOfRange` and `Limit` are the caller's to judge, or become a problem by `?`.
pub fn run<B: Batch>(mut batch: B) -> Result<B::Answer, Failure> {
    let mut calls = Vec::new();
    batch.push(&mut calls);
    let replies = if calls.is_empty() { Vec::new() } else { host::run(&calls)? };
    match batch.read(&mut replies.into_iter()) {
        Some(answer) => Ok(answer),
        None => fault("the store's reply does not fit its call"),
    }
}

/// Sends a batch of reads, which cannot be refused: a failure is a fault. For functions that have no problem to answer.
pub fn read<B: Batch>(batch: B) -> B::Answer {
    match run(batch) {
        Ok(answer) => answer,
        Err(failure) => fault(&format!("a read failed: {failure:?}")),
    }
}

macro_rules! batch_of_tuple {
    ($($part:ident $at:tt),+) => {
        impl<$($part: Batch),+> Batch for ($($part,)+) {
            type Answer = ($($part::Answer,)+);

            fn push(&mut self, calls: &mut Vec<Call>) {
                $(self.$at.push(calls);)+
            }

            fn read(self, replies: &mut IntoIter<Reply>) -> Option<Self::Answer> {
                Some(($(self.$at.read(replies)?,)+))
            }
        }
    };
}

batch_of_tuple!(A 0, B 1);
batch_of_tuple!(A 0, B 1, C 2);
batch_of_tuple!(A 0, B 1, C 2, D 3);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

impl<B: Batch> Batch for Vec<B> {
    type Answer = Vec<B::Answer>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        self.iter_mut().for_each(|part| part.push(calls));
    }

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<Self::Answer> {
        self.into_iter().map(|part| part.read(replies)).collect()
    }
}

impl<B: Batch> Batch for Option<B> {
    type Answer = Option<B::Answer>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        if let Some(part) = self {
            part.push(calls);
        }
    }

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<Self::Answer> {
        match self {
            Some(part) => part.read(replies).map(Some),
            None => Some(None),
        }
    }
}

fn ask<V: View>(lock: Option<LockMode>) -> Ask {
    Ask { collection: V::Entity::NAME.to_owned(), columns: names(V::COLUMNS), lock }
}

fn names(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|&column| column.to_owned()).collect()
}

fn rows<V: View>(reply: Reply) -> Option<Rows<V>> {
    match reply {
        Reply::Rows(page) => {
            Some(Rows { items: page.rows.into_iter().map(V::read).collect::<Option<_>>()?, more: page.more })
        }
        _ => None,
    }
}

/// The rows of a select and whether more follow.
#[derive(Debug, Clone)]
pub struct Rows<V> {
    pub items: Vec<V>,
    pub more: bool,
}

/// A row by its id; see [`get`].
pub struct Get<V> {
    ids: Vec<Value>,
    lock: Option<LockMode>,
    view: PhantomData<fn() -> V>,
}

/// The row of this id, if there is one.
pub fn get<V: View>(id: Id) -> Get<V> {
    Get { ids: vec![id.put()], lock: None, view: PhantomData }
}

impl<V> Get<V> {
    /// Held against other writers until the transaction ends.
    pub fn locked(mut self) -> Self {
        self.lock = Some(LockMode::Exclusive);
        self
    }
}

impl<V: View> Batch for Get<V> {
    type Answer = Option<V>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        calls.push(Call::Get(GetCall { ask: ask::<V>(self.lock), ids: std::mem::take(&mut self.ids) }));
    }

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<Option<V>> {
        rows(replies.next()?).map(|rows: Rows<V>| rows.items.into_iter().next())
    }
}

/// Rows by their ids; see [`get_all`].
pub struct GetAll<V>(Get<V>);

/// The rows of these ids, absent ones left out; at most 1,000. No call is made for none.
pub fn get_all<V: View>(ids: impl IntoIterator<Item = Id>) -> GetAll<V> {
    GetAll(Get { ids: ids.into_iter().map(|id| id.put()).collect(), lock: None, view: PhantomData })
}

impl<V: View> Batch for GetAll<V> {
    type Answer = Vec<V>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        if !self.0.ids.is_empty() {
            // Keeps the ids: `read` must know whether the call was made.
            calls.push(Call::Get(GetCall { ask: ask::<V>(self.0.lock), ids: self.0.ids.clone() }));
        }
    }

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<Vec<V>> {
        if self.0.ids.is_empty() {
            return Some(Vec::new());
        }
        rows(replies.next()?).map(|rows: Rows<V>| rows.items)
    }
}

/// Rows by a unique key; see [`find`].
pub struct Find<V> {
    key: &'static str,
    keys: Vec<Row>,
    view: PhantomData<fn() -> V>,
}

/// The rows whose declared unique key `key` has one of these values; at most 1,000.
pub fn find<V: View>(key: &'static str, keys: impl IntoIterator<Item = Row>) -> Find<V> {
    Find { key, keys: keys.into_iter().collect(), view: PhantomData }
}

impl<V: View> Batch for Find<V> {
    type Answer = Vec<V>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        let keys = std::mem::take(&mut self.keys);
        calls.push(Call::Find(FindCall { ask: ask::<V>(None), key: self.key.to_owned(), keys }));
    }

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<Vec<V>> {
        rows(replies.next()?).map(|rows: Rows<V>| rows.items)
    }
}

/// Rows that meet a filter; see [`select`].
pub struct Select<V> {
    filter: Filter,
    order: Vec<Order>,
    after: Option<Row>,
    limit: u32,
    lock: Option<LockMode>,
    view: PhantomData<fn() -> V>,
}

/// The rows that meet the filter, ordered by id; at most 2,000 unless `limit` says less.
pub fn select<V: View>(filter: Filter) -> Select<V> {
    Select { filter, order: Vec::new(), after: None, limit: MOST_ROWS, lock: None, view: PhantomData }
}

impl<V> Select<V> {
    /// Orders by a required column before the id.
    pub fn by<T>(mut self, column: Column<T>) -> Self {
        self.order.push(Order { column: column.name().to_owned(), descending: false });
        self
    }

    /// Only rows after this id; for selects that are ordered by id alone.
    pub fn after(mut self, id: Option<Id>) -> Self {
        self.after = id.map(|id| vec![id.put()]);
        self
    }

    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
        self
    }

    /// Every match is held against other writers until the transaction ends; more than 2,000 are refused.
    pub fn locked(mut self) -> Self {
        self.lock = Some(LockMode::Exclusive);
        self
    }
}

impl<V: View> Batch for Select<V> {
    type Answer = Rows<V>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        calls.push(Call::Select(SelectCall {
            ask: ask::<V>(self.lock),
            where_: std::mem::take(&mut self.filter.0),
            order: std::mem::take(&mut self.order),
            after: self.after.take(),
            limit: self.limit,
            each: None,
        }));
    }

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<Rows<V>> {
        rows(replies.next()?)
    }
}

/// Counts and sums; see [`aggregate`].
pub struct Aggregate {
    collection: &'static str,
    filter: Filter,
    by: Vec<String>,
    measures: Vec<Measure>,
}

/// Measures over the rows that meet the filter; each answered row holds the group's columns, then the measures in order.
pub fn aggregate<E: Entity>(filter: Filter) -> Aggregate {
    Aggregate { collection: E::NAME, filter, by: Vec::new(), measures: Vec::new() }
}

impl Aggregate {
    pub fn by<T>(mut self, column: Column<T>) -> Self {
        self.by.push(column.name().to_owned());
        self
    }

    /// How many rows of the group meet `when`; the empty filter counts all.
    pub fn count(mut self, when: Filter) -> Self {
        self.measures.push(Measure { op: Agg::Count, column: String::new(), when: when.0 });
        self
    }

    pub fn sum<T>(mut self, column: Column<T>, when: Filter) -> Self {
        self.measures.push(Measure { op: Agg::Sum, column: column.name().to_owned(), when: when.0 });
        self
    }
}

impl Batch for Aggregate {
    type Answer = Vec<Row>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        calls.push(Call::Aggregate(AggregateCall {
            collection: self.collection.to_owned(),
            where_: std::mem::take(&mut self.filter.0),
            by: std::mem::take(&mut self.by),
            measures: std::mem::take(&mut self.measures),
            keep_zero: true,
            after: None,
            limit: MOST_ROWS,
        }));
    }

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<Vec<Row>> {
        match replies.next()? {
            Reply::Rows(page) => Some(page.rows),
            _ => None,
        }
    }
}

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

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<Vec<bool>> {
        if self.call.rows.is_empty() {
            return Some(Vec::new());
        }
        match replies.next()? {
            Reply::Inserted(went_in) => Some(went_in),
            Reply::Done => Some(vec![true; self.call.rows.len()]),
            _ => None,
        }
    }
}

/// Changes of rows; see [`update`].
pub struct Update<E> {
    count: usize,
    rows: Vec<Change>,
    set: Vec<String>,
    values: Row,
    add: Vec<String>,
    amounts: Vec<String>,
    when: Filter,
    entity: PhantomData<fn() -> E>,
}

/// Changes the row of this id; say what with `set` and `add`.
pub fn update<E: Entity>(id: Id) -> Update<E> {
    update_all([id])
}

/// Changes the rows of these ids in the same way; at most 2,000. No call is made for none.
pub fn update_all<E: Entity>(ids: impl IntoIterator<Item = Id>) -> Update<E> {
    let change = |id: Id| Change { key: vec![id.put()], version: None, set: Vec::new(), add: Vec::new() };
    let rows: Vec<Change> = ids.into_iter().map(change).collect();
    Update {
        count: rows.len(),
        rows,
        set: Vec::new(),
        values: Vec::new(),
        add: Vec::new(),
        amounts: Vec::new(),
        when: Filter::default(),
        entity: PhantomData,
    }
}

impl<E: Entity> Update<E> {
    pub fn set<T: Field>(mut self, column: Column<T>, value: &T) -> Self {
        self.set.push(column.name().to_owned());
        self.values.push(value.put());
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

    /// Adds a signed amount to a counter.
    pub fn add<T: Field>(mut self, column: Column<T>, amount: impl std::fmt::Display) -> Self {
        self.add.push(column.name().to_owned());
        self.amounts.push(amount.to_string());
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

    /// Answers the rows as they stand after the change.
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
            key: None,
            set: std::mem::take(&mut self.set),
            add: std::mem::take(&mut self.add),
            rows,
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

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<()> {
        if self.count == 0 {
            return Some(());
        }
        replies.next().map(|_| ())
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
            calls.push(self.update.call(names(V::COLUMNS)));
        }
    }

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<Vec<V>> {
        if self.update.count == 0 {
            return Some(Vec::new());
        }
        rows(replies.next()?).map(|rows: Rows<V>| rows.items)
    }
}

/// Locks by name; see [`lock`].
pub struct Lock {
    names: Vec<(String, LockMode)>,
}

/// Holds this name of the module against everybody else until the transaction ends. What is read after it in the same batch
/// sees what the lock waited for.
pub fn lock(name: String) -> Lock {
    Lock { names: vec![(name, LockMode::Exclusive)] }
}

/// Holds this name against `lock`, but not against other sharers.
pub fn lock_shared(name: String) -> Lock {
    Lock { names: vec![(name, LockMode::Shared)] }
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

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<()> {
        replies.next().map(|_| ())
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

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<u64> {
        match replies.next()? {
            Reply::Number(number) => Some(number),
            _ => None,
        }
    }
}
