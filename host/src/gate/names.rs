//! Owners of names: who may bring a module under a name that another one has, or had, and with what names of its own.

use std::collections::BTreeSet;

use http::StatusCode;
use stoa_descriptor::names::{Foreign, foreign};

use super::refusal::Refusal;
use super::surface::Surface;
use crate::sandbox::Vetted;

/// Names of one refusal at most: a descriptor may have thousands.
const MOST_SHOWN: usize = 20;

/// A partner whose entry names no modules brings only modules that no signer owns yet, under names of its own.
pub fn check_owner(predecessor: Option<&Surface>, candidate: &Vetted) -> Result<(), Refusal> {
    let name = &candidate.descriptor.name;
    match predecessor {
        Some(owner) if !candidate.replaces_others && owner.signer != candidate.signer => {
            let [owner, signer] = [&owner.signer, &candidate.signer].map(|it| it.as_deref().unwrap_or("no signer"));
            let what = format!("`{name}` was last active by {owner}; the entry of {signer} does not name it");
            Err(Refusal::new("SIGNER_OUT_OF_REACH", what).with_status(StatusCode::FORBIDDEN))
        }
        _ => check_names(predecessor, candidate),
    }
}

/// Names that a partner's module introduces begin with its own, but for those of the module whose place it takes and those that its
/// signer's entry grants.
fn check_names(predecessor: Option<&Surface>, candidate: &Vetted) -> Result<(), Refusal> {
    if !candidate.by_partner {
        return Ok(());
    }
    let granted = candidate.granted_names.load();
    let kept: BTreeSet<Foreign> = predecessor.iter().flat_map(|owner| foreign(&owner.descriptor, |_| false)).collect();
    let mut introduced = foreign(&candidate.descriptor, |word| granted.iter().any(|pattern| pattern.fits(word)));
    introduced.retain(|name| !kept.contains(name));
    if introduced.is_empty() {
        return Ok(());
    }
    let shown =
        introduced.iter().take(MOST_SHOWN).map(|Foreign { kind, name, wanted }| format!("{kind} `{name}` ({wanted})"));
    let mut shown: Vec<String> = shown.collect();
    if let Some(hidden @ 1..) = introduced.len().checked_sub(MOST_SHOWN) {
        shown.push(format!("{hidden} more"));
    }
    let (name, signer) = (&candidate.descriptor.name, candidate.signer.as_deref().unwrap_or("no signer"));
    let what = format!(
        "`{name}` introduces names that are not its own: {}; the entry of {signer} grants no such name (`names:WORD`)",
        shown.join(", ")
    );
    Err(Refusal::new("SIGNER_OUT_OF_REACH", what).with_status(StatusCode::FORBIDDEN))
}
