//! Tests of identity, against the public `Verifier`: a table of tokens, keys over time, the cache, the dev issuer.

use super::refusal::CredentialRefusal;

mod dev_issuer;
mod explained;
mod issuer_server;
mod key_rotation;
mod key_sets;
mod settings;
mod signer;
mod time;
mod token_table;
mod tokens;
mod verified;

/// The rejection of a token whose key its issuer does not have.
const STRANGE_KEY: CredentialRefusal =
    CredentialRefusal::Explained("The token is signed with a key that its issuer does not publish here.");
