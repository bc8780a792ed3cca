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
use super::issuer_keys::IssuerKeys;
use super::keys::KeySet;
use super::refusal::CredentialRefusal;
use super::token::Token;
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
    /// A fault in the settings.
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
        if token.len() > MAX_TOKEN_BYTES {
            tracing::debug!(fault = "longer than any token may be", "user token refused");
            return Err(CredentialRefusal::Explained("The token is longer than 8 KiB."));
        }
        let digest: Digest = Sha256::digest(token.as_bytes()).into();
        if let Some(claims) = self.recall(&digest) {
            return Ok(claims);
        }
        self.verify_afresh(token, digest).await
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

    async fn verify_afresh(&self, token: &str, digest: Digest) -> Result<Arc<Claims>, CredentialRefusal> {
        let text = token;
        let token = Token::read(text).map_err(|fault| {
            tracing::debug!(%fault, "user token refused");
            CredentialRefusal::Explained("The token is malformed.")
        })?;
        let named = token.claims.get("iss").and_then(Value::as_str);
        let found = self.issuers.iter().enumerate().find(|(_, trusted)| named == Some(&trusted.settings.issuer));
        let Some((index, trusted)) = found else {
            tracing::debug!(fault = "iss is no configured issuer", "user token refused");
            return Err(CredentialRefusal::Unauthenticated);
        };
        let settings = &trusted.settings;
        let refuse = |fault: &'static str| {
            tracing::debug!(issuer = %settings.issuer, fault, "user token refused");
            CredentialRefusal::Unauthenticated
        };
        if !settings.algorithms.contains(&token.algorithm) {
            return Err(refuse("alg is not on the issuer's list"));
        }
        if !settings.accepts_type(token.typ.as_deref()) {
            return Err(refuse("typ is not on the issuer's list"));
        }
        let key = trusted.keys.find(token.kid.as_deref()).await.inspect_err(|refusal| {
            tracing::debug!(issuer = %settings.issuer, %refusal, "no key for a user token");
        })?;
        if !key.verifies(token.algorithm, token.signed, token.signature) {
            return Err(refuse("the signature is not by the key that the token names"));
        }

        let now = self.clock.unix_seconds();
        let mut believed = Claims::believe(&token.claims, settings, now);
        if matches!(believed, Err(ClaimFault::NoAddress)) && settings.userinfo && self.addressless.may_ask(&digest, now)
        {
            let userinfo = trusted.keys.fetch_userinfo(text).await?;
            let complete = userinfo.and_then(|userinfo| Claims::complete(&token.claims, &userinfo, &settings.claims));
            if let Some(all) = complete {
                believed = Claims::believe(&all, settings, now);
            }
            if believed.is_err() {
                self.addressless.note(digest, now);
            }
        }
        let claims = Arc::new(believed.map_err(|fault| refuse_claims(settings, fault))?);
        let verified = Verified { claims: Arc::clone(&claims), issuer: index, key: key.thumbprint };
        self.verified.put(digest, verified);
        Ok(claims)
    }

    #[cfg(test)]
    pub(super) fn count_remembered(&self) -> usize {
        self.verified.len()
    }
}

/// The refusal of a token whose claims are not believed.
fn refuse_claims(settings: &Issuer, fault: ClaimFault) -> CredentialRefusal {
    match fault {
        ClaimFault::NoAddress => tracing::info!(issuer = %settings.issuer, %fault, "user token refused"),
        // Most often a setting of the issuer that somebody has to mend, and never sent by strangers: the signature
        // is good.
        ClaimFault::NoAudience | ClaimFault::Audience => {
            tracing::info!(issuer = %settings.issuer, expected = %settings.audience, %fault, "user token refused");
        }
        _ => tracing::debug!(issuer = %settings.issuer, %fault, "user token refused"),
    }
    match fault {
        ClaimFault::Unverified | ClaimFault::NoAddress => CredentialRefusal::Unverified,
        ClaimFault::NoAudience | ClaimFault::Audience => {
            CredentialRefusal::Explained("The token is for another audience.")
        }
        ClaimFault::Expired => CredentialRefusal::Explained("The token has expired."),
        ClaimFault::Bound => CredentialRefusal::Explained("The token is bound to a key and is no bearer token."),
        _ => CredentialRefusal::Unauthenticated,
    }
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
