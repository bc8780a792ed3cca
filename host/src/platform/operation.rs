//! One operation of the host: what the contract says of it, and the function that performs it. Each file of a noun begins with
//! a table of these, as each of a module does.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use stoa_descriptor::operation::Operation;
use stoa_descriptor::{Access, Route, Schemas};

use super::{Call, Performed, Platform};
use crate::database::Session;
use crate::pipeline::Input;
use crate::pipeline::outcome::Outcome;
use crate::problem::Problem;
use crate::sandbox::Module;

/// Adds to a route what the active modules declare.
type Amend = fn(&mut Route, &[Arc<Module>]);
/// A check before the transaction; its rejection is reported once the call is known to be allowed and no replay.
type CheckAhead = for<'a> fn(&'a Platform, &'a Input) -> BoxFuture<'a, Result<(), Problem>>;

/// A row of a table of operations.
pub type PlatformOperation = Operation<Handler>;

/// The function that performs an operation.
#[derive(Clone, Copy)]
pub enum Perform {
    /// On the open session.
    OnSession(for<'a> fn(&'a mut Session, &'a Call<'a>) -> BoxFuture<'a, Performed>),
    /// By running modules, which take the session with them.
    ThroughModules(for<'a> fn(Session, &'a Call<'a>) -> BoxFuture<'a, Outcome>),
}

/// How the host performs an operation, and what of it only the host's own operations have.
#[derive(Clone, Copy)]
pub struct Handler {
    perform: Perform,
    amend: Option<Amend>,
    check_ahead: Option<CheckAhead>,
    news: bool,
}

/// The handler that is an `async fn(&mut Session, &Call<'_>) -> Performed`.
macro_rules! on_session {
    ($function:path) => {
        $crate::platform::operation::Handler::new($crate::platform::operation::Perform::OnSession(|session, call| {
            Box::pin($function(session, call))
        }))
    };
}

/// The handler that is an `async fn(Session, &Call<'_>) -> Outcome`.
macro_rules! through_modules {
    ($function:path) => {
        $crate::platform::operation::Handler::new($crate::platform::operation::Perform::ThroughModules(
            |session, call| Box::pin($function(session, call)),
        ))
    };
}

pub(super) use {on_session, through_modules};

impl Handler {
    pub(super) const fn new(perform: Perform) -> Handler {
        Handler { perform, amend: None, check_ahead: None, news: false }
    }

    /// The active modules' additions to the route.
    pub(super) const fn amend(mut self, amend: Amend) -> Handler {
        self.amend = Some(amend);
        self
    }

    /// The check before the transaction.
    pub(super) const fn check_ahead(mut self, check: CheckAhead) -> Handler {
        self.check_ahead = Some(check);
        self
    }

    /// A list for those who come back for what is new, people too: it ends at the watermark.
    pub(super) const fn news(mut self) -> Handler {
        self.news = true;
        self
    }

    /// Returns whether it is such a list.
    pub(crate) fn is_news(&self) -> bool {
        self.news
    }

    /// Returns whether the world is asked anything before the transaction.
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

    /// Performs it on the open session.
    pub(super) async fn perform(&self, call: &Call<'_>, mut session: Session) -> Outcome {
        match self.perform {
            Perform::OnSession(run) => {
                let result = run(&mut session, call).await;
                Outcome { session: Some(session), result }
            }
            Perform::ThroughModules(run) => run(session, call).await,
        }
    }
}

/// The route of an operation while these modules are active. Without permissions every member may call it, or outside a
/// company every signed-in user; versions are members of the host's bodies.
pub(super) fn route(operation: &PlatformOperation, modules: &[Arc<Module>], schemas: &mut Schemas) -> Route {
    let mut route = Route { if_match: false, ..operation.route(schemas) };
    route.example = super::examples::find(&route.operation);
    if matches!(&route.access, Access::All(permissions) if permissions.is_empty()) {
        route.access = Access::Any(Vec::new());
    }
    if let Some(amend) = operation.runner().amend {
        amend(&mut route, modules);
    }
    route
}
