//! Audit entries of a company that no finishing statement writes: those of operators, and of a company that is made at another
//! place than its request is answered.

use serde_json::Value as Json;
use uuid::Uuid;

use crate::database::{Cell, Error, Session};
use crate::ids::Ids;

/// An entry of a company's audit.
#[derive(Debug, Clone)]
pub(super) struct AuditEntry {
    pub request: Uuid,
    /// As audit entries spell it: SYSTEM, USER, API_CLIENT.
    pub actor_type: &'static str,
    pub actor: String,
    pub operation: &'static str,
    pub resource_type: &'static str,
    pub ip_address: Option<String>,
    pub user_agent: Option<String>,
    pub metadata: Json,
}

impl AuditEntry {
    /// Writes the entry about a resource of the company.
    pub async fn write(&self, session: &mut Session, now: i64, tenant: Uuid, resource: Uuid) -> Result<(), Error> {
        session
            .query(
                "insert into stoa_audit (tenant_id, id, request_id, actor_type, actor_id, operation, resource_type,
                   resource_id, ip_address, user_agent, metadata, created_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
                &[
                    Cell::Id(tenant),
                    Cell::Id(Ids::new(now).make()),
                    Cell::Id(self.request),
                    Cell::text(self.actor_type),
                    Cell::text(&self.actor),
                    Cell::text(self.operation),
                    Cell::text(self.resource_type),
                    Cell::Id(resource),
                    Cell::optional(self.ip_address.clone(), Cell::Text),
                    Cell::optional(self.user_agent.clone(), Cell::Text),
                    Cell::text(self.metadata.to_string()),
                    Cell::Instant(now),
                ],
            )
            .await?;
        Ok(())
    }
}
