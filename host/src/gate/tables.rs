//! The tables of a generation's modules: made and additively extended in the transaction that makes it the active one, which
//! also records what they were made from.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::StatusCode;
use stoa_descriptor::Collection;

use super::diff::{Change as Difference, codes};
use super::refusal::Refusal;
use crate::database::{Cell, Database, Error, Session, Shard};
use crate::sandbox::Module;
use crate::store::{self, TableChange, Tables};

/// Tables that each module should have.
pub type Wanted = Vec<(String, Arc<Tables>)>;

pub fn wanted_tables(modules: &[Arc<Module>]) -> Wanted {
    modules.iter().map(|module| (module.name.clone(), module.schema.clone())).collect()
}

/// The changes that `extend` makes of those that are due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    All,
    /// Those with which a host of the older generation can work.
    Additive,
    /// All that can fail for the rows that are there, to be rolled back: a trial.
    Trial,
}

impl Extent {
    fn includes(self, change: &TableChange) -> bool {
        match self {
            Extent::All => true,
            Extent::Additive => !change.tightens(),
            Extent::Trial => !matches!(change, TableChange::Index { .. } | TableChange::Search { .. }),
        }
    }

    fn merge(self, current: &[Collection], wanted: &Tables) -> Vec<Collection> {
        match self {
            Extent::Additive => store::merge_additive(current, wanted),
            Extent::All | Extent::Trial => store::merge(current, wanted),
        }
    }
}

/// Makes the tables fit, for verbs that make no generation. A place that does not answer gets its tables from a host.
pub async fn bring_up_to_date(database: &Database, modules: &[Arc<Module>]) -> anyhow::Result<()> {
    let wanted = Arc::new(wanted_tables(modules));
    for shard in database.shards() {
        let extended = database.write_unless_refused(shard, wanted.clone(), |session, wanted| {
            Box::pin(async move {
                lock(session).await?;
                extend(session, wanted, Extent::All).await
            })
        });
        let changes = match extended.await {
            Err(error @ Error::Unavailable(_)) if shard != Shard::Global => {
                tracing::warn!(%error, "a place does not get its tables now");
                continue;
            }
            extended => extended??,
        };
        let place = database.place_name(shard);
        for change in changes {
            tracing::info!(place, change, "tables changed");
        }
    }
    Ok(())
}

/// One host at a time: two that start together would make the same tables, and the same generation.
pub async fn lock(session: &mut Session) -> Result<(), Error> {
    if matches!(session, Session::Postgres(_)) {
        session.query("select 1 from (select pg_advisory_xact_lock(7310586)) as held", &[]).await?;
    }
    Ok(())
}

/// Extends the tables in the open transaction; answers what changed.
pub async fn extend(
    session: &mut Session,
    wanted: &Wanted,
    extent: Extent,
) -> Result<Result<Vec<String>, Refusal>, Error> {
    let mut reported = Vec::new();
    if let Some(refusal) = find_taken(session, wanted).await? {
        return Ok(Err(refusal));
    }
    for (module, schema) in wanted {
        let current = read_collections(session, module).await?;
        let mut changes = match store::plan(&current, schema) {
            Ok(changes) => changes,
            Err(faults) => return Ok(Err(not_additive(module, &faults))),
        };
        changes.retain(|change| extent.includes(change));
        if changes.is_empty() {
            continue;
        }
        match store::apply(session, schema, &changes).await {
            Ok(()) => {}
            // The transaction is lost with it, as it must be.
            Err(Error::Unique(rule) | Error::Check(rule)) => {
                return Ok(Err(not_additive(module, &[format!("rows that are there break the new rule {rule}")])));
            }
            Err(error) => return Err(error),
        }
        for collection in extent.merge(&current, schema) {
            record(session, module, &collection).await?;
        }
        reported.extend(changes.iter().map(|change| format!("{module}: {change}")));
    }
    Ok(Ok(reported))
}

/// Why `extend` would refuse these tables, as far as the recorded ones show: rows that break a new rule do not.
pub async fn find_refusal(session: &mut Session, wanted: &Wanted) -> Result<Option<Refusal>, Error> {
    if let Some(refusal) = find_taken(session, wanted).await? {
        return Ok(Some(refusal));
    }
    for (module, schema) in wanted {
        if let Err(faults) = store::plan(&read_collections(session, module).await?, schema) {
            return Ok(Some(not_additive(module, &faults)));
        }
    }
    Ok(None)
}

/// The first change that the tables of a place need so that requests can run on these. An index is none.
pub async fn find_gap(session: &mut Session, wanted: &Wanted) -> Result<Option<String>, Error> {
    for (module, schema) in wanted {
        let gap = match store::plan(&read_collections(session, module).await?, schema) {
            Ok(changes) => changes.iter().find(|change| !change.is_index()).map(TableChange::to_string),
            Err(faults) => Some(faults.join("; ")),
        };
        if let Some(gap) = gap {
            return Ok(Some(format!("{module}: {gap}")));
        }
    }
    Ok(None)
}

/// Returns whether a change tightens a table: it can fail for the rows that are there.
pub async fn tightens(session: &mut Session, wanted: &Wanted) -> Result<bool, Error> {
    for (module, schema) in wanted {
        let changes = store::plan(&read_collections(session, module).await?, schema).unwrap_or_default();
        if changes.iter().any(TableChange::tightens) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A table that is another module's by what is recorded, whether or not that one runs now: its rows stay its own.
async fn find_taken(session: &mut Session, wanted: &Wanted) -> Result<Option<Refusal>, Error> {
    let rows = session.query("select module, name from stoa_collection", &[]).await?;
    let mut owners = BTreeMap::new();
    for row in &rows {
        let (module, collection) = (row.text(0)?, row.text(1)?);
        owners.insert(Tables::table_name(&module, &collection), module);
    }
    let taken = wanted.iter().find_map(|(module, schema)| {
        let mut tables = schema.tables().filter_map(|table| Some((table, owners.get(table)?)));
        let (table, owner) = tables.find(|(_, owner)| *owner != module)?;
        let what = format!("{module} would have the table `{table}`, which is {owner}'s");
        Some(Refusal::new("TABLE_TAKEN", what).with_status(StatusCode::CONFLICT))
    });
    Ok(taken)
}

/// Statements that build the indexes of a plan on tables in use, to be run before it. Empty on SQLite, which has one writer.
pub async fn indexes_ahead(session: &mut Session, wanted: &Wanted) -> Result<Vec<String>, Error> {
    let mut statements = Vec::new();
    if matches!(session, Session::Postgres(_)) {
        for (module, schema) in wanted {
            // `extend` rejects changes that cannot be planned.
            let changes = store::plan(&read_collections(session, module).await?, schema).unwrap_or_default();
            statements.extend(store::indexes_ahead(schema, &changes));
        }
    }
    Ok(statements)
}

/// Statements that drop the unique indexes which were built ahead, for changes that come to nothing.
pub async fn drop_ahead(session: &mut Session, wanted: &Wanted) -> Result<Vec<String>, Error> {
    let mut statements = Vec::new();
    for (module, schema) in wanted {
        let changes = store::plan(&read_collections(session, module).await?, schema).unwrap_or_default();
        statements.extend(store::drop_ahead(schema, &changes));
    }
    Ok(statements)
}

/// Changes that make existing tables like new ones.
#[derive(Debug, Default)]
pub struct Reindex {
    /// PostgreSQL: each to run by itself and outside a transaction.
    pub statements: Vec<String>,
    /// Collections by module, to be recorded once the statements ran.
    pub collections: Vec<(String, Collection)>,
}

/// Compares the tables that exist with those that this host would make.
pub async fn find_reindex(session: &mut Session, wanted: &Wanted) -> Result<Reindex, Error> {
    let mut all = Reindex::default();
    for (module, schema) in wanted {
        let recorded = read_collections(session, module).await?;
        let (statements, collections) = store::find_reindex(session, &recorded, schema).await?;
        all.statements.extend(statements);
        all.collections.extend(collections.into_iter().map(|collection| (module.clone(), collection)));
    }
    Ok(all)
}

/// Ends a reindex, in a transaction that holds the lock: SQLite runs its statements here, PostgreSQL has run them.
pub async fn end_reindex(session: &mut Session, reindex: Reindex) -> Result<(), Error> {
    if matches!(session, Session::Sqlite(_)) {
        for statement in reindex.statements {
            session.query_composed(statement, &[]).await?;
        }
    }
    for (module, collection) in &reindex.collections {
        record(session, module, collection).await?;
    }
    Ok(())
}

fn not_additive(module: &str, faults: &[String]) -> Refusal {
    let difference = |fault: &String| Difference::new(codes::SCHEMA_NOT_ADDITIVE, module, fault);
    let refusal = Refusal::new("SCHEMA_NOT_ADDITIVE", format!("{module}: {}", faults.join("; ")))
        .with_status(StatusCode::CONFLICT);
    Refusal { changes: faults.iter().map(difference).collect(), ..refusal }
}

/// The collections of a module as they are recorded, whether or not it is active.
pub async fn read_collections(session: &mut Session, module: &str) -> Result<Vec<Collection>, Error> {
    let rows = session
        .query("select definition from stoa_collection where module = $1 order by name", &[Cell::text(module)])
        .await?;
    rows.iter()
        .map(|row| {
            let definition = row.text(0)?;
            serde_json::from_str(&definition).map_err(|error| Error::Fault(format!("a recorded collection: {error}")))
        })
        .collect()
}

async fn record(session: &mut Session, module: &str, collection: &Collection) -> Result<(), Error> {
    let definition =
        serde_json::to_string(collection).map_err(|error| Error::Fault(format!("a collection: {error}")))?;
    session
        .query(
            "insert into stoa_collection (module, name, definition) values ($1, $2, $3)
             on conflict (module, name) do update set definition = excluded.definition",
            &[Cell::text(module), Cell::text(&collection.name), Cell::Text(definition)],
        )
        .await?;
    Ok(())
}
