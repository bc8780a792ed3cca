//! The issuer that `stoa serve --dev` carries: an ES256 key in the data folder, its documents, and tokens for every
//! user of this machine (`stoa token --user EMAIL`). Its tokens are verified like any other's.
//!
//! Its identifier is not the address of its documents, since that depends on where the host listens, and a token must
//! outlive a change of port. `.invalid` (RFC 2606) makes sure that no other server can ever respond under it.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, ThumbprintHash};
use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::claims::is_email_address;
use super::clock::Clock;
use super::issuer::{Algorithm, Issuer, KeySource};

/// The dev issuer's identifier (`iss`).
pub const DEV_ISSUER: &str = "https://dev.stoa.invalid";
/// The audience (`aud`) of its tokens.
pub const DEV_AUDIENCE: &str = "stoa";

const KEY_FILE: &str = "issuer.key";

/// The dev issuer, with its key loaded.
pub struct DevIssuer {
    key: EncodingKey,
    kid: String,
    jwk: Value,
}

/// Why there is no dev issuer, or no token of it.
#[derive(Debug, thiserror::Error)]
pub enum DevIssuerError {
    #[error("{} does not exist: `stoa serve --dev` with this data folder makes it", .0.display())]
    NoKey(PathBuf),
    #[error("{}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("{} holds no P-256 private key (PKCS#8, PEM); without the file a new key is made", .0.display())]
    BadKey(PathBuf),
    #[error("no key could be made, or nothing signed with it")]
    Cryptography,
    #[error("a token is for an email address")]
    Email,
}

impl DevIssuer {
    /// Loads the key of a data folder, for `stoa token`.
    ///
    /// # Errors
    /// `NoKey` where no host with `--dev` has used the folder yet.
    pub fn load(data_dir: &Path) -> Result<DevIssuer, DevIssuerError> {
        let path = data_dir.join(KEY_FILE);
        let read = OpenOptions::new().read(true).open(&path).and_then(|mut file| {
            file.lock_shared()?;
            let mut pem = String::new();
            file.read_to_string(&mut pem).map(|_| pem)
        });
        match read {
            Ok(pem) if pem.is_empty() => Err(DevIssuerError::NoKey(path)),
            Ok(pem) => DevIssuer::from_pem(&pem).ok_or(DevIssuerError::BadKey(path)),
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => Err(DevIssuerError::NoKey(path)),
            Err(source) => Err(DevIssuerError::File { path, source }),
        }
    }

    /// Loads the key of a data folder, making folder and key (readable only by their owner) where they are missing,
    /// for `stoa serve --dev`. Several processes that do so at once get the same key.
    ///
    /// # Errors
    /// The file cannot be read or written, or holds something else.
    pub fn load_or_create(data_dir: &Path) -> Result<DevIssuer, DevIssuerError> {
        let path = data_dir.join(KEY_FILE);
        let file = fs::create_dir_all(data_dir)
            .and_then(|()| {
                OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path)
            })
            .and_then(|mut file| {
                file.lock()?;
                let mut pem = String::new();
                file.read_to_string(&mut pem).map(|_| (file, pem))
            });
        let (mut file, mut pem) = file.map_err(|source| DevIssuerError::File { path: path.clone(), source })?;
        if pem.is_empty() {
            pem = new_key().ok_or(DevIssuerError::Cryptography)?;
            file.write_all(pem.as_bytes())
                .and_then(|()| file.sync_all())
                .map_err(|source| DevIssuerError::File { path: path.clone(), source })?;
        }
        DevIssuer::from_pem(&pem).ok_or(DevIssuerError::BadKey(path))
    }

    fn from_pem(pem: &str) -> Option<DevIssuer> {
        let key = EncodingKey::from_ec_pem(pem.as_bytes()).ok()?;
        let public = Jwk::from_encoding_key(&key, jsonwebtoken::Algorithm::ES256).ok()?;
        let AlgorithmParameters::EllipticCurve(point) = &public.algorithm else { return None };
        // The key's own thumbprint (RFC 7638): the same key has the same name in every process.
        let kid = public.thumbprint(ThumbprintHash::SHA256).ok()?;
        let jwk = json!({
            "kty": "EC", "crv": "P-256", "x": point.x, "y": point.y, "kid": kid, "use": "sig", "alg": "ES256",
        });
        Some(DevIssuer { key, kid, jwk })
    }

    /// The issuer as a verifier takes it: ES256 and `at+jwt` only, keys at hand.
    pub fn settings(&self) -> Issuer {
        Issuer {
            algorithms: vec![Algorithm::ES256],
            types: vec!["at+jwt".to_owned()],
            keys: KeySource::Document(self.jwks()),
            ..Issuer::new(DEV_ISSUER, DEV_AUDIENCE)
        }
    }

    /// The public key set, for `/dev/issuer/jwks.json`.
    pub fn jwks(&self) -> Value {
        json!({ "keys": [self.jwk] })
    }

    /// The discovery document, for `/dev/issuer/.well-known/openid-configuration`. `base` is where the issuer's
    /// documents are served, such as `http://127.0.0.1:8080/dev/issuer`. It signs no users in, hence it has no endpoint
    /// for that.
    pub fn discovery(&self, base: &str) -> Value {
        json!({
            "issuer": DEV_ISSUER,
            "jwks_uri": format!("{base}/jwks.json"),
            "response_types_supported": ["none"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "claims_supported": ["iss", "sub", "aud", "exp", "iat", "email", "email_verified", "name"],
        })
    }

    /// An access token (RFC 9068) for the user of this address, valid from now for `ttl`. `audience` and `issuer` are
    /// `DEV_AUDIENCE` and `DEV_ISSUER` but for tests. The subject derives from the address without regard to case, so
    /// one address is one user.
    ///
    /// # Errors
    /// `Email` for what is no address.
    pub fn mint(&self, email: &str, ttl: Duration, audience: &str, issuer: &str) -> Result<String, DevIssuerError> {
        if !is_email_address(email) {
            return Err(DevIssuerError::Email);
        }
        let now = Clock::system().unix_seconds();
        let subject = Sha256::digest(email.to_lowercase().as_bytes());
        let header = Header {
            typ: Some("at+jwt".to_owned()),
            kid: Some(self.kid.clone()),
            ..Header::new(jsonwebtoken::Algorithm::ES256)
        };
        let claims = json!({
            "iss": issuer,
            "aud": audience,
            "sub": format!("dev-{}", hex::encode(subject.get(..16).unwrap_or_default())),
            "client_id": "stoa-cli",
            "jti": uuid::Uuid::new_v4(),
            "iat": now,
            "exp": now.saturating_add(ttl.as_secs()),
            "email": email,
            "email_verified": true,
            "name": email.split('@').next(),
        });
        jsonwebtoken::encode(&header, &claims, &self.key).map_err(|_| DevIssuerError::Cryptography)
    }
}

/// A new P-256 private key, PKCS#8 in PEM.
fn new_key() -> Option<String> {
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).ok()?;
    let mut pem = String::from("-----BEGIN PRIVATE KEY-----\n");
    let text = STANDARD.encode(document.as_ref());
    for (index, character) in text.chars().enumerate() {
        if index > 0 && index % 64 == 0 {
            pem.push('\n');
        }
        pem.push(character);
    }
    pem.push_str("\n-----END PRIVATE KEY-----\n");
    Some(pem)
}
