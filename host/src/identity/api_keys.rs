//! API keys: `{environment}_{key id}_{secret}`. The service keeps the SHA-256 of the whole key and compares it in constant time;
//! whether a key still stands is read from live rows in each request's transaction, never from what is remembered here.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lru::LruCache;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::Environment;
use crate::database::{Cell, Database, Error, Place, Row, Session};

/// Keys kept at hand. What is kept of a key never changes.
const CACHED: usize = 10_000;
/// Bytes of a secret: 256 bits, 43 characters of base64url.
const SECRET: usize = 32;
const SECRET_TEXT: usize = 43;
/// Length of a uuid as text.
const ID_TEXT: usize = 36;
/// Characters of a key that are shown afterwards, so that people tell keys apart.
const PREFIX: usize = 13;

/// What of a key never changes.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiKey {
    pub id: Uuid,
    pub tenant: Uuid,
    pub client: Uuid,
    pub hash: [u8; 32],
    pub environment: String,
    /// Of its client.
    pub requests_per_minute: u64,
    pub monthly_quota: u64,
}

/// A key as a caller sends it: by position, since a secret may hold the separator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Presented {
    pub id: Uuid,
    pub hash: [u8; 32],
}

/// A new key. `text` is delivered once.
pub struct Issued {
    pub id: Uuid,
    pub text: String,
    pub prefix: String,
    pub last4: String,
    pub hash: [u8; 32],
}

/// Whether a bearer credential has the beginning of an API key: no JWT has it.
pub fn is_api_key(token: &str) -> bool {
    token.starts_with("test_") || token.starts_with("live_")
}

impl Presented {
    /// `None`: not the form of a key.
    pub fn parse(token: &str) -> Option<Presented> {
        let rest = token.strip_prefix("test_").or_else(|| token.strip_prefix("live_"))?;
        let (id, secret) = rest.split_at_checked(ID_TEXT)?;
        let secret = secret.strip_prefix('_').filter(|secret| secret.len() == SECRET_TEXT)?;
        URL_SAFE_NO_PAD.decode(secret).ok()?;
        let id = Uuid::try_parse(id).ok().filter(|id| id.get_version_num() == 7)?;
        Some(Presented { id, hash: Sha256::digest(token).into() })
    }
}

impl Issued {
    /// Makes a key. An error: the system has no randomness.
    pub fn make(environment: Environment, id: Uuid) -> Result<Issued, Error> {
        let mut secret = [0; SECRET];
        aws_lc_rs::rand::fill(&mut secret).map_err(|_| Error::Fault("no randomness".into()))?;
        let text = format!("{environment}_{id}_{}", URL_SAFE_NO_PAD.encode(secret));
        let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_string();
        let (prefix, last4) = (part(0..PREFIX), part(text.len() - 4..text.len()));
        let hash = Sha256::digest(&text).into();
        Ok(Issued { id, text, prefix, last4, hash })
    }
}

pub struct ApiKeys {
    environment: Environment,
    cache: Mutex<LruCache<Uuid, Arc<ApiKey>>>,
}

impl ApiKeys {
    /// `environment`: the deployment's; a key of the other one is as good as none.
    pub fn new(environment: Environment) -> ApiKeys {
        ApiKeys {
            environment,
            cache: Mutex::new(LruCache::new(NonZeroUsize::new(CACHED).unwrap_or(NonZeroUsize::MIN))),
        }
    }

    /// The key that a token is, if it is one that was issued here.
    pub async fn of(&self, database: &Database, token: &str) -> Result<Option<Arc<ApiKey>>, Error> {
        let Some(presented) = Presented::parse(token) else { return Ok(None) };
        let cached = self.cache.lock().ok().and_then(|mut cache| cache.get(&presented.id).cloned());
        let was_cached = cached.is_some();
        let key = match cached {
            Some(key) => key,
            None => match load(database, presented.id).await? {
                Some(key) => {
                    let key = Arc::new(key);
                    if let Ok(mut cache) = self.cache.lock() {
                        cache.put(key.id, key.clone());
                    }
                    key
                }
                None => return Ok(None),
            },
        };
        let same = aws_lc_rs::constant_time::verify_slices_are_equal(&key.hash, &presented.hash).is_ok();
        if same && key.environment == self.environment.to_string() {
            return Ok(Some(key));
        }
        // A wrong secret costs one look into the database as every other refusal does: time does not tell which keys there are.
        if was_cached {
            load(database, presented.id).await?;
        }
        Ok(None)
    }
}

async fn load(database: &Database, id: Uuid) -> Result<Option<ApiKey>, Error> {
    database.read_plain(Place::Home, id, |session, id| Box::pin(read(session, *id))).await
}

async fn read(session: &mut Session, id: Uuid) -> Result<Option<ApiKey>, Error> {
    let rows = session
        .query(
            "select k.tenant_id, k.client_id, k.hash, k.environment, c.requests_per_minute, c.monthly_quota
             from stoa_api_key k
             join stoa_api_client c on c.tenant_id = k.tenant_id and c.id = k.client_id
             where k.id = $1",
            &[Cell::Id(id)],
        )
        .await?;
    rows.first().map(|row| decode(row, id)).transpose()
}

fn decode(row: &Row, id: Uuid) -> Result<ApiKey, Error> {
    let count = |index| u64::try_from(row.integer(index)?).map_err(|_| Error::Fault("a negative limit".into()));
    Ok(ApiKey {
        id,
        tenant: row.id(0)?,
        client: row.id(1)?,
        hash: row.bytes(2)?.try_into().map_err(|_| Error::Fault("a hash of another length".into()))?,
        environment: row.text(3)?,
        requests_per_minute: count(4)?,
        monthly_quota: count(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_key_is_recognized() {
        let id = Uuid::now_v7();
        let issued = Issued::make(Environment::Live, id).expect("randomness");
        assert_eq!(issued.text.len(), 85);
        assert!(is_api_key(&issued.text));
        assert_eq!(Presented::parse(&issued.text), Some(Presented { id, hash: issued.hash }));
        assert!(issued.text.starts_with(&issued.prefix) && issued.prefix.starts_with("live_"));
        assert!(issued.text.ends_with(&issued.last4));
        assert_eq!((issued.prefix.len(), issued.last4.len()), (13, 4));
    }

    #[test]
    fn what_is_no_key() {
        let good = format!("test_{}_{}", Uuid::now_v7(), "a".repeat(42) + "A");
        assert!(Presented::parse(&good).is_some());
        let v4 = format!("test_{}_{}", Uuid::new_v4(), "a".repeat(42) + "A");
        let bad = [
            &good[1..],
            &good[..84],
            &good.replacen('_', "-", 1),
            &good.replace("test", "prod"),
            &v4,
            "test_",
            "live_é",
        ];
        for token in bad {
            assert_eq!(Presented::parse(token), None, "{token}");
        }
    }
}
