//! A change of what runs, at the places of a deployment. The tables of every place are extended before the generation is recorded at
//! home, by changes with which the generation before can work too; those that tighten come after it. Each place records its own tables.
//!
//! A host that dies before the record leaves tables that the next activation goes on with. After it, any host completes the places: so
//! does one that finds a place which did not answer. Until then the place is out of service, if it lacks what requests need.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::StatusCode;

use super::generation_copy::GenerationCopy;
use super::{Deployment, DeploymentError, records};
use crate::database::{Database, Error, Session, Shard};
use crate::gate::refusal::Refusal;
use crate::gate::tables::{self, Extent, Wanted};
use crate::watchdog::Pulse;

/// How often a table that requests hold is asked for again, and how long each time.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(50);
/// Longest time of all tries at a place, which may not answer at all.
const LONGEST: Duration = Duration::from_secs(15);
/// Between two looks which generation each place has, and between two at its tables.
const PAUSE: Duration = Duration::from_secs(1);
const THOROUGH: Duration = Duration::from_secs(30);

/// The rule for places that do not respond: a change may leave them out, or not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// A place that does not answer prevents the change.
    Refused,
    /// It gets its tables once it answers.
    Allowed,
}

/// Retries an attempt that locks tables. Its waits are short: a transaction that waits for a table holds up
/// those behind.
pub async fn retry_locks<T, F>(longest: Duration, attempt: impl Fn() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let began = Instant::now();
    for tries in 1.. {
        match attempt().await {
            Err(Error::Unavailable(why)) if tries < LOCK_TRIES && began.elapsed() < longest => {
                tracing::info!(%why, tries, "an activation tries again");
                tokio::time::sleep(LOCK_PAUSE).await;
            }
            ended => return ended,
        }
    }
    Err(Error::Unavailable("the tables never became free".into()))
}

pub async fn limit_lock_waits(session: &mut Session) -> Result<(), Error> {
    if matches!(session, Session::Postgres(_)) {
        session.query("select set_config('lock_timeout', '250ms', true)", &[]).await?;
    }
    Ok(())
}

/// Builds the indexes that a change needs on tables in use.
pub async fn build_indexes(database: &Database, shard: Shard, wanted: &Arc<Wanted>) -> Result<(), DeploymentError> {
    let statements = match shard {
        Shard::Global => {
            let read = database
                .read_plain(shard, wanted.clone(), |session, wanted| Box::pin(tables::indexes_ahead(session, wanted)));
            read.await?
        }
        place => {
            let read = database.read_at_place(place, wanted.clone(), |session, wanted| {
                Box::pin(tables::indexes_ahead(session, wanted))
            });
            read.await?
        }
    };
    if let Some(key) = database.build_indexes(shard, statements).await? {
        let what = format!("rows that are there break the new unique key {key}");
        let refusal = Refusal::new("SCHEMA_NOT_ADDITIVE", what).with_status(StatusCode::CONFLICT);
        return Err(at_place(database, shard, refusal).into());
    }
    Ok(())
}

/// Finds what would refuse these tables anywhere, before any table changes. With places, a rule that rows break must be found before
/// the first of them is extended.
pub async fn check_places(database: &Database, wanted: &Arc<Wanted>, absence: Absence) -> Result<(), DeploymentError> {
    if database.places().is_empty() {
        return Ok(());
    }
    let mut tightened = Vec::new();
    for shard in database.shards() {
        match find_refusal(database, shard, wanted).await {
            Ok(true) => tightened.push(shard),
            Err(error) if absence == Absence::Refused || !is_absence(&error, shard) => return Err(error),
            Ok(false) | Err(_) => {}
        }
    }
    for shard in tightened {
        try_rules(database, shard, wanted).await?;
    }
    Ok(())
}

/// Answers whether a change tightens a table there.
async fn find_refusal(database: &Database, shard: Shard, wanted: &Arc<Wanted>) -> Result<bool, DeploymentError> {
    let look = database.read_at_place(shard, wanted.clone(), |session, wanted| {
        Box::pin(async move {
            let refusal = tables::find_refusal(session, wanted).await?;
            Ok((refusal, tables::tightens(session, wanted).await?))
        })
    });
    let (refusal, tightens) = look.await?;
    refusal.map_or(Ok(tightens), |refusal| Err(at_place(database, shard, refusal).into()))
}

/// Makes the changes that tighten, and undoes them.
async fn try_rules(database: &Database, shard: Shard, wanted: &Arc<Wanted>) -> Result<(), DeploymentError> {
    build_indexes(database, shard, wanted).await?;
    let tried = retry_locks(LONGEST, || {
        database.write_at_place(shard, wanted.clone(), |session, wanted| {
            Box::pin(async move {
                limit_lock_waits(session).await?;
                tables::lock(session).await?;
                let extended = tables::extend(session, wanted, Extent::Trial).await?;
                // An error undoes the trial.
                Ok(Err::<(), _>(extended.err()))
            })
        })
    });
    match tried.await? {
        Err(Some(refusal)) => Err(at_place(database, shard, refusal).into()),
        Ok(()) | Err(None) => Ok(()),
    }
}

/// Extends the tables of every place, by what the generation that is active can work with.
pub async fn extend_places(database: &Database, wanted: &Arc<Wanted>, absence: Absence) -> Result<(), DeploymentError> {
    for place in database.places() {
        match extend_place(database, place, wanted).await {
            Err(error) if absence == Absence::Allowed && is_absence(&error, place) => {
                tracing::warn!(%error, "a place gets its tables once it answers");
            }
            extended => extended?,
        }
    }
    Ok(())
}

async fn extend_place(database: &Database, place: Shard, wanted: &Arc<Wanted>) -> Result<(), DeploymentError> {
    build_indexes(database, place, wanted).await?;
    let extended = retry_locks(LONGEST, || {
        database.write_at_place(place, wanted.clone(), |session, wanted| {
            Box::pin(async move {
                limit_lock_waits(session).await?;
                tables::lock(session).await?;
                tables::extend(session, wanted, Extent::Additive).await
            })
        })
    });
    let changes = extended.await?.map_err(|refusal| at_place(database, place, refusal))?;
    log_changes(database, place, &changes);
    // Unique keys with columns that are new.
    build_indexes(database, place, wanted).await
}

/// Drops the unique indexes that were built for a change that came to nothing, as rows at one place can break a rule that those at
/// another keep. The other changes stay.
pub async fn loosen_places(database: &Database, wanted: &Arc<Wanted>) {
    if database.places().is_empty() {
        return;
    }
    for shard in database.shards() {
        let loosened = async {
            let read = database
                .read_at_place(shard, wanted.clone(), |session, wanted| Box::pin(tables::drop_ahead(session, wanted)));
            database.build_indexes(shard, read.await?).await
        };
        if let Err(error) = loosened.await {
            let place = database.place_name(shard);
            tracing::warn!(place, %error, "unique indexes of a change that came to nothing stay");
        }
    }
}

/// Gives every place the rest of the generation, which is recorded at home. A place that cannot get it now gets it later.
pub async fn complete_places(database: &Database, generation: u64, wanted: &Arc<Wanted>) {
    for place in database.places() {
        if let Err(error) = complete_place(database, place, generation, wanted).await {
            let place = database.place_name(place);
            tracing::error!(place, generation, %error, "a place does not have all of the generation yet");
        }
    }
}

async fn complete_place(
    database: &Database,
    place: Shard,
    generation: u64,
    wanted: &Arc<Wanted>,
) -> Result<(), DeploymentError> {
    build_indexes(database, place, wanted).await?;
    let copy = database.read_plain(Shard::Global, generation, |session, generation| {
        Box::pin(GenerationCopy::read(session, *generation))
    });
    // Another generation is the active one by now.
    let Some(copy) = copy.await? else { return Ok(()) };
    let part = Arc::new((copy, wanted.clone()));
    let completed = retry_locks(LONGEST, || {
        database.write_at_place(place, part.clone(), |session, part| {
            Box::pin(async move { complete(session, &part.0, &part.1).await })
        })
    });
    let changes = completed.await?.map_err(|refusal| at_place(database, place, refusal))?;
    database.forget_statements();
    log_changes(database, place, &changes);
    Ok(())
}

async fn complete(
    session: &mut Session,
    copy: &GenerationCopy,
    wanted: &Wanted,
) -> Result<Result<Vec<String>, Refusal>, Error> {
    limit_lock_waits(session).await?;
    tables::lock(session).await?;
    // A host that is slower changes nothing back.
    if records::newest(session).await?.is_some_and(|newest| newest > copy.number) {
        return Ok(Ok(Vec::new()));
    }
    let extended = tables::extend(session, wanted, Extent::All).await?;
    if extended.is_ok() {
        copy.write(session).await?;
    }
    Ok(extended)
}

fn log_changes(database: &Database, place: Shard, changes: &[String]) {
    let place = database.place_name(place);
    for change in changes {
        tracing::info!(place, change, "tables changed");
    }
}

fn at_place(database: &Database, shard: Shard, refusal: Refusal) -> Refusal {
    match shard {
        Shard::Global => refusal,
        place => refusal.of(&format!("the place {}", database.place_name(place))),
    }
}

/// Returns whether a place other than home did not respond.
fn is_absence(error: &DeploymentError, shard: Shard) -> bool {
    shard != Shard::Global && matches!(error, DeploymentError::Database(Error::Unavailable(_)))
}

impl Deployment {
    /// Why the place cannot serve on the generation that this host runs.
    pub async fn find_gap(&self, place: Shard) -> Result<(), String> {
        let wanted = tables::wanted_tables(&self.current.load().modules);
        let gap = self
            .database
            .read_at_place(place, wanted, |session, wanted| Box::pin(tables::find_gap(session, wanted)))
            .await;
        match gap {
            Ok(None) => Ok(()),
            Ok(Some(gap)) => Err(format!("its tables are not those of the active modules: {gap}")),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Completes the places as long as the host runs: those that did not answer, or for which another host died.
    pub(super) async fn keep_places(self: Arc<Self>, pulse: Pulse) {
        let places = self.database.places();
        let mut logged: Vec<Option<String>> = vec![None; places.len()];
        let mut next_look = Instant::now();
        loop {
            let is_thorough = Instant::now() >= next_look;
            if is_thorough {
                next_look = Instant::now() + THOROUGH;
            }
            // An index of a large table takes as long as it takes.
            pulse.excuse();
            for (place, logged) in places.iter().zip(&mut logged) {
                let failure =
                    self.keep_place(*place, is_thorough || logged.is_some()).await.err().map(|error| error.to_string());
                if let Some(why) = failure.as_ref().filter(|_| failure != *logged) {
                    let place = self.database.place_name(*place);
                    tracing::warn!(place, why, "a place does not have all of the active generation");
                }
                *logged = failure;
            }
            pulse.rest(PAUSE).await;
        }
    }

    /// A place that has the active generation is looked at closely now and then: an activation that came to nothing may have loosened
    /// its tables.
    async fn keep_place(&self, place: Shard, is_thorough: bool) -> Result<(), DeploymentError> {
        let edition = self.current.load_full();
        let (generation, wanted) = (edition.number, Arc::new(tables::wanted_tables(&edition.modules)));
        drop(edition);
        let newest =
            self.database.read_plain(Shard::Global, (), |session, ()| Box::pin(records::newest(session))).await?;
        // Another generation is on its way here.
        if newest != Some(generation) {
            return Ok(());
        }
        let part = (generation, is_thorough, wanted.clone());
        let look = self.database.read_at_place(place, part, |session, (generation, is_thorough, wanted)| {
            Box::pin(async move {
                let newest = records::newest(session).await?.unwrap_or(0);
                let has_gap =
                    newest == *generation && *is_thorough && tables::find_gap(session, wanted).await?.is_some();
                Ok(has_gap || newest < *generation)
            })
        });
        match look.await? {
            true => complete_place(&self.database, place, generation, &wanted).await,
            false => Ok(()),
        }
    }
}
