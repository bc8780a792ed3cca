//! Who calls: tokens, issuers and keys, and how those that are none are refused.

mod addresses;
mod bad_tokens;
mod issuers;
mod oidc_provider;
mod refusal_time;
