//! The call of an operation in three steps: who is calling, what was sent, what is answered.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Request, Response, header};
use stoa_descriptor::Audience;
use tokio::time::{self, Instant};
use uuid::Uuid;

use super::app::App;
use super::body::{self, Unread};
use super::budget::BudgetShare;
use super::credential::{identify, note_revoked};
use super::rejection::{Rejection, add_limit_headers};
use super::visit::Visit;
use super::{response_memory, success, validate};
use crate::database::slots::Seat;
use crate::deployment::Edition;
use crate::governance::governor::{Governor, Permit};
use crate::observe::trail::RequestTrail;
use crate::operations::{Callable, Operation};
use crate::pipeline::request::Caller;
use crate::pipeline::{self, Input, Runner, user_agent};
use crate::platform::PlatformOperation;
use crate::problem::Problem;

/// Time of a whole request beyond that of its transaction: it waits for the database several times, and for nothing
/// longer in all.
const MORE: Duration = Duration::from_secs(2);

/// A request whose operation was found.
pub struct RoutedCall<'a> {
    pub app: &'a App,
    pub edition: &'a Edition,
    pub callable: &'a Callable<Runner<&'static PlatformOperation>>,
    pub path: &'a [(String, String)],
    pub trail: &'a Arc<RequestTrail>,
    pub peer: IpAddr,
}

/// A call whose caller the governor let in.
struct AdmittedCall<'a> {
    call: &'a RoutedCall<'a>,
    visit: Visit<'a>,
    permit: Permit,
}

/// The body's part of the memory and its place among the large ones: both are kept until the request is answered.
type Held = Option<(BudgetShare, Option<Seat<Uuid>>)>;

impl RoutedCall<'_> {
    pub async fn answer(&self, request: Request<Body>) -> Result<Response<Body>, Rejection> {
        let deadline = Instant::now() + self.app.request_timeout + MORE;
        let (parts, body) = request.into_parts();
        self.trail.step("admit");
        let admitted = until(deadline, self.admit(&parts.headers)).await?;
        let reads_from = Instant::now();
        self.trail.step("read");
        let (input, _held) = admitted.read(&parts, body, deadline).await?;
        // The time of a body is its sender's, and has limits of its own.
        admitted.respond(&parts, input, deadline + reads_from.elapsed()).await
    }

    /// Finds who is calling: the credential's owner, the company that the call is about, and the permit of both.
    async fn admit(&self, headers: &HeaderMap) -> Result<AdmittedCall<'_>, Rejection> {
        let caller = identify(self.app, headers, self.peer).await?;
        let tenant = match self.find_tenant(&caller) {
            Ok(tenant) => tenant,
            Err(problem) => return Err(self.reject_family(&caller, problem).await),
        };
        let permit = self.governor().admit(&caller, tenant).await?;
        // A stranger must not fill the log with ids of other companies.
        let is_theirs = matches!(caller, Caller::Client(_)) || (permit.refused.is_none() && !permit.is_stranger);
        if let Some(tenant) = tenant.filter(|_| is_theirs) {
            let _ = self.trail.tenant.set(tenant);
        }
        let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).and_then(user_agent::family);
        let visit = Visit {
            caller,
            tenant,
            route: &self.callable.operation.route,
            path: self.path,
            request_id: self.trail.request_id,
            peer: self.peer,
            user_agent: agent,
        };
        if let Some(problem) = permit.refused {
            note_revoked(self.app, &visit.caller, &problem);
            visit.record_refusal(&self.app.platform.recorder, &problem);
            return Err(Rejection { limits: permit.headers, ..problem.into() });
        }
        Ok(AdmittedCall { call: self, visit, permit })
    }

    /// The company that the call is about, of an operation that this family of callers may call.
    fn find_tenant(&self, caller: &Caller) -> Result<Option<Uuid>, Problem> {
        match (caller, self.callable.operation.route.audience) {
            // A value that is not a uuid is not a company, hence one without this member: 403, like any foreign one.
            (Caller::User(_), Audience::User) => {
                let named = self.path.iter().find(|(name, _)| name == "tenantId");
                Ok(named.map(|(_, value)| Uuid::try_parse(value).unwrap_or(Uuid::nil())))
            }
            (Caller::Client(key), Audience::ApiClient) => Ok(Some(key.tenant)),
            _ => Err(Problem::new("WRONG_IDENTITY_FAMILY")),
        }
    }

    /// A key that is no longer active is rejected, whatever it asks for.
    async fn reject_family(&self, caller: &Caller, wrong_family: Problem) -> Rejection {
        if let Caller::Client(_) = caller {
            match self.governor().check_standing(caller).await {
                Ok(Err(problem)) if problem.status == 401 => {
                    note_revoked(self.app, caller, &problem);
                    return problem.into();
                }
                Ok(_) => {}
                Err(problem) => return problem.into(),
            }
        }
        let limits = Some(self.governor().headers(caller, None));
        Rejection { limits, ..wrong_family.into() }
    }

    fn governor(&self) -> &Governor {
        &self.app.platform.governor
    }
}

impl AdmittedCall<'_> {
    /// Reads what was sent: path, query, headers and body, valid or not. A fault of theirs waits for the caller's
    /// authorization.
    async fn read(
        &self,
        parts: &Parts,
        body: Body,
        deadline: Instant,
    ) -> Result<(Result<Input, Problem>, Held), Rejection> {
        let (bodies, limit) = (&self.call.app.bodies, self.operation().route.body_limit);
        let is_stranger = self.permit.is_stranger;
        match body::read(body, limit, bodies, self.visit.caller.id(), self.check_sender(deadline)).await {
            // Admission has just looked: the request of a stranger takes no transaction in the company.
            Ok(_) if is_stranger => Err(self.add_limits(Problem::new("MEMBERSHIP_REQUIRED"))),
            Ok(body::Read { bytes, memory, seat }) => Ok((self.judge(parts, bytes).await?, Some((memory, seat)))),
            Err(Unread::Refused(problem)) if problem.status == 413 && !is_stranger => Ok((Err(problem), None)),
            Err(Unread::Refused(problem)) => Err(self.reject(problem)),
            Err(Unread::Broken(problem)) => Err(Rejection { closes: true, ..self.add_limits(problem) }),
        }
    }

    /// Only members may send more than a small body.
    async fn check_sender(&self, deadline: Instant) -> Result<(), Problem> {
        let is_member = match (&self.visit.caller, self.visit.tenant) {
            _ if self.permit.is_stranger => false,
            (Caller::User(user), Some(tenant)) => {
                until(deadline, self.call.governor().is_member(user.id, tenant)).await?
            }
            _ => true,
        };
        is_member.then_some(()).ok_or_else(|| Problem::new("MEMBERSHIP_REQUIRED"))
    }

    /// The verdict on the request. A body that is not small is judged off the threads that serve everybody.
    async fn judge(&self, parts: &Parts, bytes: Bytes) -> Result<Result<Input, Problem>, Rejection> {
        if bytes.len() <= body::SMALL {
            return Ok(validate::request(self.operation(), parts, self.call.path, &bytes));
        }
        let (operation, parts, path) = (self.operation().clone(), parts.clone(), self.call.path.to_vec());
        let judge = move || validate::request(&operation, &parts, &path, &bytes);
        self.call.app.bodies.judge(self.visit.caller.id(), judge).await.map_err(|problem| self.reject(problem))
    }

    /// Answers: the pipeline runs the request, which may be known to be at fault by now.
    async fn respond(
        &self,
        parts: &Parts,
        input: Result<Input, Problem>,
        deadline: Instant,
    ) -> Result<Response<Body>, Rejection> {
        let (app, Visit { caller, tenant, .. }) = (self.call.app, &self.visit);
        let asked_ahead = self.ask_ahead(&input, deadline).await;
        // A request that will be rejected takes no seat from another.
        let heavy = match input.as_ref().ok().and_then(|input| pipeline::heavy_kind(self.operation(), input)) {
            Some(kind) => {
                let permit = app.database.permit_heavy_work(kind, tenant.unwrap_or_default(), deadline).await;
                Some(permit.map_err(|_| self.reject(Problem::new("UNAVAILABLE")))?)
            }
            None => None,
        };
        let request = Arc::new(pipeline::Request {
            generation: self.call.edition.generation.clone(),
            presence: self.call.edition.presence.clone(),
            operation: self.operation().clone(),
            request_id: self.call.trail.request_id,
            trail: self.call.trail.clone(),
            caller: caller.clone(),
            tenant: *tenant,
            input,
            asked_ahead,
            heavy,
            peer: Some(self.call.peer),
            user_agent: self.visit.user_agent.clone(),
        });
        let runner = self.call.callable.runner.clone();
        let answer = pipeline::run(&app.platform, &app.database, request, runner, deadline).await;
        self.call.trail.step("answer");
        let replayed = answer.as_ref().is_ok_and(|answer| answer.replayed);
        let response = answer.and_then(|answer| {
            let is_located = self.call.edition.operations.is_located(self.operation());
            let location = is_located.then(|| success::locate(&parts.uri, &answer)).flatten();
            let mut response = success::respond(self.operation(), parts, answer, self.call.trail.request_id)?;
            if let Some(location) = location {
                response.headers_mut().insert(header::LOCATION, location);
            }
            let memory = app.response_memory.share(caller.id());
            response_memory::hold(response, memory, !self.operation().route.read_only)
        });
        let response = response.map_err(|problem| self.reject_late(problem))?;
        if replayed {
            self.call.governor().give_quota_back(&self.permit);
        }
        self.visit.record_answer(&app.platform.recorder, response.status().as_u16(), "");
        Ok(add_limit_headers(response, self.permit.headers))
    }

    /// Asks outside of the transaction what the operation needs to know. For a caller without the permission nothing is
    /// asked: the transaction rejects the request.
    async fn ask_ahead(&self, input: &Result<Input, Problem>, deadline: Instant) -> Result<(), Problem> {
        let (Runner::Host(operation), Ok(input)) = (&self.call.callable.runner, input) else { return Ok(()) };
        let handler = operation.runner();
        if !handler.asks_ahead() {
            return Ok(());
        }
        let Visit { caller, tenant, route, .. } = &self.visit;
        match until(deadline, self.call.governor().may(caller, *tenant, &route.access)).await {
            Ok(true) => until(deadline, handler.ask_ahead(&self.call.app.platform, input)).await,
            _ => Ok(()),
        }
    }

    /// The pipeline's problem. Only now is it known that the key is not active any more, or that its company has lost the
    /// right.
    fn reject_late(&self, problem: Problem) -> Rejection {
        if !matches!(&*problem.code, "UNAUTHENTICATED" | "PUBLIC_API_DISABLED") {
            return self.reject(problem);
        }
        self.call.governor().give_back(&self.permit);
        note_revoked(self.call.app, &self.visit.caller, &problem);
        self.visit.record_refusal(&self.call.app.platform.recorder, &problem);
        let limits = self.permit.headers.filter(|_| problem.status != 401);
        Rejection { limits, ..problem.into() }
    }

    /// A problem of a caller who was let in: it is recorded as the answer.
    fn reject(&self, problem: Problem) -> Rejection {
        self.visit.record_answer(&self.call.app.platform.recorder, problem.status, &problem.code);
        let limits = self.permit.headers.map(|headers| headers.or_of_window(&problem));
        Rejection { limits, ..problem.into() }
    }

    fn add_limits(&self, problem: Problem) -> Rejection {
        Rejection { limits: self.permit.headers, ..problem.into() }
    }

    fn operation(&self) -> &Arc<Operation> {
        &self.call.callable.operation
    }
}

/// The result of a wait for others, until the deadline at the latest.
async fn until<T, E: From<Problem>>(deadline: Instant, wait: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    time::timeout_at(deadline, wait).await.unwrap_or_else(|_| Err(Problem::new("UNAVAILABLE").into()))
}
