//! One request through its transaction. Everything that can be refused is refused here or below; everything that commits,
//! commits here.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value as Json;
use stoa_descriptor::Idempotency;
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::company_clock;
use super::facts::facts;
use super::finish::{Finish, finish};
use super::opening::{Opening, open};
use super::replay;
use super::request::{Answer, Request, tenant_or_nil};
use super::runner::{Host, OpenedCall, Runner};
use super::trial;
use super::words;
use crate::database::{Database, Error, Session, Verdict, work};
use crate::problem::{Item, Problem};
use crate::sandbox::call::{self, CallContext, Failure};
use crate::sandbox::{Generation, Limits, Module};
use crate::wit::events::Event;
use crate::wit::module;

/// How often a keyed write whose commit got no answer is looked into.
const UNKNOWN_COMMITS: u32 = 3;
/// Lines of a large write.
const LARGE: usize = 100;
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

/// Runs a request, until the deadline at the latest; a heavy read has a time of its own. A write receives the deadline and is waited
/// for, so that its outcome is known. Database troubles become problems here, and are logged here, once.
pub async fn run<H: Host>(
    host: &Arc<H>,
    database: &Database,
    request: Arc<Request>,
    runner: Runner<H::Operation>,
    deadline: Instant,
) -> Result<Answer, Problem> {
    // A request that will be refused never reaches the writer.
    let read_only = request.operation.route.read_only || request.input.is_err();
    let keyed = request.input.as_ref().is_ok_and(|input| input.key.is_some());
    let heavy = request.seat.is_some();
    let (request_id, tenant, destination) = (request.request_id, tenant_or_nil(request.tenant), request.destination());
    let watermark = match &request.input {
        Ok(input) if request.operation.ends_at_the_watermark(&input.call.query) => {
            until(deadline, database.watermark(tenant)).await.map_err(|error| problem_of(&error, request_id))?
        }
        _ => None,
    };
    let is_large = !read_only && request.input.as_ref().is_ok_and(|input| input.lines >= LARGE);
    let _permit = match is_large {
        true => Some(database.permit_large_write(tenant).await.map_err(|error| problem_of(&error, request_id))?),
        false => None,
    };
    // Reports are left out: what they cost, a trial would cost again.
    let trial = if heavy { None } else { request.generation.trial.load_full() };
    let again = trial.map(|trial| (trial, request.clone(), runner.clone()));
    let work = work((host.clone(), request, runner), move |session, shared| async move {
        let (host, request, runner) = &*shared;
        transact(&**host, request, runner, session, read_only, watermark).await
    });
    let mut unknown = 0;
    loop {
        let work = work.clone();
        let answer = match (read_only, heavy) {
            (true, true) => database.read_heavy(destination, work).await,
            (true, false) => until(deadline, database.read(destination, work)).await,
            (false, _) => database.write_until(Some(deadline), destination, work).await,
        };
        match answer {
            Ok(answer) => {
                if !read_only && answer.is_ok() {
                    database.note_write(tenant);
                }
                if let (Err(_), Some((trial, request, runner))) = (&answer, &again) {
                    trial::look_into(trial, host, database, request, runner).await;
                }
                return answer;
            }
            // The key's row was written in that transaction: running again either finds it or does the work.
            Err(Error::CommitUnknown(reason)) if keyed && unknown < UNKNOWN_COMMITS => {
                unknown += 1;
                tracing::warn!(%reason, "a commit got no answer: the key decides");
            }
            Err(error) => return Err(problem_of(&error, request_id)),
        }
    }
}

/// The result of a read, until the deadline at the latest.
async fn until<T>(deadline: Instant, read: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout_at(deadline, read).await.unwrap_or_else(|_| Err(Error::Unavailable("the request took too long".into())))
}

fn problem_of(error: &Error, request: Uuid) -> Problem {
    match error {
        Error::Conflict(_) | Error::CommitUnknown(_) | Error::Unavailable(_) | Error::Full(_) => {
            tracing::warn!(%request, %error, "unavailable");
            Problem::new("UNAVAILABLE")
        }
        Error::Unique(_) | Error::Check(_) | Error::Fault(_) => {
            tracing::error!(%request, %error, "internal failure");
            Problem::new("INTERNAL")
        }
    }
}

pub(super) async fn transact<H: Host>(
    host: &H,
    request: &Request,
    runner: &Runner<H::Operation>,
    mut session: Session,
    read_only: bool,
    watermark: Option<i64>,
) -> (Option<Session>, Verdict<Result<Answer, Problem>>) {
    let route = &request.operation.route;
    let key = request.input.as_ref().ok().and_then(|input| input.key.as_ref());
    let opening = Opening {
        tenant: request.tenant,
        caller: &request.caller,
        operation: &route.operation,
        access: &route.access,
        claim: key.filter(|_| route.idempotency != Idempotency::None),
        read_only,
    };
    let mut opened = match open(&mut session, &opening).await {
        Ok(opened) => opened,
        Err(error) => return (Some(session), Verdict::Fail(error)),
    };
    let refuse = |session, problem| (Some(session), Verdict::RollBack(Err(problem)));
    if let Err(problem) = opened.authenticate(&request.caller) {
        return refuse(session, problem);
    }
    // A body refused by size alone comes before the permission, every other fault behind it.
    if let Err(problem) = &request.input
        && problem.status == 413
    {
        return refuse(session, problem.clone());
    }
    if let Err(problem) = opened.authorize(&request.caller, request.tenant, &route.access) {
        return refuse(session, problem);
    }
    let input = match &request.input {
        Ok(input) => input,
        Err(problem) => return refuse(session, problem.clone()),
    };
    if let Some(key) = key
        && !opened.claimed
    {
        let tenant = tenant_or_nil(request.tenant);
        return match replay::answer(&mut session, tenant, request.caller.id(), &route.operation, key, opened.now).await
        {
            Ok(Some(answer)) => (Some(session), Verdict::RollBack(answer)),
            // The other request rolled back in between: this one runs again and claims.
            Ok(None) => (Some(session), Verdict::Fail(Error::Conflict("the key became free".into()))),
            Err(error) => (Some(session), Verdict::Fail(error)),
        };
    }
    if key.is_some_and(|key| replay::expired_by_its_time(key, opened.now)) {
        return refuse(session, Problem::new("IDEMPOTENCY_KEY_EXPIRED"));
    }
    if key.is_some_and(|key| replay::made_in_the_future(key, opened.now)) {
        return refuse(session, Problem::new("IDEMPOTENCY_KEY_INVALID"));
    }
    // A replay is as it was, whatever the world says now.
    if let Err(problem) = &request.asked_ahead {
        return refuse(session, problem.clone());
    }
    if !read_only
        && matches!(runner, Runner::Module(_))
        && let Some(standing) = &mut opened.standing
        && standing.history_at.is_some()
    {
        standing.history_at = match company_clock::hold(&mut session, tenant_or_nil(request.tenant)).await {
            Ok(Some(time)) => Some(time),
            Ok(None) => return (Some(session), Verdict::Fail(Error::Conflict("the history has ended".into()))),
            Err(error) => return (Some(session), Verdict::Fail(error)),
        };
    }
    let call = OpenedCall { request, input, opened: &opened, watermark };
    let outcome = match runner {
        Runner::Host(operation) => host.perform(operation, call, session).await,
        Runner::Module(module) => call_module(module, call, host.limits(), session).await,
    };
    let Some(mut session) = outcome.session else {
        return (None, Verdict::Fail(Error::Fault("the session was lost".into())));
    };
    let done = match outcome.result {
        Ok(done) => done,
        Err(Refused::Problem(problem)) => return refuse(session, problem),
        Err(Refused::Database(error)) => return (Some(session), Verdict::Fail(error)),
    };
    let answer = Answer {
        status: done.status.unwrap_or(route.status),
        body: done.body.into(),
        etag: done.etag,
        replayed: false,
        credential: done.credential,
    };
    if !read_only && let Some(resource_type) = &route.audit {
        let written = finish(
            &mut session,
            &Finish {
                request,
                operation: &route.operation,
                now: opened.now,
                history_at: opened.standing.as_ref().and_then(|standing| standing.history_at),
                tenant: done.tenant.or(request.tenant).unwrap_or(Uuid::nil()),
                resource_type: done.audit.unwrap_or(resource_type),
                resource: done.resource,
                subjects: &done.subjects,
                changed: &done.changed,
                detail: done.detail.as_ref(),
                emitted: &done.emitted,
                answer: &answer,
            },
        );
        if let Err(error) = written {
            return (Some(session), Verdict::Fail(error));
        }
    }
    (Some(session), Verdict::Commit(Ok(answer)))
}

async fn call_module(module: &Arc<Module>, call: OpenedCall<'_>, limits: &Limits, session: Session) -> Outcome {
    let OpenedCall { request, input, opened, watermark } = call;
    let route = &request.operation.route;
    let limits = limits.for_request(route.body_limit, input.lines);
    let limits = if request.seat.is_some() { limits.for_heavy_read() } else { limits };
    let largest = limits.output;
    let mut facts = facts(request, opened, tenant_or_nil(request.tenant));
    facts.facts.horizon = watermark;
    let ran = call::handle(
        CallContext { module: module.clone(), session, facts, read_only: route.read_only, limits },
        &input.call,
    )
    .await;
    let refuse = |failure: Failure| refuse_failure(&failure, &ran.blamed, request.request_id);
    let result = match ran.result {
        Err(failure) => Err(refuse(failure)),
        Ok(Err(problem)) => Err(refuse_problem(&request.generation, module, problem, request.request_id)),
        Ok(Ok(reply)) => check_reply(reply, ran.emitted, largest)
            .and_then(|done| {
                let operation = &request.operation;
                module.judge.answer(&module.descriptor, &operation.route.operation, &operation.response, &done.body)?;
                Ok(done)
            })
            .map_err(|why| refuse(Failure::Fault(why))),
    };
    Outcome { session: ran.session, result }
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
    tracing::error!(%request, module = name, version, ?failure, "a module failed");
    Refused::Problem(Problem::new(match failure {
        Failure::Deadline | Failure::Exhausted => "MODULE_UNAVAILABLE",
        _ => "MODULE_FAILED",
    }))
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
