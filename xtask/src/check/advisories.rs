//! Oldest versions that the project accepts of crates with published advisories. The advisory database itself cannot be read
//! offline: where there is a network, `cargo deny check advisories` asks it. State of this list: 2026-11-21.

use anyhow::{Result, bail};
use semver::{Version, VersionReq};

use super::licences;
use crate::workspace::Workspace;

/// Crate, the versions that are accepted, why. A version that no requirement names is refused outright.
const ACCEPTED: &[(&str, &str, &str)] = &[
    ("h2", ">=0.4.16", "RUSTSEC-2026-0258"),
    ("hickory-proto", ">=0.26.1", "RUSTSEC-2026-0119"),
    ("rsa", "<0.0.0", "RUSTSEC-2023-0071, no fixed version"),
    ("rustls-webpki", ">=0.103.13", "RUSTSEC-2026-0098, -0099, -0104"),
    ("time", ">=0.3.47", "RUSTSEC-2026-0009"),
    ("tracing-subscriber", ">=0.3.20", "RUSTSEC-2025-0055"),
    ("wasmtime", ">=48.0.8, <49", "the long-term line and its last patch: the sandbox rests on it"),
];

pub fn check(workspace: &Workspace) -> Result<()> {
    let packages = licences::packages(workspace)?;
    let mut refused = Vec::new();
    for (name, accepted, why) in ACCEPTED {
        let accepted = VersionReq::parse(accepted)?;
        for package in packages.iter().filter(|package| package.name == *name) {
            if !accepted.matches(&Version::parse(&package.version)?) {
                refused.push(format!("{name} {}: {why}", package.version));
            }
        }
    }
    if !refused.is_empty() {
        bail!("versions with published advisories:\n{}", refused.join("\n"));
    }
    Ok(())
}
