//! One call of a host's operation: the request with its valid input, and what the opening found of the caller.

use std::sync::Arc;

use serde::de::DeserializeOwned;
use uuid::Uuid;

use super::Platform;
use crate::identity::users::User;
use crate::pipeline::opening::Opened;
use crate::pipeline::request::Caller;
use crate::pipeline::{Input, Request};
use crate::problem::Problem;

#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub platform: &'a Platform,
    pub request: &'a Request,
    pub input: &'a Input,
    pub opened: &'a Opened,
    /// Where a list ends that is read for what is new: milliseconds since 1970.
    pub watermark: Option<i64>,
}

impl<'a> Call<'a> {
    /// The company of the path or of the key.
    pub fn tenant(&self) -> Result<Uuid, Problem> {
        self.request.tenant.ok_or_else(|| Problem::new("MEMBERSHIP_REQUIRED"))
    }

    pub fn user(&self) -> Result<&'a Arc<User>, Problem> {
        match &self.request.caller {
            Caller::User(user) => Ok(user),
            Caller::Client(_) => Err(Problem::new("WRONG_IDENTITY_FAMILY")),
        }
    }

    /// An id of the path. The schema has seen that it is a uuid.
    pub fn path_id(&self, name: &str) -> Result<Uuid, Problem> {
        let value = self.input.call.path.iter().find(|(known, _)| known == name);
        value.and_then(|(_, value)| Uuid::try_parse(value).ok()).ok_or_else(|| Problem::new("NOT_FOUND"))
    }

    /// The query as the type that it was validated by.
    pub fn query<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        stoa_descriptor::query::read(&self.input.call.query).map_err(|_| self.misfit::<T>())
    }

    /// The body as the type that it was validated by.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        serde_json::from_str(self.input.call.body.as_deref().unwrap_or("null")).map_err(|_| self.misfit::<T>())
    }

    /// Valid input of another shape than its own type: a fault of ours. The host does not log the input.
    fn misfit<T>(&self) -> Problem {
        let request = self.request.request_id;
        tracing::error!(%request, input = std::any::type_name::<T>(), "valid input does not fit its type");
        Problem::new("INTERNAL")
    }
}
