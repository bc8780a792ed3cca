//! The registries that a host takes modules from, and a module from one of them.

use std::path::PathBuf;

use http::StatusCode;

use super::connection::AddressRule;
use super::credentials::find_credentials;
use super::reference::{ModuleReference, RegistryName};
use super::registry::{PulledModule, Registry};
use crate::events::resolver::Resolver;
use crate::gate::admission::Admission;
use crate::gate::artifact::Artifact;
use crate::gate::refusal::Refusal;
use crate::gate::trust::Trust;

/// Registries by the settings. None: a host takes no reference.
pub struct Registries {
    /// At public addresses.
    pub public: Vec<RegistryName>,
    /// At any address.
    pub private: Vec<RegistryName>,
    /// The file of credentials. It is read for each module, so that a new password needs no start.
    pub credentials: Option<PathBuf>,
    /// Says where public registries are.
    pub resolver: Resolver,
}

impl Registries {
    /// The artifact of a reference with a digest: bytes of that digest, and the admission that counts here.
    pub async fn fetch(&self, reference: &str, trust: &Trust) -> Result<Artifact, Refusal> {
        let invalid = |why: String| Refusal::new("REFERENCE_INVALID", why);
        let reference: ModuleReference = reference.parse().map_err(invalid)?;
        if reference.digest.is_none() {
            let how = "`stoa module publish` and `pull` print it";
            return Err(invalid(format!("pin it: {reference}@sha256:..., as {how}")));
        }
        let rule = self.find_rule(&reference.registry)?;
        let credentials = match &self.credentials {
            Some(file) => find_credentials(file, &reference.registry)?,
            None => None,
        };
        let pulled = Registry::open(&reference, rule, credentials)?.pull().await?;
        let artifact = Artifact::new(pulled.component.clone(), None)?;
        let admission = choose_admission(&pulled, &artifact.digest, trust).cloned();
        let missing = || Refusal::new("SIGNATURE_MISSING", format!("{reference} has no signature"));
        Ok(Artifact { admission: Some(admission.ok_or_else(missing)?), ..artifact })
    }

    fn find_rule(&self, registry: &RegistryName) -> Result<AddressRule, Refusal> {
        if self.private.contains(registry) {
            return Ok(AddressRule::Any);
        }
        let what = format!("{} is not among STOA_REGISTRIES", registry.as_str());
        let forbidden = || Refusal::new("REGISTRY_FORBIDDEN", what).with_status(StatusCode::FORBIDDEN);
        let is_listed = self.public.contains(registry);
        is_listed.then(|| AddressRule::Public(Box::new(self.resolver.clone()))).ok_or_else(forbidden)
    }
}

/// The first admission by a trusted signer; else the first, so that the gate says what is wrong with it.
pub fn choose_admission<'a>(pulled: &'a PulledModule, digest: &[u8; 32], trust: &Trust) -> Option<&'a Admission> {
    let admissions = || pulled.admissions.iter().map(|(_, admission)| admission);
    let trusted = admissions().find(|admission| trust.admit(digest, Some(admission)).is_ok());
    trusted.or_else(|| admissions().next())
}
