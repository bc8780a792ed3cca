//! Credentials for registries: the `config.json` that `docker login` and `oras login` write. Helpers and identity
//! tokens are not read.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::HeaderValue;
use serde::Deserialize;

use super::fault::RegistryFault;
use super::reference::RegistryName;

#[derive(Deserialize)]
struct DockerConfig {
    #[serde(default)]
    auths: BTreeMap<String, DockerEntry>,
}

#[derive(Deserialize)]
struct DockerEntry {
    /// `user:password` in base64.
    auth: Option<String>,
    username: Option<String>,
    password: Option<String>,
}

/// The header of the entry for a registry, where the file has one.
pub fn find_credentials(file: &Path, registry: &RegistryName) -> Result<Option<HeaderValue>, RegistryFault> {
    let fault = |why: String| RegistryFault::Credentials(format!("{}: {why}", file.display()));
    let text = std::fs::read(file).map_err(|error| fault(error.to_string()))?;
    // The error of the parser would quote the text.
    let config: DockerConfig = serde_json::from_slice(&text).map_err(|_| fault("it is no config.json".to_owned()))?;
    let names = |key: &str| key.trim_start_matches("https://").split('/').next() == Some(registry.as_str());
    let Some((_, entry)) = config.auths.into_iter().find(|(key, _)| names(key)) else { return Ok(None) };
    let stated = entry.username.zip(entry.password).map(|(user, password)| format!("{user}:{password}"));
    let encoded = entry.auth.filter(|auth| !auth.is_empty()).or_else(|| Some(BASE64_STANDARD.encode(stated?)));
    let encoded = encoded.ok_or_else(|| fault(format!("the entry of {} has no password", registry.as_str())))?;
    secret_header(&format!("Basic {encoded}")).map(Some)
}

/// A header that no log shows.
pub fn secret_header(text: &str) -> Result<HeaderValue, RegistryFault> {
    let header = HeaderValue::from_str(text).map_err(|_| RegistryFault::Credentials("they fit no header".to_owned()));
    header.map(|mut header| {
        header.set_sensitive(true);
        header
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_of_a_registry_is_found() {
        let file = std::env::temp_dir().join(format!("stoa-docker-{}.json", uuid::Uuid::new_v4().simple()));
        let text = r#"{ "auths": {
            "https://a.example/v2/": { "auth": "dXNlcjpzZWNyZXQ=" },
            "b.example:5000": { "username": "user", "password": "secret" },
            "c.example": {}
        }, "credsStore": "desktop" }"#;
        std::fs::write(&file, text).expect("a file");
        let find = |name: &str| find_credentials(&file, &name.parse().expect("a name"));
        for name in ["a.example", "b.example:5000"] {
            let header = find(name).expect("a file that is read").expect("an entry");
            assert_eq!(header, "Basic dXNlcjpzZWNyZXQ=", "{name}");
            assert!(!format!("{header:?}").contains("dXN"), "the header is shown");
        }
        assert!(find("c.example").is_err(), "an entry without a password");
        assert!(find("b.example").is_ok_and(|found| found.is_none()), "another port");
        std::fs::write(&file, "{ \"auths\": \"s3cret\" }").expect("a file");
        let said = find("a.example").expect_err("no config.json").to_string();
        assert!(!said.contains("s3cret"), "{said}");
        std::fs::remove_file(&file).expect("a file that goes");
    }
}
