//! API clients of a company: the machines that may call on its behalf, what each may do and how much.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value as Json, json};
use stoa_descriptor::{Access, Audience, Route};
use uuid::Uuid;

use super::page::Page;
use super::routes::{array, body, list, object, permission, read, reference, text, time, uuid, write};
use super::{Call, Operation, Performed, shown, wrote};
use crate::database::{Cell, Error, Row, Session};
use crate::ids::Ids;
use crate::problem::Problem;
use crate::sandbox::Module;

const CLIENTS: &str = "/tenants/{tenantId}/api-clients";
const CLIENT: &str = "/tenants/{tenantId}/api-clients/{clientId}";

const DEFAULT_REQUESTS_PER_MINUTE: i64 = 600;
const DEFAULT_MONTHLY_QUOTA: i64 = 1_000_000;

pub fn routes(modules: &[Arc<Module>]) -> Vec<(Route, Operation)> {
    let managed = |route: Route| Route { access: permission("api.manage"), ..route };
    let audited = |route: Route| Route { audit: Some("API_CLIENT".into()), ..managed(route) };
    let client = || reference("ApiClient");
    let status_filter = json!({ "status": { "type": "string", "enum": ["ACTIVE", "SUSPENDED", "REVOKED"] } });
    let create = body(
        json!({
            "name": { "type": "string", "minLength": 1, "maxLength": 100, "x-normalize": ["trim"] },
            "description": { "type": ["string", "null"], "maxLength": 2000, "default": null },
            "scopes": scopes_schema(modules),
            "requestsPerMinute": {
                "type": "integer", "minimum": 1, "maximum": 6000, "default": DEFAULT_REQUESTS_PER_MINUTE
            },
            "monthlyQuota": {
                "type": "integer", "minimum": 1, "maximum": 100_000_000, "default": DEFAULT_MONTHLY_QUOTA,
                "description": "Requests in a calendar month, UTC."
            },
        }),
        &["name", "scopes"],
    );
    let status = body(
        json!({ "status": {
            "enum": ["ACTIVE", "SUSPENDED", "REVOKED"],
            "description": "REVOKED is final and revokes every key."
        } }),
        &["status"],
    );
    let scopes = body(json!({ "scopes": scopes_schema(modules) }), &["scopes"]);
    vec![
        (
            managed(list(CLIENTS, "listApiClients", "The company's API clients.", "ApiClient", status_filter)),
            Operation::ListApiClients,
        ),
        (
            audited(write(
                "POST",
                CLIENTS,
                "createApiClient",
                "Make an API client. It calls with keys.",
                create,
                client(),
            )),
            Operation::CreateApiClient,
        ),
        (
            managed(read(
                "/tenants/{tenantId}/api-clients/scopes",
                "listScopes",
                "Every scope, with the operations that it opens.",
                object(json!({ "items": array(reference("Scope")) })),
            )),
            Operation::ListScopes,
        ),
        (managed(read(CLIENT, "getApiClient", "One API client.", client())), Operation::GetApiClient),
        (
            audited(write(
                "PATCH",
                "/tenants/{tenantId}/api-clients/{clientId}/status",
                "setApiClientStatus",
                "Suspend, resume or revoke an API client: it holds for the very next request.",
                status,
                client(),
            )),
            Operation::SetApiClientStatus,
        ),
        (
            audited(write(
                "PUT",
                "/tenants/{tenantId}/api-clients/{clientId}/scopes",
                "replaceApiClientScopes",
                "Replace an API client's scopes: it holds for the very next request.",
                scopes,
                client(),
            )),
            Operation::ReplaceApiClientScopes,
        ),
    ]
}

pub fn schemas() -> Vec<(&'static str, Json)> {
    vec![
        (
            "ApiClient",
            object(json!({
                "id": uuid(), "tenantId": uuid(), "name": text(),
                "description": { "type": ["string", "null"] },
                "environment": { "enum": ["test", "live"] },
                "status": { "enum": ["ACTIVE", "SUSPENDED", "REVOKED"] },
                "scopes": array(text()),
                "requestsPerMinute": { "type": "integer" }, "monthlyQuota": { "type": "integer" },
                "createdAt": time(), "updatedAt": time(),
            })),
        ),
        (
            "Scope",
            object(json!({ "code": text(), "description": text(), "module": text(), "operations": array(text()) })),
        ),
    ]
}

/// Scopes that the active modules know.
fn scopes_schema(modules: &[Arc<Module>]) -> Json {
    let known: BTreeSet<&str> =
        modules.iter().flat_map(|module| &module.descriptor.scopes).map(|scope| scope.code.as_str()).collect();
    let item = if known.is_empty() { json!({ "type": "string" }) } else { json!({ "type": "string", "enum": known }) };
    let most = known.len();
    json!({ "type": "array", "items": item, "uniqueItems": true, "maxItems": most })
}

/// Columns of a record, in the order that it is shown from.
macro_rules! columns {
    () => {
        "id, name, description, environment, status, scopes, requests_per_minute, monthly_quota, created_at, \
                       updated_at"
    };
}

fn client(tenant: Uuid, row: &Row) -> Result<Json, Error> {
    let scopes = row.text(5)?;
    Ok(json!({
        "id": row.id(0)?,
        "tenantId": tenant,
        "name": row.text(1)?,
        "description": row.optional(2, Row::text)?,
        "environment": row.text(3)?,
        "status": row.text(4)?,
        "scopes": scopes.split_ascii_whitespace().collect::<Vec<_>>(),
        "requestsPerMinute": row.integer(6)?,
        "monthlyQuota": row.integer(7)?,
        "createdAt": super::time(row.instant(8)?),
        "updatedAt": super::time(row.instant(9)?),
    }))
}

pub async fn list_all(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let page = Page::of(call);
    let rows = session
        .query(
            concat!(
                "select ",
                columns!(),
                " from stoa_api_client
                 where tenant_id = $1 and id > $2 and ($3 = '' or status = $3) order by id limit $4"
            ),
            &[
                Cell::Id(tenant),
                Cell::Id(page.after.unwrap_or(Uuid::nil())),
                Cell::text(call.query("status").unwrap_or_default()),
                Cell::Integer(page.rows()),
            ],
        )
        .await?;
    Ok(page.answer(&rows, |row| client(tenant, row))?)
}

pub async fn get(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, id) = (call.tenant()?, call.path_id("clientId")?);
    Ok(shown(read_client(session, tenant, id).await?.0))
}

/// The record and its status.
async fn read_client(session: &mut Session, tenant: Uuid, id: Uuid) -> Result<(Json, String), super::Refused> {
    let sql = concat!("select ", columns!(), " from stoa_api_client where tenant_id = $1 and id = $2");
    let rows = session.query(sql, &[Cell::Id(tenant), Cell::Id(id)]).await?;
    let row = rows.first().ok_or_else(|| Problem::of("NOT_FOUND"))?;
    Ok((client(tenant, row)?, row.text(4)?))
}

/// The record, and no other transaction changes it or its keys before this one ends.
pub async fn lock(session: &mut Session, tenant: Uuid, id: Uuid) -> Result<(Json, String), super::Refused> {
    // SQLite has one writer at a time.
    if matches!(session, Session::Postgres(_)) {
        let sql = "select 1 from stoa_api_client where tenant_id = $1 and id = $2 for update";
        session.query(sql, &[Cell::Id(tenant), Cell::Id(id)]).await?;
    }
    read_client(session, tenant, id).await
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewClient {
    name: String,
    description: Option<String>,
    scopes: BTreeSet<String>,
    requests_per_minute: Option<i64>,
    monthly_quota: Option<i64>,
}

pub async fn create(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let new: NewClient = call.body()?;
    let id = Ids::new(call.opened.now).make();
    session
        .query(
            "insert into stoa_api_client (tenant_id, id, name, description, environment, status, scopes,
               requests_per_minute, monthly_quota, created_at, updated_at)
             values ($1, $2, $3, $4, $5, 'ACTIVE', $6, $7, $8, $9, $9)",
            &[
                Cell::Id(tenant),
                Cell::Id(id),
                Cell::text(new.name),
                Cell::optional(new.description, Cell::Text),
                Cell::text(call.platform.environment.to_string()),
                Cell::text(joined(&new.scopes)),
                Cell::Integer(new.requests_per_minute.unwrap_or(DEFAULT_REQUESTS_PER_MINUTE)),
                Cell::Integer(new.monthly_quota.unwrap_or(DEFAULT_MONTHLY_QUOTA)),
                Cell::Instant(call.opened.now),
            ],
        )
        .await?;
    Ok(wrote(id, read_client(session, tenant, id).await?.0))
}

fn joined(scopes: &BTreeSet<String>) -> String {
    scopes.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[derive(Deserialize)]
struct NewStatus {
    status: String,
}

pub async fn set_status(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, id) = (call.tenant()?, call.path_id("clientId")?);
    let NewStatus { status: wanted } = call.body()?;
    let (record, status) = lock(session, tenant, id).await?;
    if status == wanted {
        return Ok(wrote(id, record));
    }
    if status == "REVOKED" {
        return Err(Problem::of("ILLEGAL_STATE").into());
    }
    let (now, user) = (Cell::Instant(call.opened.now), call.user()?.id);
    session
        .query(
            "update stoa_api_client set status = $3, updated_at = $4 where tenant_id = $1 and id = $2",
            &[Cell::Id(tenant), Cell::Id(id), Cell::text(&wanted), now.clone()],
        )
        .await?;
    if wanted == "REVOKED" {
        session
            .query(
                "update stoa_api_key set revoked_at = $3, revoked_by = $4
                 where tenant_id = $1 and client_id = $2 and revoked_at is null",
                &[Cell::Id(tenant), Cell::Id(id), now, Cell::Id(user)],
            )
            .await?;
    }
    Ok(changed(id, read_client(session, tenant, id).await?.0, "status"))
}

#[derive(Deserialize)]
struct NewScopes {
    scopes: BTreeSet<String>,
}

pub async fn replace_scopes(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, id) = (call.tenant()?, call.path_id("clientId")?);
    let NewScopes { scopes } = call.body()?;
    let (_, status) = lock(session, tenant, id).await?;
    if status == "REVOKED" {
        return Err(Problem::of("ILLEGAL_STATE").into());
    }
    session
        .query(
            "update stoa_api_client set scopes = $3, updated_at = $4 where tenant_id = $1 and id = $2",
            &[Cell::Id(tenant), Cell::Id(id), Cell::text(joined(&scopes)), Cell::Instant(call.opened.now)],
        )
        .await?;
    Ok(changed(id, read_client(session, tenant, id).await?.0, "scopes"))
}

fn changed(id: Uuid, record: Json, member: &str) -> super::Done {
    super::Done { changed: vec![member.to_string()], ..wrote(id, record) }
}

pub fn scopes(call: &Call<'_>) -> Performed {
    let generation = &call.request.generation;
    let mut operations: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let own = super::routes::routes(&generation.modules);
    let theirs = generation.modules.iter().flat_map(|module| &module.descriptor.routes);
    for route in own.iter().map(|(route, _)| route).chain(theirs) {
        let (Access::All(codes) | Access::Any(codes)) = &route.access;
        if route.audience == Audience::ApiClient {
            for code in codes {
                operations.entry(code).or_default().push(&route.operation);
            }
        }
    }
    let items: Vec<Json> = generation
        .scopes
        .iter()
        .map(|(code, scope)| {
            json!({
                "code": code,
                "description": scope.description,
                "module": scope.module,
                "operations": operations.get(code.as_str()).cloned().unwrap_or_default(),
            })
        })
        .collect();
    Ok(shown(json!({ "items": items })))
}
