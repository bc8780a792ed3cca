//! The vetter of a deployment: the only one whose signature its hosts trust.

use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest as _, Sha256};
use stoa_tests::Folder;
use stoa_tests::host::{Settings, binary};

/// What a file's content is known by.
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
    pub fn new() -> Vetter {
        let folder = Folder::new("keys");
        let key = folder.path().join("vetter.key");
        let made = Command::new(binary())
            .args(["module", "keygen", "--name", "vetter", "--role", "deployment", "--out"])
            .arg(&key)
            .output();
        let public = String::from_utf8(made.expect("cannot run stoa").stdout).expect("the key's public half");
        Vetter { key, public, _folder: folder }
    }

    pub fn key(&self) -> &Path {
        &self.key
    }

    /// Leaves the admission beside the module.
    pub fn sign(&self, module: &Path) {
        let signed = Command::new(binary()).args(["module", "sign", "--key"]).arg(&self.key).arg(module).output();
        assert!(signed.expect("cannot run stoa").status.success());
    }

    /// Of a host without `--dev` that trusts this vetter, with the operator alice, whose token is `alices-token`.
    pub fn settings(&self, modules: Folder) -> Settings {
        Settings::default()
            .without_dev()
            .set("STOA_OIDC_ISSUER", "https://issuer.invalid")
            .set("STOA_OIDC_AUDIENCE", "stoa")
            .set("STOA_TRUSTED_SIGNERS", self.public.trim())
            .set("STOA_OPERATOR_TOKEN_SHA256", format!("alice={}", sha256("alices-token")))
            .modules_in(modules)
    }
}
