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
}

impl<'a> Call<'a> {
    /// The company of the path or of the key.
    pub fn tenant(&self) -> Result<Uuid, Problem> {
        self.request.tenant.ok_or_else(|| Problem::of("MEMBERSHIP_REQUIRED"))
    }

    pub fn user(&self) -> Result<&'a Arc<User>, Problem> {
        match &self.request.caller {
            Caller::User(user) => Ok(user),
            Caller::Client(_) => Err(Problem::of("WRONG_IDENTITY_FAMILY")),
        }
    }

    /// An id of the path. The schema has seen that it is a uuid.
    pub fn path_id(&self, name: &str) -> Result<Uuid, Problem> {
        let value = self.input.call.path.iter().find(|(known, _)| known == name);
        value.and_then(|(_, value)| Uuid::try_parse(value).ok()).ok_or_else(|| Problem::of("NOT_FOUND"))
    }

    /// A query parameter, as text; one with a default is always there.
    pub fn query(&self, name: &str) -> Option<&'a str> {
        self.input.call.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body, which the schema has found valid.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let body = self.input.call.body.as_deref().unwrap_or("null");
        serde_json::from_str(body).map_err(|error| {
            // The schema admits what the type does not take: a fault of ours, told by its kind, never by the value.
            tracing::error!(request = %self.request.request_id, line = error.line(), "a valid body does not fit its type");
            Problem::of("VALIDATION_FAILED")
        })
    }
}
