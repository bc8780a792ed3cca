//! The end of a module with its data, on a host that a developer runs: its tables go, so that the next version may have
//! others. The generations stay as they were.

use http::StatusCode;
use serde_json::json;

use super::audit::{self, OperatorEntry};
use super::{Deployment, DeploymentError, records};
use crate::database::{Cell, Error, Session, Shard};
use crate::gate::refusal::Refusal;
use crate::gate::tables;
use crate::store::Tables;

impl Deployment {
    /// Drops the tables of a module that is not active, with all rows of every company; answers their collections.
    pub async fn forget(&self, module: &str, by: &str) -> Result<Vec<String>, DeploymentError> {
        if !self.gate.takes_unsigned() {
            let refusal = Refusal::new("PERMISSION_DENIED", "only a --dev host forgets a module's data");
            return Err(refusal.with_status(StatusCode::FORBIDDEN).into());
        }
        let _lock = self.change_lock.lock().await;
        self.forget_at_places(module).await?;
        let part = (module.to_owned(), by.to_owned());
        let forgotten = self.database.write_unless_refused(Shard::Global, part, |session, (module, by)| {
            Box::pin(drop_tables(session, module, by))
        });
        let forgotten = forgotten.await??;
        self.database.forget_statements();
        match forgotten.is_empty() {
            true => Err(DeploymentError::NotFound("module with data")),
            false => Ok(forgotten),
        }
    }

    /// Drops the tables at every place, and at home afterwards: a step that fails in between is repeated.
    async fn forget_at_places(&self, module: &str) -> Result<(), DeploymentError> {
        let places = self.database.places();
        if places.is_empty() {
            return Ok(());
        }
        let read = self
            .database
            .read_plain(Shard::Global, module.to_owned(), |session, module| Box::pin(find_active(session, module)));
        if let Some(refusal) = read.await? {
            return Err(refusal.into());
        }
        for place in places {
            let dropped = self.database.write_plain(place, module.to_owned(), |session, module| {
                Box::pin(async move {
                    tables::lock(session).await?;
                    drop_records(session, module).await
                })
            });
            dropped.await?;
        }
        Ok(())
    }
}

/// Why the module is not forgotten, where it is active.
async fn find_active(session: &mut Session, module: &str) -> Result<Option<Refusal>, Error> {
    let active = records::active(session).await?;
    Ok(active.is_some_and(|(_, set)| set.iter().any(|(name, _)| name == module)).then(|| {
        let refusal = Refusal::new("MODULE_ACTIVE", format!("{module} is active: deactivate it first"));
        refusal.with_status(StatusCode::CONFLICT)
    }))
}

async fn drop_tables(session: &mut Session, module: &str, by: &str) -> Result<Result<Vec<String>, Refusal>, Error> {
    tables::lock(session).await?;
    if let Some(refusal) = find_active(session, module).await? {
        return Ok(Err(refusal));
    }
    let collections = drop_records(session, module).await?;
    if !collections.is_empty() {
        let entry = OperatorEntry {
            actor: by.to_owned(),
            operation: "forgetModule",
            result: "SUCCESS".into(),
            metadata: json!({ "module": module, "collections": collections }),
        };
        let now = session.now().await?;
        audit::write(session, now, &entry).await?;
    }
    Ok(Ok(collections))
}

/// Drops a module's tables on one server; answers their collections.
async fn drop_records(session: &mut Session, module: &str) -> Result<Vec<String>, Error> {
    let collections = tables::read_collections(session, module).await?;
    let collections: Vec<String> = collections.into_iter().map(|collection| collection.name).collect();
    for collection in &collections {
        let table = Tables::table_name(module, collection);
        session.query_composed(format!("drop table \"{table}\""), &[]).await?;
    }
    session.query("delete from stoa_collection where module = $1", &[Cell::text(module)]).await?;
    // A backfill that is not done would find no tables.
    session.query("delete from stoa_upgrade where module = $1 and done_at is null", &[Cell::text(module)]).await?;
    // A module that comes back receives the events since its first activation again, as its rows are gone. Its timers also begin
    // again.
    session.query("delete from stoa_listener where module = $1", &[Cell::text(module)]).await?;
    session.query("delete from stoa_timer where module = $1", &[Cell::text(module)]).await?;
    session.query("delete from stoa_timer_lag where module = $1", &[Cell::text(module)]).await?;
    Ok(collections)
}
