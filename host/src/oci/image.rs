//! Manifests, as registries keep them. A component is an image of one layer `application/wasm` with the configuration
//! of the CNCF's Wasm artifact, as `wkg` writes and reads it; an admission is an artifact that refers to the image.
//! The same component always makes the same image: its digest says what it is, and not when it was published.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::digest::OciDigest;
use super::fault::RegistryFault;
use super::interfaces::Interfaces;
use crate::gate::admission::Admission;
use crate::gate::artifact::LARGEST;

pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub const INDEX: &str = "application/vnd.oci.image.index.v1+json";
/// Type of an admission: of its manifest, and of the one layer in it.
pub const ADMISSION_TYPE: &str = "application/vnd.stoa.admission.v1+json";
const CONFIGURATION: &str = "application/vnd.wasm.config.v0+json";
const COMPONENT: &str = "application/wasm";
const EMPTY: &str = "application/vnd.oci.empty.v1+json";
/// Bytes of an admission at most.
const LARGEST_ADMISSION: usize = 64 * 1024;

/// Names some content of a registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OciDescriptor {
    pub media_type: String,
    pub digest: OciDigest,
    pub size: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ImageManifest {
    schema_version: u32,
    media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    artifact_type: Option<String>,
    config: OciDescriptor,
    layers: Vec<OciDescriptor>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subject: Option<OciDescriptor>,
}

/// Content with its descriptor.
#[derive(Debug, Clone)]
pub struct OciContent {
    pub descriptor: OciDescriptor,
    pub bytes: Bytes,
}

/// All that a registry gets of a component and one admission of it.
pub struct Publication {
    pub image: OciContent,
    pub admission: OciContent,
    /// The content that the two manifests name.
    pub blobs: Vec<OciContent>,
}

impl OciContent {
    fn new(media_type: &str, bytes: impl Into<Bytes>) -> OciContent {
        let bytes = bytes.into();
        let descriptor = OciDescriptor {
            media_type: media_type.to_owned(),
            digest: OciDigest::from_content(&bytes),
            size: bytes.len(),
            artifact_type: None,
        };
        OciContent { descriptor, bytes }
    }
}

impl Publication {
    pub fn new(component: &Bytes, admission: &Admission) -> anyhow::Result<Publication> {
        let Interfaces { imports, exports } = Interfaces::read(component)?;
        let layer = OciContent::new(COMPONENT, component.clone());
        let configuration = json!({
            // No clock: otherwise each publication were another image.
            "created": "1970-01-01T00:00:00Z",
            "author": null,
            "architecture": "wasm",
            "os": "wasip2",
            "layerDigests": [layer.descriptor.digest],
            "component": { "exports": exports, "imports": imports, "target": null },
        });
        let configuration = OciContent::new(CONFIGURATION, serde_json::to_vec(&configuration)?);
        let image = make_manifest(&configuration, &layer, None)?;
        let (empty, statement) =
            (OciContent::new(EMPTY, "{}"), OciContent::new(ADMISSION_TYPE, serde_json::to_vec(admission)?));
        let mut referrer = make_manifest(&empty, &statement, Some(&image))?;
        referrer.descriptor.artifact_type = Some(ADMISSION_TYPE.to_owned());
        Ok(Publication { image, admission: referrer, blobs: vec![configuration, layer, empty, statement] })
    }
}

/// `subject`: the image that an admission refers to.
fn make_manifest(
    configuration: &OciContent,
    layer: &OciContent,
    subject: Option<&OciContent>,
) -> anyhow::Result<OciContent> {
    let manifest = ImageManifest {
        schema_version: 2,
        media_type: Some(MANIFEST.to_owned()),
        artifact_type: subject.map(|_| ADMISSION_TYPE.to_owned()),
        config: configuration.descriptor.clone(),
        layers: vec![layer.descriptor.clone()],
        subject: subject.map(|image| image.descriptor.clone()),
    };
    Ok(OciContent::new(MANIFEST, serde_json::to_vec(&manifest)?))
}

/// The component that an image holds.
pub fn find_component(manifest: &[u8]) -> Result<OciDescriptor, RegistryFault> {
    find_layer(manifest, COMPONENT, None, LARGEST, "the component")
}

/// The admission that a manifest holds about this image.
pub fn find_admission(manifest: &[u8], image: OciDigest) -> Result<OciDescriptor, RegistryFault> {
    find_layer(manifest, ADMISSION_TYPE, Some(image), LARGEST_ADMISSION, "the admission")
}

/// The one layer of a manifest, if it is of this type and size, and the manifest of this subject.
fn find_layer(
    manifest: &[u8],
    media_type: &str,
    subject: Option<OciDigest>,
    largest: usize,
    name: &'static str,
) -> Result<OciDescriptor, RegistryFault> {
    let malformed = |why: String| RegistryFault::Malformed(why);
    let manifest: ImageManifest = serde_json::from_slice(manifest)
        .map_err(|_| malformed(format!("the reference names no image of one layer {media_type}")))?;
    if subject.is_some() && manifest.subject.map(|subject| subject.digest) != subject {
        return Err(malformed(format!("{name} is about another image")));
    }
    match <[OciDescriptor; 1]>::try_from(manifest.layers) {
        Ok([layer]) if layer.media_type != media_type => {
            Err(malformed(format!("the layer of the image is {}, not {media_type}", layer.media_type)))
        }
        Ok([layer]) if layer.size > largest => Err(RegistryFault::TooLarge(name, largest)),
        Ok([layer]) => Ok(layer),
        Err(layers) => Err(malformed(format!("the image has {} layers, not one {media_type}", layers.len()))),
    }
}

/// The admissions that an index lists. Other entries of the index are ignored.
pub fn list_admissions(index: &[u8]) -> Vec<OciDescriptor> {
    let index: Json = serde_json::from_slice(index).unwrap_or_default();
    let listed = index["manifests"].as_array().into_iter().flatten();
    let listed = listed.filter_map(|entry| OciDescriptor::deserialize(entry).ok());
    listed.filter(|entry| entry.artifact_type.as_deref() == Some(ADMISSION_TYPE)).collect()
}

/// The index with one more entry; a new one where there is none. Other entries stay as they are.
pub fn add_to_index(index: Option<&[u8]>, entry: &Json) -> anyhow::Result<Vec<u8>> {
    let mut index: Json = match index {
        Some(text) => serde_json::from_slice(text)?,
        None => json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": [] }),
    };
    let listed = index["manifests"].as_array_mut().ok_or_else(|| anyhow::anyhow!("the index lists no manifests"))?;
    if !listed.contains(entry) {
        listed.push(entry.clone());
    }
    Ok(serde_json::to_vec(&index)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A component of the text format with one import and one export.
    fn publication() -> Publication {
        let text = r#"(component
            (import "commerce:platform/log@0.1.0" (instance $log))
            (export "commerce:platform/module@0.1.0" (instance $log)))"#;
        let component = wat::parse_str(text).expect("a component").into();
        let admission = Admission { statement: "{}".to_owned(), signature: "00".to_owned() };
        Publication::new(&component, &admission).expect("a publication")
    }

    #[test]
    fn an_image_is_as_wkg_writes_it() {
        let publication = publication();
        let manifest: Json = serde_json::from_slice(&publication.image.bytes).expect("JSON");
        assert_eq!(manifest["mediaType"], MANIFEST);
        assert_eq!(manifest["config"]["mediaType"], "application/vnd.wasm.config.v0+json");
        assert_eq!(manifest["layers"][0]["mediaType"], "application/wasm");
        assert!(manifest.get("subject").is_none() && manifest.get("artifactType").is_none(), "{manifest}");
        let configuration: Json = serde_json::from_slice(&publication.blobs[0].bytes).expect("JSON");
        assert_eq!(configuration["layerDigests"][0], manifest["layers"][0]["digest"]);
        assert_eq!((&configuration["architecture"], &configuration["os"]), (&json!("wasm"), &json!("wasip2")));
        assert_eq!(configuration["component"]["imports"], json!(["commerce:platform/log@0.1.0"]));
        assert_eq!(configuration["component"]["exports"], json!(["commerce:platform/module@0.1.0"]));
        let layer = find_component(&publication.image.bytes).expect("a component");
        assert_eq!(layer, publication.blobs[1].descriptor);
    }

    #[test]
    fn an_admission_is_about_one_image() {
        let publication = publication();
        let image = publication.image.descriptor.digest;
        let layer = find_admission(&publication.admission.bytes, image).expect("an admission");
        assert_eq!(layer, publication.blobs[3].descriptor);
        let other = OciDigest::from_content(b"another");
        assert!(find_admission(&publication.admission.bytes, other).is_err());
        assert!(find_admission(&publication.image.bytes, image).is_err(), "an image is no admission");
        assert!(find_component(&publication.admission.bytes).is_err(), "an admission is no image");
    }

    #[test]
    fn an_index_keeps_what_others_listed() {
        let publication = publication();
        let entry = serde_json::to_value(&publication.admission.descriptor).expect("JSON");
        let foreign =
            json!({ "mediaType": MANIFEST, "digest": "sha512:00", "size": 1, "artifactType": "x", "urls": [] });
        let first = add_to_index(None, &foreign).expect("an index");
        let both = add_to_index(Some(&first), &entry).expect("an index");
        let again = add_to_index(Some(&both), &entry).expect("an index");
        assert_eq!(both, again, "an entry is listed once");
        let read: Json = serde_json::from_slice(&both).expect("JSON");
        assert_eq!(read["manifests"], json!([foreign, entry]));
        assert_eq!(list_admissions(&both), [publication.admission.descriptor]);
        assert!(list_admissions(b"garbage").is_empty());
        assert!(add_to_index(Some(b"garbage"), &entry).is_err());
    }
}
