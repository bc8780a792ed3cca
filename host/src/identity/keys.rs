//! An issuer's public keys, read from a JWKS (RFC 7517).
//!
//! A key that Stoa cannot use (another type, curve or purpose, out of range) is left out, as the RFC asks. A set that
//! is no set, holds nothing usable, or names two usable keys alike is refused whole, so that it never replaces a good
//! one.

use std::sync::Arc;

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, ED25519, ParsedPublicKey};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::DecodingKey;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::issuer::Algorithm;

/// Identifies a key with its name and its purpose: SHA-256 over all three.
pub(super) type Thumbprint = [u8; 32];

/// One public key that verifies signatures.
pub(super) struct Key {
    kid: Option<String>,
    algorithms: Vec<Algorithm>,
    material: DecodingKey,
    pub(super) thumbprint: Thumbprint,
}

/// The usable keys of one JWKS; never empty.
pub(super) struct KeySet(Vec<Arc<Key>>);

/// Why a JWKS is refused whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum KeySetFault {
    #[error("the JWKS is no object with an array of keys")]
    Shape,
    #[error("the JWKS holds no usable key")]
    NoKey,
    #[error("two keys of the JWKS have the same kid")]
    RepeatedKid,
}

impl Key {
    /// Returns whether `signature` (base64url) over `signed` was made with this key by `algorithm`.
    pub(super) fn verifies(&self, algorithm: Algorithm, signed: &str, signature: &str) -> bool {
        self.algorithms.contains(&algorithm)
            && jsonwebtoken::crypto::verify(signature, signed.as_bytes(), &self.material, algorithm.for_signature())
                .unwrap_or(false)
    }

    /// Reads one JWK; `None` where it is not for verifying signatures that Stoa supports.
    fn read(jwk: &Map<String, Value>) -> Option<Key> {
        let text = |name: &str| jwk.get(name).and_then(Value::as_str);
        let bytes = |name: &str| text(name).and_then(|value| URL_SAFE_NO_PAD.decode(value).ok());

        if jwk.get("use").is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        if let Some(operations) = jwk.get("key_ops")
            && !operations.as_array()?.iter().any(|operation| operation == "verify")
        {
            return None;
        }
        // A private key that anyone can fetch proves nothing about who signed.
        if jwk.contains_key("d") {
            return None;
        }

        let (mut algorithms, material, raw) = match text("kty")? {
            "RSA" => {
                let (n, e) = (without_leading_zeros(bytes("n")?), without_leading_zeros(bytes("e")?));
                if !is_sound_rsa(&n, &e) {
                    return None;
                }
                let raw = [b"RSA".as_slice(), &(n.len() as u64).to_be_bytes(), &n, &e].concat();
                (vec![Algorithm::RS256, Algorithm::PS256], DecodingKey::from_rsa_raw_components(&n, &e), raw)
            }
            "EC" if text("crv") == Some("P-256") => {
                let (x, y) = (bytes("x")?, bytes("y")?);
                if x.len() != 32 || y.len() != 32 {
                    return None;
                }
                let point = [&[4], x.as_slice(), &y].concat();
                ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &point).ok()?;
                (vec![Algorithm::ES256], DecodingKey::from_ec_der(&point), [b"EC".as_slice(), &point].concat())
            }
            "OKP" if text("crv") == Some("Ed25519") => {
                let x = bytes("x")?;
                ParsedPublicKey::new(&ED25519, &x).ok()?;
                (vec![Algorithm::EdDsa], DecodingKey::from_ed_der(&x), [b"OKP".as_slice(), &x].concat())
            }
            _ => return None,
        };
        if let Some(only) = jwk.get("alg") {
            // RFC 9864 calls EdDSA over this curve Ed25519; the key is the same.
            let only = match only.as_str()? {
                "Ed25519" => Algorithm::EdDsa,
                name => Algorithm::from_jose(name)?,
            };
            algorithms.retain(|algorithm| *algorithm == only);
            if algorithms.is_empty() {
                return None;
            }
        }
        let kid = match jwk.get("kid") {
            None => None,
            Some(kid) => Some(kid.as_str()?.to_owned()),
        };

        let mut hash = Sha256::new();
        for part in [format!("{kid:?}").as_bytes(), format!("{algorithms:?}").as_bytes(), raw.as_slice()] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Some(Key { kid, algorithms, material, thumbprint: hash.finalize().into() })
    }
}

fn without_leading_zeros(number: Vec<u8>) -> Vec<u8> {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.into_iter().skip(zeros).collect()
}

/// 2048 to 8192 bits, and an odd exponent from 3 up to 33 bits: what the cryptographic library verifies. A larger
/// exponent would make every check of a signature slow.
fn is_sound_rsa(n: &[u8], e: &[u8]) -> bool {
    let bits = match n.first() {
        Some(first) => n.len() * 8 - first.leading_zeros() as usize,
        None => 0,
    };
    let exponent = if e.len() > 5 { u64::MAX } else { e.iter().fold(0, |value, byte| value << 8 | u64::from(*byte)) };
    (2048..=8192).contains(&bits)
        && n.last().is_some_and(|last| last % 2 == 1)
        && (3..1 << 33).contains(&exponent)
        && exponent % 2 == 1
}

impl KeySet {
    /// Reads a JWKS.
    pub(super) fn read(document: &Map<String, Value>) -> Result<KeySet, KeySetFault> {
        let listed = document.get("keys").and_then(Value::as_array).ok_or(KeySetFault::Shape)?;
        let mut keys = Vec::new();
        for jwk in listed {
            keys.extend(Key::read(jwk.as_object().ok_or(KeySetFault::Shape)?).map(Arc::new));
        }
        let mut kids: Vec<&str> = keys.iter().filter_map(|key| key.kid.as_deref()).collect();
        kids.sort_unstable();
        if kids.windows(2).any(|pair| pair.first() == pair.last()) {
            return Err(KeySetFault::RepeatedKid);
        }
        if keys.is_empty() {
            return Err(KeySetFault::NoKey);
        }
        Ok(KeySet(keys))
    }

    /// The key that a token names, or the only one where it names none.
    pub(super) fn find(&self, kid: Option<&str>) -> Option<&Arc<Key>> {
        match (kid, self.0.as_slice()) {
            (Some(kid), keys) => keys.iter().find(|key| key.kid.as_deref() == Some(kid)),
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }

    /// Returns whether this very key is (still) in the set.
    pub(super) fn holds(&self, thumbprint: &Thumbprint) -> bool {
        self.0.iter().any(|key| key.thumbprint == *thumbprint)
    }
}
