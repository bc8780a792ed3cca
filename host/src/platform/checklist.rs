//! `GET /tenants/{tenantId}/onboarding`: what a company has still to do, computed live: every module's own steps, then the host's.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::operation::{PlatformOperation, through_modules};
use super::reply::answer;
use super::values::text_enum;
use super::{Call, NAME};
use crate::database::{Cell, Error, Session};
use crate::pipeline::facts::facts;
use crate::pipeline::outcome::{ModuleCall, Outcome, Refused};
use crate::problem::Problem;
use crate::sandbox::Failure;
use crate::sandbox::call::{self, CallContext};
use crate::wit::module::Step;

pub const OPERATIONS: &[PlatformOperation] =
    &[PlatformOperation::read("/tenants/{tenantId}/onboarding", "getOnboardingChecklist", through_modules!(get))
        .summary("Setup steps of the company, done and open")
        .needs(&["settings.manage"])
        .answers::<OnboardingChecklist>()];

text_enum! {
    /// The state of an onboarding step.
    pub enum StepStatus { Done => "DONE", Pending => "PENDING" }
}

/// A step's code, in capitals as every code of the interface.
const STEP_CODE: &str = "^[A-Z][A-Z0-9_]*$";

#[derive(Serialize, JsonSchema)]
struct OnboardingChecklist {
    items: Vec<ChecklistStep>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ChecklistStep {
    #[schemars(regex(pattern = STEP_CODE), length(max = 64))]
    code: String,
    module: String,
    status: StepStatus,
    hint: String,
}

impl ChecklistStep {
    fn new(module: &str, step: Step) -> ChecklistStep {
        let status = if step.done { StepStatus::Done } else { StepStatus::Pending };
        ChecklistStep { code: step.code, module: module.to_owned(), status, hint: step.hint }
    }
}

async fn get(session: Session, call: &Call<'_>) -> Outcome {
    let Call { platform, request, opened, .. } = *call;
    let tenant = match call.tenant() {
        Ok(tenant) => tenant,
        Err(problem) => return Outcome { session: Some(session), result: Err(problem.into()) },
    };
    let mut items = Vec::new();
    let mut session = session;
    for module in &request.generation.modules {
        let ran = call::checklist(CallContext {
            module: module.clone(),
            session,
            facts: facts(request, opened, tenant),
            read_only: true,
            limits: platform.limits,
            listeners: Arc::default(),
        })
        .await;
        let blame = ModuleCall { module: &ran.blamed, operation: "checklist", trail: &request.trail };
        let refusal = match ran.result {
            Ok(steps) if !steps.iter().all(|step| is_step_code(&step.code)) => {
                let why = "a code of its checklist is not as the contract says".into();
                Some(blame.refuse_answer(&Failure::Fault(why).in_operation("checklist")))
            }
            Ok(steps) => {
                items.extend(steps.into_iter().map(|step| ChecklistStep::new(&module.name, step)));
                None
            }
            Err(failure) => Some(blame.refuse_failure(&failure)),
        };
        match (ran.session, refusal) {
            (Some(open), None) => session = open,
            (lost, refusal) => {
                let refusal = refusal.unwrap_or_else(|| Problem::new("INTERNAL").into());
                return Outcome { session: lost, result: Err(refusal) };
            }
        }
    }
    let result = match own_steps(&mut session, tenant).await {
        Ok(steps) => {
            items.extend(steps.into_iter().map(|step| ChecklistStep::new(NAME, step)));
            answer(&OnboardingChecklist { items })
        }
        Err(error) => Err(Refused::from(error)),
    };
    Outcome { session: Some(session), result }
}

/// The contract's form of codes: `STEP_CODE`, at most 64 characters.
fn is_step_code(code: &str) -> bool {
    let tail = |letter: u8| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == b'_';
    code.len() <= 64 && code.starts_with(|first: char| first.is_ascii_uppercase()) && code.bytes().all(tail)
}

/// The host's own steps.
async fn own_steps(session: &mut Session, tenant: Uuid) -> Result<Vec<Step>, Error> {
    let clients = session
        .query("select id from stoa_api_client where tenant_id = $1 and status = 'ACTIVE' limit 1", &[Cell::Id(tenant)])
        .await?;
    let webhooks = session
        .query(
            "select id from stoa_webhook_endpoint where tenant_id = $1 and status = 'ACTIVE' limit 1",
            &[Cell::Id(tenant)],
        )
        .await?;
    let webhook = Step {
        code: "WEBHOOK".into(),
        done: !webhooks.is_empty(),
        hint: "Create a webhook endpoint, so that your own systems receive events.".into(),
    };
    let client = Step {
        code: "API_CLIENT".into(),
        done: !clients.is_empty(),
        hint: "Create an API client, so that your own systems can call.".into(),
    };
    Ok(vec![client, webhook])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_steps_are_in_capitals() {
        for (code, fits) in [
            ("PRICE_LIST", true),
            ("STEP2", true),
            ("warehouse", false),
            ("PRICE-LIST", false),
            ("2ND", false),
            ("_", false),
            ("", false),
        ] {
            assert_eq!(is_step_code(code), fits, "{code}");
        }
        assert!(is_step_code(&"A".repeat(64)) && !is_step_code(&"A".repeat(65)));
    }
}
