//! Looking into a failure of a module on trial: the version before is asked the same, in a transaction that is undone whatever
//! comes of it.

use std::sync::Arc;

use super::request::{Answer, Request};
use super::runner::{Host, Runner};
use super::transact::PreparedRequest;
use crate::database::{Database, Verdict, work};
use crate::problem::Problem;
use crate::sandbox::trial::Trial;

/// Notes in the trial whom a failed request hit, where the module before does not fail it too. A request that cannot be
/// tried does not count.
pub async fn look_into<H: Host>(
    trials: &[Arc<Trial>],
    host: &Arc<H>,
    database: &Database,
    request: &Request,
    runner: &Runner<H::Operation>,
) {
    let Some(trial) = trials.iter().find(|trial| trial.module.health.has_failed(request.request_id)) else { return };
    let caller = request.caller.id();
    if !trial.may_check(caller) {
        return;
    }
    let Ok(_lock) = trial.check_lock.try_lock() else { return };
    // A company that was never made is its founder's.
    let hit = request.tenant.unwrap_or(caller);
    // A module or an operation that is new has nothing to be compared with. A trap is the module's own; how long a request takes and
    // how much it reads is its caller's choice too, and proves nothing.
    let by_itself = trial.module.health.has_trapped(request.request_id).then_some(hit);
    let Some((request, runner)) = before(trial, request, runner) else { return trial.note_check(caller, by_itself) };
    if let Some(fails_too) = fails(host, database, request, runner).await {
        tracing::info!(
            module = trial.module.descriptor.name,
            fails_too,
            "a failure of a module on trial was tried on the version before"
        );
        trial.note_check(caller, (!fails_too).then_some(hit));
    }
}

/// The request as the generation before would have had it; `None`: it has no such module or operation.
fn before<O: Clone>(trial: &Trial, request: &Request, runner: &Runner<O>) -> Option<(Request, Runner<O>)> {
    let before = trial.before.as_ref().filter(|before| before.module(&trial.module.descriptor.name).is_some())?;
    let (operation, runner) = match runner {
        Runner::Host(operation) => (request.operation.clone(), Runner::Host(operation.clone())),
        Runner::Module(module) => {
            let module = before.module(&module.name)?;
            let id = &request.operation.route.operation;
            let operation = module.operations.iter().find(|operation| operation.route.operation == *id)?;
            (operation.clone(), Runner::Module(module.clone()))
        }
    };
    Some((request.repeat(before.clone(), operation), runner))
}

/// `None`: the database does not respond.
async fn fails<H: Host>(
    host: &Arc<H>,
    database: &Database,
    request: Request,
    runner: Runner<H::Operation>,
) -> Option<bool> {
    let (read_only, destination) = (request.operation.route.read_only, request.destination());
    let work = work((host.clone(), request, runner), move |session, shared| async move {
        let (host, request, runner) = &*shared;
        let prepared = PreparedRequest { host: &**host, request, runner, read_only, watermark: None, draft: None };
        let (session, verdict) = prepared.transact(session).await;
        (session, undo(verdict))
    });
    let answer =
        if read_only { database.read(destination, work).await } else { database.write(destination, work).await };
    let failed = |problem: Problem| ["MODULE_FAILED", "MODULE_UNAVAILABLE"].contains(&&*problem.code);
    Some(answer.ok()?.is_err_and(failed))
}

fn undo(verdict: Verdict<Result<Answer, Problem>>) -> Verdict<Result<Answer, Problem>> {
    match verdict {
        Verdict::Commit(answer) => Verdict::RollBack(answer),
        other => other,
    }
}
