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

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use super::*;
    use crate::gate::admission::Admission;
    use crate::oci::image::list_admissions;

    #[test]
    fn a_layout_holds_all_that_its_index_names() {
        let folder = std::env::temp_dir().join(format!("stoa-layout-{}", uuid::Uuid::new_v4().simple()));
        let component = wat::parse_str("(component)").expect("a component").into();
        let admission = Admission { statement: "{}".to_owned(), signature: "00".to_owned() };
        let publication = Publication::new(&component, &admission).expect("a publication");
        for name in ["catalog:1.0.0", "catalog:1.0.0", "pricing:1.0.0"] {
            write(&folder, name, &publication).expect("a layout");
        }
        let index = std::fs::read(folder.join("index.json")).expect("an index");
        assert_eq!(list_admissions(&index), std::slice::from_ref(&publication.admission.descriptor));
        let index: Json = serde_json::from_slice(&index).expect("an index of JSON");
        let named = index["manifests"].as_array().expect("a list");
        let names: Vec<&Json> =
            named.iter().map(|entry| &entry["annotations"]["org.opencontainers.image.ref.name"]).collect();
        assert_eq!(names, [&json!("catalog:1.0.0"), &Json::Null, &json!("pricing:1.0.0")]);
        let files = std::fs::read_dir(folder.join("blobs/sha256")).expect("blobs").count();
        assert_eq!(files, publication.blobs.len() + 2);
        std::fs::remove_dir_all(&folder).expect("a folder that goes");
    }
}
