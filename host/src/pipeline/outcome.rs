//! The outcome of an operation, and the form that a module's answer must have to become one.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value as Json;
use stoa_descriptor::Route;
use tracing::field::display;
use uuid::Uuid;

use super::words;
use crate::database::{Error, Session};
use crate::observe::trail::RequestTrail;
use crate::operations::Operation;
use crate::problem::{Item, Problem};
use crate::sandbox::judge::Listed;
use crate::sandbox::{Failure, Generation, Module, journal};
use crate::wit::events::Event;
use crate::wit::module;

/// Subjects of one audit entry at most: twice the lines of the largest request.
const MOST_SUBJECTS: usize = 1_000;
/// The part of an unknown code that the log shows.
const LONGEST_UNKNOWN: usize = 64;

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
    /// The extensions that took part: name and version.
    pub extensions: Vec<(String, String)>,
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

/// The call that a module answered or failed in.
#[derive(Clone, Copy)]
pub struct ModuleCall<'a> {
    pub module: &'a Module,
    /// Operation id, or the name of the function that is none.
    pub operation: &'a str,
    pub trail: &'a RequestTrail,
}

impl ModuleCall<'_> {
    /// A failure of the module, reported without its words.
    pub fn refuse_failure(&self, failure: &Failure) -> Refused {
        let ModuleCall { module, operation, trail } = *self;
        let (request, trace) = (trail.request_id, trail.trace_id().map(display));
        if let Failure::Database(error) = failure {
            return Refused::Database(error.clone());
        }
        if let Failure::Denied(code) = failure {
            return Refused::Problem(Problem::new(code));
        }
        module.health.count_failure(failure);
        module.health.note_request(failure, request);
        let (name, version) = (&module.name, &module.version);
        tracing::error!(%request, trace, module = name, version, operation, %failure, "a module failed");
        Refused::Problem(Problem::new(failure.code()))
    }

    /// An answer that came and is none: it is not in the module's journal yet.
    pub fn refuse_answer(&self, failure: &Failure) -> Refused {
        journal::Source { module: self.module, operation: self.operation, request: self.trail.request_id }
            .write_failure(failure);
        self.refuse_failure(failure)
    }

    /// A module's problem: its code must be one of the platform's that modules share, or of a descriptor's.
    pub fn refuse_problem(&self, generation: &Generation, route: Option<&Route>, problem: module::Problem) -> Refused {
        match read_problem(generation, self.module, route, problem) {
            Ok(problem) => Refused::Problem(problem),
            Err(why) => self.refuse_answer(&Failure::Fault(why).in_operation(self.operation)),
        }
    }
}

/// A module's problem as callers see it, or why it is none. `route`: that of the operation, where the module answered
/// one.
pub fn read_problem(
    generation: &Generation,
    module: &Module,
    route: Option<&Route>,
    problem: module::Problem,
) -> Result<Problem, String> {
    let has_form = |item: &module::Item| {
        let bounds = item.expected.as_ref();
        words::is_pointer(&item.pointer) && words::is_code(&item.code) && bounds.is_none_or(words::are_bounds)
    };
    if !problem.errors.iter().all(has_form) {
        return Err("a problem whose items are no places, kinds and bounds".into());
    }
    let is_foreign = |item: &&module::Item| !words::is_item_code_of(module, &generation.problems, &item.code);
    if let Some(item) = problem.errors.iter().find(is_foreign) {
        return Err(format!(
            "the item code {:?} at {:?} does not begin with the module's name",
            item.code, item.pointer
        ));
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
        (None, None) => {
            let code: String = problem.code.chars().take(LONGEST_UNKNOWN).collect();
            return Err(format!("it answered the problem {code:?}, which is unknown or the host's own"));
        }
    };
    if let Some(route) = route {
        let judge = |part: Listed<'_>| module.judge.judge_by_route(&module.descriptor, route, part);
        judge(Listed::Problem(&problem.code))?;
        let codes = problem.errors.iter().map(|item| item.code.as_str());
        codes
            .filter(|code| !words::is_common_item_code(&generation.problems, code))
            .try_for_each(|code| judge(Listed::ItemCode(code)))?;
    }
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
            conflicts_with: item.conflicts_with.map(|(high, low)| Uuid::from_u64_pair(high, low)),
        })
        .collect();
    Ok(answer)
}

/// A module's answer, if it has the form of an answer and its route lists its status and its events. The judge checks
/// what the body holds.
pub fn check_reply(
    module: &Module,
    operation: &Operation,
    reply: module::Reply,
    emitted: Vec<(Arc<Module>, Event)>,
    largest: usize,
) -> Result<Done, Failure> {
    let fault = |why: String| Failure::Fault(format!("{} answered {why}", operation.route.operation));
    if reply.body.len() > largest {
        return Err(Failure::from_size("answer", largest).in_operation(&operation.route.operation));
    }
    let listed = |part: Listed<'_>| {
        let judged = module.judge.judge_by_route(&module.descriptor, &operation.route, part);
        judged.map_err(Failure::Fault)
    };
    if let Some(status) = reply.status {
        if !(200..300).contains(&status) {
            return Err(fault(format!("a success with the status {status}")));
        }
        listed(Listed::Status(status))?;
    }
    for (_, event) in emitted.iter().filter(|(emitter, _)| emitter.name == module.name) {
        listed(Listed::Event(&event.kind))?;
    }
    let plain = |tag: &String| tag.len() <= 128 && tag.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
    if !reply.etag.as_ref().is_none_or(plain) {
        return Err(fault("an entity tag that is none".into()));
    }
    if reply.changed.len() > words::MOST_CHANGED || !reply.changed.iter().all(|name| words::is_name(name)) {
        return Err(fault("names of what changed that are none, or too many".into()));
    }
    let id = |(high, low): (u64, u64)| Uuid::from_u64_pair(high, low);
    let subjects: BTreeSet<Uuid> = reply.subjects.into_iter().map(id).collect();
    if subjects.len() > MOST_SUBJECTS {
        return Err(fault(format!("{} subjects, and {MOST_SUBJECTS} are the most", subjects.len())));
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
        extensions: Vec::new(),
    })
}
