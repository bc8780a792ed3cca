//! The host's own operations: entries of the same route table as the modules', with native handlers on the same road.

pub mod context;
pub mod current_user;
pub mod onboarding;
pub mod routes;

use crate::database::Session;
use crate::modules::Limits;
use crate::pipeline::opening::Opened;
use crate::pipeline::run::{Done, Outcome, Refused};
use crate::pipeline::{Input, Request};

/// Permissions that the host owns, with what they allow.
pub const PERMISSIONS: &[(&str, &str)] = &[
    ("api.manage", "Manage API clients, keys and webhooks."),
    ("settings.manage", "Read the audit log; change the company's settings."),
    ("users.manage", "Manage roles and memberships."),
];

/// What the host's operations need besides the request.
pub struct Platform {
    pub limits: Limits,
    /// Whether anybody with a verified identity may make a company.
    pub onboarding_open: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    CurrentUser,
    TenantContext,
    CreateCompany,
}

/// Performs an operation on the open session.
pub async fn perform(
    platform: &Platform,
    operation: Operation,
    request: &Request,
    input: &Input,
    opened: &Opened,
    mut session: Session,
) -> Outcome {
    let result = match operation {
        Operation::CurrentUser => current_user::answer(&mut session, request).await,
        Operation::TenantContext => context::answer(&mut session, request, opened).await,
        Operation::CreateCompany => return onboarding::create(platform, request, input, opened, session).await,
    };
    Outcome { session: Some(session), result: result.map(read) }
}

fn read(body: serde_json::Value) -> Done {
    Done {
        status: None,
        body: body.to_string(),
        etag: None,
        resource: None,
        subject: None,
        changed: Vec::new(),
        emitted: Vec::new(),
        tenant: None,
    }
}

/// A time as the interface writes it.
pub fn time(ms: i64) -> String {
    chrono::DateTime::from_timestamp_millis(ms).unwrap_or_default().format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// Refusals of reads are those of the database alone.
pub type Read = Result<serde_json::Value, Refused>;
