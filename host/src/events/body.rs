//! The body of a delivery. It is made only from the outbox row, so that every attempt, on every host, sends the same bytes.

use uuid::Uuid;

use crate::database::{Error, Row};

/// An event, as the outbox keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxEvent {
    pub tenant: Uuid,
    pub id: Uuid,
    pub kind: String,
    pub resource_type: String,
    pub resource: Uuid,
    pub version: Option<i64>,
    /// A JSON object.
    pub data: String,
    pub request: Uuid,
    /// Milliseconds since 1970.
    pub occurred_at: i64,
    /// The `traceparent` of who receives it.
    pub trace: Option<String>,
}

/// Columns of the outbox `e`, in the order of [`OutboxEvent::read`].
pub const COLUMNS: &str =
    "e.id, e.kind, e.resource_type, e.resource_id, e.resource_version, e.data, e.request_id, e.created_at,
     e.trace";

impl OutboxEvent {
    /// From the columns that begin at `at`.
    pub fn read(tenant: Uuid, row: &Row, first: usize) -> Result<OutboxEvent, Error> {
        Ok(OutboxEvent {
            tenant,
            id: row.id(first)?,
            kind: row.text(first + 1)?,
            resource_type: row.text(first + 2)?,
            resource: row.id(first + 3)?,
            version: row.optional(first + 4, Row::integer)?,
            data: row.text(first + 5)?,
            request: row.id(first + 6)?,
            occurred_at: row.instant(first + 7)?,
            trace: row.optional(first + 8, Row::text)?,
        })
    }

    /// The bytes that are signed and sent. Kinds and types are words of descriptors, which need no escapes.
    pub fn render(&self) -> String {
        let OutboxEvent { tenant, id, kind, resource_type, resource, data, request, .. } = self;
        let occurred_at = chrono::DateTime::from_timestamp_millis(self.occurred_at).unwrap_or_default();
        let occurred_at = occurred_at.format("%Y-%m-%dT%H:%M:%S%.3fZ");
        let version = self.version.map(|version| format!(r#","version":{version}"#)).unwrap_or_default();
        format!(
            r#"{{"id":"{id}","kind":"{kind}","tenantId":"{tenant}","occurredAt":"{occurred_at}","requestId":"{request}","resource":{{"type":"{resource_type}","id":"{resource}"{version}}},"data":{data}}}"#
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_what_the_contract_says() {
        let event = OutboxEvent {
            tenant: Uuid::from_u128(1),
            id: Uuid::from_u128(2),
            kind: "catalog.product.created".into(),
            resource_type: "CATALOG_PRODUCT".into(),
            resource: Uuid::from_u128(3),
            version: Some(7),
            data: r#"{"name":"Ä \"x\""}"#.into(),
            request: Uuid::from_u128(4),
            occurred_at: 1_767_225_600_123,
            trace: None,
        };
        let body: serde_json::Value = serde_json::from_str(&event.render()).expect("JSON");
        let expected = serde_json::json!({
            "id": event.id, "kind": "catalog.product.created", "tenantId": event.tenant,
            "occurredAt": "2026-01-01T00:00:00.123Z", "requestId": event.request,
            "resource": { "type": "CATALOG_PRODUCT", "id": event.resource, "version": 7 },
            "data": { "name": "Ä \"x\"" },
        });
        assert_eq!(body, expected);
        let without = OutboxEvent { version: None, ..event };
        assert!(!without.render().contains("version"), "{}", without.render());
    }
}
