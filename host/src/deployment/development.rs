//! Files for `--dev`, so that a developer needs no setup: an operator's token and a signing key that the host trusts,
//! each a file of the data folder that no other user can read.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::gate::admission::{Role, SigningKey};
use crate::secret_file;

/// The operator's token, for a developer on the host's machine.
pub fn operator_token_file(data: &Path) -> PathBuf {
    data.join("operator.token")
}

/// The key of what a `--dev` host encrypts; several with commas.
pub fn encryption_key_file(data: &Path) -> PathBuf {
    data.join("encryption.key")
}

pub fn encryption_key(data: &Path) -> anyhow::Result<String> {
    let make = || Ok(hex::encode(secret_file::random::<32>()?) + "\n");
    let text = read_or_make_text(&encryption_key_file(data), make)?;
    Ok(text.trim().to_string())
}

/// The key that a `--dev` host trusts.
pub fn signing_key_file(data: &Path) -> PathBuf {
    data.join("dev-signer.key")
}

pub fn operator_token(data: &Path) -> anyhow::Result<String> {
    let make = || Ok(hex::encode(secret_file::random::<32>()?) + "\n");
    let text = read_or_make_text(&operator_token_file(data), make)?;
    Ok(text.trim().to_string())
}

pub fn signing_key(data: &Path) -> anyhow::Result<SigningKey> {
    read_or_make_text(&signing_key_file(data), || Ok(SigningKey::generate("dev", Role::Deployment)?.text()))?.parse()
}

fn read_or_make_text(file: &Path, make: impl FnOnce() -> anyhow::Result<String>) -> anyhow::Result<String> {
    let bytes = secret_file::read_or_make(file, || make().map(String::into_bytes))?;
    String::from_utf8(bytes).with_context(|| format!("{} is no text", file.display()))
}
