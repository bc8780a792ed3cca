//! API clients of a company: the machines that may call on its behalf, what each may do and how much.

use std::sync::Arc;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use stoa_descriptor::{Access, Audience, Route};
use uuid::Uuid;

use super::audit_list::Detail;
use super::operation::{PlatformOperation, on_session};
use super::page::{Items, Limit, Page};
use super::reply::{answer, answer_about};
use super::values::{Instant, Integer, drop_type, text_enum};
use super::{Call, Performed};
use crate::database::{Cell, Error, Row, Session};
use crate::identity::Environment;
use crate::ids::Ids;
use crate::pipeline::outcome::{Done, Refused};
use crate::problem::Problem;
use crate::sandbox::Module;

const CLIENTS: &str = "/tenants/{tenantId}/api-clients";
const CLIENT: &str = "/tenants/{tenantId}/api-clients/{clientId}";

pub const OPERATIONS: &[PlatformOperation] = &[
    PlatformOperation::read(CLIENTS, "listApiClients", on_session!(list))
        .summary("API clients of the company")
        .needs(&["api.manage"])
        .query::<ListApiClients>()
        .answers::<Page<ApiClient>>(),
    PlatformOperation::create(CLIENTS, "createApiClient", on_session!(create).amend(offer_scopes))
        .summary("Create an API client")
        .needs(&["api.manage"])
        .body::<NewClient>()
        .answers::<ApiClient>()
        .writes("API_CLIENT", &[]),
    PlatformOperation::read("/tenants/{tenantId}/api-clients/scopes", "listScopes", on_session!(list_scopes))
        .summary("Scopes, with the operations that each allows")
        .needs(&["api.manage"])
        .answers::<Items<Scope>>(),
    PlatformOperation::read(CLIENT, "getApiClient", on_session!(get))
        .summary("An API client")
        .needs(&["api.manage"])
        .answers::<ApiClient>(),
    PlatformOperation::set(
        "/tenants/{tenantId}/api-clients/{clientId}/status",
        "setApiClientStatus",
        on_session!(set_status),
    )
    .summary("Suspend, resume or revoke an API client, from the next request on")
    .needs(&["api.manage"])
    .body::<NewStatus>()
    .answers::<ApiClient>()
    .writes("API_CLIENT", &[])
    .problems(&["ILLEGAL_STATE"]),
    PlatformOperation::replace(
        "/tenants/{tenantId}/api-clients/{clientId}/scopes",
        "replaceApiClientScopes",
        on_session!(replace_scopes).amend(offer_scopes),
    )
    .summary("Replace the scopes of an API client, from the next request on")
    .needs(&["api.manage"])
    .body::<NewScopes>()
    .answers::<ApiClient>()
    .writes("API_CLIENT", &[])
    .problems(&["ILLEGAL_STATE"]),
];

text_enum! {
    /// The state of an API client: only an ACTIVE one can call.
    pub enum ClientStatus { Active => "ACTIVE", Suspended => "SUSPENDED", Revoked => "REVOKED" }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListApiClients {
    /// Id of the last item of the previous page.
    cursor: Option<Uuid>,
    #[serde(default)]
    limit: Limit,
    status: Option<ClientStatus>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
struct NewClient {
    #[schemars(length(min = 1, max = 100), extend("x-normalize" = ["trim"]))]
    name: String,
    #[serde(default)]
    #[schemars(length(max = 2000))]
    description: Option<String>,
    scopes: BTreeSet<String>,
    #[serde(default = "usual_requests_per_minute")]
    #[schemars(with = "Integer", range(min = 1, max = 6000))]
    requests_per_minute: i64,
    /// Requests in a calendar month (UTC).
    #[serde(default = "usual_monthly_quota")]
    #[schemars(with = "Integer", range(min = 1, max = 100_000_000))]
    monthly_quota: i64,
}

fn usual_requests_per_minute() -> i64 {
    600
}

fn usual_monthly_quota() -> i64 {
    1_000_000
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct NewStatus {
    /// REVOKED is final and revokes every key.
    #[schemars(transform = drop_type)]
    status: ClientStatus,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct NewScopes {
    scopes: BTreeSet<String>,
}

/// The scopes that a body may name: those that the active modules know.
fn offer_scopes(route: &mut Route, modules: &[Arc<Module>]) {
    let declared = modules.iter().flat_map(|module| &module.descriptor.scopes).map(|scope| scope.code.as_str());
    let known: BTreeSet<&str> = super::SCOPES.iter().map(|(code, _)| *code).chain(declared).collect();
    let scopes = route.body.as_mut().and_then(|body| body.pointer_mut("/properties/scopes"));
    if let Some(Json::Object(scopes)) = scopes {
        scopes.insert("maxItems".into(), known.len().into());
        if !known.is_empty() {
            scopes.insert("items".into(), json!({ "type": "string", "title": "ScopeCode", "enum": known }));
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
// Generators call their own client `ApiClient`.
#[schemars(rename = "ApiClientRecord")]
pub struct ApiClient {
    id: Uuid,
    tenant_id: Uuid,
    name: String,
    description: Option<String>,
    #[schemars(with = "Environment")]
    environment: String,
    pub status: ClientStatus,
    scopes: Vec<String>,
    #[schemars(with = "Integer")]
    requests_per_minute: i64,
    #[schemars(with = "Integer")]
    monthly_quota: i64,
    created_at: Instant,
    updated_at: Instant,
}

#[derive(Serialize, JsonSchema)]
struct Scope {
    code: String,
    description: String,
    module: String,
    operations: Vec<String>,
}

/// Columns of a record, in the order that it is shown from.
macro_rules! columns {
    () => {
        "id, name, description, environment, status, scopes, requests_per_minute, monthly_quota, created_at, \
                       updated_at"
    };
}

impl ApiClient {
    fn read(tenant: Uuid, row: &Row) -> Result<ApiClient, Error> {
        Ok(ApiClient {
            id: row.id(0)?,
            tenant_id: tenant,
            name: row.text(1)?,
            description: row.optional(2, Row::text)?,
            environment: row.text(3)?,
            status: ClientStatus::read(row, 4)?,
            scopes: row.text(5)?.split_ascii_whitespace().map(str::to_string).collect(),
            requests_per_minute: row.integer(6)?,
            monthly_quota: row.integer(7)?,
            created_at: Instant(row.instant(8)?),
            updated_at: Instant(row.instant(9)?),
        })
    }
}

async fn list(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let query: ListApiClients = call.query()?;
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
                Cell::Id(query.cursor.unwrap_or(Uuid::nil())),
                Cell::text(query.status.map_or("", ClientStatus::as_str)),
                Cell::Integer(query.limit.rows()),
            ],
        )
        .await?;
    let clients = rows.iter().map(|row| ApiClient::read(tenant, row)).collect::<Result<_, Error>>()?;
    answer(&Page::new(query.limit, clients, |client: &ApiClient| client.id))
}

async fn get(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, id) = (call.tenant()?, call.path_id("clientId")?);
    answer(&read_client(session, tenant, id).await?)
}

async fn read_client(session: &mut Session, tenant: Uuid, id: Uuid) -> Result<ApiClient, Refused> {
    let sql = concat!("select ", columns!(), " from stoa_api_client where tenant_id = $1 and id = $2");
    let rows = session.query(sql, &[Cell::Id(tenant), Cell::Id(id)]).await?;
    let row = rows.first().ok_or_else(|| Problem::new("NOT_FOUND"))?;
    Ok(ApiClient::read(tenant, row)?)
}

/// Refuses a client that is not the company's.
pub async fn require(session: &mut Session, tenant: Uuid, id: Uuid) -> Result<(), Refused> {
    let sql = "select 1 from stoa_api_client where tenant_id = $1 and id = $2";
    match session.query(sql, &[Cell::Id(tenant), Cell::Id(id)]).await?.is_empty() {
        true => Err(Problem::new("NOT_FOUND").into()),
        false => Ok(()),
    }
}

/// The record, and no other transaction changes it or its keys before this one ends.
pub async fn lock(session: &mut Session, tenant: Uuid, id: Uuid) -> Result<ApiClient, Refused> {
    // SQLite has one writer at a time.
    if matches!(session, Session::Postgres(_)) {
        let sql = "select 1 from stoa_api_client where tenant_id = $1 and id = $2 for update";
        session.query(sql, &[Cell::Id(tenant), Cell::Id(id)]).await?;
    }
    read_client(session, tenant, id).await
}

async fn create(session: &mut Session, call: &Call<'_>) -> Performed {
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
                Cell::text(join(&new.scopes)),
                Cell::Integer(new.requests_per_minute),
                Cell::Integer(new.monthly_quota),
                Cell::Instant(call.opened.now),
            ],
        )
        .await?;
    let detail = Detail::of_codes(&BTreeSet::new(), &new.scopes).keep()?;
    Ok(Done { detail, ..answer_about(id, &read_client(session, tenant, id).await?)? })
}

fn join(scopes: &BTreeSet<String>) -> String {
    scopes.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

async fn set_status(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, id) = (call.tenant()?, call.path_id("clientId")?);
    let NewStatus { status } = call.body()?;
    let before = lock(session, tenant, id).await?;
    if before.status == status {
        return answer_about(id, &before);
    }
    if before.status == ClientStatus::Revoked {
        return Err(Problem::new("ILLEGAL_STATE").into());
    }
    let (now, user) = (Cell::Instant(call.opened.now), call.user()?.id);
    session
        .query(
            "update stoa_api_client set status = $3, updated_at = $4 where tenant_id = $1 and id = $2",
            &[Cell::Id(tenant), Cell::Id(id), Cell::text(status.as_str()), now.clone()],
        )
        .await?;
    if status == ClientStatus::Revoked {
        session
            .query(
                "update stoa_api_key set revoked_at = $3, revoked_by = $4
                 where tenant_id = $1 and client_id = $2 and revoked_at is null",
                &[Cell::Id(tenant), Cell::Id(id), now, Cell::Id(user)],
            )
            .await?;
    }
    let detail = Detail { status: Some(status.as_str().to_owned()), ..Detail::default() };
    answer_change(session, tenant, id, "status", &detail).await
}

async fn replace_scopes(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, id) = (call.tenant()?, call.path_id("clientId")?);
    let NewScopes { scopes } = call.body()?;
    let before = lock(session, tenant, id).await?;
    if before.status == ClientStatus::Revoked {
        return Err(Problem::new("ILLEGAL_STATE").into());
    }
    session
        .query(
            "update stoa_api_client set scopes = $3, updated_at = $4 where tenant_id = $1 and id = $2",
            &[Cell::Id(tenant), Cell::Id(id), Cell::text(join(&scopes)), Cell::Instant(call.opened.now)],
        )
        .await?;
    let detail = Detail::of_codes(&before.scopes.into_iter().collect(), &scopes);
    answer_change(session, tenant, id, "scopes", &detail).await
}

/// The record after a change of `member`.
async fn answer_change(session: &mut Session, tenant: Uuid, id: Uuid, member: &str, detail: &Detail) -> Performed {
    let after = read_client(session, tenant, id).await?;
    Ok(Done { changed: vec![member.to_string()], detail: detail.keep()?, ..answer_about(id, &after)? })
}

async fn list_scopes(_: &mut Session, call: &Call<'_>) -> Performed {
    let generation = &call.request.generation;
    let mut operations: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for operation in super::operations() {
        for code in operation.scopes() {
            operations.entry(code).or_default().push(operation.path_and_name().1.to_owned());
        }
    }
    for route in generation.modules.iter().flat_map(|module| &module.descriptor.routes) {
        let (Access::All(codes) | Access::Any(codes)) = &route.access;
        if route.audience == Audience::ApiClient {
            for code in codes {
                operations.entry(code).or_default().push(route.operation.clone());
            }
        }
    }
    let scopes = generation.scopes.iter().map(|(code, scope)| Scope {
        code: code.clone(),
        description: scope.description.clone(),
        module: scope.module.clone(),
        operations: operations.remove(code.as_str()).unwrap_or_default(),
    });
    answer(&Items { items: scopes.collect() })
}
