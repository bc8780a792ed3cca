//! A folder of images (OCI image layout 1.0): a release that any tool carries into any registry, `oras` and `skopeo`
//! for two.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::Context as _;
use serde_json::json;

use super::image::{OciContent, Publication, add_to_index};

/// Adds a publication to the folder, which is made where there is none. `name`: `PATH:TAG`, by which tools find the
/// image.
pub fn write(folder: &Path, name: &str, publication: &Publication) -> anyhow::Result<()> {
    let blobs = folder.join("blobs/sha256");
    std::fs::create_dir_all(&blobs).with_context(|| format!("cannot create {}", blobs.display()))?;
    std::fs::write(folder.join("oci-layout"), json!({ "imageLayoutVersion": "1.0.0" }).to_string())?;
    let contents: &[&[OciContent]] = &[&publication.blobs, &[publication.image.clone(), publication.admission.clone()]];
    for content in contents.concat() {
        std::fs::write(blobs.join(content.descriptor.digest.hex()), &content.bytes)?;
    }
    let file = folder.join("index.json");
    let before = match std::fs::read(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        read => Some(read?),
    };
    let mut image = serde_json::to_value(&publication.image.descriptor)?;
    image["annotations"] = json!({ "org.opencontainers.image.ref.name": name });
    let index = add_to_index(before.as_deref(), &image)?;
    let index = add_to_index(Some(&index), &serde_json::to_value(&publication.admission.descriptor)?)?;
    std::fs::write(&file, index).with_context(|| format!("cannot write {}", file.display()))
}
