//! The settings by themselves.

use std::net::IpAddr;

use super::{Diagnosis, Notes};
use crate::deployment::development;
use crate::gate::admission::Role;
use crate::sandbox::engine::Sandbox;
use crate::settings::Settings;

pub fn examine(settings: &Settings, notes: &Notes) {
    notes.note("settings.valid", validity(settings));
    notes.note("settings.names", names(settings));
    notes.note("settings.key", key(settings));
    notes.note("settings.identity", identity(settings));
    notes.note("settings.operators", operators(settings));
    notes.note("settings.private_listener", private_listener(settings));
    notes.note("settings.trust", trust(settings));
    notes.note("settings.precompiled", judge_precompiled(settings));
}

/// Names the setting that cannot be read, never its value.
pub fn explain_unread(error: &anyhow::Error) -> Diagnosis {
    let path = error.downcast_ref::<figment::Error>().map(|error| error.path.join(".")).unwrap_or_default();
    Diagnosis::fail(match path.as_str() {
        "" => "the settings cannot be read".to_owned(),
        path => format!("STOA_{} cannot be read", path.to_uppercase()),
    })
}

fn validity(settings: &Settings) -> Diagnosis {
    let valid = settings.check().and_then(|()| settings.webhook_schedule()).and_then(|_| settings.issuers());
    valid.map_or_else(|error| Diagnosis::fail(error.to_string()), |_| Diagnosis::pass("every setting can be used"))
}

fn names(settings: &Settings) -> Diagnosis {
    let former: Vec<String> =
        settings.former_names.iter().map(|(former, _)| format!("STOA_{}", former.to_uppercase())).collect();
    if former.is_empty() {
        return Diagnosis::pass("no setting has a former name");
    }
    Diagnosis::warn(format!("former names: {}", former.join(", ")))
}

fn key(settings: &Settings) -> Diagnosis {
    let is_made_later = settings.dev && !development::encryption_key_file(&settings.data_dir).exists();
    if settings.encryption_key.is_none() && is_made_later {
        return Diagnosis::pass("a --dev host makes the key when it starts");
    }
    match settings.key_ring() {
        Ok(_) => Diagnosis::pass("stored secrets have a key"),
        Err(error) => Diagnosis::fail(error.to_string()),
    }
}

fn identity(settings: &Settings) -> Diagnosis {
    match settings.issuers() {
        Ok(issuers) if !issuers.is_empty() => Diagnosis::pass(format!("{} identity providers", issuers.len())),
        Ok(_) if settings.dev => Diagnosis::pass("a --dev host has a provider of its own"),
        Ok(_) => Diagnosis::fail("no identity provider is set: no user can sign in"),
        Err(_) => Diagnosis::skip("see settings.valid"),
    }
}

fn operators(settings: &Settings) -> Diagnosis {
    match settings.operator_token_sha256.len() {
        0 if settings.dev => Diagnosis::pass("a --dev host makes a token when it starts"),
        0 => Diagnosis::warn("no operator is set, so modules cannot be changed"),
        count => Diagnosis::pass(format!("{count} operators")),
    }
}

fn private_listener(settings: &Settings) -> Diagnosis {
    let is_private = match settings.private_listen.ip() {
        IpAddr::V4(address) => address.is_loopback() || address.is_private(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local(),
    };
    if is_private {
        Diagnosis::pass("metrics and the operators' API are at a private address")
    } else {
        Diagnosis::warn("STOA_PRIVATE_LISTEN is every address or a public one")
    }
}

fn trust(settings: &Settings) -> Diagnosis {
    let has_partner = settings.trusted_signers.iter().any(|signer| signer.role == Role::Partner);
    match settings.trusted_signers.len() {
        0 if settings.dev => Diagnosis::pass("a --dev host trusts its modules folder"),
        0 => Diagnosis::fail("no signer is trusted: no module can run"),
        _ if has_partner && settings.sandbox() == Sandbox::Fast => {
            Diagnosis::warn("a partner is trusted, and STOA_SANDBOX is `fast`")
        }
        count => Diagnosis::pass(format!("{count} trusted signers")),
    }
}

fn judge_precompiled(settings: &Settings) -> Diagnosis {
    match settings.read_precompiled() {
        Err(error) => Diagnosis::fail(error.to_string()),
        Ok(Some(_)) => Diagnosis::pass("the release's machine code can be used"),
        Ok(None) if settings.precompiled_sha256.is_none() => Diagnosis::pass("none is set"),
        Ok(None) => Diagnosis::warn("the release's machine code cannot be used: hosts compile at their start"),
    }
}
