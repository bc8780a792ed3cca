//! The reason why the gate rejects a module: one of the operators' codes (platform.md 9), with all that an operator needs to fix it.

use std::fmt;

use http::StatusCode;

use super::diff::Change;
use crate::sandbox::generation::Unlinked;

#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    pub code: &'static str,
    /// The status with which the operators' side answers it.
    pub status: StatusCode,
    /// Module, item, wanted and offered: for operators, who may see all of it.
    pub detail: String,
    /// Changes that prevent it, item by item, where the code is CONTRACT_BREAKING or SCHEMA_NOT_ADDITIVE.
    pub changes: Vec<Change>,
}

impl Refusal {
    /// A refusal that is answered with 400.
    pub fn new(code: &'static str, detail: impl Into<String>) -> Refusal {
        Refusal { code, status: StatusCode::BAD_REQUEST, detail: detail.into(), changes: Vec::new() }
    }

    /// The same with another status.
    pub fn with_status(self, status: StatusCode) -> Refusal {
        Refusal { status, ..self }
    }

    /// The same, about a file or module of this name.
    pub fn of(mut self, name: &str) -> Refusal {
        self.detail = format!("{name}: {}", self.detail);
        self
    }
}

impl From<Unlinked> for Refusal {
    fn from(unlinked: Unlinked) -> Refusal {
        match unlinked {
            Unlinked::Descriptors(what) => Refusal::new("DESCRIPTOR_INVALID", what),
            Unlinked::Tables(what) => Refusal::new("TABLE_TAKEN", what).with_status(StatusCode::CONFLICT),
            Unlinked::Services(what) => Refusal::new("SERVICE_UNRESOLVED", what).with_status(StatusCode::CONFLICT),
            Unlinked::Points(what) => Refusal::new("POINT_UNRESOLVED", what).with_status(StatusCode::CONFLICT),
            Unlinked::Circle(what) => Refusal::new("POINT_CIRCLE", what).with_status(StatusCode::CONFLICT),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.code, self.detail)
    }
}

impl std::error::Error for Refusal {}
