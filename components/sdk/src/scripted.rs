//! A host for unit tests: it answers from a script, and keeps the calls and reports that it received. Native builds only.
//!
//! ```
//! use stoa_sdk::scripted::{NOW, rows, script, whole};
//! use stoa_sdk::{Id, Instant, collection, store};
//!
//! collection! {
//!     pub record CardRow in "card" {
//!         code: String,
//!     }
//! }
//!
//! let id = Id(3, 1);
//! let now = Instant(NOW);
//! let card = CardRow { id, version: 2, created_at: now, updated_at: now, code: "A".to_owned() };
//! let log = script([vec![rows([whole(&card, 2)])]]);
//! let found: Option<CardRow> = store::run(store::get(id)).unwrap();
//! assert_eq!(found.unwrap().version, 2);
//! assert_eq!(log.borrow().runs.len(), 1);
//! ```

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use serde_json::Value as Json;

use crate::bindings::commerce::platform::context::{self, ActorKind, Facts};
use crate::bindings::commerce::platform::{events, log, store};
use crate::bindings::exports::commerce::platform::module::{Call, Problem};
use crate::collection::Entity;
use crate::host::{Host, begin_request, install};
use crate::module::Module;
use crate::store::{Failure, Reply, Row, Value};

/// When every request is: the first instant of 2026 in milliseconds since 1970.
pub const NOW: i64 = 1_767_225_600_000;

/// The store calls and events that the host received.
#[derive(Debug, Default)]
pub struct Log {
    /// Batches of store calls, one per round trip.
    pub runs: Vec<Vec<store::Call>>,
    /// Events for the outbox.
    pub events: Vec<events::Event>,
}

/// Makes this thread's host one that answers each batch with the next replies, and refuses what goes beyond them.
pub fn script(replies: impl IntoIterator<Item = Vec<Reply>>) -> Rc<RefCell<Log>> {
    let mut replies: VecDeque<Vec<Reply>> = replies.into_iter().collect();
    answer_with(move |_| replies.pop_front().ok_or_else(|| Failure::Misuse("beyond the script".to_owned())))
}

/// Makes this thread's host one that answers each batch by this function, such as a store in memory.
pub fn answer_with(store: impl FnMut(&[store::Call]) -> Result<Vec<Reply>, Failure> + 'static) -> Rc<RefCell<Log>> {
    let log = Rc::new(RefCell::new(Log::default()));
    begin_request();
    install(Some(Box::new(Scripted { store, ids: 0, log: log.clone() })));
    log
}

/// Calls an operation as a host does, without a host's checks.
///
/// # Panics
/// Where the answer is no JSON.
#[allow(clippy::expect_used, reason = "for tests")]
pub fn ask<M: Module>(
    operation: &str,
    path: &[(&str, &str)],
    query: &[(&str, &str)],
    body: Option<Json>,
) -> Result<Json, Problem> {
    let owned =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let call = Call {
        operation: operation.to_owned(),
        path: owned(path),
        query: owned(query),
        body: body.map(|body| body.to_string()),
        if_match: None,
    };
    M::handle(&call).map(|reply| serde_json::from_str(&reply.body).expect("an answer is JSON"))
}

/// Rows as a store's reply, and none after them.
pub fn rows(rows: impl IntoIterator<Item = Row>) -> Reply {
    Reply::Rows(store::Page { rows: rows.into_iter().collect(), more: false, reached: None })
}

/// A row as the store answers it whole: with the version, where its kind has one, and its times.
pub fn whole<E: Entity>(row: &E, version: i64) -> Row {
    let mut stated = row.write().into_iter();
    let column = |name: &&str| match *name {
        "version" => Some(Value::Integer(version)),
        "created_at" | "updated_at" => Some(Value::Instant(NOW)),
        _ => stated.next(),
    };
    E::ALL.iter().filter_map(column).collect()
}

struct Scripted<S> {
    store: S,
    ids: u64,
    log: Rc<RefCell<Log>>,
}

impl<S: FnMut(&[store::Call]) -> Result<Vec<Reply>, Failure>> Host for Scripted<S> {
    fn run(&mut self, calls: &[store::Call]) -> Result<Vec<Reply>, Failure> {
        self.log.borrow_mut().runs.push(calls.to_vec());
        (self.store)(calls)
    }

    fn facts(&mut self) -> context::Facts {
        Facts {
            tenant: (1, 1),
            actor_kind: ActorKind::User,
            actor: "alice".to_owned(),
            request: (2, 2),
            now: NOW,
            today: "2026-01-01".to_owned(),
            horizon: None,
        }
    }

    fn holds(&mut self, _permission: &str) -> bool {
        false
    }

    fn new_ids(&mut self, count: u32) -> Vec<(u64, u64)> {
        let first = self.ids + 1;
        self.ids += u64::from(count);
        (first..=self.ids).map(|id| (7, id)).collect()
    }

    fn emit(&mut self, events: &[events::Event]) {
        self.log.borrow_mut().events.extend_from_slice(events);
    }

    fn log(&mut self, _level: log::Level, _message: &str) {}
}
