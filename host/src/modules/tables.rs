//! The tables of a generation's modules: made and additively extended in one transaction, which also records what they were
//! made from.

use std::sync::Arc;

use stoa_descriptor::Collection;

use super::Module;
use crate::database::{Cell, Database, Error, Session, Verdict, Work};
use crate::store::{self, Schema};

/// Makes the tables fit. `Err`: what is not additive, by name, or the database's trouble.
pub async fn bring_up_to_date(database: &Database, modules: &[Module]) -> anyhow::Result<()> {
    let wanted: Arc<Vec<(String, Arc<Schema>)>> =
        Arc::new(modules.iter().map(|module| (module.name.clone(), module.schema.clone())).collect());
    let work: Work<Result<Vec<String>, String>> = Arc::new(move |mut session| {
        let wanted = wanted.clone();
        Box::pin(async move {
            match extend(&mut session, &wanted).await {
                Ok(Ok(changes)) => (Some(session), Verdict::Commit(Ok(changes))),
                Ok(Err(faults)) => (Some(session), Verdict::RollBack(Err(faults))),
                Err(error) => (Some(session), Verdict::Fail(error)),
            }
        })
    });
    let changes = database.write(work).await?.map_err(|faults| anyhow::anyhow!("SCHEMA_NOT_ADDITIVE: {faults}"))?;
    for change in changes {
        tracing::info!(change, "tables changed");
    }
    Ok(())
}

async fn extend(session: &mut Session, wanted: &[(String, Arc<Schema>)]) -> Result<Result<Vec<String>, String>, Error> {
    session.begin_plain(false).await?;
    if matches!(session, Session::Postgres(_)) {
        // One host at a time: two that start together would make the same tables.
        session.query("select 1 from (select pg_advisory_xact_lock(7310586)) as held", &[]).await?;
    }
    let mut told = Vec::new();
    for (module, schema) in wanted {
        let current = recorded(session, module).await?;
        let changes = match store::plan(&current, schema) {
            Ok(changes) => changes,
            Err(faults) => return Ok(Err(format!("{module}: {}", faults.join("; ")))),
        };
        if changes.is_empty() {
            continue;
        }
        store::apply(session, schema, &changes).await?;
        for collection in store::merged(&current, schema) {
            record(session, module, &collection).await?;
        }
        told.extend(changes.iter().map(|change| format!("{module}: {change}")));
    }
    Ok(Ok(told))
}

async fn recorded(session: &mut Session, module: &str) -> Result<Vec<Collection>, Error> {
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
