//! The component that the body of a push brings.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{HeaderMap, header};

use crate::deployment::DeploymentError;
use crate::gate::artifact::Artifact;
use crate::gate::refusal::Refusal;

/// Header of an upload: the admission file, in base64.
pub const ADMISSION: &str = "stoa-admission";

/// The component and its admission, as an operator sends them.
pub(super) async fn read_artifact(headers: &HeaderMap, body: Bytes) -> Result<Artifact, DeploymentError> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind != "application/wasm" {
        // A reference to a registry is not taken yet.
        return Err(Refusal::new("VALIDATION_FAILED", "a component is sent as application/wasm").into());
    }
    // A component that comes by the wire must be signed, even where --dev takes unsigned ones from its own folder.
    let missing = |why| Refusal::new("SIGNATURE_MISSING", why);
    let admission = headers.get(ADMISSION).ok_or_else(|| missing("nobody signed this module"))?;
    let admission = BASE64_STANDARD.decode(admission).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let admission = admission.ok_or_else(|| missing("the admission cannot be read"))?;
    Ok(Artifact::new(body, Some(admission))?)
}
