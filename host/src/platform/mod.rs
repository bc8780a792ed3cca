//! The host's own operations: entries of the same route table as the modules', with native handlers on the same road.

pub mod api_clients;
pub mod api_keys;
pub mod api_usage;
mod audit_entry;
pub mod audit_list;
pub mod call;
pub mod checklist;
pub mod client_context;
pub mod company_settings;
pub mod conditions;
pub mod context;
pub mod current_user;
pub mod emitted;
mod examples;
pub mod founding;
pub mod history;
pub mod iam;
pub mod onboarding;
pub mod operation;
pub mod operators;
pub mod oversight;
pub mod page;
pub mod public;
pub mod reply;
pub mod values;
pub mod webhooks;

pub use call::Call;
pub use operation::PlatformOperation;

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use stoa_descriptor::{Named, Route, Schemas};

use crate::database::{Database, Session};
use crate::events::TEST_KIND;
use crate::events::dialer::Dialer;
use crate::governance::{Governor, Recorder};
use crate::identity::Environment;
use crate::keyring::KeyRing;
use crate::operations::HostNames;
use crate::pipeline::outcome::{Done, Outcome, Refused};
use crate::pipeline::{self, Host};
use crate::sandbox::{Limits, Module};

/// The module name under which the host's own operations, permissions and scopes are published.
pub const NAME: &str = "platform";

/// Permissions that the host owns, with what they allow.
pub const PERMISSIONS: &[(&str, &str)] = &[
    ("api.manage", "Manage API clients, keys and webhooks."),
    ("settings.manage", "Read the audit log; change the company's settings."),
    ("users.manage", "Manage roles and memberships."),
];

/// Scopes that the host owns, with what they allow.
pub const SCOPES: &[(&str, &str)] = &[(webhooks::SCOPE, "Manage webhook endpoints; read deliveries and events.")];

/// Codes of items that the host's own operations answer beyond the shared ones, and the sentence of each.
const ITEM_CODES: &[(&str, &str)] = &[(
    "ADDRESS_NOT_ALLOWED",
    "The host does not call this address. `expected` has the scheme and the port that it accepts.",
)];

/// Those codes, as the contract has them.
pub fn item_codes() -> Vec<Named> {
    let named =
        |(code, sentence): &(&str, &str)| Named { code: (*code).to_owned(), description: (*sentence).to_owned() };
    ITEM_CODES.iter().map(named).collect()
}

/// Names that modules may build on and may not take.
pub const NAMES: HostNames = HostNames {
    module: NAME,
    permissions: PERMISSIONS,
    scopes: SCOPES,
    events: &[TEST_KIND],
    audit_filters: &audit_list::FILTERS,
    onboarding: &onboarding::OWN_MEMBERS,
};

/// The context of the host's operations besides the request.
pub struct Platform {
    pub database: Arc<Database>,
    pub limits: Limits,
    /// True if every user with a verified identity may make a company.
    pub onboarding_open: bool,
    /// Companies that one user may make in a day.
    pub companies_per_day: u32,
    /// Endpoints of webhooks that a company has at most.
    pub webhook_endpoints: u32,
    /// True if this is a --dev host: a rejection may then name a setting of it.
    pub dev: bool,
    /// Environment of the API keys that are issued here.
    pub environment: Environment,
    pub governor: Governor,
    pub recorder: Recorder,
    /// Keys that the secrets of webhooks are encrypted under.
    pub keys: Arc<KeyRing>,
    /// The judge of the addresses to which webhooks may point.
    pub dialer: Arc<Dialer>,
}

/// The result of a host's operation.
pub type Performed = Result<Done, Refused>;

impl Host for Platform {
    type Operation = &'static PlatformOperation;

    fn limits(&self) -> &Limits {
        &self.limits
    }

    async fn perform(
        &self,
        operation: &&'static PlatformOperation,
        call: pipeline::OpenedCall<'_>,
        session: Session,
    ) -> Outcome {
        let pipeline::OpenedCall { request, input, opened, watermark } = call;
        operation.runner().perform(&Call { platform: self, request, input, opened, watermark }, session).await
    }
}

/// The tables of operations, in the order of the contract.
const OPERATIONS: &[&[PlatformOperation]] = &[
    current_user::OPERATIONS,
    context::OPERATIONS,
    onboarding::OPERATIONS,
    api_clients::OPERATIONS,
    api_keys::OPERATIONS,
    api_usage::OPERATIONS,
    client_context::OPERATIONS,
    checklist::OPERATIONS,
    company_settings::OPERATIONS,
    history::OPERATIONS,
    iam::permissions::OPERATIONS,
    iam::commands::OPERATIONS,
    iam::roles::OPERATIONS,
    iam::memberships::OPERATIONS,
    audit_list::OPERATIONS,
    emitted::OPERATIONS,
];

/// Every operation of the host that takes the pipeline's road.
pub fn operations() -> impl Iterator<Item = &'static PlatformOperation> {
    OPERATIONS.iter().copied().chain(webhooks::OPERATIONS).flatten()
}

/// The contract's description of the host's own operations.
pub struct Description {
    pub routes: Vec<(Route, &'static PlatformOperation)>,
    /// Schemas that the routes refer to.
    pub schemas: Map<String, Json>,
}

/// Describes the host's own operations while these modules are active.
pub fn describe(modules: &[Arc<Module>]) -> Result<Description, String> {
    let mut schemas = Schemas::default();
    let routes =
        operations().map(|operation| (operation::route(operation, modules, &mut schemas), operation)).collect();
    let mut schemas = schemas.finish()?;
    schemas.extend(public::schemas());
    Ok(Description { routes, schemas })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Judged;
    use crate::operations::Operation;

    #[test]
    fn every_operation_is_described() {
        let described = describe(&[]).unwrap();
        assert_eq!(described.routes.len(), 50);
        for (route, _) in &described.routes {
            let known = crate::contract::openapi::host_schemas(std::iter::empty(), &[]);
            let codes = known["ProblemCode"]["enum"].as_array().unwrap();
            assert!(route.problems.iter().all(|code| codes.contains(&code.as_str().into())), "{}", route.operation);
            assert_eq!(route.audit.is_some(), !route.read_only, "{}", route.operation);
            assert!(!route.summary.is_empty(), "{}", route.operation);
            Operation::compile(Judged::Now, route.clone(), &described.schemas).map(|_| ()).unwrap();
        }
    }
}
