//! An operation as the contract describes it.

use http::Method;
use serde_json::{Map, Value};

pub struct Operation {
    pub id: String,
    pub method: Method,
    /// Below `/v1/tenants/{tenantId}`, as `/catalog/products/{productId}`; of `createCompany`, below `/v1`.
    pub path: String,
    /// True if the path is below a company.
    pub of_company: bool,
    pub module: String,
    pub summary: String,
    pub description: String,
    pub access: Access,
    /// True if it takes an idempotency key.
    pub key: bool,
    pub if_match: bool,
    pub csv: bool,
    /// The status of a success.
    pub status: u16,
    pub parameters: Vec<Parameter>,
    pub body: Option<Value>,
    pub response: Value,
    /// `x-stoa-item-codes`.
    pub sentences: Map<String, Value>,
}

pub struct Parameter {
    pub name: String,
    pub place: Place,
    pub required: bool,
    pub schema: Value,
    pub description: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Path,
    Query,
}

/// Permissions that an operation requires (`x-stoa-access`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    All(Vec<String>),
    /// One of them; an empty list: every member.
    Any(Vec<String>),
}

impl Access {
    pub fn permits(&self, permissions: &[String]) -> bool {
        match self {
            Access::All(codes) => codes.iter().all(|code| permissions.contains(code)),
            Access::Any(codes) => codes.is_empty() || codes.iter().any(|code| permissions.contains(code)),
        }
    }
}
