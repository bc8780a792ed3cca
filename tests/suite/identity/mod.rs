//! Identity of callers: tokens, issuers and keys, and how invalid ones are rejected.

mod addresses;
mod bad_tokens;
mod issuers;
mod oidc_provider;
mod refusal_time;
mod token_check;
