//! A draft of a large write: on SQLite it runs on a snapshot first, beside the one writer. In its transaction only its calls of
//! the store are repeated (`sandbox/draft_calls.rs`), so that others wait less for the writer.
//!
//! A draft is discarded where a reply of the store is another one in the transaction, where the caller's rights changed, or where
//! the company was written in between, whose rows would have newer ids. The request then runs as it does without a draft.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use uuid::Uuid;

use super::facts::facts;
use super::opening::{Opened, Opening, open};
use super::outcome::{Done, Outcome, Refused};
use super::replay;
use super::request::{Request, tenant_or_nil};
use super::runner::{Host, OpenedCall, Runner};
use super::transact::{PreparedRequest, call_module};
use crate::database::{Database, Error, Session, Verdict, WriteWatch, work};
use crate::problem::Problem;
use crate::sandbox::Module;
use crate::sandbox::call::make_scope;
use crate::sandbox::draft_calls::DraftCalls;

/// Drafts by what became of them.
const DRAFTS: &str = "stoa_drafts_total";

/// A request that ran on a snapshot, until it is repeated.
pub struct Draft(Mutex<Option<Drafted>>);

struct Drafted {
    opened: Opened,
    draft_calls: Arc<DraftCalls>,
    done: Done,
    watch: WriteWatch,
}

/// Runs a paced write of a module on a snapshot. `None`: it has no draft. `Err`: the module rejected the request before it wrote
/// anything.
pub async fn run<H: Host>(
    host: &Arc<H>,
    database: &Database,
    request: &Arc<Request>,
    runner: &Runner<H::Operation>,
) -> Result<Option<Draft>, Problem> {
    let (Runner::Module(_), Some(tenant)) = (runner, request.tenant) else { return Ok(None) };
    let operation = &request.operation;
    if operation.route.read_only
        || operation.is_unforeseeable()
        || !request.heavy.as_ref().is_some_and(|permit| permit.is_paced())
    {
        return Ok(None);
    }
    let Some(watch) = database.watch_writes(tenant) else { return Ok(None) };
    let watch = Mutex::new(Some(watch));
    let begin = Arc::new(OnceLock::new());
    let shared = (host.clone(), request.clone(), runner.clone(), watch, begin.clone());
    let work = work(shared, |session, shared| async move {
        let (host, request, runner, watch, begin) = &*shared;
        begin.get_or_init(Instant::now);
        let watch = watch.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (Runner::Module(module), Some(watch)) = (runner, watch) else {
            return (Some(session), Verdict::RollBack(Ok(None)));
        };
        let prepared =
            PreparedRequest { host: &**host, request, runner, read_only: true, watermark: None, draft: None };
        prepared.draft(module, watch, session).await
    });
    // A snapshot that could not be read is no reason to reject a write.
    let draft = database.read(request.destination(), work).await.unwrap_or(Ok(None));
    // The wait for a reader took nothing from others.
    if let (Ok(Some(_)), Some(begin)) = (&draft, begin.get()) {
        database.note_draft(begin.elapsed());
    }
    draft
}

impl<H: Host> PreparedRequest<'_, H> {
    async fn draft(
        &self,
        module: &Arc<Module>,
        watch: WriteWatch,
        mut session: Session,
    ) -> (Option<Session>, Verdict<Result<Option<Draft>, Problem>>) {
        let opened = match self.open_draft(&mut session).await {
            Ok(Some(opened)) => opened,
            Ok(None) => return (Some(session), Verdict::RollBack(Ok(None))),
            Err(error) => return (Some(session), Verdict::Fail(error)),
        };
        let Ok(input) = &self.request.input else { return (Some(session), Verdict::RollBack(Ok(None))) };
        let draft_calls = Arc::new(DraftCalls::default());
        let call = OpenedCall { request: self.request, input, opened: &opened, watermark: None };
        let outcome = call_module(module, call, self.host.limits(), session, Some(draft_calls.clone())).await;
        if draft_calls.is_unforeseeable() {
            self.request.operation.note_unforeseeable();
            metrics::counter!(DRAFTS, "outcome" => "unforeseeable").increment(1);
        }
        let result = match outcome.result {
            _ if draft_calls.has_failed() => Ok(None),
            Ok(done) => Ok(Some(Draft(Mutex::new(Some(Drafted { opened, draft_calls, done, watch }))))),
            Err(Refused::Problem(problem)) if !draft_calls.has_assumed() => Err(problem),
            Err(_) => Ok(None),
        };
        (outcome.session, Verdict::RollBack(result))
    }

    /// Opens a draft. `None`: the transaction has more to say of the request than a draft can know.
    async fn open_draft(&self, session: &mut Session) -> Result<Option<Opened>, Error> {
        let route = &self.request.operation.route;
        let opening = Opening {
            tenant: self.request.tenant,
            caller: &self.request.caller,
            operation: &route.operation,
            access: &route.access,
            claim: None,
            read_only: true,
        };
        let opened = open(session, &opening).await?;
        let Ok(input) = self.authorize(&opened) else { return Ok(None) };
        let is_plain = opened.standing.as_ref().is_some_and(|standing| standing.history_at.is_none());
        if !is_plain || self.request.asked_ahead.is_err() {
            return Ok(None);
        }
        if let Some(key) = &input.key
            && (replay::check_time(key, opened.now).is_err()
                || replay::answer(session, self.request, key, opened.now).await?.is_some())
        {
            return Ok(None);
        }
        Ok(Some(opened))
    }
}

impl Draft {
    /// Repeats the draft in a transaction that was opened for the request. `Err`: it has been taken before.
    pub async fn repeat<H: Host>(
        &self,
        prepared: &PreparedRequest<'_, H>,
        call: OpenedCall<'_>,
        mut session: Session,
    ) -> Result<Outcome, Session> {
        let drafted = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Drafted { opened, draft_calls, done, watch }) = drafted else { return Err(session) };
        let tenant: Uuid = tenant_or_nil(call.request.tenant);
        let limits = prepared.host.limits().for_request(call.request.operation.route.body_limit, call.input.lines);
        let mut scope = make_scope(&facts(call.request, &opened, tenant), &limits, false);
        let repeated = if opened.standing != call.opened.standing || watch.is_written() {
            Ok(false)
        } else {
            draft_calls.repeat(&mut session, &mut scope, &limits).await
        };
        let result = match repeated {
            Ok(true) => Ok(done),
            Ok(false) => Err(Error::Conflict("the draft no longer holds".into()).into()),
            Err(error) => Err(error.into()),
        };
        let outcome = if result.is_ok() { "kept" } else { "discarded" };
        metrics::counter!(DRAFTS, "outcome" => outcome).increment(1);
        Ok(Outcome { session: Some(session), result })
    }
}
