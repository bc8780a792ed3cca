//! Building an answer.

use serde::Serialize;

use crate::bindings::exports::commerce::platform::module::{Problem, Reply};
use crate::host::fault;
use crate::id::Id;

/// The result of an operation.
pub type Answer = Result<Reply, Problem>;

/// The strong entity tag of a record: its id and version, without quotes.
pub fn etag(id: Id, version: i64) -> String {
    format!("{id}.{version}")
}

impl Reply {
    /// The body as JSON, with the route's status.
    #[track_caller]
    pub fn json(body: &impl Serialize) -> Reply {
        let Ok(body) = serde_json::to_string(body) else { fault("a body does not serialize") };
        Reply { status: None, body, etag: None, resource: None, subjects: Vec::new(), changed: Vec::new() }
    }

    /// A success status other than the route's.
    pub fn status(mut self, status: u16) -> Reply {
        self.status = Some(status);
        self
    }

    /// The record that the answer shows: its entity tag, and what the audit entry is about.
    pub fn of(mut self, id: Id, version: i64) -> Reply {
        self.etag = Some(etag(id, version));
        self.resource = Some(id.into());
        self
    }

    /// The resource of the audit entry.
    pub fn resource(mut self, id: Id) -> Reply {
        self.resource = Some(id.into());
        self
    }

    /// One more thing that the operation touched or the resource belongs to: the audit entry is found by it.
    pub fn subject(self, id: Id) -> Reply {
        self.subjects([id])
    }

    /// More things that the operation touched: the audit entry is found by each. The host takes 1,000 different ones.
    pub fn subjects(mut self, ids: impl IntoIterator<Item = Id>) -> Reply {
        self.subjects.extend(ids.into_iter().map(<(u64, u64)>::from));
        self
    }

    /// The names of the members that the change touched, for the audit entry.
    pub fn changed(mut self, members: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.changed = members.into_iter().map(Into::into).collect();
        self
    }
}
