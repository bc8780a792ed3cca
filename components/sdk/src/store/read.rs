//! Calls that read rows: by id, by unique key, by condition.

use std::marker::PhantomData;

use super::{Batch, Call, Failure, LockMode, MOST_ROWS, Replies, Reply, Row, Value, names};
use crate::bindings::commerce::platform::store::{Ask, Each, FindCall, GetCall, Order, SelectCall};
use crate::collection::{Entity, View};
use crate::field::{Column, Field};
use crate::filter::{Filter, all};
use crate::host::facts;
use crate::id::Id;
use crate::instant::Instant;

fn ask<V: View>(lock: Option<LockMode>) -> Ask {
    Ask { collection: V::Entity::NAME.to_owned(), columns: names(V::COLUMNS), lock }
}

pub(super) fn rows<V: View>(reply: Reply) -> Option<Rows<V>> {
    match reply {
        Reply::Rows(page) => {
            let items = page.rows.into_iter().map(V::read).collect::<Option<_>>()?;
            Some(Rows { items, more: page.more, reached: page.reached.map(Id::from) })
        }
        _ => None,
    }
}

/// The rows of a select and whether more follow.
#[derive(Debug, Clone)]
pub struct Rows<V> {
    /// In the order that was asked for.
    pub items: Vec<V>,
    /// True if rows follow the last of `items`.
    pub more: bool,
    /// Where a search of text stopped that looks at so many rows a call and found fewer than were asked for.
    pub reached: Option<Id>,
}

impl<V> Rows<V> {
    /// The row after which the next page begins; none if nothing follows. `id` of a row.
    pub fn next(&self, id: impl Fn(&V) -> Id) -> Option<Id> {
        let last = self.reached.or_else(|| self.items.last().map(id));
        last.filter(|_| self.more)
    }

    /// The same page of what is made of its rows.
    pub fn map<T>(self, make: impl FnMut(V) -> T) -> Rows<T> {
        Rows { items: self.items.into_iter().map(make).collect(), more: self.more, reached: self.reached }
    }
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

    fn read(self, replies: &mut Replies) -> Result<Option<V>, Failure> {
        Ok(replies.take(rows::<V>).items.into_iter().next())
    }
}

/// Rows by their ids; see [`get_all`].
pub struct GetAll<V>(Get<V>);

/// The rows of these ids, absent ones left out; at most 1,000. No call is made for an empty list.
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

    fn read(self, replies: &mut Replies) -> Result<Vec<V>, Failure> {
        if self.0.ids.is_empty() {
            return Ok(Vec::new());
        }
        Ok(replies.take(rows::<V>).items)
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

    fn read(self, replies: &mut Replies) -> Result<Vec<V>, Failure> {
        Ok(replies.take(rows::<V>).items)
    }
}

/// Rows that meet a filter; see [`select`].
pub struct Select<V> {
    filter: Filter,
    order: Vec<Order>,
    after: Option<Row>,
    lock: Option<LockMode>,
    each: Option<Each>,
    view: PhantomData<fn() -> V>,
}

/// The rows that meet the filter, ordered by id. How many are wanted must be said, by [`Select::first`], [`Select::whole`] or
/// [`Select::limit`]: a read that stops early without a report of it cannot be written.
pub fn select<V: View>(filter: Filter) -> Select<V> {
    Select { filter, order: Vec::new(), after: None, lock: None, each: None, view: PhantomData }
}

impl<V> Select<V> {
    /// Orders by a required column before the id.
    pub fn by<T>(mut self, column: Column<T>) -> Self {
        self.order.push(Order { column: column.name().to_owned(), descending: false });
        self
    }

    /// The highest first, by this required column before the id.
    pub fn by_descending<T>(mut self, column: Column<T>) -> Self {
        self.order.push(Order { column: column.name().to_owned(), descending: true });
        self
    }

    /// Only rows after this id; for selects that are ordered only by id.
    pub fn after(mut self, id: Option<Id>) -> Self {
        self.after = id.map(|id| vec![id.put()]);
        self
    }

    /// Only rows of the list's page after this cursor. A list that is read for what is new ends at the request's
    /// watermark.
    pub fn page(self, cursor: Option<Id>) -> Self {
        let Select { filter, .. } = self;
        let settled = facts().horizon.map(|watermark| Column::<Id>::new("id").lt(Id::first_at(Instant(watermark))));
        Select { filter: all([filter, settled.unwrap_or_default()]), ..self }.after(cursor)
    }

    /// Only rows after this one, given as the values of the columns it is ordered by and the id.
    pub fn after_row(mut self, row: Option<Row>) -> Self {
        self.after = row;
        self
    }

    /// Only the first `limit` rows of every key; a key is one value for each of these columns, at most 1,000 keys.
    pub fn each(mut self, columns: &[&str], keys: impl IntoIterator<Item = Row>, limit: u32) -> Self {
        self.each = Some(Each { columns: names(columns), keys: keys.into_iter().collect(), limit });
        self
    }

    /// Every match is held against other writers until the transaction ends; more than 2,000 are refused.
    pub fn locked(mut self) -> Self {
        self.lock = Some(LockMode::Exclusive);
        self
    }

    /// At most this many rows, and whether more follow.
    pub fn limit(self, limit: u32) -> Limited<V> {
        Limited { select: self, limit }
    }

    /// The first row, if there is one.
    pub fn first(self) -> First<V> {
        First(self.limit(1))
    }

    /// Every row; more than 2,000 are a failure.
    pub fn whole(self) -> Whole<V> {
        All(self.limit(MOST_ROWS))
    }
}

/// The first rows of a select; see [`Select::limit`].
pub struct Limited<V> {
    select: Select<V>,
    limit: u32,
}

impl<V: View> Batch for Limited<V> {
    type Answer = Rows<V>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        let Select { filter, order, after, lock, each, .. } = &mut self.select;
        calls.push(Call::Select(SelectCall {
            ask: ask::<V>(*lock),
            where_: std::mem::take(&mut filter.0),
            order: std::mem::take(order),
            after: after.take(),
            limit: self.limit,
            each: each.take(),
        }));
    }

    fn read(self, replies: &mut Replies) -> Result<Rows<V>, Failure> {
        Ok(replies.take(rows))
    }
}

/// The first row of a select; see [`Select::first`].
pub struct First<V>(Limited<V>);

impl<V: View> Batch for First<V> {
    type Answer = Option<V>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        self.0.push(calls);
    }

    fn read(self, replies: &mut Replies) -> Result<Option<V>, Failure> {
        let rows = self.0.read(replies)?;
        match rows.items.into_iter().next() {
            None if rows.more => Err(Failure::Limit("rows of a search that wants one".to_owned())),
            first => Ok(first),
        }
    }
}

/// Every row of a select; see [`Select::whole`].
pub type Whole<V> = All<Limited<V>>;

/// All that a read answers, which is a failure where more follows.
pub struct All<B>(pub(super) B);

impl<T, B: Batch<Answer = Rows<T>>> Batch for All<B> {
    type Answer = Vec<T>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        self.0.push(calls);
    }

    fn read(self, replies: &mut Replies) -> Result<Vec<T>, Failure> {
        let rows = self.0.read(replies)?;
        if rows.more { Err(Failure::Limit("rows of a read that wants all".to_owned())) } else { Ok(rows.items) }
    }
}
