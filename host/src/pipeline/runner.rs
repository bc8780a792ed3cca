//! The runner of an operation: a module, or one of the host's own handlers. The handlers are above the pipeline and are passed in.

use std::sync::Arc;

use super::opening::Opened;
use super::outcome::Outcome;
use super::request::{Input, Request};
use crate::database::Session;
use crate::sandbox::{Limits, Module};

/// `O`: one of the host's own operations.
#[derive(Clone)]
pub enum Runner<O> {
    Host(O),
    Module(Arc<Module>),
}

/// One call that may go on: the request with its valid input, and what the opening found of the caller.
#[derive(Clone, Copy)]
pub struct OpenedCall<'a> {
    pub request: &'a Request,
    pub input: &'a Input,
    pub opened: &'a Opened,
    /// Where a list ends that is read for what is new ([`crate::database::Database::watermark`]).
    pub watermark: Option<i64>,
}

/// The performer of the host's own operations.
pub trait Host: Send + Sync + 'static {
    type Operation: Clone + Send + Sync + 'static;

    /// Limits of one request's use of modules.
    fn limits(&self) -> &Limits;

    /// Performs an operation on the open session.
    fn perform(
        &self,
        operation: &Self::Operation,
        call: OpenedCall<'_>,
        session: Session,
    ) -> impl Future<Output = Outcome> + Send;
}
