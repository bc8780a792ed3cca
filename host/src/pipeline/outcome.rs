//! The outcome of an operation, and the form that a module's answer must have to become one.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value as Json;
use uuid::Uuid;

use super::words;
use crate::database::{Error, Session};
use crate::problem::{Item, Problem};
use crate::sandbox::{Failure, Generation, Module};
use crate::wit::events::Event;
use crate::wit::module;

/// Subjects of one audit entry at most: twice the lines of the largest request.
const MOST_SUBJECTS: usize = 1_000;

/// The effects of an operation, module or platform alike.
pub struct Done {
    pub status: Option<u16>,
    pub body: String,
    pub etag: Option<String>,
    pub resource: Option<Uuid>,
    /// Ids that the audit entry is found by besides its resource.
    pub subjects: Vec<Uuid>,
    pub changed: Vec<String>,
    pub emitted: Vec<Event>,
    /// The company that the operation made: its audit entry belongs to it.
    pub tenant: Option<Uuid>,
    /// The body holds a secret that is delivered once.
    pub credential: bool,
    /// Resource type of the audit entry, where the operation decides it: else the route's.
    pub audit: Option<&'static str>,
    /// Details of the action, for the audit entry: never a secret.
    pub detail: Option<Json>,
}

/// The result of an operation, with the session where it was not lost.
pub struct Outcome {
    pub session: Option<Session>,
    pub result: Result<Done, Refused>,
}

/// Why an operation did nothing.
pub enum Refused {
    Problem(Problem),
    Database(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Refused {
        Refused::Database(error)
    }
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Refused {
        Refused::Problem(problem)
    }
}

/// A failure of a module, reported without its words.
pub fn refuse_failure(failure: &Failure, module: &Module, request: Uuid) -> Refused {
    if let Failure::Database(error) = failure {
        return Refused::Database(error.clone());
    }
    if let Failure::Denied(code) = failure {
        return Refused::Problem(Problem::new(code));
    }
    module.health.count_failure(failure);
    module.health.note_request(failure, request);
    let (name, version) = (&module.name, &module.version);
    tracing::error!(%request, module = name, version, %failure, "a module failed");
    Refused::Problem(Problem::new(failure.code()))
}

/// A module's problem: its code must be one of the platform's that modules share, or of a descriptor's.
pub fn refuse_problem(generation: &Generation, module: &Module, problem: module::Problem, request: Uuid) -> Refused {
    let fault = |why: &str| refuse_failure(&Failure::Fault(why.into()), module, request);
    let has_form = |item: &module::Item| {
        let bounds = item.expected.as_ref();
        words::is_pointer(&item.pointer) && words::is_code(&item.code) && bounds.is_none_or(words::are_bounds)
    };
    if !problem.errors.iter().all(has_form) {
        return fault("a problem whose items are no places, kinds and bounds");
    }
    let declared = generation.problems.get(&problem.code).filter(|(status, _)| !words::is_reserved(*status));
    let mut answer = match (words::shared_code(&problem.code), declared) {
        (Some(code), _) => Problem::new(code),
        (None, Some((status, detail))) => Problem {
            code: problem.code.clone().into(),
            status: *status,
            detail: detail.clone().into(),
            errors: Vec::new(),
            retry_after: None,
            window: None,
            credential: None,
        },
        (None, None) => return fault("a problem code that is unknown, or the host's own"),
    };
    answer.errors = problem
        .errors
        .into_iter()
        .take(200)
        .map(|item| Item {
            pointer: item.pointer,
            code: item.code.into(),
            required: item.required,
            identified: item.identified,
            expected: item.expected.as_ref().and_then(words::show_bounds),
        })
        .collect();
    Refused::Problem(answer)
}

/// A module's answer, if it has the form of an answer. The judge checks what the body holds.
pub fn check_reply(reply: module::Reply, emitted: Vec<(Arc<Module>, Event)>, largest: usize) -> Result<Done, String> {
    if reply.body.len() > largest {
        return Err(format!("an answer of {} bytes", reply.body.len()));
    }
    if reply.status.is_some_and(|status| !(200..300).contains(&status)) {
        return Err("a success with a status that is none".into());
    }
    let plain = |tag: &String| tag.len() <= 128 && tag.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    if !reply.etag.as_ref().is_none_or(plain) {
        return Err("an entity tag that is none".into());
    }
    if reply.changed.len() > words::MOST_CHANGED || !reply.changed.iter().all(|name| words::is_name(name)) {
        return Err("names of what changed that are none, or too many".into());
    }
    let id = |(high, low): (u64, u64)| Uuid::from_u64_pair(high, low);
    let subjects: BTreeSet<Uuid> = reply.subjects.into_iter().map(id).collect();
    if subjects.len() > MOST_SUBJECTS {
        return Err(format!("an answer with {} subjects", subjects.len()));
    }
    Ok(Done {
        status: reply.status,
        body: reply.body,
        etag: reply.etag,
        resource: reply.resource.map(id),
        subjects: subjects.into_iter().collect(),
        changed: reply.changed,
        emitted: emitted.into_iter().map(|(_, event)| event).collect(),
        tenant: None,
        credential: false,
        audit: None,
        detail: None,
    })
}
