//! Typed store calls. Each builder is a batch of one; a tuple, a vector or an option of batches is a batch too, and
//! tuples nest, so that a batch may have any size. `run` sends a whole batch at once:
//! `run((get::<Product>(id).locked(), find::<Unit>("code", key)))`.

mod read;
mod totals;
mod write;

use std::vec::IntoIter;

pub use crate::bindings::commerce::platform::store::{
    Agg, Call, Clash, Failure, LockMode, Miss, Reply, Row, Spot, Value, Why,
};
use crate::host::{self, fault};
pub use read::{All, Find, First, Get, GetAll, Limited, Rows, Select, Whole, find, get, get_all, select};
pub use totals::{Aggregate, LimitedTotals, Measure, OneTotal, Total, Totals, WholeTotals, aggregate};
pub use write::{
    Insert, Lock, Number, Update, UpdateAnswering, insert, lock, lock_all, lock_all_shared, lock_shared, number,
    update, update_all, update_by, update_from,
};

/// Rows that one select answers at most.
pub const MOST_ROWS: u32 = 2_000;
/// Ids, keys or values of one term at most.
pub const MOST_KEYS: usize = 1_000;

/// Calls that are sent together, and what their replies become.
pub trait Batch {
    /// The result of `run` for it.
    type Answer;
    /// Adds its calls to those that are sent.
    fn push(&mut self, calls: &mut Vec<Call>);
    /// Takes the replies to its calls.
    ///
    /// # Errors
    /// `Limit` where more rows match than the caller wanted all of.
    fn read(self, replies: &mut Replies) -> Result<Self::Answer, Failure>;
}

/// The replies to a batch, in the order of its calls.
pub struct Replies {
    calls: Vec<Call>,
    rest: IntoIter<Reply>,
}

impl Replies {
    /// The reply to the next call, as what it should be.
    pub fn take<T>(&mut self, read: impl FnOnce(Reply) -> Option<T>) -> T {
        match self.rest.next().and_then(read) {
            Some(answer) => answer,
            None => {
                let index = self.calls.len().checked_sub(self.rest.len() + 1);
                let call = index.and_then(|index| self.calls.get(index)).map_or("none", about);
                fault(&format!("the store's reply does not fit its call: {call}"))
            }
        }
    }
}

/// Sends the batch. After a failure that refuses a write the store is closed: the request can only end in a problem.
///
/// # Errors
/// `Duplicate`, `RefusedChange`, `OutOfRange` and `Limit` are the caller's to judge, or become a problem by `?`.
pub fn run<B: Batch>(mut batch: B) -> Result<B::Answer, Failure> {
    let mut calls = Vec::new();
    batch.push(&mut calls);
    let replies = if calls.is_empty() { Vec::new() } else { host::run(&calls)? };
    batch.read(&mut Replies { calls, rest: replies.into_iter() })
}

/// The subject of a call, for a fault's message: nothing of what it carries.
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
#[track_caller]
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

    fn read(self, _replies: &mut Replies) -> Result<(), Failure> {
        Ok(())
    }
}

macro_rules! batch_of_tuple {
    ($($part:ident $index:tt),+) => {
        impl<$($part: Batch),+> Batch for ($($part,)+) {
            type Answer = ($($part::Answer,)+);

            fn push(&mut self, calls: &mut Vec<Call>) {
                $(self.$index.push(calls);)+
            }

            fn read(self, replies: &mut Replies) -> Result<Self::Answer, Failure> {
                Ok(($(self.$index.read(replies)?,)+))
            }
        }
    };
}

batch_of_tuple!(A 0);
batch_of_tuple!(A 0, B 1);
batch_of_tuple!(A 0, B 1, C 2);
batch_of_tuple!(A 0, B 1, C 2, D 3);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14);
batch_of_tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15);

impl<B: Batch> Batch for Vec<B> {
    type Answer = Vec<B::Answer>;

    fn push(&mut self, calls: &mut Vec<Call>) {
        self.iter_mut().for_each(|part| part.push(calls));
    }

    fn read(self, replies: &mut Replies) -> Result<Self::Answer, Failure> {
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

    fn read(self, replies: &mut Replies) -> Result<Self::Answer, Failure> {
        self.map(|part| part.read(replies)).transpose()
    }
}

fn names(columns: &[&str]) -> Vec<String> {
    columns.iter().map(|&column| column.to_owned()).collect()
}
