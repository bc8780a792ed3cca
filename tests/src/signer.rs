//! Keys of an identity provider and the tokens signed with them, good or as bad as a test wants them. Shares no code with the
//! host: a rule that both misread alike would not show.

use std::sync::LazyLock;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RSA_PSS_SHA256,
    RsaEncoding, RsaKeyPair,
};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value as Json, json};

/// One key of a provider.
pub struct Signer {
    pub kid: String,
    /// `RS256`, `PS256`, `ES256` or `EdDSA`.
    pub alg: &'static str,
    /// The public key as it is in a JWKS.
    pub jwk: Json,
    key: Key,
}

enum Key {
    Rsa(&'static RsaKeyPair, &'static dyn RsaEncoding),
    Ec(EcdsaKeyPair),
    Ed(Ed25519KeyPair),
}

/// RSA keys are slow to make; the suite shares two.
static RSA: LazyLock<[RsaKeyPair; 2]> =
    LazyLock::new(|| [0, 1].map(|_| RsaKeyPair::generate(KeySize::Rsa2048).expect("an RSA key")));

impl Signer {
    pub fn es256(kid: &str) -> Signer {
        let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).expect("an EC key");
        let point = pair.public_key().as_ref();
        let jwk = json!({ "kty": "EC", "crv": "P-256", "x": base64url(&point[1..33]), "y": base64url(&point[33..]) });
        Signer::new(kid, "ES256", jwk, Key::Ec(pair))
    }

    /// `which`: 0 or 1, the two RSA keys of the suite.
    pub fn rs256(kid: &str, which: usize) -> Signer {
        Signer::rsa(kid, "RS256", which, &RSA_PKCS1_SHA256)
    }

    /// `which`: 0 or 1, the two RSA keys of the suite.
    pub fn ps256(kid: &str, which: usize) -> Signer {
        Signer::rsa(kid, "PS256", which, &RSA_PSS_SHA256)
    }

    pub fn eddsa(kid: &str) -> Signer {
        let pair = Ed25519KeyPair::generate().expect("an Ed25519 key");
        let jwk = json!({ "kty": "OKP", "crv": "Ed25519", "x": base64url(pair.public_key().as_ref()) });
        Signer::new(kid, "EdDSA", jwk, Key::Ed(pair))
    }

    fn rsa(kid: &str, alg: &'static str, which: usize, encoding: &'static dyn RsaEncoding) -> Signer {
        let pair = &RSA[which];
        let (n, e) = rsa_numbers(pair.public_key().as_ref());
        let jwk = json!({ "kty": "RSA", "n": base64url(n), "e": base64url(e) });
        Signer::new(kid, alg, jwk, Key::Rsa(pair, encoding))
    }

    fn new(kid: &str, alg: &'static str, mut jwk: Json, key: Key) -> Signer {
        for (name, value) in [("kid", kid), ("alg", alg), ("use", "sig")] {
            jwk[name] = json!(value);
        }
        Signer { kid: kid.to_string(), alg, jwk, key }
    }

    /// The header of its good tokens.
    pub fn header(&self) -> Json {
        json!({ "alg": self.alg, "typ": "at+jwt", "kid": self.kid })
    }

    pub fn sign(&self, header: &Json, claims: &Json) -> String {
        let signed = format!("{}.{}", base64url(header.to_string()), base64url(claims.to_string()));
        let signature = base64url(self.signature(signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    fn signature(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.key {
            Key::Rsa(pair, encoding) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(*encoding, &random, message, &mut signature).expect("a signature");
                signature
            }
            Key::Ec(pair) => pair.sign(&random, message).expect("a signature").as_ref().to_vec(),
            Key::Ed(pair) => pair.sign(message).as_ref().to_vec(),
        }
    }
}

/// A JWKS of these keys.
pub fn jwks<'a>(signers: impl IntoIterator<Item = &'a Signer>) -> Json {
    json!({ "keys": signers.into_iter().map(|signer| signer.jwk.clone()).collect::<Vec<_>>() })
}

/// Claims of a verified person, good for an hour from now.
pub fn claims(issuer: &str, audience: &str, subject: &str) -> Json {
    json!({
        "iss": issuer,
        "aud": audience,
        "sub": subject,
        "iat": now(),
        "exp": now() + 3600,
        "email": format!("{subject}@example.test"),
        "email_verified": true,
        "name": subject,
    })
}

/// Seconds since 1970.
pub fn now() -> u64 {
    std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs()
}

pub fn base64url(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Modulus and exponent of an `RSAPublicKey` (RFC 8017 A.1.1): a sequence of two integers.
fn rsa_numbers(der: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (_, sequence, _) = element(der);
    let (_, n, rest) = element(sequence);
    let (_, e, _) = element(rest);
    let plain = |number: &[u8]| number.iter().copied().skip_while(|byte| *byte == 0).collect();
    (plain(n), plain(e))
}

/// The first DER element: its tag, its content and what follows.
fn element(der: &[u8]) -> (u8, &[u8], &[u8]) {
    let (tag, first) = (der[0], usize::from(der[1]));
    let (length, begin) = match first {
        0..0x80 => (first, 2),
        long => {
            let digits = &der[2..2 + (long - 0x80)];
            (digits.iter().fold(0, |value, digit| value << 8 | usize::from(*digit)), 2 + digits.len())
        }
    };
    (tag, &der[begin..begin + length], &der[begin + length..])
}
