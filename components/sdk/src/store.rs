//! Typed store calls. Each builder is a batch of one; a tuple, a vector or an option of batches is a batch too, and `run`
//! sends a whole batch in one round trip: `run((get::<Product>(id).locked(), find::<Unit>("code", key)))`.

mod write;

use std::marker::PhantomData;
use std::vec::IntoIter;

pub use crate::bindings::commerce::platform::store::{
    Agg, Call, Clash, Failure, LockMode, Miss, Reply, Row, Spot, Value, Why,
};
use crate::bindings::commerce::platform::store::{
    AggregateCall, Ask, Each, FindCall, GetCall, Measure, Order, SelectCall,
};
use crate::collection::{Entity, View};
use crate::field::{Column, Field};
use crate::filter::Filter;
use crate::host::{self, fault};
use crate::id::Id;
pub use write::{
    Insert, Lock, Number, Update, UpdateAnswering, insert, lock, lock_all, lock_all_shared, lock_shared, number,
    update, update_all, update_by,
};

/// Rows that one select answers at most.
pub const MOST_ROWS: u32 = 2_000;
/// Ids, keys or values of one term at most.
pub const MOST_KEYS: usize = 1_000;

/// Calls that are sent together, and what their replies become.
pub trait Batch {
    /// What `run` gives for it.
    type Answer;
    /// Adds its calls to those that are sent.
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
    let mut replies = replies.into_iter();
    match batch.read(&mut replies) {
        Some(answer) => Ok(answer),
        None => {
            let unread = replies.len();
            let call = calls.len().checked_sub(unread + 1).and_then(|index| calls.get(index));
            fault(&format!("the store's reply does not fit its call: {}", call.map_or("none", about)))
        }
    }
}

/// What a call is about, for a fault's message: nothing of what it carries.
fn about(call: &Call) -> &str {
    match call {
        Call::Get(call) => &call.ask.collection,
        Call::Find(call) => &call.ask.collection,
        Call::Select(call) => &call.ask.collection,
        Call::Aggregate(call) => &call.collection,
        Call::Insert(call) => &call.collection,
        Call::Update(call) => &call.collection,
        Call::Lock(_) => "a lock",
        Call::Number(_) => "a number",
    }
}

/// Sends a batch of reads, which cannot be refused: a failure is a fault. For functions that have no problem to answer.
pub fn read<B: Batch>(batch: B) -> B::Answer {
    match run(batch) {
        Ok(answer) => answer,
        Err(failure) => fault(&format!("a read failed: {failure:?}")),
    }
}

/// Nothing to ask.
impl Batch for () {
    type Answer = ();

    fn push(&mut self, _calls: &mut Vec<Call>) {}

    fn read(self, _replies: &mut IntoIter<Reply>) -> Option<()> {
        Some(())
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
    /// In the order that was asked for.
    pub items: Vec<V>,
    /// Whether rows follow the last of `items`.
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

impl<V> GetAll<V> {
    /// Held against other writers until the transaction ends; taken in the collection's lock order.
    pub fn locked(mut self) -> Self {
        self.0.lock = Some(LockMode::Exclusive);
        self
    }
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
    lock: Option<LockMode>,
    view: PhantomData<fn() -> V>,
}

/// The rows whose declared unique key `key` has one of these values; at most 1,000.
pub fn find<V: View>(key: &'static str, keys: impl IntoIterator<Item = Row>) -> Find<V> {
    Find { key, keys: keys.into_iter().collect(), lock: None, view: PhantomData }
}

impl<V> Find<V> {
    /// Held against other writers until the transaction ends; taken in the collection's lock order.
    pub fn locked(mut self) -> Self {
        self.lock = Some(LockMode::Exclusive);
        self
    }
}

impl<V: View> Batch for Find<V> {
    type Answer = Vec<V>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        let keys = std::mem::take(&mut self.keys);
        calls.push(Call::Find(FindCall { ask: ask::<V>(self.lock), key: self.key.to_owned(), keys }));
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
    each: Option<Each>,
    view: PhantomData<fn() -> V>,
}

/// The rows that meet the filter, ordered by id; at most 2,000 unless `limit` says less.
pub fn select<V: View>(filter: Filter) -> Select<V> {
    Select { filter, order: Vec::new(), after: None, limit: MOST_ROWS, lock: None, each: None, view: PhantomData }
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

    /// Only rows after this one, given as the values of the columns it is ordered by and the id.
    pub fn after_row(mut self, row: Option<Row>) -> Self {
        self.after = row;
        self
    }

    /// At most this many rows.
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
        self
    }

    /// The highest first, by this required column before the id.
    pub fn by_descending<T>(mut self, column: Column<T>) -> Self {
        self.order.push(Order { column: column.name().to_owned(), descending: true });
        self
    }

    /// Of every key only its first `limit` rows; a key is one value for each of these columns, at most 1,000 keys.
    pub fn each(mut self, columns: &[&str], keys: impl IntoIterator<Item = Row>, limit: u32) -> Self {
        self.each = Some(Each { columns: names(columns), keys: keys.into_iter().collect(), limit });
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
            each: self.each.take(),
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
    keep_zero: bool,
    after: Option<Row>,
    limit: u32,
}

/// Measures over the rows that meet the filter; each answered row holds the group's columns, then the measures in order.
pub fn aggregate<E: Entity>(filter: Filter) -> Aggregate {
    Aggregate {
        collection: E::NAME,
        filter,
        by: Vec::new(),
        measures: Vec::new(),
        keep_zero: true,
        after: None,
        limit: MOST_ROWS,
    }
}

impl Aggregate {
    /// One group for each value of this column.
    pub fn by<T>(mut self, column: Column<T>) -> Self {
        self.by.push(column.name().to_owned());
        self
    }

    /// How many rows of the group meet `when`; the empty filter counts all.
    pub fn count(mut self, when: Filter) -> Self {
        self.measures.push(Measure { op: Agg::Count, column: String::new(), when: when.0 });
        self
    }

    /// The exact sum of the column over the rows of the group that meet `when`.
    pub fn sum<T>(mut self, column: Column<T>, when: Filter) -> Self {
        self.measures.push(Measure { op: Agg::Sum, column: column.name().to_owned(), when: when.0 });
        self
    }

    /// Leaves out groups whose sums are all zero.
    pub fn without_zeros(mut self) -> Self {
        self.keep_zero = false;
        self
    }

    /// Only groups after this one, given as the values of the columns it is grouped by, all of them required columns.
    pub fn after(mut self, group: Option<Row>) -> Self {
        self.after = group;
        self
    }

    /// At most this many groups.
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = limit;
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
            keep_zero: self.keep_zero,
            after: self.after.take(),
            limit: self.limit,
        }));
    }

    fn read(self, replies: &mut IntoIter<Reply>) -> Option<Vec<Row>> {
        match replies.next()? {
            Reply::Rows(page) => Some(page.rows),
            _ => None,
        }
    }
}
