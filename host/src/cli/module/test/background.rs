//! The work of modules that no caller asks for, as a host does it: a step that runs a timer, and the events of a step for the modules
//! that receive them after their commit.

use std::collections::VecDeque;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::Value as Json;
use stoa_descriptor::extension::Moment;
use uuid::Uuid;

use super::answer::{self, StepAnswer, refusal};
use super::fixture::FixtureStep;
use super::stage::{BATCHES, Called, Company, Run, Transaction};
use crate::pipeline::outcome::read_problem;
use crate::problem::Problem;
use crate::sandbox::limits::Limits;
use crate::sandbox::{Held, Module, RequestFacts, call};
use crate::wit::context::ActorKind;
use crate::wit::events::Event;
use crate::wit::extension::listener;
use crate::wit::extension::timer::Window;

impl Company<'_> {
    /// The window of a timer up to the instant of the step, batch by batch.
    pub(super) async fn run_timer(&mut self, code: &str, step: &FixtureStep) -> anyhow::Result<StepAnswer> {
        let stage = self.stage;
        let has_timer = |module: &&Arc<Module>| module.descriptor.timers.iter().any(|timer| timer.code == code);
        let module = stage.edition.modules.iter().find(has_timer);
        let module = module.with_context(|| format!("no module has the timer {code}"))?;
        let next = self.advance_clock();
        let until = step.now.map_or(next, |now| now.timestamp_millis());
        let since = self.windows.get(code).copied();
        let (mut emitted, mut cursor, mut last) = (Vec::new(), None, None);
        for _ in 0..BATCHES {
            let (timer, from) = (code.to_owned(), cursor.take());
            let run: Run<Result<Option<String>, _>> = Box::new(move |entry| {
                let (timer, from): (String, Option<String>) = (timer.clone(), from.clone());
                Box::pin(async move { call::run_timer(entry, &timer, Window { since, until }, from.as_deref()).await })
            });
            let called = stage.transact(self.act(module, until), run, Result::is_ok).await?;
            last = Some((called.used, 0, Limits::default()));
            match self.judge_call(module, called) {
                Ok((next, events)) => {
                    emitted.extend(events);
                    cursor = next;
                }
                Err(answer) => return Ok(*answer),
            }
            if cursor.is_none() {
                break;
            }
        }
        anyhow::ensure!(cursor.is_none(), "the timer {code} never comes to an end");
        self.windows.insert(code.to_owned(), until);
        let events = emitted.iter().map(answer::event).collect();
        let faults = self.send_events(&mut emitted, until).await?;
        Ok(StepAnswer { status: 200, body: Json::Null, etag: None, events, emitted, faults, used: last })
    }

    /// Gives events that were committed to the modules that receive them, and theirs to others; answers what went wrong.
    pub(super) async fn send_events(&self, emitted: &mut Vec<Event>, now: i64) -> anyhow::Result<Vec<String>> {
        let (stage, mut faults) = (self.stage, Vec::new());
        let mut waiting: VecDeque<Event> = emitted.drain(..).collect();
        while let Some(event) = waiting.pop_front() {
            for module in &stage.edition.modules {
                let receives = &module.descriptor.receives;
                if !receives.iter().any(|one| one.moment == Moment::AfterCommit && one.kind == event.kind) {
                    continue;
                }
                let received = describe_event(&event, now);
                let run: Run<Result<(), _>> = Box::new(move |entry| {
                    let received = received.clone();
                    Box::pin(async move { call::receive(entry, &received).await })
                });
                let called = stage.transact(self.act(module, now), run, Result::is_ok).await?;
                match self.judge_call(module, called) {
                    Ok(((), events)) => waiting.extend(events),
                    Err(answer) => {
                        let faults_of_module = answer.faults.join(", ");
                        faults.push(format!(
                            "{} did not receive {}: {} {faults_of_module}",
                            module.name, event.kind, answer.body
                        ));
                    }
                }
            }
        }
        Ok(faults)
    }

    fn act<'m>(&self, module: &'m Arc<Module>, now: i64) -> Transaction<'m> {
        let facts = self.facts(now, ActorKind::System, Uuid::nil(), Vec::new());
        let facts = RequestFacts { permissions: Held::All, ..facts };
        Transaction { module, facts, read_only: false, limits: Limits::default() }
    }

    /// The result of a call and its events, or what a step answers instead.
    fn judge_call<T>(
        &self,
        module: &Arc<Module>,
        called: Called<Result<T, crate::wit::module::Problem>>,
    ) -> Result<(T, Vec<Event>), Box<StepAnswer>> {
        let failed = |code: &'static str, why: String| StepAnswer {
            faults: vec![format!("the module failed: {why}")],
            ..refusal(&Problem::new(code))
        };
        let (module, problem) = match (called.refusal, called.result) {
            (None, Ok(Ok(value))) => return Ok((value, called.emitted.into_iter().map(|(_, event)| event).collect())),
            (None, Err(failure)) => return Err(Box::new(failed(failure.code(), failure.to_string()))),
            (Some((listener, problem)), _) => (listener, problem),
            (None, Ok(Err(problem))) => (module.clone(), problem),
        };
        Err(Box::new(match read_problem(&self.stage.edition, &module, None, problem) {
            Ok(problem) => refusal(&problem),
            Err(why) => failed("MODULE_FAILED", why),
        }))
    }
}

fn describe_event(event: &Event, now: i64) -> listener::Event {
    let Event { kind, resource_type, resource, version, data } = event.clone();
    let id = Some(Uuid::now_v7().as_u64_pair());
    let request = Uuid::now_v7().as_u64_pair();
    listener::Event { id, kind, resource_type, resource, version, data, occurred_at: now, request }
}
