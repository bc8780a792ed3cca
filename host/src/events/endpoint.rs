//! Secrets of endpoints: encrypted at rest under the deployment's key, next to their row, and encrypted again when that key
//! changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use uuid::Uuid;

use crate::database::{Cell, Database, Error, Row, Session, Shard};
use crate::keyring::{KeyRing, Sealed};

/// For so long after a rotation both the old and the new secret sign.
pub const OVERLAP_MS: i64 = 24 * 60 * 60 * 1000;
/// Rows that are encrypted again in one transaction.
const BATCH: usize = 100;
/// Keys of a deployment that are looked at: it has one, and two while they are changed.
const MOST_KEYS: usize = 100;

/// Columns of an endpoint that [`Secrets::read`] reads.
pub const COLUMNS: &str = "key_id, secret, previous_secret, previous_until";

/// Secrets that sign the deliveries of an endpoint.
#[derive(Clone, PartialEq, Eq)]
pub struct Secrets {
    /// The one that counts from the last rotation on.
    pub current: String,
    /// The one before it, and until when it signs, milliseconds since 1970.
    pub previous: Option<(String, i64)>,
}

/// As the row keeps them.
pub struct SealedSecrets {
    pub key_id: String,
    pub current: Vec<u8>,
    pub previous: Option<(Vec<u8>, i64)>,
}

impl Secrets {
    /// Secrets at an instant: the one that signs `X-Webhook-Signature`, and the one that is announced.
    pub fn choose(&self, now: i64) -> (&str, Option<&str>) {
        match &self.previous {
            Some((previous, until)) if now < *until => (previous, Some(&self.current)),
            _ => (&self.current, None),
        }
    }

    /// Reads the secrets of an endpoint's row, whose columns begin at `at`.
    pub fn read(keys: &KeyRing, tenant: Uuid, endpoint: Uuid, row: &Row, first: usize) -> Result<Secrets, Error> {
        let key_id = row.text(first)?;
        let decrypt = |bytes: &[u8]| {
            let opened = keys.decrypt(&owner(tenant, endpoint), &key_id, bytes);
            let opened = opened.map_err(|error| Error::Fault(error.to_string()))?;
            String::from_utf8(opened).map_err(|_| Error::Fault("a signing secret is no text".into()))
        };
        let until = row.optional(first + 3, Row::instant)?;
        let previous = match until {
            Some(until) if !row.is_null(first + 2) => Some((decrypt(row.bytes(first + 2)?)?, until)),
            _ => None,
        };
        Ok(Secrets { current: decrypt(row.bytes(first + 1)?)?, previous })
    }

    /// Encrypts them under the current key.
    pub fn seal(&self, keys: &KeyRing, tenant: Uuid, endpoint: Uuid) -> Result<SealedSecrets, Error> {
        let encrypt = |secret: &str| {
            let sealed = keys.encrypt(&owner(tenant, endpoint), secret.as_bytes());
            sealed.map_err(|error| Error::Fault(error.to_string()))
        };
        let Sealed { key_id, bytes } = encrypt(&self.current)?;
        let previous = match &self.previous {
            Some((secret, until)) => Some((encrypt(secret)?.bytes, *until)),
            None => None,
        };
        Ok(SealedSecrets { key_id, current: bytes, previous })
    }
}

impl SealedSecrets {
    /// The columns of [`COLUMNS`].
    pub fn cells(self) -> [Cell; 4] {
        let (secret, until) = self.previous.unzip();
        [
            Cell::text(self.key_id),
            Cell::Bytes(self.current),
            Cell::optional(secret, Cell::Bytes),
            Cell::optional(until, Cell::Instant),
        ]
    }
}

/// Owner of a secret: the secret can be read only with its own row.
fn owner(tenant: Uuid, endpoint: Uuid) -> [u8; 32] {
    let mut owner = [0; 32];
    owner[..16].copy_from_slice(tenant.as_bytes());
    owner[16..].copy_from_slice(endpoint.as_bytes());
    owner
}

/// Keys by which stored secrets are encrypted and that this ring lacks.
pub async fn find_missing_keys(database: &Database, keys: &KeyRing) -> Result<BTreeSet<String>, Error> {
    let mut missing = BTreeSet::new();
    for shard in database.shards() {
        let ids = database.read_plain(shard, (), |session, ()| {
            Box::pin(async move {
                let sql = format!("select distinct key_id from stoa_webhook_endpoint limit {MOST_KEYS}");
                let rows = session.query_composed(sql, &[]).await?;
                rows.iter().map(|row| row.text(0)).collect::<Result<Vec<String>, Error>>()
            })
        });
        match ids.await {
            // A place that is out of service is not known to have any.
            Err(Error::Unavailable(_)) if shard != Shard::Global => {}
            ids => missing.extend(ids?.into_iter().filter(|id| !keys.holds(id))),
        }
    }
    Ok(missing)
}

/// Encrypts under the current key what is under another one; also while hosts run. Answers how many endpoints there were.
pub async fn rotate_keys(database: &Database, keys: Arc<KeyRing>) -> Result<usize, Error> {
    let mut all = 0;
    for shard in database.shards() {
        loop {
            let rotated = database
                .write_plain(shard, keys.clone(), |session, keys| Box::pin(rotate_batch(session, keys)))
                .await?;
            all += rotated;
            if rotated < BATCH {
                break;
            }
        }
    }
    Ok(all)
}

async fn rotate_batch(session: &mut Session, keys: &Arc<KeyRing>) -> Result<usize, Error> {
    let lock = if matches!(session, Session::Postgres(_)) { " for update skip locked" } else { "" };
    let sql =
        format!("select tenant_id, id, {COLUMNS} from stoa_webhook_endpoint where key_id <> $1 limit {BATCH}{lock}");
    let rows = session.query_composed(sql, &[Cell::text(keys.current())]).await?;
    for row in &rows {
        let (tenant, endpoint) = (row.id(0)?, row.id(1)?);
        write(session, keys, tenant, endpoint, &Secrets::read(keys, tenant, endpoint, row, 2)?).await?;
    }
    Ok(rows.len())
}

/// Writes an endpoint's secrets.
pub async fn write(
    session: &mut Session,
    keys: &KeyRing,
    tenant: Uuid,
    endpoint: Uuid,
    secrets: &Secrets,
) -> Result<(), Error> {
    let mut values = vec![Cell::Id(tenant), Cell::Id(endpoint)];
    values.extend(secrets.seal(keys, tenant, endpoint)?.cells());
    let sql = "update stoa_webhook_endpoint set key_id = $3, secret = $4, previous_secret = $5, previous_until = $6
               where tenant_id = $1 and id = $2";
    session.query(sql, &values).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_secret_signs_until_the_overlap_ends() {
        let secrets = Secrets { current: "new".into(), previous: Some(("old".into(), 1_000)) };
        assert_eq!(secrets.choose(999), ("old", Some("new")));
        assert_eq!(secrets.choose(1_000), ("new", None));
        assert_eq!(Secrets { previous: None, ..secrets }.choose(0), ("new", None));
    }

    #[test]
    fn secrets_are_read_beside_their_own_row_alone() {
        let keys: KeyRing = "11".repeat(32).parse().expect("a key");
        let (tenant, endpoint) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let secrets = Secrets { current: "new".into(), previous: Some(("old".into(), 1_000)) };
        let row = Row(secrets.seal(&keys, tenant, endpoint).expect("sealed").cells().to_vec());
        let read = |tenant, endpoint| Secrets::read(&keys, tenant, endpoint, &row, 0).ok();
        assert!(read(tenant, endpoint).is_some_and(|read| read == secrets));
        assert!(read(endpoint, tenant).is_none());
    }
}
