//! One request until its answer is known: its transaction, again where a commit got no answer. Everything that commits
//! for a request, commits here.

use std::sync::Arc;

use tokio::time::{Instant, timeout_at};
use tracing::field::display;

use super::draft;
use super::request::{Answer, Input, Request, tenant_or_nil};
use super::runner::{Host, Runner};
use super::transact::PreparedRequest;
use super::trial;
use crate::database::{Database, Error, HeavyKind, work};
use crate::observe::trail::RequestTrail;
use crate::operations::Operation;
use crate::problem::Problem;

/// How often a keyed write whose commit got no answer is looked into.
const UNKNOWN_COMMITS: u32 = 3;
/// Lines of a large write.
const LARGE: usize = 100;

/// The kind of heavy work that a call is. A write is large by its lines, and a search is a list with a `text`, as all
/// lists name it.
pub fn heavy_kind(operation: &Operation, input: &Input) -> Option<HeavyKind> {
    let route = &operation.route;
    match route.read_only {
        true if route.heavy => Some(HeavyKind::Report),
        true => input.call.query.iter().any(|(name, _)| name == "text").then_some(HeavyKind::Search),
        false => (input.lines >= LARGE).then_some(HeavyKind::LargeWrite),
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
    let heavy = request.is_report();
    let operation = request.operation.clone();
    let large = request.heavy.is_some();
    let may_be_large = read_only && request.heavy.is_none() && request.tenant.is_some();
    let (trail, tenant, destination) = (request.trail.clone(), tenant_or_nil(request.tenant), request.destination());
    trail.step("wait");
    let watermark = match &request.input {
        Ok(input) if request.operation.ends_at_the_watermark(&input.call.query) => {
            until(deadline, database.watermark(tenant)).await.map_err(|error| problem_of(&error, &trail))?
        }
        _ => None,
    };
    // Reports are left out: a trial would cost as much again.
    let trials = request.generation.trials.load_full();
    let again = (!heavy && !trials.is_empty()).then(|| (trials, request.clone(), runner.clone()));
    let seat = match may_be_large {
        true => until(deadline, database.seat_large_answer(tenant, &operation.route.operation, deadline))
            .await
            .map_err(|error| problem_of(&error, &trail))?,
        false => None,
    };
    let draft = match timeout_at(deadline, draft::run(host, database, &request, &runner)).await.unwrap_or(Ok(None)) {
        Ok(draft) => draft,
        Err(problem) => {
            if let Some((trials, request, runner)) = &again {
                trial::look_into(trials, host, database, request, runner).await;
            }
            return Err(problem);
        }
    };
    let mut has_draft = draft.is_some();
    // The seat is the work's, which may outlast a caller who leaves.
    let work = work((host.clone(), request, runner, draft, seat), move |session, shared| async move {
        let (host, request, runner, draft, _) = &*shared;
        let draft = draft.as_ref();
        PreparedRequest { host: &**host, request, runner, read_only, watermark, draft }.transact(session).await
    });
    let mut unknown = 0;
    loop {
        let work = work.clone();
        let answer = match (read_only, heavy) {
            (true, true) => database.read_heavy(destination, work).await,
            (true, false) => until(deadline, database.read(destination, work)).await,
            (false, _) => database.write_until(Some(deadline), destination, large, work).await,
        };
        match answer {
            Ok(answer) => {
                match &answer {
                    Ok(_) if !read_only => database.note_write(tenant),
                    Ok(answer) if may_be_large => {
                        database.note_answer(tenant, &operation.route.operation, answer.body.len()).await;
                    }
                    _ => {}
                }
                if let (Err(_), Some((trials, request, runner))) = (&answer, &again) {
                    trial::look_into(trials, host, database, request, runner).await;
                }
                return answer;
            }
            // The key's row was written in that transaction: running again either finds it or does the work.
            Err(Error::CommitUnknown(reason)) if keyed && unknown < UNKNOWN_COMMITS => {
                unknown += 1;
                tracing::warn!(request = %trail.request_id, %reason, "a commit got no answer: the key decides");
            }
            // The draft did not hold, and is used up: the request runs without one.
            Err(Error::Conflict(_)) if has_draft => has_draft = false,
            Err(error) => return Err(problem_of(&error, &trail)),
        }
    }
}

/// The result of a read, until the deadline at the latest.
async fn until<T>(deadline: Instant, read: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout_at(deadline, read).await.unwrap_or_else(|_| Err(Error::Unavailable("the request took too long".into())))
}

fn problem_of(error: &Error, trail: &RequestTrail) -> Problem {
    let (request, trace) = (trail.request_id, trail.trace_id().map(display));
    match error {
        Error::Conflict(_) | Error::CommitUnknown(_) | Error::Unavailable(_) | Error::Full(_) | Error::Moved(_) => {
            tracing::warn!(%request, trace, %error, "unavailable");
            Problem::new("UNAVAILABLE")
        }
        Error::Unique(_) | Error::Check(_) | Error::Fault(_) => {
            tracing::error!(%request, trace, %error, "internal failure");
            Problem::new("INTERNAL")
        }
    }
}
