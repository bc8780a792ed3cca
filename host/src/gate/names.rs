//! Owners of names: who may bring a module under a name that another one has, or had.

use http::StatusCode;

use super::refusal::Refusal;
use super::surface::Surface;
use crate::sandbox::Vetted;

/// A partner whose entry names nothing brings what is nobody's yet.
pub fn check_owner(predecessor: Option<&Surface>, candidate: &Vetted) -> Result<(), Refusal> {
    let name = &candidate.descriptor.name;
    match predecessor {
        Some(owner) if !candidate.replaces_others && owner.signer != candidate.signer => {
            let [owner, signer] = [&owner.signer, &candidate.signer].map(|it| it.as_deref().unwrap_or("nobody"));
            let what = format!("`{name}` was last active by {owner}; the entry of {signer} does not name it");
            Err(Refusal::new("SIGNER_OUT_OF_REACH", what).with_status(StatusCode::FORBIDDEN))
        }
        _ => Ok(()),
    }
}
