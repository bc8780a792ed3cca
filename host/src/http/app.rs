//! The parts of a running host that requests are answered with.

use std::sync::Arc;
use std::time::Duration;

use super::access_log::AccessLog;
use super::body::Bodies;
use super::budget::Budget;
use super::peer::Network;
use super::readiness::Readiness;
use super::reference::Reference;
use crate::database::Database;
use crate::deployment::Deployment;
use crate::identity::api_keys::ApiKeys;
use crate::identity::users::Users;
use crate::identity::{DevIssuer, Verifier};
use crate::observe::tracer::Tracer;
use crate::platform::Platform;
use crate::watchdog::Watchdog;

/// Everything that answering needs.
pub struct App {
    pub deployment: Arc<Deployment>,
    pub database: Arc<Database>,
    pub watchdog: Arc<Watchdog>,
    pub tracer: Tracer,
    pub platform: Arc<Platform>,
    pub verifier: Verifier,
    pub users: Users,
    pub api_keys: ApiKeys,
    pub dev_issuer: Option<DevIssuer>,
    pub bodies: Bodies,
    pub response_memory: Arc<Budget>,
    pub readiness: Readiness,
    pub reference: Reference,
    pub access_log: AccessLog,
    pub trusted_proxies: Vec<Network>,
    /// Longest time of one transaction.
    pub request_timeout: Duration,
}
