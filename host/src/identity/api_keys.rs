//! API keys: `{environment}_{key id}_{secret}`. The service keeps the SHA-256 of the whole key and compares it in constant time;
//! each request's transaction reads from live rows whether a key is still active, never from this cache.

use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lru::LruCache;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::Environment;
use super::failed_lookups::{FailedLookups, PastLookup};
use crate::database::{Cell, Database, Error, QueueKey, Row, Session, Shard};

/// Keys in memory. The members that are kept of a key never change.
const CACHED: usize = 10_000;
/// Bytes of a secret: 256 bits, 43 characters of base64url.
const SECRET: usize = 32;
const SECRET_TEXT: usize = 43;
/// Length of a uuid as text.
const ID_TEXT: usize = 36;
/// Characters of a key that are shown afterwards, so that people can distinguish keys.
const PREFIX: usize = 13;

/// The properties of a key that never change.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiKey {
    pub id: Uuid,
    pub tenant: Uuid,
    pub client: Uuid,
    pub hash: [u8; 32],
    pub environment: String,
    /// Limit of its client, like the quota.
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

/// Returns whether a bearer credential has the beginning of an API key: no JWT has it.
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
    failed_lookups: FailedLookups,
}

/// Result of looking a token up.
pub enum Lookup {
    Key(Arc<ApiKey>),
    /// None that was issued here.
    Nothing,
    /// One that was found revoked a moment ago.
    Revoked,
    /// Its peer has tried too many in this second: the key was not looked up.
    TooMany,
}

impl ApiKeys {
    /// `environment`: the deployment's; a key of the other one is as good as none.
    pub fn new(environment: Environment) -> ApiKeys {
        ApiKeys {
            environment,
            cache: Mutex::new(LruCache::new(NonZeroUsize::new(CACHED).unwrap_or(NonZeroUsize::MIN))),
            failed_lookups: FailedLookups::default(),
        }
    }

    /// The key that a token is, if it is one that was issued here. `peer`: the subscriber who sends it, for whom
    /// look-ups count.
    pub async fn look_up(&self, database: &Database, token: &str, peer: IpAddr) -> Result<Lookup, Error> {
        let Some(presented) = Presented::parse(token) else { return Ok(Lookup::Nothing) };
        let cached = self.cache.lock().ok().and_then(|mut cache| cache.get(&presented.id).cloned());
        if let Some(key) = cached.filter(|key| self.is_it(&presented, &key.hash, &key.environment)) {
            let is_revoked = self.failed_lookups.is_refused(&presented.hash, Instant::now());
            return Ok(if is_revoked { Lookup::Revoked } else { Lookup::Key(key) });
        }
        match self.failed_lookups.recall(&presented.hash, peer, Instant::now()) {
            PastLookup::Unknown => {}
            PastLookup::Refused => return Ok(Lookup::Nothing),
            PastLookup::TooMany => return Ok(Lookup::TooMany),
        }
        let Some(key) = self.look(database, &presented, peer).await? else {
            self.failed_lookups.note_refusal(presented.hash, peer, Instant::now());
            return Ok(Lookup::Nothing);
        };
        if let Ok(mut cache) = self.cache.lock() {
            cache.put(key.id, key.clone());
        }
        Ok(Lookup::Key(key))
    }

    /// Takes note that the database says that a key is revoked. For a second it is rejected without a look.
    pub fn note_revoked(&self, key: &ApiKey) {
        self.failed_lookups.note_revoked(key.hash, Instant::now());
    }

    async fn look(
        &self,
        database: &Database,
        presented: &Presented,
        peer: IpAddr,
    ) -> Result<Option<Arc<ApiKey>>, Error> {
        let cached = self.cache.lock().ok().and_then(|mut cache| cache.get(&presented.id).cloned());
        if cached.is_some() {
            // A wrong secret costs one look into the database as every rejection does: the time does not reveal which
            // keys exist.
            load(database, presented.id, peer).await?;
            return Ok(None);
        }
        let found = load(database, presented.id, peer).await?;
        let Some(found) = found.filter(|found| self.is_it(presented, &found.hash, &found.environment)) else {
            return Ok(None);
        };
        Ok(complete(database, presented.id, found).await?.map(Arc::new))
    }

    /// Returns whether what was presented is the key of this hash, and of this deployment's environment.
    fn is_it(&self, presented: &Presented, hash: &[u8; 32], environment: &str) -> bool {
        let same = aws_lc_rs::constant_time::verify_slices_are_equal(hash, &presented.hash).is_ok();
        same && environment == self.environment.to_string()
    }
}

/// A key's own row: its id leads to its company, and the company to its shard.
struct Found {
    tenant: Uuid,
    client: Uuid,
    hash: [u8; 32],
    environment: String,
}

/// Look-ups of one peer wait in a queue of its own: they delay no other caller.
async fn load(database: &Database, id: Uuid, peer: IpAddr) -> Result<Option<Found>, Error> {
    let bits = match peer {
        IpAddr::V4(four) => four.to_ipv6_mapped().to_bits(),
        IpAddr::V6(six) => six.to_bits(),
    };
    let destination = Shard::Global.with_queue(QueueKey::Caller(Uuid::from_u128(bits)));
    database.read_plain(destination, id, |session, id| Box::pin(read_key(session, *id))).await
}

async fn read_key(session: &mut Session, id: Uuid) -> Result<Option<Found>, Error> {
    let sql = "select tenant_id, client_id, hash, environment from stoa_api_key where id = $1";
    let rows = session.query(sql, &[Cell::Id(id)]).await?;
    let decode = |row: &Row| {
        Ok(Found {
            tenant: row.id(0)?,
            client: row.id(1)?,
            hash: row.bytes(2)?.try_into().map_err(|_| Error::Fault("a hash of another length".into()))?,
            environment: row.text(3)?,
        })
    };
    rows.first().map(decode).transpose()
}

/// The key with what its client may ask, which is where the company is.
async fn complete(database: &Database, id: Uuid, found: Found) -> Result<Option<ApiKey>, Error> {
    let Found { tenant, client, hash, environment } = found;
    let limits = database.read_plain(Shard::Company(tenant), (tenant, client), |session, (tenant, client)| {
        Box::pin(read_limits(session, *tenant, *client))
    });
    Ok(limits.await?.map(|(requests_per_minute, monthly_quota)| ApiKey {
        id,
        tenant,
        client,
        hash,
        environment,
        requests_per_minute,
        monthly_quota,
    }))
}

/// Requests a minute and a month.
async fn read_limits(session: &mut Session, tenant: Uuid, client: Uuid) -> Result<Option<(u64, u64)>, Error> {
    let sql = "select requests_per_minute, monthly_quota from stoa_api_client where tenant_id = $1 and id = $2";
    let rows = session.query(sql, &[Cell::Id(tenant), Cell::Id(client)]).await?;
    let count =
        |row: &Row, index| u64::try_from(row.integer(index)?).map_err(|_| Error::Fault("a negative limit".into()));
    rows.first().map(|row| Ok((count(row, 0)?, count(row, 1)?))).transpose()
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
