//! Artifacts, generations and hosts as rows.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::calendar::time;
use crate::database::{Cell, Error, Row, Session};
use crate::gate::admission::Admission;
use crate::gate::artifact::Artifact;
use crate::sandbox::{Arrangement, Vetted};

pub type Digest = [u8; 32];

/// Why a generation came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    First,
    Activation,
    Rollback,
    AutomaticRollback,
}

impl Cause {
    pub fn name(self) -> &'static str {
        match self {
            Cause::First => "FIRST",
            Cause::Activation => "ACTIVATION",
            Cause::Rollback => "ROLLBACK",
            Cause::AutomaticRollback => "AUTOMATIC_ROLLBACK",
        }
    }

    pub fn from_name(name: &str) -> Result<Cause, Error> {
        let all = [Cause::First, Cause::Activation, Cause::Rollback, Cause::AutomaticRollback];
        all.into_iter().find(|cause| cause.name() == name).ok_or_else(|| Error::Fault("an unknown cause".into()))
    }
}

/// A row of the history.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub number: u64,
    pub cause: Cause,
    /// The modules that it is about, joined by commas: of an activation, or those for whose sake a rollback was.
    pub module: Option<String>,
    /// The generation whose modules come back.
    pub restores: Option<u64>,
    pub allowed: Vec<String>,
    pub reason: Option<String>,
    pub by: String,
}

/// Modules of a generation with what they are made of, by name.
pub type Set = Vec<(String, Digest)>;

/// The number of the active generation.
pub async fn newest(session: &mut Session) -> Result<Option<u64>, Error> {
    let rows = session.query("select number from stoa_generation order by number desc limit 1", &[]).await?;
    rows.first().map(|row| number(row, 0)).transpose()
}

/// The generations below one, the newest first.
pub async fn numbers(session: &mut Session, before: u64, limit: u32) -> Result<Vec<u64>, Error> {
    let rows = session
        .query(
            "select number from stoa_generation where number < $1 order by number desc limit $2",
            &[integer(before)?, Cell::Integer(i64::from(limit))],
        )
        .await?;
    rows.iter().map(|row| number(row, 0)).collect()
}

/// The digests that were active under a name, the last one first.
pub async fn digests(session: &mut Session, module: &str) -> Result<Vec<Digest>, Error> {
    let rows = session
        .query(
            "select digest from stoa_generation_module where module = $1 group by digest order by max(generation) desc",
            &[Cell::text(module)],
        )
        .await?;
    rows.iter().map(|row| digest(row, 0)).collect()
}

/// Returns whether there was a generation without a module.
pub async fn was_absent(session: &mut Session, module: &str) -> Result<bool, Error> {
    let sql = "select 1 from stoa_generation g where not exists
                 (select 1 from stoa_generation_module m where m.generation = g.number and m.module = $1) limit 1";
    Ok(!session.query(sql, &[Cell::text(module)]).await?.is_empty())
}

/// The version of a digest, and who activated it the last time.
pub async fn find_activation(
    session: &mut Session,
    module: &str,
    digest: Digest,
) -> Result<Option<(String, String)>, Error> {
    let rows = session
        .query(
            "select a.version, g.activated_by from stoa_generation_module m
             join stoa_artifact a on a.digest = m.digest
             join stoa_generation g on g.number = m.generation
             where m.module = $1 and m.digest = $2 and not exists (select 1 from stoa_generation_module p
               where p.generation = m.generation - 1 and p.module = m.module and p.digest = m.digest)
             order by m.generation desc limit 1",
            &[Cell::text(module), Cell::Bytes(digest.to_vec())],
        )
        .await?;
    rows.first().map(|row| Ok((row.text(0)?, row.text(1)?))).transpose()
}

/// The active generation: its number, and what it is made of.
pub async fn active(session: &mut Session) -> Result<Option<(u64, Set)>, Error> {
    let Some(number) = newest(session).await? else { return Ok(None) };
    Ok(set(session, number).await?.map(|set| (number, set)))
}

/// The modules of a generation; nothing where there is no such generation.
pub async fn set(session: &mut Session, generation: u64) -> Result<Option<Set>, Error> {
    let known = session.query("select number from stoa_generation where number = $1", &[integer(generation)?]).await?;
    if known.is_empty() {
        return Ok(None);
    }
    let rows = session
        .query("select module, digest from stoa_generation_module where generation = $1", &[integer(generation)?])
        .await?;
    let mut set = rows.iter().map(|row| Ok((row.text(0)?, digest(row, 1)?))).collect::<Result<Set, Error>>()?;
    // Databases have orders of their own.
    set.sort();
    Ok(Some(set))
}

/// The signer of pushed bytes.
pub async fn signer(session: &mut Session, digest: Digest) -> Result<Option<String>, Error> {
    let rows =
        session.query("select signer from stoa_artifact where digest = $1", &[Cell::Bytes(digest.to_vec())]).await?;
    rows.first().map_or(Ok(None), |row| row.optional(0, Row::text))
}

/// The admission of pushed bytes, if they are signed.
pub async fn admission(session: &mut Session, digest: Digest) -> Result<Option<Admission>, Error> {
    let rows =
        session.query("select admission from stoa_artifact where digest = $1", &[Cell::Bytes(digest.to_vec())]).await?;
    rows.first().map_or(Ok(None), |row| read_admission(row, 0))
}

fn read_admission(row: &Row, column: usize) -> Result<Option<Admission>, Error> {
    let read = |text: String| serde_json::from_str::<Admission>(&text);
    let admission = row.optional(column, Row::text)?.map(read).transpose();
    admission.map_err(|_| Error::Fault("an admission that cannot be read".into()))
}

/// The bytes and the admission of what was pushed.
pub async fn artifact(session: &mut Session, digest: Digest) -> Result<Option<Artifact>, Error> {
    let rows = session
        .query("select bytes, admission from stoa_artifact where digest = $1", &[Cell::Bytes(digest.to_vec())])
        .await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let artifact = Artifact::new(Bytes::copy_from_slice(row.bytes(0)?), read_admission(row, 1)?)
        .map_err(|refusal| Error::Fault(refusal.to_string()))?;
    // Bytes with another digest are not those that were pushed.
    if artifact.digest != digest {
        return Err(Error::Fault("an artifact's bytes have another digest than its row".into()));
    }
    Ok(Some(artifact))
}

/// Keeps what was vetted; answers whether it was new. `stale`: the former signer of these bytes is no longer trusted.
pub async fn keep(
    session: &mut Session,
    now: i64,
    by: &str,
    artifact: &Artifact,
    vetted: &Vetted,
    stale: bool,
) -> Result<bool, Error> {
    let admission = artifact
        .admission
        .as_ref()
        .map(serde_json::to_string)
        .transpose()
        .map_err(|error| Error::Fault(error.to_string()))?;
    let rows = session
        .query(
            "insert into stoa_artifact (digest, name, version, signer, admission, bytes, pushed_at, pushed_by)
             values ($1, $2, $3, $4, $5, $6, $7, $8)
             on conflict (digest) do update set signer = excluded.signer, admission = excluded.admission
               where (stoa_artifact.admission is null or $9 = 1) and excluded.admission is not null
             returning digest",
            &[
                Cell::Bytes(artifact.digest.to_vec()),
                Cell::text(&vetted.descriptor.name),
                Cell::text(&vetted.descriptor.version),
                Cell::optional(vetted.signer.clone(), Cell::Text),
                Cell::optional(admission, Cell::Text),
                Cell::Bytes(artifact.bytes.to_vec()),
                Cell::Instant(now),
                Cell::text(by),
                Cell::Integer(i64::from(stale)),
            ],
        )
        .await?;
    Ok(!rows.is_empty())
}

/// Adds a generation, which is the active one from the commit on.
pub async fn record(
    session: &mut Session,
    now: i64,
    recorded: &Recorded,
    set: &Set,
    arrangement: &Arrangement,
) -> Result<(), Error> {
    let number = integer(recorded.number)?;
    session
        .query(
            "insert into stoa_generation (number, cause, module, restores, allowed, reason, activated_at, activated_by)
             values ($1, $2, $3, nullif($4, 0), $5, $6, $7, $8)",
            &[
                number.clone(),
                Cell::text(recorded.cause.name()),
                Cell::optional(recorded.module.clone(), Cell::Text),
                // Generations begin at 1: 0 is none.
                integer(recorded.restores.unwrap_or(0))?,
                Cell::text(recorded.allowed.join(" ")),
                Cell::optional(recorded.reason.clone(), Cell::Text),
                Cell::Instant(now),
                Cell::text(&recorded.by),
            ],
        )
        .await?;
    for (module, digest) in set {
        session
            .query(
                "insert into stoa_generation_module (generation, module, digest) values ($1, $2, $3)",
                &[number.clone(), Cell::text(module), Cell::Bytes(digest.to_vec())],
            )
            .await?;
    }
    for (point, modules) in arrangement {
        for (module, position) in modules.iter().zip(0_i64..) {
            session
                .query(
                    "insert into stoa_generation_point (generation, point, position, module) values ($1, $2, $3, $4)",
                    &[number.clone(), Cell::text(point), Cell::Integer(position), Cell::text(module)],
                )
                .await?;
        }
    }
    Ok(())
}

/// The sequence of the extensions of each point of a generation.
pub async fn arrangement(session: &mut Session, generation: u64) -> Result<Arrangement, Error> {
    let rows = session
        .query(
            "select point, module from stoa_generation_point where generation = $1 order by point, position",
            &[integer(generation)?],
        )
        .await?;
    let mut arrangement = Arrangement::new();
    for row in &rows {
        arrangement.entry(row.text(0)?).or_default().push(row.text(1)?);
    }
    Ok(arrangement)
}

/// The history, the newest first. `before`: a generation's number.
pub async fn history(session: &mut Session, before: Option<u64>, limit: u32) -> Result<Vec<Json>, Error> {
    let rows = session
        .query(
            "select number, cause, module, restores, allowed, reason, activated_at, activated_by from stoa_generation
             where number < $1 order by number desc limit $2",
            &[integer(before.unwrap_or(i64::MAX.unsigned_abs()))?, Cell::Integer(i64::from(limit))],
        )
        .await?;
    let (Some(newest), Some(oldest)) = (rows.first(), rows.last()) else { return Ok(Vec::new()) };
    let modules = session
        .query(
            "select m.generation, m.module, a.version, m.digest, a.signer from stoa_generation_module m
             join stoa_artifact a on a.digest = m.digest where m.generation between $1 and $2
             order by m.generation, m.module",
            &[integer(number(oldest, 0)?)?, integer(number(newest, 0)?)?],
        )
        .await?;
    let mut sets: BTreeMap<u64, Vec<Json>> = BTreeMap::new();
    for row in &modules {
        sets.entry(number(row, 0)?).or_default().push(json!({
            "name": row.text(1)?,
            "version": row.text(2)?,
            "digest": hex::encode(digest(row, 3)?),
            "signer": row.optional(4, Row::text)?,
        }));
    }
    let points = session
        .query(
            "select generation, point, module from stoa_generation_point where generation between $1 and $2
             order by generation, point, position",
            &[integer(number(oldest, 0)?)?, integer(number(newest, 0)?)?],
        )
        .await?;
    let mut arrangements: BTreeMap<u64, Arrangement> = BTreeMap::new();
    for row in &points {
        let arrangement = arrangements.entry(number(row, 0)?).or_default();
        arrangement.entry(row.text(1)?).or_default().push(row.text(2)?);
    }
    rows.iter()
        .map(|row| {
            let number = number(row, 0)?;
            let allowed = row.text(4)?;
            Ok(json!({
                "generation": number,
                "cause": row.text(1)?,
                "module": row.optional(2, Row::text)?,
                "restores": row.optional(3, Row::integer)?,
                "allowed": allowed.split_whitespace().collect::<Vec<_>>(),
                "reason": row.optional(5, Row::text)?,
                "activatedAt": time(row.instant(6)?),
                "activatedBy": row.text(7)?,
                "modules": sets.remove(&number).unwrap_or_default(),
                "points": arrangements.remove(&number).unwrap_or_default(),
            }))
        })
        .collect()
}

/// Artifacts that were pushed, the newest first.
pub async fn list_artifacts(session: &mut Session) -> Result<Vec<Json>, Error> {
    let rows = session
        .query(
            "select digest, name, version, signer, length(bytes), pushed_at, pushed_by from stoa_artifact
             order by pushed_at desc, digest limit 200",
            &[],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(json!({
                "digest": hex::encode(digest(row, 0)?),
                "name": row.text(1)?,
                "version": row.text(2)?,
                "signer": row.optional(3, Row::text)?,
                "size": row.integer(4)?,
                "pushedAt": time(row.instant(5)?),
                "pushedBy": row.text(6)?,
            }))
        })
        .collect()
}

/// Report of a host about itself.
pub struct HostReport {
    pub id: Uuid,
    pub name: String,
    /// The oldest on which a request is under way there.
    pub generation: u64,
    pub trouble: Option<String>,
    pub health: Json,
}

pub async fn report(session: &mut Session, now: i64, host: &HostReport) -> Result<(), Error> {
    session
        .query(
            "insert into stoa_host (id, name, started_at, seen_at, generation, trouble, health)
             values ($1, $2, $3, $3, $4, $5, $6)
             on conflict (id) do update set seen_at = excluded.seen_at, generation = excluded.generation,
               trouble = excluded.trouble, health = excluded.health",
            &[
                Cell::Id(host.id),
                Cell::text(&host.name),
                Cell::Instant(now),
                integer(host.generation)?,
                Cell::optional(host.trouble.clone(), Cell::Text),
                Cell::text(host.health.to_string()),
            ],
        )
        .await?;
    // Hosts that were killed did not sign off; a day later no reader needs them.
    session.query("delete from stoa_host where seen_at < $1", &[Cell::Instant(now - DAY)]).await?;
    Ok(())
}

const DAY: i64 = 24 * 60 * 60 * 1000;

/// A host that ends in order is not listed any more.
pub async fn leave(session: &mut Session, id: Uuid) -> Result<(), Error> {
    session.query("delete from stoa_host where id = $1", &[Cell::Id(id)]).await.map(drop)
}

/// Hosts that were seen after `since`.
pub async fn hosts(session: &mut Session, since: i64) -> Result<Vec<Json>, Error> {
    let rows = session
        .query(
            "select id, name, started_at, seen_at, generation, trouble, health from stoa_host where seen_at >= $1
             order by id",
            &[Cell::Instant(since)],
        )
        .await?;
    rows.iter()
        .map(|row| {
            let health: Json = serde_json::from_str(&row.text(6)?).unwrap_or_default();
            Ok(json!({
                "id": row.id(0)?,
                "name": row.text(1)?,
                "startedAt": time(row.instant(2)?),
                "seenAt": time(row.instant(3)?),
                "generation": number(row, 4)?,
                "trouble": row.optional(5, Row::text)?,
                "health": health,
            }))
        })
        .collect()
}

pub fn integer(number: u64) -> Result<Cell, Error> {
    i64::try_from(number).map(Cell::Integer).map_err(|_| Error::Fault("a generation beyond all numbers".into()))
}

pub fn number(row: &Row, column: usize) -> Result<u64, Error> {
    u64::try_from(row.integer(column)?).map_err(|_| Error::Fault("a generation below 0".into()))
}

pub fn digest(row: &Row, column: usize) -> Result<Digest, Error> {
    row.bytes(column)?.try_into().map_err(|_| Error::Fault("a digest of another length".into()))
}
