//! Keys of an API client: issued once, shown by their ends afterwards, revoked for good.

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stoa_descriptor::schemas::never_null;
use uuid::Uuid;

use super::api_clients::{self, ClientStatus};
use super::operation::{PlatformOperation, on_session};
use super::page::{Limit, Page};
use super::reply::{answer, answer_about};
use super::values::{Instant, drop_type, text_enum};
use super::{Call, Performed};
use crate::calendar::time;
use crate::database::{Cell, Error, Row, Session};
use crate::identity::Environment;
use crate::identity::api_keys::Issued;
use crate::ids::Ids;
use crate::pipeline::outcome::{Done, Refused};
use crate::problem::{Item, Problem};

const KEYS: &str = "/tenants/{tenantId}/api-clients/{clientId}/keys";
const REVOKE: &str = "/tenants/{tenantId}/api-clients/{clientId}/keys/{keyId}/revoke";

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const DEFAULT_LIFE_MS: i64 = 90 * DAY_MS;
const LONGEST_LIFE_MS: i64 = 365 * DAY_MS;
/// Keys of one client that can be used at a time.
const USABLE: i64 = 10;

pub const OPERATIONS: &[PlatformOperation] = &[
    PlatformOperation::read(KEYS, "listApiKeys", on_session!(list))
        .summary("Keys of an API client, without their secrets")
        .needs(&["api.manage"])
        .query::<ListApiKeys>()
        .answers::<Page<ApiKey>>(),
    PlatformOperation::create(KEYS, "issueApiKey", on_session!(issue))
        .summary("Issue a key")
        .description(
            "The response shows `apiKey` once. After it was delivered, a retry is rejected with CREDENTIAL_ALREADY_DELIVERED. \
                If you lose the key, revoke it and issue a new one.",
        )
        .needs(&["api.manage"])
        .body::<NewKey>()
        .answers::<IssuedApiKey>()
        .writes("API_KEY", &[])
        .problems(&["CREDENTIAL_ALREADY_DELIVERED", "ILLEGAL_STATE", "LIMIT_EXCEEDED"])
        .cache_control("no-store"),
    PlatformOperation::command(REVOKE, "revokeApiKey", on_session!(revoke))
        .summary("Revoke a key, from the next request on")
        .needs(&["api.manage"])
        .body::<EmptyBody>()
        .answers::<ApiKey>()
        .writes("API_KEY", &[]),
];

text_enum! {
    /// The state of a key: only an ACTIVE one can be used.
    pub enum KeyStatus { Active => "ACTIVE", Revoked => "REVOKED", Expired => "EXPIRED" }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListApiKeys {
    /// Id of the last item of the previous page.
    cursor: Option<Uuid>,
    #[serde(default)]
    limit: Limit,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline, extend("required" = []))]
struct NewKey {
    /// Must be the environment of the deployment. Omitted: that one.
    #[schemars(transform = never_null, transform = drop_type)]
    environment: Option<Environment>,
    /// At most 365 days ahead. Omitted: 90 days.
    #[schemars(with = "Option<Instant>", transform = never_null)]
    expires_at: Option<DateTime<Utc>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline, extend("properties" = {}, "required" = []))]
struct EmptyBody {}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ApiKey {
    id: Uuid,
    tenant_id: Uuid,
    api_client_id: Uuid,
    prefix: String,
    last4: String,
    #[schemars(with = "Environment")]
    environment: String,
    status: KeyStatus,
    created_at: Instant,
    created_by: Uuid,
    expires_at: Instant,
    last_used_at: Option<Instant>,
    revoked_at: Option<Instant>,
    revoked_by: Option<Uuid>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct IssuedApiKey {
    #[serde(flatten)]
    key: ApiKey,
    /// The key. The service does not store it and cannot show it again.
    api_key: String,
}

/// Columns of a record, in the order that it is shown from.
macro_rules! columns {
    () => {
        "id, prefix, last4, environment, created_at, created_by, expires_at, last_used_at, revoked_at, revoked_by"
    };
}

impl ApiKey {
    fn read(tenant: Uuid, client: Uuid, now: i64, row: &Row) -> Result<ApiKey, Error> {
        let expires_at = row.instant(6)?;
        let revoked_at = row.optional(8, Row::instant)?;
        let status = match revoked_at {
            Some(_) => KeyStatus::Revoked,
            None if expires_at <= now => KeyStatus::Expired,
            None => KeyStatus::Active,
        };
        Ok(ApiKey {
            id: row.id(0)?,
            tenant_id: tenant,
            api_client_id: client,
            prefix: row.text(1)?,
            last4: row.text(2)?,
            environment: row.text(3)?,
            status,
            created_at: Instant(row.instant(4)?),
            created_by: row.id(5)?,
            expires_at: Instant(expires_at),
            last_used_at: row.optional(7, Row::instant)?.map(Instant),
            revoked_at: revoked_at.map(Instant),
            revoked_by: row.optional(9, Row::id)?,
        })
    }
}

async fn list(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, client) = (call.tenant()?, call.path_id("clientId")?);
    let query: ListApiKeys = call.query()?;
    api_clients::require(session, tenant, client).await?;
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
                Cell::Id(query.cursor.unwrap_or(Uuid::nil())),
                Cell::Integer(query.limit.rows()),
            ],
        )
        .await?;
    let keys = rows.iter().map(|row| ApiKey::read(tenant, client, call.opened.now, row));
    answer(&Page::new(query.limit, keys.collect::<Result<_, Error>>()?, |key: &ApiKey| key.id))
}

const INSERT: &str = "insert into stoa_api_key (id, tenant_id, client_id, prefix, last4, hash, environment, created_at,
    created_by, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

async fn issue(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, client) = (call.tenant()?, call.path_id("clientId")?);
    let new: NewKey = call.body()?;
    let now = call.opened.now;
    let invalid = |fault| Problem::new("VALIDATION_FAILED").with(vec![fault]);
    let environment = call.platform.environment;
    if new.environment.is_some_and(|wanted| wanted != environment) {
        return Err(invalid(Item::new("/environment", "NOT_ALLOWED")).into());
    }
    let expires_at = new.expires_at.map_or(now + DEFAULT_LIFE_MS, |expiry| expiry.timestamp_millis());
    if expires_at <= now || expires_at > now + LONGEST_LIFE_MS {
        let life = json!({ "minimum": time(now + 1), "maximum": time(now + LONGEST_LIFE_MS) });
        return Err(invalid(Item::new("/expiresAt", "RANGE").with_expected(life)).into());
    }
    if api_clients::lock(session, tenant, client).await?.status == ClientStatus::Revoked {
        return Err(Problem::new("ILLEGAL_STATE").into());
    }
    let usable = session
        .query(
            "select count(*) from stoa_api_key
             where tenant_id = $1 and client_id = $2 and revoked_at is null and expires_at > $3",
            &[Cell::Id(tenant), Cell::Id(client), Cell::Instant(now)],
        )
        .await?;
    if usable.first().map_or(Ok(0), |row| row.integer(0))? >= USABLE {
        return Err(Problem::limit_exceeded(USABLE, "KEYS").into());
    }
    let issued = Issued::make(environment, Ids::new(now).make())?;
    let row = [
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
    ];
    if session.is_away() {
        // A key is looked up at home, where its row names the company. Only the row at the company's place says whether it is active.
        session.query_home(INSERT, &row).await?;
    }
    session.query(INSERT, &row).await?;
    let key = read_key(session, call, tenant, client, issued.id).await?;
    let answer = answer_about(issued.id, &IssuedApiKey { key, api_key: issued.text })?;
    Ok(Done { credential: true, subjects: vec![client], ..answer })
}

async fn revoke(session: &mut Session, call: &Call<'_>) -> Performed {
    let (tenant, client, id) = (call.tenant()?, call.path_id("clientId")?, call.path_id("keyId")?);
    end_key(session, tenant, (client, id), call.opened.now, Some(call.user()?.id)).await?;
    let key = read_key(session, call, tenant, client, id).await?;
    Ok(Done { subjects: vec![client], ..answer_about(id, &key)? })
}

/// Revokes a key of a client, from the next request on. One that is revoked already stays as it is. `by` None: an operator.
pub(super) async fn end_key(
    session: &mut Session,
    tenant: Uuid,
    (client, key): (Uuid, Uuid),
    now: i64,
    by: Option<Uuid>,
) -> Result<(), Error> {
    let values = [Cell::Id(tenant), Cell::Id(client), Cell::Id(key), Cell::Instant(now), Cell::optional(by, Cell::Id)];
    let sql = "update stoa_api_key set revoked_at = $4, revoked_by = $5
               where tenant_id = $1 and client_id = $2 and id = $3 and revoked_at is null";
    session.query(sql, &values).await.map(drop)
}

async fn read_key(
    session: &mut Session,
    call: &Call<'_>,
    tenant: Uuid,
    client: Uuid,
    id: Uuid,
) -> Result<ApiKey, Refused> {
    let sql = concat!("select ", columns!(), " from stoa_api_key where tenant_id = $1 and client_id = $2 and id = $3");
    let rows = session.query(sql, &[Cell::Id(tenant), Cell::Id(client), Cell::Id(id)]).await?;
    let row = rows.first().ok_or_else(|| Problem::new("NOT_FOUND"))?;
    Ok(ApiKey::read(tenant, client, call.opened.now, row)?)
}
