//! Verifies users' tokens: form, issuer, key, signature, claims, in this order; a token seen a moment ago by its
//! digest.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::addressless::AddresslessTokens;
use super::claims::{ClaimFault, Claims};
use super::clock::Clock;
use super::discovery::Discovery;
use super::issuer::{Issuer, KeySource, SettingsError};
use super::issuer_keys::{IssuerKeys, Userinfo};
use super::keys::KeySet;
use super::refusal::CredentialRefusal;
use super::token::Token;
use super::token_fault::TokenFault;
use super::verified::{Digest, Verified, VerifiedTokens};
use crate::watchdog::Watchdog;

/// The longest token that is looked at.
pub const MAX_TOKEN_BYTES: usize = 8 * 1024;

/// Verifies the access tokens of all configured issuers. One per host, shared.
pub struct Verifier {
    issuers: Vec<Trusted>,
    verified: VerifiedTokens,
    addressless: AddresslessTokens,
    clock: Clock,
}

/// Notes about a token while it is judged.
#[derive(Default)]
pub(super) struct Seen {
    /// Which of the verifier's issuers it names.
    pub(super) issuer: Option<usize>,
    /// The response of userinfo, if it was asked.
    pub(super) userinfo: Option<Userinfo>,
}

struct Trusted {
    settings: Issuer,
    keys: Arc<IssuerKeys>,
}

impl Verifier {
    /// A verifier for these issuers (none: every token is refused). Fetches nothing: an issuer that is down does not
    /// keep a host from starting. `grace` is how long an issuer's last good keys go on while it is down
    /// (`STOA_OIDC_GRACE`).
    ///
    /// # Errors
    /// An issuer that is stated twice, lacks a name, audience, key set or discovery address, or accepts no algorithm or type.
    pub fn new(issuers: Vec<Issuer>, grace: Duration, clock: Clock) -> Result<Verifier, SettingsError> {
        let mut seen = HashSet::new();
        let mut trusted = Vec::with_capacity(issuers.len());
        for settings in issuers {
            if settings.issuer.is_empty() || settings.audience.is_empty() {
                return Err(SettingsError::Empty);
            }
            if settings.algorithms.is_empty() || settings.types.is_empty() {
                return Err(SettingsError::NothingAccepted(settings.issuer));
            }
            if !seen.insert(settings.issuer.clone()) {
                return Err(SettingsError::Repeated(settings.issuer));
            }
            let keys = keys_of(&settings, grace, clock.clone())?;
            trusted.push(Trusted { settings, keys: Arc::new(keys) });
        }
        Ok(Verifier { issuers: trusted, verified: VerifiedTokens::new(), addressless: AddresslessTokens::new(), clock })
    }

    /// Has all issuers' keys fetched at once and then in the background. Once per host.
    pub fn keep_keys_fresh(&self, watchdog: &Watchdog) {
        for issuer in &self.issuers {
            let keys = Arc::clone(&issuer.keys);
            watchdog.spawn("issuer's keys", move |pulse| Arc::clone(&keys).keep_fresh(pulse));
        }
    }

    /// Verifies the token behind `Bearer `. A token verified before is answered without waiting; one with an unknown
    /// key waits for at most one fetch of its issuer's keys (5 seconds).
    pub async fn verify(&self, token: &str) -> Result<Arc<Claims>, CredentialRefusal> {
        let digest = compute_digest(token).map_err(|fault| refuse(None, &fault))?;
        if let Some(claims) = self.recall(&digest) {
            return Ok(claims);
        }
        let mut seen = Seen::default();
        let verified = self.judge(token, digest, &mut seen).await.map_err(|fault| {
            let issuer = seen.issuer.and_then(|index| self.issuers.get(index));
            refuse(issuer.map(|trusted| &trusted.settings), &fault)
        })?;
        let claims = Arc::clone(&verified.claims);
        self.verified.put(digest, verified);
        Ok(claims)
    }

    fn recall(&self, digest: &Digest) -> Option<Arc<Claims>> {
        let verified = self.verified.get(digest)?;
        let issuer = self.issuers.get(verified.issuer)?;
        if verified.claims.expires_at > self.clock.unix_seconds() && issuer.keys.still_holds(&verified.key) {
            return Some(verified.claims);
        }
        self.verified.forget(digest);
        None
    }

    /// Judges a token that is not remembered, and notes on the way where it came from.
    pub(super) async fn judge(&self, text: &str, digest: Digest, seen: &mut Seen) -> Result<Verified, TokenFault> {
        let token = Token::read(text).map_err(TokenFault::Form)?;
        let named = token.claims.get("iss").and_then(Value::as_str);
        let found = self.issuers.iter().enumerate().find(|(_, trusted)| named == Some(&trusted.settings.issuer));
        let (index, trusted) = found.ok_or(TokenFault::Issuer)?;
        seen.issuer = Some(index);
        let settings = &trusted.settings;
        if !settings.algorithms.contains(&token.algorithm) {
            return Err(TokenFault::Algorithm);
        }
        if !settings.accepts_type(token.typ.as_deref()) {
            return Err(TokenFault::Type);
        }
        let key = trusted.keys.find(token.kid.as_deref()).await.map_err(TokenFault::Key)?;
        if !key.verifies(token.algorithm, token.signed, token.signature) {
            return Err(TokenFault::Signature);
        }

        let now = self.clock.unix_seconds();
        let mut believed = Claims::believe(&token.claims, settings, now);
        let is_incomplete = matches!(believed, Err(ClaimFault::NoAddress | ClaimFault::NoVerification));
        if is_incomplete && settings.userinfo && self.addressless.may_ask(&digest, now) {
            let userinfo =
                trusted.keys.fetch_userinfo(text).await.map_err(|fault| TokenFault::Userinfo(fault.to_string()))?;
            if let Userinfo::Fetched(members) = &userinfo {
                match Claims::complete(&token.claims, members, &settings.claims) {
                    Some(all) => believed = Claims::believe(&all, settings, now),
                    None => {
                        tracing::info!(issuer = %settings.issuer, "userinfo is about another subject than the token's");
                    }
                }
            }
            seen.userinfo = Some(userinfo);
            if believed.is_err() {
                self.addressless.note(digest, now);
            }
        }
        let claims = Arc::new(believed.map_err(TokenFault::Claims)?);
        Ok(Verified { claims, issuer: index, key: key.thumbprint })
    }

    /// The settings of all issuers.
    pub(super) fn issuers(&self) -> impl Iterator<Item = &Issuer> {
        self.issuers.iter().map(|trusted| &trusted.settings)
    }

    #[cfg(test)]
    pub(super) fn count_remembered(&self) -> usize {
        self.verified.len()
    }
}

/// The key under which a token is remembered.
pub(super) fn compute_digest(token: &str) -> Result<Digest, TokenFault> {
    if token.len() > MAX_TOKEN_BYTES {
        return Err(TokenFault::Long);
    }
    Ok(Sha256::digest(token.as_bytes()).into())
}

/// Logs why a token is rejected, and returns the rejection for its owner.
fn refuse(issuer: Option<&Issuer>, fault: &TokenFault) -> CredentialRefusal {
    let name = issuer.map(|settings| tracing::field::display(&settings.issuer));
    match (issuer, fault) {
        (_, TokenFault::Claims(ClaimFault::NoAddress | ClaimFault::NoVerification)) => {
            tracing::info!(issuer = name, %fault, "user token refused: the identity provider has to add the claim");
        }
        // Most often a setting of the issuer that an operator has to correct, and never sent by strangers: the signature
        // is good.
        (Some(settings), TokenFault::Claims(ClaimFault::NoAudience | ClaimFault::Audience)) => {
            tracing::info!(issuer = name, expected = %settings.audience, %fault, "user token refused");
        }
        _ => tracing::debug!(issuer = name, %fault, "user token refused"),
    }
    CredentialRefusal::from(fault)
}

fn keys_of(settings: &Issuer, grace: Duration, clock: Clock) -> Result<IssuerKeys, SettingsError> {
    if let KeySource::Document(document) = &settings.keys {
        let set = document.as_object().and_then(|document| KeySet::read(document).ok());
        let set = set.ok_or_else(|| SettingsError::Document(settings.issuer.clone()))?;
        return Ok(IssuerKeys::at_hand(&settings.issuer, set, clock));
    }
    let address = settings.discovery_address()?;
    Ok(IssuerKeys::from_discovery(&settings.issuer, Discovery::new(&settings.issuer, address)?, grace, clock))
}
