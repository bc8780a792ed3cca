//! Identity of callers: verification of human users' access tokens (JWT of configured OpenID issuers).
//!
//! A token that passes becomes `Claims`; `users` finds or makes the user record by (issuer, subject), never by email. `api_keys`
//! verifies machines' keys. Both remember only what never changes: the rights of a caller are read in each transaction.
//!
//! Steps of a caller:
//! 1. `Verifier::new(issuers, grace, Clock::system())` at start-up. It fetches nothing; only settings can fail.
//! 2. Spawn `Verifier::keep_keys_fresh` once and drop (abort) it at shutdown. Without it, keys are fetched only when a
//!    token asks for one.
//! 3. `Verifier::verify(token)` per request, with what follows `Bearer `.
//!
//! With `--dev`, `DevIssuer::load_or_create(data_dir)?.settings()` is one more `Issuer`: its keys are handed over as a
//! document, so that its tokens verify before the listener is up. Everything else about them is verified alike.

mod addressless;
pub mod api_keys;
mod claims;
mod clock;
mod dev_issuer;
mod discovery;
mod environment;
mod explanation;
mod failed_lookups;
mod issuer;
mod issuer_keys;
mod json_object;
mod keys;
mod refusal;
pub mod sign_in;
mod token;
mod token_fault;
pub mod users;
mod verified;
mod verifier;

#[cfg(test)]
mod tests;

pub use claims::Claims;
pub use clock::Clock;
pub use dev_issuer::{DEV_AUDIENCE, DEV_ISSUER, DevIssuer, DevIssuerError};
pub use discovery::try_issuer;
pub use environment::Environment;
pub use explanation::{TokenStep, TokenVerdict};
pub use issuer::{Algorithm, ClaimNames, Issuer, KeySource, SettingsError, is_http_on_loopback};
pub use refusal::CredentialRefusal;
pub use verifier::{MAX_TOKEN_BYTES, Verifier};
