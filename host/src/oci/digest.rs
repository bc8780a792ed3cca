//! Digests as registries write them: `sha256:HEX`. Other algorithms are not read.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Digest of a manifest or of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct OciDigest([u8; 32]);

impl OciDigest {
    /// The digest of these bytes.
    pub fn from_content(bytes: &[u8]) -> OciDigest {
        OciDigest(Sha256::digest(bytes).into())
    }

    pub fn hex(&self) -> String {
        hex::encode(self.0)
    }

    /// The tag that lists what refers to this manifest, in registries without an interface for that.
    pub fn referrers_tag(&self) -> String {
        format!("sha256-{}", self.hex())
    }
}

impl fmt::Display for OciDigest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "sha256:{}", self.hex())
    }
}

impl FromStr for OciDigest {
    type Err = String;

    fn from_str(text: &str) -> Result<OciDigest, String> {
        let digits =
            text.strip_prefix("sha256:").filter(|digits| !digits.bytes().any(|byte| byte.is_ascii_uppercase()));
        let bytes = digits.and_then(|digits| hex::decode(digits).ok()).and_then(|bytes| bytes.try_into().ok());
        bytes.map(OciDigest).ok_or_else(|| format!("`{text}` is no digest sha256:HEX"))
    }
}

impl From<OciDigest> for String {
    fn from(digest: OciDigest) -> String {
        digest.to_string()
    }
}

impl TryFrom<String> for OciDigest {
    type Error = String;

    fn try_from(text: String) -> Result<OciDigest, String> {
        text.parse()
    }
}
