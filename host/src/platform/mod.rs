//! The host's own operations: entries of the same route table as the modules', with native handlers on the same road.

pub mod api_clients;
pub mod api_keys;
pub mod api_usage;
pub mod audit_list;
pub mod call;
pub mod checklist;
pub mod client_context;
pub mod company_settings;
pub mod conditions;
pub mod context;
pub mod current_user;
pub mod iam;
pub mod onboarding;
pub mod operators;
pub mod page;
pub mod routes;

pub use call::Call;

use serde_json::Value as Json;
use uuid::Uuid;

use crate::calendar;
use crate::database::Session;
use crate::governance::{Governor, Recorder};
use crate::identity::Environment;
use crate::operations::HostNames;
use crate::pipeline::run::{Done, Outcome, Refused};
use crate::pipeline::{self, Host};
use crate::sandbox::Limits;

/// The module name under which the host's own operations, permissions and scopes are published.
pub const NAME: &str = "platform";

/// Permissions that the host owns, with what they allow.
pub const PERMISSIONS: &[(&str, &str)] = &[
    ("api.manage", "Manage API clients, keys and webhooks."),
    ("settings.manage", "Read the audit log; change the company's settings."),
    ("users.manage", "Manage roles and memberships."),
];

/// What modules may build on and may not take.
pub const NAMES: HostNames = HostNames { module: NAME, permissions: PERMISSIONS, audit_filters: &audit_list::FILTERS };

/// What the host's operations need besides the request.
pub struct Platform {
    pub limits: Limits,
    /// Whether anybody with a verified identity may make a company.
    pub onboarding_open: bool,
    /// What the API keys that are issued here are good for.
    pub environment: Environment,
    pub governor: Governor,
    pub recorder: Recorder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    CurrentUser,
    TenantContext,
    CreateCompany,
    ListApiClients,
    CreateApiClient,
    ListScopes,
    GetApiClient,
    SetApiClientStatus,
    ReplaceApiClientScopes,
    ListApiKeys,
    IssueApiKey,
    RevokeApiKey,
    GetApiClientUsage,
    ApiClientContext,
    OnboardingChecklist,
    ShowSettings,
    ReplaceSettings,
    ListPermissions,
    ExecuteIamCommand,
    ListRoles,
    ReadRole,
    ListMemberships,
    ReadMembership,
    ListAuditEntries,
}

/// What a host's operation comes to.
pub type Performed = Result<Done, Refused>;

impl Host for Platform {
    type Operation = Operation;

    fn limits(&self) -> &Limits {
        &self.limits
    }

    async fn perform(&self, operation: &Operation, call: pipeline::Call<'_>, session: Session) -> Outcome {
        let pipeline::Call { request, input, opened } = call;
        perform(*operation, &Call { platform: self, request, input, opened }, session).await
    }
}

/// Performs an operation on the open session.
async fn perform(operation: Operation, call: &Call<'_>, mut session: Session) -> Outcome {
    let open = &mut session;
    let result = match operation {
        Operation::CurrentUser => current_user::answer(open, call).await,
        Operation::TenantContext => context::answer(open, call).await,
        Operation::ListApiClients => api_clients::list_all(open, call).await,
        Operation::CreateApiClient => api_clients::create(open, call).await,
        Operation::ListScopes => api_clients::scopes(call),
        Operation::GetApiClient => api_clients::get(open, call).await,
        Operation::SetApiClientStatus => api_clients::set_status(open, call).await,
        Operation::ReplaceApiClientScopes => api_clients::replace_scopes(open, call).await,
        Operation::ListApiKeys => api_keys::list_all(open, call).await,
        Operation::IssueApiKey => api_keys::issue(open, call).await,
        Operation::RevokeApiKey => api_keys::revoke(open, call).await,
        Operation::GetApiClientUsage => api_usage::answer(open, call).await,
        Operation::ApiClientContext => client_context::answer(open, call).await,
        Operation::ShowSettings => company_settings::show(open, call).await,
        Operation::ReplaceSettings => company_settings::replace(open, call).await,
        Operation::ListPermissions => Ok(iam::list_permissions(call)),
        Operation::ExecuteIamCommand => iam::execute(open, call).await,
        Operation::ListRoles => iam::list_roles(open, call).await,
        Operation::ReadRole => iam::read_role(open, call).await,
        Operation::ListMemberships => iam::list_memberships(open, call).await,
        Operation::ReadMembership => iam::read_membership(open, call).await,
        Operation::ListAuditEntries => audit_list::answer(open, call).await,
        // Those run modules, which take the session with them.
        Operation::CreateCompany => return onboarding::create(call, session).await,
        Operation::OnboardingChecklist => return checklist::answer(call, session).await,
    };
    Outcome { session: Some(session), result }
}

/// The answer of a read.
pub fn shown(body: Json) -> Done {
    Done {
        status: None,
        body: body.to_string(),
        etag: None,
        resource: None,
        subject: None,
        changed: Vec::new(),
        emitted: Vec::new(),
        tenant: None,
        credential: false,
        audit: None,
    }
}

/// The answer of a write about `resource`.
pub fn wrote(resource: Uuid, body: Json) -> Done {
    Done { resource: Some(resource), ..shown(body) }
}

/// A time as the interface writes it.
pub fn time(ms: i64) -> String {
    chrono::DateTime::from_timestamp_millis(ms).unwrap_or_default().format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
