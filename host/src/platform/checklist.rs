//! `GET /tenants/{tenantId}/onboarding`: what a company has still to do, computed live: every module's own steps, then the host's.

use serde_json::{Value as Json, json};
use stoa_descriptor::Route;

use super::routes::{array, object, permission, read, reference, text};
use super::{Call, NAME, Operation, shown};
use crate::database::{Cell, Error, Session};
use crate::pipeline::facts::facts;
use crate::pipeline::run::{Outcome, Refused, failed};
use crate::problem::Problem;
use crate::sandbox::call::{self, Entry, Failure};
use crate::wit::module::Step;

pub fn routes() -> Vec<(Route, Operation)> {
    let route = Route {
        access: permission("settings.manage"),
        ..read(
            "/tenants/{tenantId}/onboarding",
            "getOnboardingChecklist",
            "What the company has done, and what is left, to be ready.",
            reference("OnboardingChecklist"),
        )
    };
    vec![(route, Operation::OnboardingChecklist)]
}

pub fn schemas() -> Vec<(&'static str, Json)> {
    let step = object(json!({
        "code": text(), "module": text(), "status": { "enum": ["DONE", "PENDING"] }, "hint": text(),
    }));
    vec![("OnboardingChecklist", object(json!({ "items": array(step) })))]
}

pub async fn answer(call: &Call<'_>, session: Session) -> Outcome {
    let Call { platform, request, opened, .. } = *call;
    let tenant = match call.tenant() {
        Ok(tenant) => tenant,
        Err(problem) => return Outcome { session: Some(session), result: Err(problem.into()) },
    };
    let mut items = Vec::new();
    let mut session = session;
    for module in &request.generation.modules {
        let ran = call::checklist(Entry {
            module: module.clone(),
            session,
            facts: facts(request, opened, tenant),
            read_only: true,
            limits: platform.limits,
        })
        .await;
        let refusal = match ran.result {
            Ok(steps) if !ran.closed => {
                items.extend(steps.iter().map(|step| shown_step(&module.name, step)));
                None
            }
            Ok(_) => Some(Failure::Fault("it answered its checklist after a store failure".into())),
            Err(failure) => Some(failure),
        };
        let refusal = refusal.map(|failure| failed(&failure, &ran.blamed, request.request_id));
        match (ran.session, refusal) {
            (Some(open), None) => session = open,
            (lost, refusal) => {
                let refusal = refusal.unwrap_or_else(|| Problem::of("INTERNAL").into());
                return Outcome { session: lost, result: Err(refusal) };
            }
        }
    }
    let own = own_steps(&mut session, tenant).await;
    let result = own.map_err(Refused::from).map(|own| {
        items.extend(own.iter().map(|step| shown_step(NAME, step)));
        shown(json!({ "items": items }))
    });
    Outcome { session: Some(session), result }
}

/// The host's own steps.
async fn own_steps(session: &mut Session, tenant: uuid::Uuid) -> Result<Vec<Step>, Error> {
    let clients = session
        .query("select id from stoa_api_client where tenant_id = $1 and status = 'ACTIVE' limit 1", &[Cell::Id(tenant)])
        .await?;
    Ok(vec![Step {
        code: "API_CLIENT".into(),
        done: !clients.is_empty(),
        hint: "Create an API client, so that your own systems can call.".into(),
    }])
}

fn shown_step(module: &str, step: &Step) -> Json {
    let status = if step.done { "DONE" } else { "PENDING" };
    json!({ "code": step.code, "module": module, "status": status, "hint": step.hint })
}
