//! Webhooks to integrators: one per event kind of the active modules, its data described by the kind's own schema.

use serde_json::{Map, Value, json};
use stoa_descriptor::EventKind;

use super::schemas::{Schemas, pascal};

/// Tag of all webhooks: a generator that writes a class for each tag would else write two for one module.
pub const TAG: &str = "events";

/// Values of the examples.
const EVENT: &str = "01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d01";
const TENANT: &str = "01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d02";
const REQUEST: &str = "01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d03";
const RESOURCE: &str = "01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d04";
const TIME: &str = "2026-01-01T12:00:00.000Z";

/// Describes a delivery of a module's kind.
pub fn describe(module: &str, kind: &EventKind, schemas: &mut Schemas) -> Result<Value, String> {
    let name = pascal(&kind.code);
    let data = schemas.add_named(module, &kind.data, &format!("{name}Data"))?;
    let payload = schemas.add(module, payload(kind, data), &format!("{name}Event"))?;
    let parameter = |name: &str| json!({"$ref": format!("#/components/parameters/{name}")});
    let headers = ["WebhookSignature", "WebhookTimestamp", "WebhookEventId", "WebhookRequestId"].map(parameter);
    let any = json!({"description": "Any other response, or none in time: the host retries the delivery."});
    Ok(json!({
        "post": {
            "operationId": format!("receive{name}"),
            // openapi-generator writes code for such operations that does not compile; with this it writes only the models.
            "x-internal": true,
            "tags": [TAG],
            "summary": kind.description,
            "description": "Sent at least once to the company's endpoints that subscribe to this kind, in \
                commit sequence as far as possible. `id` is the same in every delivery: use it to discard duplicates.",
            // The signature is in a header: no scheme of OpenAPI describes it.
            "security": [],
            "parameters": headers,
            "requestBody": {
                "required": true,
                "content": {"application/json": {"schema": payload, "example": example(kind)}},
            },
            "responses": {"2XX": {"description": "The endpoint accepted the event."}, "default": any},
        },
    }))
}

fn payload(kind: &EventKind, data: Value) -> Value {
    let id = |description: &str| json!({"type": "string", "format": "uuid", "description": description});
    json!({
        "type": "object",
        "description": kind.description,
        "required": ["id", "kind", "tenantId", "occurredAt", "requestId", "resource", "data"],
        "properties": {
            "id": id("Id of the event."),
            "kind": {"type": "string", "const": kind.code, "description": "Kind of the event."},
            "tenantId": id("The company."),
            "occurredAt": {"type": "string", "format": "date-time", "description": "Instant at which it happened."},
            "requestId": id("The `X-Request-Id` of the request that caused it."),
            "resource": {
                "type": "object",
                "description": "The changed resource: type, id and, if it has one, version.",
                "required": ["type", "id"],
                "properties": {
                    "type": {"type": "string", "const": kind.resource_type, "description": "Type of the record."},
                    "id": id("Id of the record."),
                    "version": {"type": "integer", "description": "Version of the record after the event; absent for a record \
                        without versions."},
                },
            },
            "data": data,
        },
    })
}

fn example(kind: &EventKind) -> Value {
    json!({
        "id": EVENT,
        "kind": kind.code,
        "tenantId": TENANT,
        "occurredAt": TIME,
        "requestId": REQUEST,
        "resource": {"type": kind.resource_type, "id": RESOURCE},
        "data": kind.example,
    })
}

/// The headers of every delivery.
pub fn parameters() -> Map<String, Value> {
    let header = |name: &str, description: &str, schema: Value| json!({"name": name, "in": "header", "required": true, "description": description, "schema": schema});
    let id = json!({"type": "string", "format": "uuid"});
    let signature = "HMAC-SHA256 over the timestamp, a dot and the exact body. The key is the whole signing secret of the endpoint.";
    [
        (
            "WebhookSignature",
            header("X-Webhook-Signature", signature, json!({"type": "string", "pattern": "^v1=[0-9a-f]{64}$"})),
        ),
        (
            "WebhookTimestamp",
            header(
                "X-Webhook-Timestamp",
                "Instant of the signature, in Unix seconds. Reject deliveries older than 300 seconds.",
                json!({"type": "integer"}),
            ),
        ),
        ("WebhookEventId", header("X-Event-Id", "Id of the event, the same as `id` in the body.", id.clone())),
        (
            "WebhookRequestId",
            header("X-Request-Id", "Request that caused the event, the same as `requestId` in the body.", id),
        ),
    ]
    .into_iter()
    .map(|(name, parameter)| (name.to_owned(), parameter))
    .collect()
}
