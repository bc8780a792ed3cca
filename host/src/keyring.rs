//! The deployment's keys: values that the host must be able to read again, and a person who has only the database must not, are
//! encrypted under one of them. The first key of the ring encrypts, all of them decrypt, so that a key is changed while
//! hosts run.

use std::fmt;
use std::str::FromStr;

use aws_lc_rs::aead::{AES_256_GCM, Aad, Nonce, RandomizedNonceKey};
use sha2::{Digest as _, Sha256};

const KEY_LENGTH: usize = 32;
const NONCE_LENGTH: usize = 12;

/// Why something cannot be decrypted. It names a key at most.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    #[error("STOA_ENCRYPTION_KEY lacks the key {0}")]
    KeyMissing(String),
    #[error("what was encrypted under the key {0} is damaged")]
    Damaged(String),
}

/// An encrypted text, and the id of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    pub key_id: String,
    /// Nonce, ciphertext and tag.
    pub bytes: Vec<u8>,
}

struct DeploymentKey {
    id: String,
    key: RandomizedNonceKey,
}

/// The keys of a deployment, as `STOA_ENCRYPTION_KEY` lists them.
pub struct KeyRing {
    first: DeploymentKey,
    others: Vec<DeploymentKey>,
}

impl KeyRing {
    /// Id of the key that encrypts.
    pub fn current(&self) -> &str {
        &self.first.id
    }

    /// Returns whether it can decrypt what was encrypted under the key of this id.
    pub fn holds(&self, key_id: &str) -> bool {
        std::iter::once(&self.first).chain(&self.others).any(|key| key.id == key_id)
    }

    /// Encrypts `secret` for `record`, next to which only it can be decrypted.
    pub fn encrypt(&self, record: &[u8], secret: &[u8]) -> anyhow::Result<Sealed> {
        let mut bytes = secret.to_vec();
        let sealed = self.first.key.seal_in_place_append_tag(Aad::from(record), &mut bytes);
        let nonce = sealed.map_err(|_| anyhow::anyhow!("the secret cannot be encrypted"))?;
        bytes.splice(0..0, nonce.as_ref().iter().copied());
        Ok(Sealed { key_id: self.first.id.clone(), bytes })
    }

    /// Decrypts what was encrypted for `record`.
    pub fn decrypt(&self, record: &[u8], key_id: &str, bytes: &[u8]) -> Result<Vec<u8>, Unreadable> {
        let mut keys = std::iter::once(&self.first).chain(&self.others);
        let key = keys.find(|key| key.id == key_id).ok_or_else(|| Unreadable::KeyMissing(key_id.to_owned()))?;
        let damaged = || Unreadable::Damaged(key_id.to_owned());
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LENGTH).ok_or_else(damaged)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| damaged())?;
        let mut opened = sealed.to_vec();
        let length = key.key.open_in_place(nonce, Aad::from(record), &mut opened).map_err(|_| damaged())?.len();
        opened.truncate(length);
        Ok(opened)
    }
}

impl DeploymentKey {
    fn from_bytes(bytes: &[u8]) -> Result<DeploymentKey, String> {
        let key = RandomizedNonceKey::new(&AES_256_GCM, bytes).map_err(|_| INVALID.to_owned())?;
        let digest = Sha256::new().chain_update(b"stoa deployment key").chain_update(bytes).finalize();
        Ok(DeploymentKey { id: hex::encode(digest.get(..8).unwrap_or_default()), key })
    }
}

const INVALID: &str = "STOA_ENCRYPTION_KEY holds keys of 64 hexadecimal digits each, with commas";

impl FromStr for KeyRing {
    type Err = String;

    /// Keys of 64 hexadecimal digits each, with commas; the first encrypts.
    fn from_str(text: &str) -> Result<KeyRing, String> {
        let mut keys = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let bytes = hex::decode(part).ok().filter(|bytes| bytes.len() == KEY_LENGTH);
            keys.push(DeploymentKey::from_bytes(&bytes.ok_or_else(|| INVALID.to_owned())?)?);
        }
        if keys.is_empty() {
            return Err(INVALID.to_owned());
        }
        let others = keys.split_off(1);
        keys.pop().map(|first| KeyRing { first, others }).ok_or_else(|| INVALID.to_owned())
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<&str> = std::iter::once(&self.first).chain(&self.others).map(|key| key.id.as_str()).collect();
        formatter.debug_struct("KeyRing").field("ids", &ids).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(keys: &[u8]) -> KeyRing {
        let texts: Vec<String> = keys.iter().map(|key| hex::encode([*key; KEY_LENGTH])).collect();
        texts.join(",").parse().expect("keys")
    }

    #[test]
    fn the_first_key_encrypts_and_all_decrypt() {
        let old = ring(&[1]).encrypt(b"a", b"whsec_x").expect("encrypted");
        let both = ring(&[2, 1]);
        assert_eq!(both.decrypt(b"a", &old.key_id, &old.bytes), Ok(b"whsec_x".to_vec()));
        let new = both.encrypt(b"a", b"whsec_x").expect("encrypted");
        assert_eq!((new.key_id.as_str(), both.current()), (ring(&[2]).current(), ring(&[2]).current()));
        let missing = ring(&[2]).decrypt(b"a", &old.key_id, &old.bytes);
        assert_eq!(missing, Err(Unreadable::KeyMissing(old.key_id.clone())));
        let again = both.encrypt(b"a", b"whsec_x").expect("encrypted");
        assert_ne!(again.bytes, new.bytes, "one nonce twice");
    }

    #[test]
    fn what_was_touched_or_moved_is_refused() {
        let ring = ring(&[1]);
        let sealed = ring.encrypt(b"a", b"secret").expect("encrypted");
        let damaged = Err(Unreadable::Damaged(sealed.key_id.clone()));
        assert_eq!(ring.decrypt(b"b", &sealed.key_id, &sealed.bytes), damaged, "of another record");
        for index in 0..sealed.bytes.len() {
            let mut touched = sealed.bytes.clone();
            touched[index] ^= 1;
            assert_eq!(ring.decrypt(b"a", &sealed.key_id, &touched), damaged, "at {index}");
        }
        assert_eq!(ring.decrypt(b"a", &sealed.key_id, b"short"), damaged);
        assert!(!format!("{ring:?}").contains("01010101"), "a key is shown");
    }

    #[test]
    fn keys_are_64_digits_each() {
        let key = hex::encode([7; KEY_LENGTH]);
        for (text, good) in [
            (key.clone(), true),
            (format!(" {key} , {key},"), true),
            (String::new(), false),
            (key[1..].to_owned(), false),
            (format!("{key}00"), false),
            (format!("{key},x"), false),
        ] {
            assert_eq!(text.parse::<KeyRing>().is_ok(), good, "{text}");
        }
    }
}
