//! One operation of the host: what the contract says of it, and the function that performs it. Each file of a noun begins with
//! a table of these, as each of a module does.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde_json::{Value as Json, json};
use stoa_descriptor::{Access, Audience, Idempotency, Route, Schemas};

use super::{Call, Performed, Platform};
use crate::database::Session;
use crate::pipeline::Input;
use crate::pipeline::outcome::Outcome;
use crate::problem::Problem;
use crate::sandbox::Module;

/// Bytes of a body.
const BODY_LIMIT: u64 = 1 << 20;

type SchemaOf = fn(&mut Schemas) -> Json;
/// Adds to a route what the active modules declare.
type Amend = fn(&mut Route, &[Arc<Module>]);
/// A check before the transaction; its rejection is reported once the call is known to be allowed and no replay.
type CheckAhead = for<'a> fn(&'a Platform, &'a Input) -> BoxFuture<'a, Result<(), Problem>>;

/// The function that performs an operation.
#[derive(Clone, Copy)]
pub enum Handler {
    /// On the open session.
    OnSession(for<'a> fn(&'a mut Session, &'a Call<'a>) -> BoxFuture<'a, Performed>),
    /// By running modules, which take the session with them.
    ThroughModules(for<'a> fn(Session, &'a Call<'a>) -> BoxFuture<'a, Outcome>),
}

/// The handler that is an `async fn(&mut Session, &Call<'_>) -> Performed`.
macro_rules! on_session {
    ($function:path) => {
        $crate::platform::operation::Handler::OnSession(|session, call| Box::pin($function(session, call)))
    };
}

/// The handler that is an `async fn(Session, &Call<'_>) -> Outcome`.
macro_rules! through_modules {
    ($function:path) => {
        $crate::platform::operation::Handler::ThroughModules(|session, call| Box::pin($function(session, call)))
    };
}

pub(super) use {on_session, through_modules};

/// A row of a table of operations.
pub struct PlatformOperation {
    method: &'static str,
    path: &'static str,
    name: &'static str,
    handler: Handler,
    summary: &'static str,
    description: &'static str,
    audience: Audience,
    permissions: &'static [&'static str],
    idempotency: Idempotency,
    status: u16,
    query: Option<SchemaOf>,
    body: Option<SchemaOf>,
    response: Option<SchemaOf>,
    problems: &'static [&'static str],
    audit: Option<&'static str>,
    cache_control: Option<&'static str>,
    amend: Option<Amend>,
    events: &'static [&'static str],
    check_ahead: Option<CheckAhead>,
    news: bool,
}

impl PlatformOperation {
    const fn new(method: &'static str, path: &'static str, name: &'static str, handler: Handler) -> PlatformOperation {
        PlatformOperation {
            method,
            path,
            name,
            handler,
            summary: "",
            description: "",
            audience: Audience::User,
            permissions: &[],
            idempotency: Idempotency::Required,
            status: 200,
            query: None,
            body: None,
            response: None,
            problems: &[],
            audit: None,
            cache_control: None,
            amend: None,
            events: &[],
            check_ahead: None,
            news: false,
        }
    }

    /// GET: a read in a snapshot.
    pub const fn read(path: &'static str, name: &'static str, handler: Handler) -> PlatformOperation {
        PlatformOperation { idempotency: Idempotency::None, ..PlatformOperation::new("GET", path, name, handler) }
    }

    /// POST that makes a record: 201, key required.
    pub const fn create(path: &'static str, name: &'static str, handler: Handler) -> PlatformOperation {
        PlatformOperation { status: 201, ..PlatformOperation::new("POST", path, name, handler) }
    }

    /// POST of a command that may be sent without a key: 201.
    pub const fn command(path: &'static str, name: &'static str, handler: Handler) -> PlatformOperation {
        PlatformOperation { idempotency: Idempotency::Optional, ..PlatformOperation::create(path, name, handler) }
    }

    /// POST that changes a record's state: 200, key required.
    pub const fn transition(path: &'static str, name: &'static str, handler: Handler) -> PlatformOperation {
        PlatformOperation::new("POST", path, name, handler)
    }

    /// PUT: full replacement, 200, key required.
    pub const fn replace(path: &'static str, name: &'static str, handler: Handler) -> PlatformOperation {
        PlatformOperation::new("PUT", path, name, handler)
    }

    /// PATCH of one member: 200, key required.
    pub const fn set(path: &'static str, name: &'static str, handler: Handler) -> PlatformOperation {
        PlatformOperation::new("PATCH", path, name, handler)
    }

    /// One line for the contract.
    pub const fn summary(mut self, summary: &'static str) -> PlatformOperation {
        self.summary = summary;
        self
    }

    /// Text for callers beyond the summary.
    pub const fn description(mut self, description: &'static str) -> PlatformOperation {
        self.description = description;
        self
    }

    /// Permissions of a person (all of them); without them every member may, or outside a company every signed-in user.
    pub const fn needs(mut self, permissions: &'static [&'static str]) -> PlatformOperation {
        self.permissions = permissions;
        self
    }

    /// For API clients, with all of these scopes.
    pub const fn machine(mut self, scopes: &'static [&'static str]) -> PlatformOperation {
        self.audience = Audience::ApiClient;
        self.permissions = scopes;
        self
    }

    /// The type that the query parameters are read as.
    pub const fn query<T: JsonSchema>(mut self) -> PlatformOperation {
        self.query = Some(Schemas::parameters::<T>);
        self
    }

    /// The type that the body is read as; without one no body is taken.
    pub const fn body<T: JsonSchema>(mut self) -> PlatformOperation {
        self.body = Some(Schemas::read::<T>);
        self
    }

    /// The type of the success body.
    pub const fn answers<T: JsonSchema>(mut self) -> PlatformOperation {
        self.response = Some(Schemas::response::<T>);
        self
    }

    /// Resource type of the audit entry.
    pub const fn writes(mut self, audit: &'static str) -> PlatformOperation {
        self.audit = Some(audit);
        self
    }

    /// Problem codes beyond those that every operation may answer.
    pub const fn problems(mut self, codes: &'static [&'static str]) -> PlatformOperation {
        self.problems = codes;
        self
    }

    /// Value of the answer's `Cache-Control`.
    pub const fn cache_control(mut self, value: &'static str) -> PlatformOperation {
        self.cache_control = Some(value);
        self
    }

    /// The active modules' additions to the route.
    pub const fn amend(mut self, amend: Amend) -> PlatformOperation {
        self.amend = Some(amend);
        self
    }

    /// Kinds of events that it emits.
    pub const fn emits(mut self, kinds: &'static [&'static str]) -> PlatformOperation {
        self.events = kinds;
        self
    }

    /// The check before the transaction.
    pub const fn check_ahead(mut self, check: CheckAhead) -> PlatformOperation {
        self.check_ahead = Some(check);
        self
    }

    /// A list for those who come back for what is new, people too: it ends at the watermark.
    pub const fn news(mut self) -> PlatformOperation {
        self.news = true;
        self
    }

    /// Whether it is such a list.
    pub(crate) fn is_news(&self) -> bool {
        self.news
    }

    /// Whether the world is asked anything before the transaction.
    pub(crate) const fn asks_ahead(&self) -> bool {
        self.check_ahead.is_some()
    }

    /// Asks the world what the operation has to know before its transaction.
    pub(crate) async fn ask_ahead(&self, platform: &Platform, input: &Input) -> Result<(), Problem> {
        match self.check_ahead {
            Some(check) => check(platform, input).await,
            None => Ok(()),
        }
    }

    /// The operation's name in the contract.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Scopes that an API client needs to call it; people's operations take no scopes.
    pub(super) fn scopes(&self) -> &'static [&'static str] {
        match self.audience {
            Audience::ApiClient => self.permissions,
            Audience::User => &[],
        }
    }

    /// Its route in the contract while these modules are active.
    pub(super) fn route(&self, modules: &[Arc<Module>], schemas: &mut Schemas) -> Route {
        let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let mut route = Route {
            method: self.method.to_owned(),
            path: self.path.to_owned(),
            operation: self.name.to_owned(),
            summary: self.summary.to_owned(),
            description: self.description.to_owned(),
            audience: self.audience,
            access: match self.permissions {
                [] => Access::Any(Vec::new()),
                permissions => Access::All(texts(permissions)),
            },
            idempotency: self.idempotency,
            read_only: self.idempotency == Idempotency::None,
            status: self.status,
            path_schema: None,
            query: self.query.map(|schema| schema(schemas)),
            body: self.body.map(|schema| schema(schemas)),
            response: self.response.map_or_else(|| json!({ "type": "object" }), |schema| schema(schemas)),
            if_match: false,
            body_limit: BODY_LIMIT,
            events: texts(self.events),
            problems: texts(self.problems),
            audit: self.audit.map(str::to_owned),
            cache_control: self.cache_control.map(str::to_owned),
            discloses_identifiers: false,
            csv: false,
            heavy: false,
            grows_with: None,
        };
        if let Some(amend) = self.amend {
            amend(&mut route, modules);
        }
        route
    }

    /// Performs it on the open session.
    pub async fn perform(&self, call: &Call<'_>, mut session: Session) -> Outcome {
        match self.handler {
            Handler::OnSession(run) => {
                let result = run(&mut session, call).await;
                Outcome { session: Some(session), result }
            }
            Handler::ThroughModules(run) => run(session, call).await,
        }
    }
}
