//! Signs whatever text a test expects to be rejected, with real keys of every accepted algorithm.

use std::sync::LazyLock;

use aws_lc_rs::encoding::AsDer;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeyPair, KeySize};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey};
use serde_json::{Value, json};

pub const ISSUER: &str = "https://issuer.example.test";
pub const AUDIENCE: &str = "stoa-api";

pub struct Signer {
    pub kid: String,
    pub alg: &'static str,
    algorithm: Algorithm,
    key: EncodingKey,
    /// The public key as it is in a JWKS.
    pub jwk: Value,
}

/// RSA keys are slow to make; the tests share two.
static RSA: LazyLock<[EncodingKey; 2]> = LazyLock::new(|| {
    [0, 1].map(|_| {
        let pair = KeyPair::generate(KeySize::Rsa2048).expect("an RSA key");
        let pkcs8 = AsDer::<aws_lc_rs::encoding::Pkcs8V1Der>::as_der(&pair).expect("PKCS#8");
        // jsonwebtoken takes what is inside the PKCS#8: it reads the PEM form of it.
        let pem = format!(
            "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
            base64::engine::general_purpose::STANDARD.encode(pkcs8.as_ref())
        );
        EncodingKey::from_rsa_pem(pem.as_bytes()).expect("an RSA key")
    })
});

pub fn base64url(text: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

impl Signer {
    pub fn es256(kid: &str) -> Signer {
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        let key = EncodingKey::from_ec_der(document.expect("an EC key").as_ref());
        Signer::new(kid, "ES256", Algorithm::ES256, key)
    }

    pub fn eddsa(kid: &str) -> Signer {
        // Version 1, private key only: the form that jsonwebtoken derives a JWK from.
        let document = Ed25519KeyPair::generate_pkcs8v1(&SystemRandom::new()).expect("an Ed25519 key");
        Signer::new(kid, "EdDSA", Algorithm::EdDSA, EncodingKey::from_ed_der(document.as_ref()))
    }

    pub fn rs256(kid: &str, which: usize) -> Signer {
        Signer::new(kid, "RS256", Algorithm::RS256, RSA[which].clone())
    }

    pub fn ps256(kid: &str, which: usize) -> Signer {
        Signer::new(kid, "PS256", Algorithm::PS256, RSA[which].clone())
    }

    /// One of each algorithm, each with a kid of its own.
    pub fn one_of_each() -> [Signer; 4] {
        [Signer::rs256("rs", 0), Signer::ps256("ps", 1), Signer::es256("es"), Signer::eddsa("ed")]
    }

    fn new(kid: &str, alg: &'static str, algorithm: Algorithm, key: EncodingKey) -> Signer {
        let public = Jwk::from_encoding_key(&key, algorithm).expect("a public key");
        let mut jwk = serde_json::to_value(public).expect("JSON");
        jwk["kid"] = json!(kid);
        jwk["use"] = json!("sig");
        Signer { kid: kid.to_owned(), alg, algorithm, key, jwk }
    }

    pub fn header(&self) -> Value {
        json!({ "alg": self.alg, "typ": "at+jwt", "kid": self.kid })
    }

    /// Signs two texts as they are, JSON or not.
    pub fn sign_text(&self, header: impl AsRef<[u8]>, claims: impl AsRef<[u8]>) -> String {
        self.sign_segments(&base64url(header), &base64url(claims))
    }

    pub fn sign_segments(&self, header: &str, claims: &str) -> String {
        let signed = format!("{header}.{claims}");
        let signature = jsonwebtoken::crypto::sign(signed.as_bytes(), &self.key, self.algorithm).expect("a signature");
        format!("{signed}.{signature}")
    }

    pub fn sign(&self, header: &Value, claims: &Value) -> String {
        self.sign_text(header.to_string(), claims.to_string())
    }

    /// A token for Alice, good at `now` and for an hour.
    pub fn token(&self, now: u64) -> String {
        self.sign(&self.header(), &claims(now))
    }
}

pub fn jwks<'a>(signers: impl IntoIterator<Item = &'a Signer>) -> Value {
    json!({ "keys": signers.into_iter().map(|signer| signer.jwk.clone()).collect::<Vec<_>>() })
}

/// Good claims of a verified user.
pub fn claims(now: u64) -> Value {
    json!({
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "248289761001",
        "iat": now,
        "exp": now + 3600,
        "email": "alice@example.test",
        "email_verified": true,
        "name": "Alice Adams",
    })
}

/// The object with one member set.
pub fn with(object: &Value, name: &str, value: impl Into<Value>) -> Value {
    let mut object = object.clone();
    object[name] = value.into();
    object
}

pub fn without(object: &Value, name: &str) -> Value {
    let mut object = object.clone();
    object.as_object_mut().expect("an object").shift_remove(name);
    object
}
