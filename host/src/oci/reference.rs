//! The name of a module in a registry: `oci://HOST[:PORT]/PATH[:TAG][@sha256:HEX]`. After `oci://` it is the text
//! that `wkg` takes. A reference with a digest names one manifest for ever; a tag may name another one tomorrow.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::digest::OciDigest;

const SCHEME: &str = "oci://";
/// Characters of a path and of a tag at most (distribution specification, "Pulling manifests").
const LONGEST_PATH: usize = 255;
const LONGEST_TAG: usize = 128;

/// A module in a registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ModuleReference {
    pub registry: RegistryName,
    pub path: String,
    pub tag: Option<String>,
    pub digest: Option<OciDigest>,
}

/// Host of a registry, with the port where it is not the usual one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RegistryName(String);

impl ModuleReference {
    /// The same, pinned to this manifest.
    pub fn pin(&self, digest: OciDigest) -> ModuleReference {
        ModuleReference { digest: Some(digest), ..self.clone() }
    }

    /// The tag, or the one that a version has. A tag has no `+`, which a version may have.
    pub fn tag_for(&self, version: &str) -> String {
        self.tag.clone().unwrap_or_else(|| version.replace('+', "_"))
    }

    /// The name by which a registry is asked for the manifest: the digest, else the tag.
    pub fn manifest_name(&self) -> Option<String> {
        self.digest.map(|digest| digest.to_string()).or_else(|| self.tag.clone())
    }
}

impl RegistryName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ModuleReference {
    type Err = String;

    /// The error does not repeat the text: who takes a reference for a URL may write a password into it.
    fn from_str(text: &str) -> Result<ModuleReference, String> {
        let wrong = |why: &str| format!("a reference is oci://HOST/PATH[:TAG][@sha256:HEX]: {why}");
        let rest = text.strip_prefix(SCHEME).ok_or_else(|| wrong("it begins with oci://"))?;
        let (rest, digest) = match rest.split_once('@') {
            Some((rest, digest)) => (rest, Some(digest.parse().map_err(|_| wrong("its digest is sha256:HEX"))?)),
            None => (rest, None),
        };
        let (registry, path) = rest.split_once('/').ok_or_else(|| wrong("it has a path"))?;
        let registry = registry.parse().map_err(|_| wrong("its host is a name or an address of IPv4"))?;
        let (path, tag) = match path.split_once(':') {
            Some((path, tag)) => (path, Some(tag.to_owned())),
            None => (path, None),
        };
        if path.len() > LONGEST_PATH || !path.split('/').all(is_path_word) {
            return Err(wrong("its path is lower-case words"));
        }
        if tag.as_deref().is_some_and(|tag| !is_tag(tag)) {
            return Err(wrong("its tag is letters, digits and ._-"));
        }
        Ok(ModuleReference { registry, path: path.to_owned(), tag, digest })
    }
}

impl fmt::Display for ModuleReference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{SCHEME}{}/{}", self.registry.0, self.path)?;
        if let Some(tag) = &self.tag {
            write!(out, ":{tag}")?;
        }
        self.digest.map_or(Ok(()), |digest| write!(out, "@{digest}"))
    }
}

impl FromStr for RegistryName {
    type Err = String;

    fn from_str(text: &str) -> Result<RegistryName, String> {
        let (host, port) = text.split_once(':').map_or((text, None), |(host, port)| (host, Some(port)));
        let is_host =
            !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
        let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|number| number.to_string() == port));
        let is_name = is_host && is_port;
        is_name
            .then(|| RegistryName(text.to_ascii_lowercase()))
            .ok_or_else(|| format!("`{text}` is no host of a registry"))
    }
}

/// A word of a path: letters and digits, with single joiners between them, or two `_`, or any number of `-`.
fn is_path_word(word: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_edge = |byte: Option<&u8>| byte.is_some_and(|byte| is_inner(*byte));
    let bytes = word.as_bytes();
    let mut joiners = word.split(|letter: char| letter.is_ascii_alphanumeric()).filter(|joiner| !joiner.is_empty());
    is_edge(bytes.first())
        && is_edge(bytes.last())
        && bytes.iter().all(|byte| is_inner(*byte) || b"._-".contains(byte))
        && joiners.all(|joiner| matches!(joiner, "." | "_" | "__") || joiner.bytes().all(|byte| byte == b'-'))
}

fn is_tag(tag: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    tag.len() <= LONGEST_TAG && tag.bytes().all(is_inner) && !tag.is_empty() && !tag.starts_with(['.', '-'])
}

impl From<ModuleReference> for String {
    fn from(reference: ModuleReference) -> String {
        reference.to_string()
    }
}

impl TryFrom<String> for ModuleReference {
    type Error = String;

    fn try_from(text: String) -> Result<ModuleReference, String> {
        text.parse()
    }
}

impl From<RegistryName> for String {
    fn from(name: RegistryName) -> String {
        name.0
    }
}

impl TryFrom<String> for RegistryName {
    type Error = String;

    fn try_from(text: String) -> Result<RegistryName, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_read_and_written_as_it_is() {
        let digest = format!("sha256:{}", "0a".repeat(32));
        for text in [
            "oci://ghcr.io/acme/loyalty".to_owned(),
            "oci://ghcr.io/acme/loyalty:1.0.0-rc.1".to_owned(),
            format!("oci://127.0.0.1:5000/a__b/c--d.e:latest@{digest}"),
            format!("oci://registry.example/loyalty@{digest}"),
        ] {
            let reference: ModuleReference = text.parse().expect("a reference");
            assert_eq!(reference.to_string(), text);
            assert_eq!(reference.digest.map(|digest| digest.to_string()), text.contains('@').then(|| digest.clone()));
        }
        let plain: ModuleReference = "oci://Registry.Example/loyalty".parse().expect("a reference");
        assert_eq!(plain.registry.as_str(), "registry.example");
        assert_eq!(plain.tag_for("1.0.0+7"), "1.0.0_7");
        assert_eq!(plain.manifest_name(), None);
    }

    #[test]
    fn other_texts_are_no_references() {
        let upper = format!("oci://a.example/b@sha256:{}", "0A".repeat(32));
        for text in [
            "ghcr.io/acme/loyalty",
            "https://ghcr.io/acme/loyalty",
            "oci://ghcr.io",
            "oci:///loyalty",
            "oci://ghcr.io/",
            "oci://ghcr.io/a//b",
            "oci://ghcr.io/../b",
            "oci://ghcr.io/Acme",
            "oci://ghcr.io/a___b",
            "oci://ghcr.io/a.-b",
            "oci://ghcr.io/a?x=1",
            "oci://ghcr.io/a:",
            "oci://ghcr.io/a:-1",
            "oci://ghcr.io/a:1.0+7",
            "oci://ghcr.io:99999/a",
            "oci://ghcr.io:/a",
            "oci://user:secret@ghcr.io/a",
            "oci://ghcr.io/a@sha256:00",
            "oci://ghcr.io/a@sha512:00",
            &upper,
        ] {
            let error = text.parse::<ModuleReference>().expect_err(text);
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
