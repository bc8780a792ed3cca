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
}

async fn drop_tables(session: &mut Session, module: &str, by: &str) -> Result<Result<Vec<String>, Refusal>, Error> {
    tables::lock(session).await?;
    let active = records::active(session).await?;
    if active.is_some_and(|(_, set)| set.iter().any(|(name, _)| name == module)) {
        let refusal = Refusal::new("MODULE_ACTIVE", format!("{module} is active: deactivate it first"));
        return Ok(Err(refusal.with_status(StatusCode::CONFLICT)));
    }
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
