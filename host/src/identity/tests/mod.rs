//! Tests of identity, against the public `Verifier`: a table of tokens, keys over time, the cache, the dev issuer.

mod dev_issuer;
mod issuer_server;
mod key_rotation;
mod key_sets;
mod settings;
mod signer;
mod time;
mod tokens;
mod verified;
