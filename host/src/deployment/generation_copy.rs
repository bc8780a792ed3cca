//! A generation as a place needs it. The home server has all generations, artifacts and hosts. A place has a copy of the rows that work
//! for its companies reads in its own transactions: the generation that its tables are for, so that code which is no longer active
//! there does nothing, and the backfills of active modules, each of which has its progress at the place.

use std::collections::BTreeSet;

use super::records::{self, Digest, Set, integer, number};
use crate::database::{Cell, Error, Row, Session};
use crate::sandbox::Arrangement;

/// A generation and the backfills that concern it.
pub struct GenerationCopy {
    pub number: u64,
    set: Set,
    arrangement: Arrangement,
    backfills: Vec<Backfill>,
    /// The rows of the generation, and of those that began the backfills.
    generations: Vec<GenerationRow>,
}

struct Backfill {
    generation: u64,
    module: String,
    from_version: String,
    to_version: String,
    digest: Digest,
}

struct GenerationRow {
    number: u64,
    cause: String,
    module: Option<String>,
    restores: Option<i64>,
    allowed: String,
    reason: Option<String>,
    activated_at: i64,
    activated_by: String,
}

impl GenerationCopy {
    /// The active generation of the home server; none where this one is not active there.
    pub async fn read(session: &mut Session, generation: u64) -> Result<Option<GenerationCopy>, Error> {
        if records::newest(session).await? != Some(generation) {
            return Ok(None);
        }
        let Some(set) = records::set(session, generation).await? else { return Ok(None) };
        let arrangement = records::arrangement(session, generation).await?;
        let backfills = read_backfills(session, generation).await?;
        let mut numbers: BTreeSet<u64> = backfills.iter().map(|backfill| backfill.generation).collect();
        numbers.insert(generation);
        let mut generations = Vec::with_capacity(numbers.len());
        for number in numbers {
            generations.push(GenerationRow::read(session, number).await?);
        }
        Ok(Some(GenerationCopy { number: generation, set, arrangement, backfills, generations }))
    }

    /// Writes what the place does not have yet.
    pub async fn write(&self, session: &mut Session) -> Result<(), Error> {
        for generation in &self.generations {
            generation.write(session).await?;
        }
        for (module, digest) in &self.set {
            write_module(session, self.number, module, digest).await?;
        }
        for (point, modules) in &self.arrangement {
            for (module, position) in modules.iter().zip(0_i64..) {
                let sql = "insert into stoa_generation_point (generation, point, position, module)
                           values ($1, $2, $3, $4) on conflict do nothing";
                let values = [integer(self.number)?, Cell::text(point), Cell::Integer(position), Cell::text(module)];
                session.query(sql, &values).await?;
            }
        }
        for backfill in &self.backfills {
            write_module(session, backfill.generation, &backfill.module, &backfill.digest).await?;
            let sql = "insert into stoa_upgrade (generation, module, from_version, to_version, batches)
                       values ($1, $2, $3, $4, 0) on conflict do nothing";
            let values = [
                integer(backfill.generation)?,
                Cell::text(&backfill.module),
                Cell::text(&backfill.from_version),
                Cell::text(&backfill.to_version),
            ];
            session.query(sql, &values).await?;
        }
        Ok(())
    }
}

impl GenerationRow {
    async fn read(session: &mut Session, generation: u64) -> Result<GenerationRow, Error> {
        let sql = "select cause, module, restores, allowed, reason, activated_at, activated_by
                   from stoa_generation where number = $1";
        let rows = session.query(sql, &[integer(generation)?]).await?;
        let row = rows.first().ok_or_else(|| Error::Fault("a backfill of no generation".into()))?;
        Ok(GenerationRow {
            number: generation,
            cause: row.text(0)?,
            module: row.optional(1, Row::text)?,
            restores: row.optional(2, Row::integer)?,
            allowed: row.text(3)?,
            reason: row.optional(4, Row::text)?,
            activated_at: row.instant(5)?,
            activated_by: row.text(6)?,
        })
    }

    async fn write(&self, session: &mut Session) -> Result<(), Error> {
        let sql = "insert into stoa_generation
                     (number, cause, module, restores, allowed, reason, activated_at, activated_by)
                   values ($1, $2, $3, nullif($4, 0), $5, $6, $7, $8) on conflict do nothing";
        let values = [
            integer(self.number)?,
            Cell::text(&self.cause),
            Cell::optional(self.module.clone(), Cell::Text),
            // Generations begin at 1: 0 is none.
            Cell::Integer(self.restores.unwrap_or(0)),
            Cell::text(&self.allowed),
            Cell::optional(self.reason.clone(), Cell::Text),
            Cell::Instant(self.activated_at),
            Cell::text(&self.activated_by),
        ];
        session.query(sql, &values).await.map(drop)
    }
}

/// The backfills of modules that a generation has unchanged, done or not: how far a place came is the place's matter.
async fn read_backfills(session: &mut Session, generation: u64) -> Result<Vec<Backfill>, Error> {
    let rows = session
        .query(
            "select u.generation, u.module, u.from_version, u.to_version, theirs.digest from stoa_upgrade u
             join stoa_generation_module theirs on theirs.generation = u.generation and theirs.module = u.module
             join stoa_generation_module active on active.generation = $1 and active.module = u.module
               and active.digest = theirs.digest
             order by u.generation, u.module",
            &[integer(generation)?],
        )
        .await?;
    let read = |row: &Row| {
        Ok(Backfill {
            generation: number(row, 0)?,
            module: row.text(1)?,
            from_version: row.text(2)?,
            to_version: row.text(3)?,
            digest: records::digest(row, 4)?,
        })
    };
    rows.iter().map(read).collect()
}

async fn write_module(session: &mut Session, generation: u64, module: &str, digest: &Digest) -> Result<(), Error> {
    let sql =
        "insert into stoa_generation_module (generation, module, digest) values ($1, $2, $3) on conflict do nothing";
    let values = [integer(generation)?, Cell::text(module), Cell::Bytes(digest.to_vec())];
    session.query(sql, &values).await.map(drop)
}
