//! Keys of an API client: issued once, shown by their ends afterwards, revoked for good.

use chrono::DateTime;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use stoa_descriptor::{Idempotency, Route};
use uuid::Uuid;

use super::page::Page;
use super::routes::{body, list, object, permission, reference, text, time, uuid, write};
use super::{Call, Done, Operation, Performed, api_clients, wrote};
use crate::database::{Cell, Error, Row, Session};
use crate::identity::api_keys::Issued;
use crate::ids::Ids;
use crate::problem::{Item, Problem};

const KEYS: &str = "/tenants/{tenantId}/api-clients/{clientId}/keys";

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const DEFAULT_LIFE_MS: i64 = 90 * DAY_MS;
const LONGEST_LIFE_MS: i64 = 365 * DAY_MS;
/// Keys of one client that can be used at a time.
const USABLE: i64 = 10;

pub fn routes() -> Vec<(Route, Operation)> {
    let managed = |route: Route| Route { access: permission("api.manage"), ..route };
    let issue = body(
        json!({
            "environment": {
                "enum": ["test", "live"], "description": "Must be the deployment's own, which is the default."
            },
            "expiresAt": {
                "type": "string", "format": "date-time",
                "description": "At most 365 days ahead; 90 days where it is left out."
            },
        }),
        &[],
    );
    let revoke = write(
        "POST",
        "/tenants/{tenantId}/api-clients/{clientId}/keys/{keyId}/revoke",
        "revokeApiKey",
        "Revoke a key: it holds for the very next request.",
        body(json!({}), &[]),
        reference("ApiKey"),
    );
    vec![
        (
            managed(list(KEYS, "listApiKeys", "The client's keys, without their secrets.", "ApiKey", json!({}))),
            Operation::ListApiKeys,
        ),
        (
            managed(Route {
                audit: Some("API_KEY".into()),
                problems: vec!["CREDENTIAL_ALREADY_DELIVERED".into(), "LIMIT_EXCEEDED".into()],
                description: "The answer shows `apiKey` this one time: a retry after it was delivered is refused with \
                              CREDENTIAL_ALREADY_DELIVERED. A key that was lost is revoked and another one issued."
                    .into(),
                cache_control: Some("no-store".into()),
                ..write("POST", KEYS, "issueApiKey", "Issue a key.", issue, reference("IssuedApiKey"))
            }),
            Operation::IssueApiKey,
        ),
        (
            managed(Route { audit: Some("API_KEY".into()), idempotency: Idempotency::Optional, ..revoke }),
            Operation::RevokeApiKey,
        ),
    ]
}

pub fn schemas() -> Vec<(&'static str, Json)> {
    let nullable_time = json!({ "type": ["string", "null"], "format": "date-time" });
    let metadata = json!({
        "id": uuid(), "tenantId": uuid(), "apiClientId": uuid(), "prefix": text(), "last4": text(),
        "environment": { "enum": ["test", "live"] },
        "status": { "enum": ["ACTIVE", "REVOKED", "EXPIRED"] },
        "createdAt": time(), "createdBy": uuid(), "expiresAt": time(),
        "lastUsedAt": nullable_time, "revokedAt": nullable_time,
        "revokedBy": { "type": ["string", "null"], "format": "uuid" },
    });
    let mut issued = metadata.clone();
    issued["apiKey"] =
        json!({ "type": "string", "description": "The key itself. It is not kept and cannot be shown again." });
    vec![("ApiKey", object(metadata)), ("IssuedApiKey", object(issued))]
}

/// Columns of a record, in the order that it is shown from.
macro_rules! columns {
    () => {
        "id, prefix, last4, environment, created_at, created_by, expires_at, last_used_at, revoked_at, revoked_by"
    };
}

fn key(tenant: Uuid, client: Uuid, now: i64, row: &Row) -> Result<Json, Error> {
    let expires_at = row.instant(6)?;
    let revoked_at = row.optional(8, Row::instant)?;
    let status = match revoked_at {
        Some(_) => "REVOKED",
        None if expires_at <= now => "EXPIRED",
        None => "ACTIVE",
    };
    Ok(json!({
        "id": row.id(0)?,
        "tenantId": tenant,
        "apiClientId": client,
        "prefix": row.text(1)?,
        "last4": row.text(2)?,
        "environment": row.text(3)?,
        "status": status,
        "createdAt": super::time(row.instant(4)?),
        "createdBy": row.id(5)?,
        "expiresAt": super::time(expires_at),
        "lastUsedAt": row.optional(7, Row::instant)?.map(super::time),
        "revokedAt": revoked_at.map(super::time),
        "revokedBy": row.optional(9, Row::id)?,
    }))
}

pub async fn list_all(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, client) = (call.tenant()?, call.path_id("clientId")?);
    let page = Page::of(call);
    let known = "select 1 from stoa_api_client where tenant_id = $1 and id = $2";
    if session.query(known, &[Cell::Id(tenant), Cell::Id(client)]).await?.is_empty() {
        return Err(Problem::of("NOT_FOUND").into());
    }
    let rows = session
        .query(
            concat!(
                "select ",
                columns!(),
                " from stoa_api_key where tenant_id = $1 and client_id = $2 and id > $3 order by id limit $4"
            ),
            &[
                Cell::Id(tenant),
                Cell::Id(client),
                Cell::Id(page.after.unwrap_or(Uuid::nil())),
                Cell::Integer(page.rows()),
            ],
        )
        .await?;
    Ok(page.answer(&rows, |row| key(tenant, client, call.opened.now, row))?)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewKey {
    environment: Option<String>,
    expires_at: Option<String>,
}

pub async fn issue(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, client) = (call.tenant()?, call.path_id("clientId")?);
    let new: NewKey = call.body()?;
    let now = call.opened.now;
    let invalid = |pointer, code| Problem::of("VALIDATION_FAILED").with(vec![Item::new(pointer, code)]);
    let environment = call.platform.environment;
    if new.environment.is_some_and(|wanted| wanted != environment.to_string()) {
        return Err(invalid("/environment", "NOT_ALLOWED").into());
    }
    let expires_at = match new.expires_at {
        None => now + DEFAULT_LIFE_MS,
        Some(text) => {
            DateTime::parse_from_rfc3339(&text).map_err(|_| invalid("/expiresAt", "FORMAT"))?.timestamp_millis()
        }
    };
    if expires_at <= now || expires_at > now + LONGEST_LIFE_MS {
        return Err(invalid("/expiresAt", "RANGE").into());
    }
    let (_, status) = api_clients::lock(session, tenant, client).await?;
    if status == "REVOKED" {
        return Err(Problem::of("ILLEGAL_STATE").into());
    }
    let usable = session
        .query(
            "select count(*) from stoa_api_key
             where tenant_id = $1 and client_id = $2 and revoked_at is null and expires_at > $3",
            &[Cell::Id(tenant), Cell::Id(client), Cell::Instant(now)],
        )
        .await?;
    if usable.first().map_or(Ok(0), |row| row.integer(0))? >= USABLE {
        return Err(Problem::of("LIMIT_EXCEEDED").into());
    }
    let issued = Issued::make(environment, Ids::new(now).make())?;
    session
        .query(
            "insert into stoa_api_key (id, tenant_id, client_id, prefix, last4, hash, environment, created_at, created_by,
               expires_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            &[
                Cell::Id(issued.id),
                Cell::Id(tenant),
                Cell::Id(client),
                Cell::text(&issued.prefix),
                Cell::text(&issued.last4),
                Cell::Bytes(issued.hash.to_vec()),
                Cell::text(environment.to_string()),
                Cell::Instant(now),
                Cell::Id(call.user()?.id),
                Cell::Instant(expires_at),
            ],
        )
        .await?;
    let mut answer = read_key(session, call, tenant, client, issued.id).await?;
    answer["apiKey"] = issued.text.into();
    Ok(Done { credential: true, subject: Some(client), ..wrote(issued.id, answer) })
}

pub async fn revoke(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, client, id) = (call.tenant()?, call.path_id("clientId")?, call.path_id("keyId")?);
    session
        .query(
            "update stoa_api_key set revoked_at = $4, revoked_by = $5
             where tenant_id = $1 and client_id = $2 and id = $3 and revoked_at is null",
            &[
                Cell::Id(tenant),
                Cell::Id(client),
                Cell::Id(id),
                Cell::Instant(call.opened.now),
                Cell::Id(call.user()?.id),
            ],
        )
        .await?;
    let record = read_key(session, call, tenant, client, id).await?;
    Ok(Done { subject: Some(client), ..wrote(id, record) })
}

async fn read_key(
    session: &mut Session,
    call: &Call<'_>,
    tenant: Uuid,
    client: Uuid,
    id: Uuid,
) -> Result<Json, super::Refused> {
    let sql = concat!("select ", columns!(), " from stoa_api_key where tenant_id = $1 and client_id = $2 and id = $3");
    let rows = session.query(sql, &[Cell::Id(tenant), Cell::Id(client), Cell::Id(id)]).await?;
    let row = rows.first().ok_or_else(|| Problem::of("NOT_FOUND"))?;
    Ok(key(tenant, client, call.opened.now, row)?)
}
