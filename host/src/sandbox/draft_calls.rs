//! The store calls of a draft (`pipeline/draft.rs`): a request that runs on a snapshot first, and whose calls are repeated in
//! its transaction.
//!
//! Reads are answered from the snapshot. An insert is answered with the assumption that every row goes in. Other replies cannot be
//! foreseen, nor can those to a module that has inserted: they end the draft. Where each repeated call gets the same reply,
//! the modules would have done the same in the transaction.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::limits::HostTime;
use super::{Limits, Module};
use crate::database::{Error, Session};
use crate::store::{self, Scope, StoreError};
use crate::wit::store::{Call, Reply};

#[derive(Default)]
pub struct DraftCalls(Mutex<Recording>);

#[derive(Default)]
struct Recording {
    steps: Vec<Step>,
    is_unforeseeable: bool,
    has_failed: bool,
}

/// A batch of calls.
struct Step {
    module: Arc<Module>,
    calls: Vec<Call>,
    replies: Vec<Reply>,
}

impl DraftCalls {
    /// Answers a batch of a draft.
    pub async fn run(
        &self,
        session: &mut Session,
        module: &Arc<Module>,
        scope: &mut Scope,
        calls: Vec<Call>,
    ) -> Result<Vec<Reply>, StoreError> {
        let replies = if let Some(assumed) = assume_inserted(&calls) {
            scope.calls += calls.len();
            scope.written += count_rows(&assumed);
            Ok(assumed)
        } else if calls.iter().any(store::is_write) || self.has_inserted(module) {
            self.lock().is_unforeseeable = true;
            Err(StoreError::Database(Error::Conflict("a reply of the store cannot be foreseen".into())))
        } else {
            store::run(session, &module.schema, scope, calls.clone()).await
        };
        let mut recording = self.lock();
        match &replies {
            Ok(replies) => recording.steps.push(Step { module: module.clone(), calls, replies: replies.clone() }),
            Err(_) => recording.has_failed = true,
        }
        replies
    }

    /// Returns whether a reply could not be foreseen.
    pub fn is_unforeseeable(&self) -> bool {
        self.lock().is_unforeseeable
    }

    /// Returns whether a call failed: then the draft is of no use.
    pub fn has_failed(&self) -> bool {
        self.lock().has_failed
    }

    /// Returns whether a reply was an assumption.
    pub fn has_assumed(&self) -> bool {
        self.lock().steps.iter().any(|step| step.calls.iter().any(store::is_write))
    }

    /// Repeats the calls in a transaction, once. `false`: a reply was another one, and the transaction must not be committed.
    pub async fn repeat(&self, session: &mut Session, scope: &mut Scope, limits: &Limits) -> Result<bool, Error> {
        let steps = std::mem::take(&mut self.lock().steps);
        let (begin, mut spent) = (Instant::now(), HostTime { all: Duration::ZERO, reads: Duration::ZERO });
        for step in steps {
            scope.time = Some(limits.call_time_left(spent, begin.elapsed(), scope.written));
            let replies = store::run(session, &step.module.schema, scope, step.calls).await;
            spent.all = begin.elapsed();
            spent.reads += scope.time.take().map_or(Duration::ZERO, |time| time.read);
            match replies {
                Ok(replies) if replies == step.replies => {}
                Err(StoreError::Database(error)) => return Err(error),
                Ok(_) | Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    fn has_inserted(&self, module: &Module) -> bool {
        let recording = self.lock();
        let of_module = recording.steps.iter().filter(|step| step.module.name == module.name);
        of_module.flat_map(|step| &step.calls).any(store::is_write)
    }

    fn lock(&self) -> MutexGuard<'_, Recording> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The replies where all rows of a batch of inserts go in; `None`: it has other calls.
fn assume_inserted(calls: &[Call]) -> Option<Vec<Reply>> {
    let assume = |call: &Call| match call {
        Call::Insert(insert) => Some(Reply::Inserted(vec![true; insert.rows.len()])),
        _ => None,
    };
    calls.iter().map(assume).collect()
}

fn count_rows(replies: &[Reply]) -> usize {
    let rows = |reply: &Reply| if let Reply::Inserted(rows) = reply { rows.len() } else { 0 };
    replies.iter().map(rows).sum()
}
