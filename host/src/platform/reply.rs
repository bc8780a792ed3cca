//! Answers of a host's operation: the body, and for a write what it was about.

use serde::Serialize;
use uuid::Uuid;

use super::Performed;
use crate::database::Error;
use crate::pipeline::outcome::Done;

/// The answer with this body.
pub fn answer(body: &impl Serialize) -> Performed {
    Ok(Done {
        status: None,
        body: serde_json::to_string(body).map_err(|error| Error::Fault(error.to_string()))?,
        etag: None,
        resource: None,
        subjects: Vec::new(),
        changed: Vec::new(),
        emitted: Vec::new(),
        tenant: None,
        credential: false,
        audit: None,
        detail: None,
        extensions: Vec::new(),
    })
}

/// The answer of a write about `resource`.
pub fn answer_about(resource: Uuid, body: &impl Serialize) -> Performed {
    Ok(Done { resource: Some(resource), ..answer(body)? })
}
