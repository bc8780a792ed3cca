//! The component that a push brings: its body, or the content of a registry that the body names.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::{HeaderMap, header};
use serde::Deserialize;

use super::Console;
use super::answer::{invalid, parse_body};
use crate::deployment::DeploymentError;
use crate::gate::admission::Admission;
use crate::gate::artifact::Artifact;
use crate::gate::refusal::Refusal;

/// Header of an upload: the admission file, in base64.
pub const ADMISSION: &str = "stoa-admission";

/// The body of a push that names a component.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PushedReference {
    /// `oci://HOST/PATH@sha256:HEX`.
    reference: String,
}

/// The component and its admission, as an operator sends them, or as the registry has them that an operator names.
pub(super) async fn read_artifact(
    console: &Console,
    headers: &HeaderMap,
    body: Bytes,
) -> Result<Artifact, DeploymentError> {
    match headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default() {
        "application/wasm" => Ok(Artifact::new(body, Some(read_admission(headers)?))?),
        "application/json" => {
            let PushedReference { reference } = parse_body(&body)?;
            let trust = console.deployment.gate.trust.load_full();
            Ok(console.registries.fetch(&reference, &trust).await?)
        }
        _ => Err(invalid("a component is sent as application/wasm, its reference as application/json").into()),
    }
}

/// A component that comes by the wire must be signed, even where --dev takes unsigned ones from its own folder.
fn read_admission(headers: &HeaderMap) -> Result<Admission, Refusal> {
    let missing = |why| Refusal::new("SIGNATURE_MISSING", why);
    let admission = headers.get(ADMISSION).ok_or_else(|| missing("this module has no signature"))?;
    let admission = BASE64_STANDARD.decode(admission).ok().and_then(|text| serde_json::from_slice(&text).ok());
    admission.ok_or_else(|| missing("the admission cannot be read"))
}
