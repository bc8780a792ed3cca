//! Vetters: keys by whose signature hosts take modules, and hosts that trust them.

use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest as _, Sha256};
use stoa_tests::Folder;
use stoa_tests::host::{Settings, binary, program};

/// The digest that identifies a file's content.
pub fn sha256(content: impl AsRef<[u8]>) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub struct Vetter {
    key: PathBuf,
    public: String,
    // Keeps the key's folder.
    _folder: Folder,
}

impl Vetter {
    /// The deployment's own.
    pub fn new() -> Vetter {
        Vetter::make("vetter", "deployment")
    }

    pub fn make(name: &str, role: &str) -> Vetter {
        let folder = Folder::new("keys");
        let key = folder.path().join("vetter.key");
        let made = Command::new(binary())
            .args(["module", "keygen", "--name", name, "--role", role, "--out"])
            .arg(&key)
            .output();
        let public = String::from_utf8(made.expect("cannot run stoa").stdout).expect("the key's public half");
        Vetter { key, public, _folder: folder }
    }

    /// As the settings of a host that trusts this key have it; `names` begin with a colon.
    pub fn entry(&self, names: &str) -> String {
        format!("{}{names}", self.public.trim())
    }

    pub fn key(&self) -> &Path {
        &self.key
    }

    /// Leaves the admission next to the module.
    pub fn sign(&self, module: &Path) {
        let signed = program().args(["module", "sign", "--key"]).arg(&self.key).arg(module).output();
        assert!(signed.expect("cannot run stoa").status.success());
    }

    /// Settings of a host without `--dev` whose file trusts these entries, with the operator alice.
    pub fn settings_with(entries: &[String], modules: Folder) -> Settings {
        deployment_settings(modules).set("STOA_SANDBOX", "fast").file(trust_file(entries))
    }

    /// Settings of a host without `--dev` that trusts this vetter, with the operator alice, whose token is `alices-token`.
    pub fn settings(&self, modules: Folder) -> Settings {
        deployment_settings(modules).set("STOA_TRUSTED_SIGNERS", self.public.trim())
    }
}

/// A `stoa.toml` that trusts these entries.
pub fn trust_file(entries: &[String]) -> String {
    format!("trusted_signers = {entries:?}\n")
}

fn deployment_settings(modules: Folder) -> Settings {
    Settings::default()
        .without_dev()
        .set("STOA_OIDC_ISSUER", "https://issuer.invalid")
        .set("STOA_OIDC_AUDIENCE", "stoa")
        .set("STOA_OPERATOR_TOKEN_SHA256", format!("alice={}", sha256("alices-token")))
        .modules_in(modules)
}
