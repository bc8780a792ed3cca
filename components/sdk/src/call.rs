//! Reading a call: path, query, body and `If-Match`. The host has validated all of it by the operation's schemas.

use serde::de::DeserializeOwned;
use stoa_descriptor::query;

use crate::bindings::exports::commerce::platform::module::{Call, Problem};
use crate::id::Id;
use crate::problem::item;
use crate::reply::etag;

impl Call {
    /// The id in the path.
    ///
    /// # Errors
    /// VALIDATION_FAILED if it is invalid, which the host rejects before.
    pub fn path_id(&self, name: &str) -> Result<Id, Problem> {
        self.path_text(name)
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Problem::invalid(vec![item(format!("/path/{name}"), "FORMAT")]))
    }

    /// The path's parameters as a struct.
    ///
    /// # Errors
    /// VALIDATION_FAILED where they are not of the type, which the host refuses before.
    pub fn path<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        query::read(&self.path).map_err(|_| Problem::invalid(vec![item("/path", "FORMAT")]))
    }

    fn path_text(&self, name: &str) -> Option<&str> {
        self.path.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The query as a struct.
    ///
    /// # Errors
    /// VALIDATION_FAILED where it is not of the type, which the host refuses before.
    pub fn query<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        query::read(&self.query).map_err(|_| Problem::invalid(vec![item("/query", "FORMAT")]))
    }

    /// The body as a struct.
    ///
    /// # Errors
    /// VALIDATION_FAILED where it is not of the type, which the host refuses before.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        serde_json::from_str(self.body.as_deref().unwrap_or("null"))
            .map_err(|_| Problem::invalid(vec![item("", "TYPE")]))
    }

    /// Compares `If-Match`, where it is sent, with the row as it is locked.
    ///
    /// # Errors
    /// PRECONDITION_FAILED.
    pub fn matches(&self, id: Id, version: i64) -> Result<(), Problem> {
        match &self.if_match {
            Some(header) if !admits(header, &etag(id, version)) => Err(Problem::precondition_failed()),
            _ => Ok(()),
        }
    }
}

/// `*` or a list of entity tags, quoted or bare; a weak tag never matches (RFC 9110, 13.1.1).
fn admits(header: &str, tag: &str) -> bool {
    header.trim() == "*"
        || header.split(',').any(|sent| {
            let sent = sent.trim();
            sent.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(sent) == tag
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_match_is_compared_strongly() {
        for header in ["*", " * ", "\"a.1\"", "a.1", "\"b.2\", \"a.1\""] {
            assert!(admits(header, "a.1"), "{header}");
        }
        for header in ["", "\"a.2\"", "W/\"a.1\"", "\"a.1", "a.11"] {
            assert!(!admits(header, "a.1"), "{header}");
        }
    }
}
