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
use stoa_descriptor::faults::find_faults;
use stoa_descriptor::names::foreign;

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
/// Where the answer is not JSON.
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

/// Checks a module's descriptor as a host does, as far as that needs no host: `scripted::check::<Loyalty>()` in a test
/// of the module. `stoa module check` checks the collections and the contents of the schemas too. Prints the names that
/// do not begin with the module's own: a deployment rejects them from a partner whose entry does not grant them.
///
/// # Panics
/// The descriptor has faults. The message lists them, each with its pointer.
#[track_caller]
#[allow(clippy::panic, reason = "for tests")]
pub fn check<M: Module>() {
    let descriptor = M::descriptor();
    let mut faults = find_faults(&descriptor);
    for (index, route) in descriptor.routes.iter().enumerate() {
        let mut rows = M::MANIFEST.operations.iter().flat_map(|table| table.iter());
        if !rows.any(|operation| operation.run_of(&route.operation).is_some()) {
            faults.push(format!("/routes/{index}: {}: no operation of the manifest runs it", route.operation));
        }
    }
    for name in foreign(&descriptor, |_| false) {
        eprintln!("a partner's signer must be granted the {} `{}`: its own {}", name.kind, name.name, name.wanted);
    }
    if !faults.is_empty() {
        panic!("the descriptor of {} has faults:\n{}", descriptor.name, faults.join("\n"));
    }
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
    use std::sync::{Mutex, PoisonError};

    use super::*;
    use crate::host::reject_argument;
    use crate::reply::Answer;
    use crate::{Manifest, Operation, Reply as Success, store as calls};

    fn nothing(_: &Call) -> Answer {
        Ok(Success::json(&()))
    }

    struct Notes;

    impl Module for Notes {
        const MANIFEST: Manifest = Manifest {
            operations: &[&[Operation::create("/notes", "createNote", nothing).needs(&["notes"])]],
            ..Manifest::new("notes", "1.0.0", "Notes.")
        };
    }

    /// One test at a time has the hook of the process.
    static HOOK: Mutex<()> = Mutex::new(());

    /// Message and line of the panic of a function that must panic.
    fn catch(function: impl FnOnce()) -> (String, u32) {
        thread_local! { static CAUGHT: RefCell<Option<(String, String, u32)>> = const { RefCell::new(None) }; }
        let _one = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
        let before = take_hook();
        set_hook(Box::new(|panic: &PanicHookInfo<'_>| {
            let (file, line) = panic.location().map_or(("", 0), |place| (place.file(), place.line()));
            CAUGHT.set(Some((panic.payload_as_str().unwrap_or_default().to_owned(), file.to_owned(), line)));
        }));
        let ended = catch_unwind(AssertUnwindSafe(function));
        set_hook(before);
        assert!(ended.is_err(), "it did not panic");
        let (message, file, line) = CAUGHT.take().expect("a panic of this thread");
        assert!(file.ends_with("scripted.rs"), "{message} at {file}:{line}");
        (message, line)
    }

    #[test]
    fn faults_of_a_descriptor_are_listed_at_the_line_of_the_check() {
        let line = Cell::new(0);
        let (message, found) = catch(|| {
            line.set(line!() + 1);
            check::<Notes>();
        });
        assert_eq!(found, line.get());
        assert!(message.contains("/routes/0/access: createNote: no permission, or one that is no code"), "{message}");
        assert!(message.contains("/routes/0/audit: createNote: a write without"), "{message}");
    }

    /// In a component the host's log shows the same line.
    #[test]
    fn misuse_is_reported_at_the_authors_line() {
        let refuse = || answer_with(|_| Err(Failure::Misuse("call 0: no such column".to_owned())));
        let line = Cell::new(0);
        let misused = catch(|| {
            refuse();
            let write = || -> Result<u64, Problem> {
                line.set(line!() + 1);
                Ok(calls::run(calls::number("NOTE", None))?)
            };
            drop(write());
        });
        assert_eq!(misused, ("misuse of the store: call 0: no such column".to_owned(), line.get()));
        let (message, found) = catch(|| {
            refuse();
            line.set(line!() + 1);
            calls::read(calls::number("NOTE", None));
        });
        assert!(message.starts_with("a read failed"), "{message}");
        assert_eq!(found, line.get());
        let (_, found) = catch(|| {
            line.set(line!() + 1);
            reject_argument("a quantity of abc");
        });
        assert_eq!(found, line.get());
    }
}
