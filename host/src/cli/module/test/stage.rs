//! Where fixtures are played: a temporary database with the modules' tables, and a company in it for each fixture. A step takes
//! the road of a request from the verdict on its input to its commit, with facts that the fixture chooses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use futures_util::future::BoxFuture;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value as Json, json};
use stoa_descriptor::Audience;
use uuid::Uuid;

use super::answer::{StepAnswer, refusal};
use super::fixture::{Fixture, FixtureStep};
use super::matching::{Saved, compare, substitute};
use crate::calendar;
use crate::database::{Database, DatabaseSettings, Shard, Transport, Verdict, work};
use crate::deployment::Edition;
use crate::gate::tables;
use crate::operations::Operation;
use crate::pipeline::opening::allows;
use crate::pipeline::{self, Runner};
use crate::platform::onboarding;
use crate::problem::{Item, Problem};
use crate::sandbox::call::{self, Ran};
use crate::sandbox::limits::{Limits, Used};
use crate::sandbox::listeners::ListenerRejection;
use crate::sandbox::{Failure, Held, Module, RequestFacts};
use crate::wit::context::{ActorKind, Facts};
use crate::wit::events::Event;
use crate::wit::module;

/// Noon of 2026-01-01: what a fixture's steps count from.
const NOON: i64 = 1_767_268_800_000;
/// Batches of one module's check, of one module's backfill, and of one window of a timer.
pub(super) const BATCHES: usize = 10_000;

pub struct Stage {
    pub(super) edition: Arc<Edition>,
    database: Arc<Database>,
    folder: PathBuf,
}

/// A company, and what the steps of its fixture have saved.
pub struct Company<'a> {
    pub(super) stage: &'a Stage,
    tenant: Uuid,
    saved: Saved,
    /// Seconds since noon: one more with each step.
    clock: i64,
    /// Where the last window of each timer ended, in milliseconds since 1970.
    pub(super) windows: BTreeMap<String, i64>,
}

/// Result of a backfill.
pub struct Backfill {
    pub batches: usize,
    /// Why it came to no end.
    pub trouble: Option<String>,
    /// Usage of the batch that took the longest.
    pub used: Used,
}

/// Result, events and usage of a call, without the session.
pub(super) struct Called<T> {
    pub result: Result<T, Failure>,
    pub emitted: Vec<(Arc<Module>, Event)>,
    /// A module that received an event and rejected what was done: nothing of it was kept.
    pub refusal: Option<ListenerRejection>,
    pub used: Used,
}

/// A transaction in which a module is called.
pub(super) struct Transaction<'a> {
    pub module: &'a Arc<Module>,
    pub facts: RequestFacts,
    pub read_only: bool,
    pub limits: Limits,
}

/// A call of a module inside a transaction.
pub(super) type Run<T> = Box<dyn Fn(call::CallContext) -> BoxFuture<'static, Ran<T>> + Send + Sync>;

impl Stage {
    /// An empty database, on which this edition runs.
    pub async fn open(edition: Arc<Edition>) -> anyhow::Result<Stage> {
        let folder = std::env::temp_dir().join(format!("stoa-module-test-{}", Uuid::new_v4().simple()));
        let settings = DatabaseSettings {
            url: format!("sqlite:{}", folder.join("stoa.sqlite").display()),
            postgres_connections: 1,
            sqlite_readers: 1,
            request_timeout: Duration::from_secs(60),
            heavy_read_timeout: Duration::from_secs(60),
            heavy_work: 2,
            transport: Transport::default(),
            plain_role_only: false,
            server: Default::default(),
            places: Vec::new(),
            prepare: pipeline::prepare(),
        };
        let database = Arc::new(Database::open(&settings, true).await?);
        Ok(Stage { edition, database, folder })
    }

    /// The same database, on which another edition runs.
    pub fn beside(&self, edition: Arc<Edition>) -> Stage {
        Stage { edition, database: self.database.clone(), folder: self.folder.clone() }
    }

    /// Makes the tables fit the edition, as its activation does.
    pub async fn activate(&self) -> anyhow::Result<()> {
        tables::bring_up_to_date(&self.database, &self.edition.modules).await
    }

    pub async fn close(self) {
        self.database.close();
        let _ = std::fs::remove_dir_all(&self.folder);
    }

    /// A company of its own, made as the fixture says.
    pub async fn company(&self, fixture: &Fixture) -> anyhow::Result<Company<'_>> {
        let company =
            Company { stage: self, tenant: Uuid::now_v7(), saved: Saved::new(), clock: 0, windows: BTreeMap::new() };
        if let Some(members) = &fixture.provision {
            let defaults = [("name", json!("Fixture")), ("currencyCode", json!("EUR")), ("withDefaults", json!(true))];
            let mut body: Map<String, Json> =
                defaults.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            body.extend(members.clone());
            company.provision(&body).await?;
        }
        Ok(company)
    }

    /// Runs a call in a transaction of its own, which is kept where `keep` says so.
    pub(super) async fn transact<T: Send + 'static>(
        &self,
        transaction: Transaction<'_>,
        run: Run<T>,
        keep: fn(&T) -> bool,
    ) -> anyhow::Result<Called<T>> {
        let Transaction { module, facts, read_only, limits } = transaction;
        let tenant = Uuid::from_u64_pair(facts.facts.tenant.0, facts.facts.tenant.1);
        let listeners = self.edition.listeners.clone();
        let work = work((module.clone(), facts, listeners, run), move |session, shared| async move {
            let (module, facts, listeners, run) = &*shared;
            let (module, facts, listeners) = (module.clone(), facts.clone(), listeners.clone());
            let entry = call::CallContext { module, session, facts, read_only, limits, listeners };
            let ran = run(entry).await;
            let keeps = ran.refusal.is_none() && ran.result.as_ref().is_ok_and(keep);
            let Ran { session, emitted, result, refusal, used, .. } = ran;
            if let Err(Failure::Database(error)) = result {
                return (session, Verdict::Fail(error));
            }
            let called = Called { result, emitted, refusal, used };
            (session, if keeps { Verdict::Commit(called) } else { Verdict::RollBack(called) })
        });
        let shard = Shard::of_tenant(tenant);
        Ok(if read_only { self.database.read(shard, work).await? } else { self.database.write(shard, work).await? })
    }
}

impl Company<'_> {
    async fn provision(&self, body: &Map<String, Json>) -> anyhow::Result<()> {
        for module in &self.stage.edition.modules {
            let options = Json::Object(onboarding::options(body, module.descriptor.onboarding.as_ref())).to_string();
            let run: Run<_> = Box::new(move |entry| {
                let options = options.clone();
                Box::pin(async move { call::provision(entry, &options).await })
            });
            let facts = self.facts(NOON, ActorKind::User, Uuid::nil(), Vec::new());
            let transaction = Transaction { module, facts, read_only: false, limits: Limits::default() };
            let called = self.stage.transact(transaction, run, Result::is_ok).await?;
            let name = &module.name;
            if let Some((listener, problem)) = called.refusal {
                anyhow::bail!("{} refuses the company: {}", listener.name, problem.code);
            }
            let made = called.result.map_err(|failure| anyhow::anyhow!("{name} provisions nothing: {failure}"))?;
            made.map_err(|problem| anyhow::anyhow!("{name} refuses the company: {}", problem.code))?;
        }
        Ok(())
    }

    pub(super) fn facts(&self, now: i64, actor_kind: ActorKind, actor: Uuid, permissions: Vec<String>) -> RequestFacts {
        let facts = Facts {
            tenant: self.tenant.as_u64_pair(),
            actor_kind,
            actor: actor.to_string(),
            request: Uuid::now_v7().as_u64_pair(),
            now,
            today: calendar::day(now, "UTC"),
            horizon: None,
        };
        let permissions = Held::These(Arc::new(permissions.into_iter().collect()));
        RequestFacts { facts, instant: now, permissions, trail: Arc::default(), draft_calls: None }
    }

    /// The instant of the next step.
    pub(super) fn advance_clock(&mut self) -> i64 {
        let now = NOON + self.clock * 1_000;
        self.clock += 1;
        now
    }

    /// Calls a module's `upgrade` as a host does: batch by batch, each in a transaction, until no cursor is left.
    pub async fn upgrade(&mut self, module: &Arc<Module>, from_version: &str) -> anyhow::Result<Backfill> {
        let now = self.advance_clock();
        let mut backfill = Backfill { batches: 0, trouble: None, used: Used::default() };
        let mut cursor: Option<String> = None;
        while backfill.batches < BATCHES {
            let (version, from) = (from_version.to_owned(), cursor.take());
            let run: Run<_> = Box::new(move |entry| {
                let (version, from) = (version.clone(), from.clone());
                Box::pin(async move { call::upgrade(entry, &version, from.as_deref()).await })
            });
            let facts = self.facts(now, ActorKind::System, Uuid::nil(), Vec::new());
            let transaction = Transaction { module, facts, read_only: false, limits: Limits::default() };
            let Called { result, refusal, used, .. } = self.stage.transact(transaction, run, Result::is_ok).await?;
            backfill.batches += 1;
            if used.guest_time >= backfill.used.guest_time {
                backfill.used = used;
            }
            if let Some((listener, problem)) = refusal {
                let trouble = format!("{} rejected an event with {}", listener.name, problem.code);
                return Ok(Backfill { trouble: Some(trouble), ..backfill });
            }
            match result {
                Ok(Ok(None)) => return Ok(backfill),
                Ok(Ok(next)) => cursor = next,
                Ok(Err(problem)) => {
                    let items = problem.errors.iter().map(|item| format!(", {} {}", item.pointer, item.code));
                    let trouble = format!("it answered {}{}", problem.code, items.collect::<String>());
                    return Ok(Backfill { trouble: Some(trouble), ..backfill });
                }
                Err(failure) => return Ok(Backfill { trouble: Some(failure.to_string()), ..backfill }),
            }
        }
        Ok(Backfill { trouble: Some(format!("it came to no end in {BATCHES} batches")), ..backfill })
    }

    /// Runs a step. `Err`: the step itself is not right.
    pub async fn ask(&mut self, step: &FixtureStep) -> anyhow::Result<StepAnswer> {
        let name = match (&step.operation, &step.timer) {
            (Some(operation), None) => operation,
            (None, Some(timer)) => return self.run_timer(timer, step).await,
            _ => anyhow::bail!("a step has either an `operation` or a `timer`"),
        };
        let callable = self.stage.edition.operations.by_id(name);
        let callable = callable.with_context(|| format!("no module has the operation {name}"))?;
        let Runner::Module(module) = &callable.runner else { anyhow::bail!("{name} is the host's own") };
        let operation = &*callable.operation;
        let (actor_kind, known) = match operation.route.audience {
            Audience::User => (ActorKind::User, &self.stage.edition.permissions),
            Audience::ApiClient => (ActorKind::ApiClient, &self.stage.edition.scopes),
        };
        let permissions = step.permissions.clone().unwrap_or_else(|| known.keys().cloned().collect());
        let held: BTreeSet<&str> = permissions.iter().map(String::as_str).collect();
        let input = self.input(operation, step)?;
        if !allows(&operation.route.access, |code| held.contains(code)) {
            return Ok(refusal(&Problem::new(match operation.route.audience {
                Audience::User => "PERMISSION_DENIED",
                Audience::ApiClient => "SCOPE_DENIED",
            })));
        }
        let (call, lines) = match input {
            Ok(input) => input,
            Err(problem) => return Ok(refusal(&problem)),
        };
        let next = self.advance_clock();
        let now = step.now.map_or(next, |now| now.timestamp_millis());
        let facts = self.facts(now, actor_kind, step.actor.unwrap_or(Uuid::nil()), permissions);
        let mut answer = self.call(operation, module, facts, call, lines).await?;
        answer.faults.extend(self.send_events(&mut answer.emitted, now).await?);
        if let (Some(name), true) = (&step.save, answer.status < 300) {
            self.saved.insert(name.clone(), answer.body.clone());
        }
        Ok(answer)
    }

    /// The verdict on a step's input, by the operation's own schemas: a call and how many lines its body has, or a problem.
    fn input(
        &self,
        operation: &Operation,
        step: &FixtureStep,
    ) -> anyhow::Result<Result<(module::Call, usize), Problem>> {
        let fill = |value: &Json| substitute(value, &self.saved).map_err(anyhow::Error::msg);
        let escaped = |value: &Json| parameter(&fill(value)?);
        let mut path = vec![("tenantId".to_owned(), self.tenant.to_string())];
        path.retain(|(name, _)| operation.route.path.contains(&format!("{{{name}}}")));
        for (name, value) in &step.path {
            path.push((name.clone(), escaped(value)?));
        }
        let mut query = Vec::new();
        for (name, value) in &step.query {
            query.push(format!("{}={}", utf8_percent_encode(name, NON_ALPHANUMERIC), escaped(value)?));
        }
        let body = step.body.as_ref().map(fill).transpose()?;
        Ok(self.build_call(operation, step, &path, &query.join("&"), body))
    }

    fn build_call(
        &self,
        operation: &Operation,
        step: &FixtureStep,
        path: &[(String, String)],
        query: &str,
        body: Option<Json>,
    ) -> Result<(module::Call, usize), Problem> {
        let path = operation.parameters.path(path.iter().map(|(name, value)| (name.as_str(), value.as_str())))?;
        let query = operation.parameters.query(query)?;
        let body = match (&operation.body, body) {
            (Some(schema), body) => {
                let text = body.map(|body| body.to_string()).unwrap_or_default();
                Some(schema.read(text.as_bytes())?)
            }
            (None, None) => None,
            (None, Some(_)) => return Err(Problem::new("VALIDATION_FAILED").with(vec![Item::new("", "NOT_ALLOWED")])),
        };
        let call = module::Call {
            operation: operation.route.operation.clone(),
            path: path.values.into_iter().filter(|(name, _)| name != "tenantId").collect(),
            query: query.values,
            body: body.as_ref().map(ToString::to_string),
            if_match: step.if_match.clone().filter(|_| operation.route.if_match),
        };
        Ok((call, body.as_ref().map_or(0, |body| operation.count_lines(body))))
    }

    /// Where an answer is not as the step expects.
    pub fn judge(&self, step: &FixtureStep, answer: &StepAnswer) -> Vec<String> {
        let expect = &step.expect;
        let mut differences = Vec::new();
        if expect.status != answer.status {
            differences.push(format!("status: expected {}, found {}: {}", expect.status, answer.status, answer.body));
        } else if let Some(body) = &expect.body {
            compare(body, &answer.body, &self.saved, "", &mut differences);
        }
        if let Some(etag) = &expect.etag {
            let found = answer.etag.clone().map_or(Json::Null, Json::from);
            compare(etag, &found, &self.saved, "etag", &mut differences);
        }
        if let Some(events) = &expect.events {
            if events.len() != answer.events.len() {
                let kinds: Vec<&Json> = answer.events.iter().filter_map(|event| event.get("kind")).collect();
                differences.push(format!("events: expected {}, found {kinds:?}", events.len()));
            }
            for (index, (event, found)) in events.iter().zip(&answer.events).enumerate() {
                let pointer = format!("events/{index}");
                match event {
                    Json::String(kind) if found.get("kind").is_some_and(|found| found == kind.as_str()) => {}
                    Json::String(kind) => {
                        differences.push(format!("{pointer}: expected {kind}, found {}", found["kind"]))
                    }
                    event => compare(event, found, &self.saved, &pointer, &mut differences),
                }
            }
        }
        differences.extend(answer.faults.iter().cloned());
        differences
    }

    /// Findings of the modules in the company's rows.
    pub async fn verify(&self) -> anyhow::Result<Vec<String>> {
        let mut findings = Vec::new();
        for module in &self.stage.edition.modules {
            let mut cursor: Option<String> = None;
            for _ in 0..BATCHES {
                let from = cursor.clone();
                let run: Run<_> = Box::new(move |entry| {
                    let from = from.clone();
                    Box::pin(async move { call::verify(entry, from.as_deref()).await })
                });
                let facts = self.facts(NOON, ActorKind::System, Uuid::nil(), Vec::new());
                let transaction = Transaction { module, facts, read_only: true, limits: Limits::default() };
                let called = self.stage.transact(transaction, run, |_| false).await?;
                let found = called.result.map_err(|failure| anyhow::anyhow!("verify of {}: {failure}", module.name))?;
                let reported =
                    |finding: &module::Finding| format!("verify: {}: {}", finding.invariant, finding.message);
                findings.extend(found.findings.iter().map(reported));
                cursor = found.next;
                if cursor.is_none() {
                    break;
                }
            }
            anyhow::ensure!(cursor.is_none(), "verify of {} never comes to an end", module.name);
        }
        Ok(findings)
    }
}

/// A parameter as it is written in an address.
fn parameter(value: &Json) -> anyhow::Result<String> {
    let text = match value {
        Json::String(text) => text.clone(),
        Json::Number(_) | Json::Bool(_) => value.to_string(),
        _ => anyhow::bail!("a parameter is a text, a number or a boolean"),
    };
    Ok(utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string())
}
