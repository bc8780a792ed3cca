//! One request in its transaction: opened, rejected where it must be, performed, finished. Everything that can be
//! refused is refused here or below.

use std::sync::Arc;

use stoa_descriptor::Idempotency;
use uuid::Uuid;

use super::company_clock;
use super::draft::Draft;
use super::facts::facts;
use super::finish::{Finish, finish};
use super::opening::{Opened, Opening, Standing, open};
use super::outcome::{Done, ModuleCall, Outcome, Refused, check_reply};
use super::replay;
use super::request::{Answer, Input, Key, Request, tenant_or_nil};
use super::runner::{Host, OpenedCall, Runner};
use crate::database::{Error, Session, Verdict};
use crate::problem::Problem;
use crate::sandbox::call::{self, CallContext};
use crate::sandbox::draft_calls::DraftCalls;
use crate::sandbox::{Failure, Limits, Module};

/// A request with everything that its transaction needs.
pub struct PreparedRequest<'a, H: Host> {
    pub host: &'a H,
    pub request: &'a Request,
    pub runner: &'a Runner<H::Operation>,
    pub read_only: bool,
    /// Where a list ends that is read for what is new ([`crate::database::Database::watermark`]).
    pub watermark: Option<i64>,
    /// The run on a snapshot that the transaction repeats.
    pub draft: Option<&'a Draft>,
}

/// A transaction that was opened for a request.
enum Begun<'a> {
    /// The operation may be performed.
    Call(Opened, &'a Input),
    /// The key was used before, for the same request.
    Replay(Answer),
}

impl<H: Host> PreparedRequest<'_, H> {
    pub async fn transact(&self, mut session: Session) -> (Option<Session>, Verdict<Result<Answer, Problem>>) {
        self.request.trail.step("open");
        if let Some(permit) = &self.request.heavy {
            session.run_in_slices(permit);
        }
        let (opened, input) = match self.begin(&mut session).await {
            Ok(Begun::Call(opened, input)) => (opened, input),
            Ok(Begun::Replay(answer)) => return (Some(session), Verdict::RollBack(Ok(answer))),
            Err(refused) => return (Some(session), undo(refused)),
        };
        let call = OpenedCall { request: self.request, input, opened: &opened, watermark: self.watermark };
        let repeated = match self.draft {
            Some(draft) => draft.repeat(self, call, session).await,
            None => Err(session),
        };
        let outcome = match (repeated, self.runner) {
            (Ok(outcome), _) => outcome,
            (Err(session), Runner::Host(operation)) => {
                self.request.trail.step("run");
                self.host.perform(operation, call, session).await
            }
            (Err(session), Runner::Module(module)) => {
                call_module(module, call, self.host.limits(), session, None).await
            }
        };
        // A read commits nothing.
        if !self.read_only {
            self.request.trail.step("commit");
        }
        let Some(mut session) = outcome.session else {
            return (None, Verdict::Fail(Error::Fault("the session was lost".into())));
        };
        let answer = outcome.result.and_then(|done| Ok(self.finish(&mut session, &opened, done)?));
        (Some(session), answer.map_or_else(undo, |answer| Verdict::Commit(Ok(answer))))
    }

    /// Opens the transaction and rejects what may not go on. A key that was used before is answered here.
    async fn begin(&self, session: &mut Session) -> Result<Begun<'_>, Refused> {
        let route = &self.request.operation.route;
        let key = self.request.input.as_ref().ok().and_then(|input| input.key.as_ref());
        let opening = Opening {
            tenant: self.request.tenant,
            caller: &self.request.caller,
            operation: &route.operation,
            access: &route.access,
            claim: key.filter(|_| route.idempotency != Idempotency::None),
            read_only: self.read_only,
        };
        let mut opened = open(session, &opening).await?;
        let input = self.authorize(&opened)?;
        if !self.read_only && opened.standing.as_ref().is_some_and(Standing::is_moving) {
            return Err(Problem { retry_after: Some(1), ..Problem::new("UNAVAILABLE") }.into());
        }
        if let Some(key) = key {
            if !opened.claimed {
                return self.replay(session, key, opened.now).await.map(Begun::Replay);
            }
            replay::check_time(key, opened.now)?;
        }
        // A replay is as it was, whatever the world says now.
        self.request.asked_ahead.clone()?;
        self.hold_clock(session, &mut opened).await?;
        Ok(Begun::Call(opened, input))
    }

    /// The valid input of a caller who may call.
    pub(super) fn authorize(&self, opened: &Opened) -> Result<&Input, Problem> {
        let Request { caller, tenant, operation, input, .. } = self.request;
        opened.authenticate(caller)?;
        // A body that is rejected only by size comes before the permission, every other fault behind it.
        if let Err(problem) = input
            && problem.status == 413
        {
            return Err(problem.clone());
        }
        opened.authorize(caller, *tenant, &operation.route.access)?;
        input.as_ref().map_err(Problem::clone)
    }

    async fn replay(&self, session: &mut Session, key: &Key, now: i64) -> Result<Answer, Refused> {
        match replay::answer(session, self.request, key, now).await? {
            Some(answer) => Ok(answer?),
            // The other request rolled back in between: this one runs again and claims.
            None => Err(Error::Conflict("the key became free".into()).into()),
        }
    }

    /// Holds the clock of a company that brings its past in, where a module writes.
    async fn hold_clock(&self, session: &mut Session, opened: &mut Opened) -> Result<(), Error> {
        if !self.read_only
            && matches!(self.runner, Runner::Module(_))
            && let Some(standing) = &mut opened.standing
            && standing.history_at.is_some()
        {
            let time = company_clock::hold(session, tenant_or_nil(self.request.tenant)).await?;
            standing.history_at = Some(time.ok_or_else(|| Error::Conflict("the history has ended".into()))?);
        }
        Ok(())
    }

    /// The answer of an operation. The host first writes the other rows of a write: events, audit and replay.
    fn finish(&self, session: &mut Session, opened: &Opened, done: Done) -> Result<Answer, Error> {
        let route = &self.request.operation.route;
        let answer = Answer {
            status: done.status.unwrap_or(route.status),
            body: done.body.into(),
            etag: done.etag,
            replayed: false,
            credential: done.credential,
        };
        if !self.read_only
            && let Some(resource_type) = &route.audit
        {
            let records = Finish {
                request: self.request,
                operation: &route.operation,
                now: opened.now,
                history_at: opened.standing.as_ref().and_then(|standing| standing.history_at),
                tenant: done.tenant.or(self.request.tenant).unwrap_or(Uuid::nil()),
                resource_type: done.audit.unwrap_or(resource_type),
                resource: done.resource,
                subjects: &done.subjects,
                changed: &done.changed,
                detail: done.detail.as_ref(),
                extensions: &done.extensions,
                emitted: &done.emitted,
                answer: &answer,
            };
            finish(session, &records)?;
        }
        Ok(answer)
    }
}

/// The end of a transaction whose operation did nothing.
fn undo(refused: Refused) -> Verdict<Result<Answer, Problem>> {
    match refused {
        Refused::Problem(problem) => Verdict::RollBack(Err(problem)),
        Refused::Database(error) => Verdict::Fail(error),
    }
}

/// `draft_calls`: that of a draft.
pub(super) async fn call_module(
    module: &Arc<Module>,
    call: OpenedCall<'_>,
    limits: &Limits,
    session: Session,
    draft_calls: Option<Arc<DraftCalls>>,
) -> Outcome {
    let OpenedCall { request, input, opened, watermark } = call;
    let route = &request.operation.route;
    let limits = limits.for_request(route.body_limit, input.lines);
    let limits = if request.is_report() { limits.for_heavy_read() } else { limits };
    let largest = limits.output;
    let mut facts = facts(request, opened, tenant_or_nil(request.tenant));
    facts.facts.horizon = watermark;
    facts.draft_calls = draft_calls;
    if let Some(trace) = &request.trail.trace {
        trace.step(format!("run {}", module.name), module.describe());
    }
    let listeners = request.generation.listeners.clone();
    let entry = CallContext { module: module.clone(), session, facts, read_only: route.read_only, limits, listeners };
    let ran = call::handle(entry, &input.call).await;
    if let Some(trace) = &request.trail.trace {
        trace.describe_step(ran.used.describe());
    }
    let operation = &request.operation;
    if let Some((listener, problem)) = ran.refusal {
        let blame = ModuleCall { module: &listener, operation: &route.operation, trail: &request.trail };
        let result = Err(blame.refuse_problem(&request.generation, None, problem));
        return Outcome { session: ran.session, result };
    }
    let extensions = ran.extensions.iter().map(|module| (module.name.clone(), module.version.clone())).collect();
    let blame = ModuleCall { module: &ran.blamed, operation: &route.operation, trail: &request.trail };
    let result = match ran.result {
        Err(failure) => Err(blame.refuse_failure(&failure)),
        Ok(Err(problem)) => Err(blame.refuse_problem(&request.generation, Some(route), problem)),
        Ok(Ok(reply)) => check_reply(module, operation, reply, ran.emitted, largest)
            .and_then(|done| {
                let judge = &module.judge;
                judge
                    .answer(&module.descriptor, &route.operation, &operation.response, &done.body)
                    .map_err(Failure::Fault)?;
                Ok(Done { extensions, ..done })
            })
            .map_err(|failure| blame.refuse_answer(&failure)),
    };
    Outcome { session: ran.session, result }
}
