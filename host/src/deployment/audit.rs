//! Actions of operators, refusals to them, and the host's actions on its own account: one row each, never changed.

use serde_json::Value as Json;
use uuid::Uuid;

use crate::database::{Cell, Database, Error, Session, Shard};
use crate::ids::Ids;

/// The host itself, where it goes back on its own account.
pub const HOST: &str = "system:host";

pub struct OperatorEntry {
    pub actor: String,
    pub operation: &'static str,
    /// `SUCCESS`, or the code of the refusal.
    pub result: String,
    pub metadata: Json,
}

/// Written in the transaction of the change that the entry records.
pub async fn write(session: &mut Session, now: i64, entry: &OperatorEntry) -> Result<Uuid, Error> {
    let id = Ids::new(now).make();
    session
        .query(
            "insert into stoa_operator_audit (id, actor, operation, result, metadata, created_at)
             values ($1, $2, $3, $4, $5, $6)",
            &[
                Cell::Id(id),
                Cell::text(&entry.actor),
                Cell::text(entry.operation),
                Cell::text(&entry.result),
                Cell::text(entry.metadata.to_string()),
                Cell::Instant(now),
            ],
        )
        .await?;
    Ok(id)
}

/// In a transaction of its own, for what was refused.
pub async fn note(database: &Database, entry: OperatorEntry) -> Result<(), Error> {
    database
        .write_plain(Shard::Global, entry, |session, entry| {
            Box::pin(async move {
                let now = session.now().await?;
                write(session, now, entry).await.map(drop)
            })
        })
        .await
}
