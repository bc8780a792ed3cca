//! The answer to a step: the module is called, and its answer is judged as a host would.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::stage::{Company, Run, Transaction};
use crate::operations::Operation;
use crate::pipeline::outcome::{Done, check_reply, read_problem};
use crate::problem::{Item, Problem};
use crate::sandbox::call;
use crate::sandbox::limits::{Limits, Used};
use crate::sandbox::{Module, RequestFacts};
use crate::wit::{events::Event, module};

/// Answer of a step.
pub struct StepAnswer {
    pub status: u16,
    pub body: Json,
    pub etag: Option<String>,
    pub events: Vec<Json>,
    /// The same as the modules emitted them.
    pub(super) emitted: Vec<Event>,
    /// Violations of the published schema, which no fixture need expect.
    pub(super) faults: Vec<String>,
    /// Nothing where the module was not asked.
    pub used: Option<(Used, usize, Limits)>,
}

impl Company<'_> {
    pub(super) async fn call(
        &self,
        operation: &Operation,
        module: &Arc<Module>,
        facts: RequestFacts,
        call: module::Call,
        lines: usize,
    ) -> anyhow::Result<StepAnswer> {
        let limits = Limits::default().for_request(operation.route.body_limit, lines);
        let run: Run<_> = Box::new(move |entry| {
            let call = call.clone();
            Box::pin(async move { call::handle(entry, &call).await })
        });
        let transaction = Transaction { module, facts, read_only: operation.route.read_only, limits };
        let called = self.stage.transact(transaction, run, Result::is_ok).await?;
        let used = |output: usize| Some((called.used, output, limits));
        let ended = |code: &'static str, why: String| StepAnswer {
            faults: vec![format!("the module failed: {why}")],
            used: used(0),
            ..refusal(&Problem::new(code))
        };
        let failed = |why: String| ended("MODULE_FAILED", why);
        if let Some((listener, problem)) = called.refusal {
            return Ok(match read_problem(&self.stage.edition, &listener, None, problem) {
                Ok(problem) => StepAnswer { used: used(0), ..refusal(&problem) },
                Err(why) => failed(why),
            });
        }
        let reply = match called.result {
            Err(failure) => return Ok(ended(failure.code(), failure.to_string())),
            Ok(Err(problem)) => {
                return Ok(match read_problem(&self.stage.edition, module, Some(&operation.route), problem) {
                    Ok(problem) => StepAnswer { used: used(0), ..refusal(&problem) },
                    Err(why) => failed(why),
                });
            }
            Ok(Ok(reply)) => reply,
        };
        let output = reply.body.len();
        let done = match check_reply(module, operation, reply, called.emitted, limits.output) {
            Ok(done) => done,
            Err(failure) => return Ok(failed(failure.to_string())),
        };
        let Done { status, body, etag, emitted, .. } = done;
        let Ok(body) = serde_json::from_str::<Json>(&body) else {
            return Ok(failed("an answer that is no JSON".to_owned()));
        };
        let fault = |item: &Item| format!("{}: {} by the published schema", item.pointer, item.code);
        Ok(StepAnswer {
            status: status.unwrap_or(operation.route.status),
            faults: operation.response.faults(&body).iter().map(fault).collect(),
            events: emitted.iter().map(event).collect(),
            emitted,
            body,
            etag,
            used: used(output),
        })
    }
}

/// A problem in the form of a step's answer.
pub fn refusal(problem: &Problem) -> StepAnswer {
    StepAnswer {
        status: problem.status,
        body: json!({ "code": problem.code, "errors": problem.errors }),
        etag: None,
        events: Vec::new(),
        emitted: Vec::new(),
        faults: Vec::new(),
        used: None,
    }
}

pub(super) fn event(event: &Event) -> Json {
    let data: Json = serde_json::from_str(&event.data).unwrap_or_default();
    json!({
        "kind": event.kind,
        "resourceType": event.resource_type,
        "resourceId": Uuid::from_u64_pair(event.resource.0, event.resource.1),
        "version": event.version,
        "data": data,
    })
}
