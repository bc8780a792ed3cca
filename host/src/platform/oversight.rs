//! The host's own records of companies, as operators see them: status, clients and keys without secrets, endpoints, deliveries
//! without bodies. No row of a module is among them.

use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::api_keys;
use super::operators::{Company, CompanyRefusal, CompanyResult, audit, explain};
use super::webhooks::deliveries::{COLUMNS, Delivery, send_again};
use crate::calendar::time;
use crate::database::{Cell, Database, Error, Row, Session, Shard};
use crate::pipeline::outcome::Refused;

pub use super::webhooks::deliveries::DeliveryStatus;

/// Clients, keys and endpoints that are shown of a company, of each.
const MOST: i64 = 100;
/// Newest deliveries of an endpoint that are counted.
const COUNTED: u32 = 200;
/// Companies that are read at once where all of them are wanted.
const BATCH: u32 = 500;

/// Which deliveries of an endpoint: the newest first.
#[derive(Debug, Clone)]
pub struct DeliveryFilter {
    pub status: Option<DeliveryStatus>,
    /// Id of the last delivery of the page before.
    pub before: Option<Uuid>,
    pub limit: u32,
}

/// Companies whose name contains the text, without regard to case, or whose id it is; the oldest first.
pub async fn list_companies(
    database: &Database,
    text: Option<&str>,
    after: Option<Uuid>,
    limit: u32,
) -> Result<Vec<Json>, Error> {
    let wanted = (text.map(str::to_owned), after.unwrap_or_default(), limit);
    let mut companies = Vec::new();
    for shard in database.shards() {
        let read = database.read_plain(shard, wanted.clone(), |session, (text, after, limit)| {
            Box::pin(find_companies(session, text.as_deref(), *after, *limit))
        });
        let place = database.place_name(shard).to_owned();
        companies.extend(read.await?.into_iter().map(|company| with_place(database, company, &place)));
    }
    companies.sort_by(|one, other| one["id"].as_str().cmp(&other["id"].as_str()));
    companies.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(companies)
}

/// A company with its place, where there are several.
fn with_place(database: &Database, mut company: Json, place: &str) -> Json {
    if database.shards().len() > 1 {
        company["place"] = place.into();
    }
    company
}

/// Every company, the oldest first.
pub async fn list_all_companies(database: &Database) -> Result<Vec<Json>, Error> {
    let mut all: Vec<Json> = Vec::new();
    loop {
        let after = all.last().and_then(|company| company["id"].as_str()?.parse().ok());
        let page = list_companies(database, None, after, BATCH).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

async fn find_companies(
    session: &mut Session,
    text: Option<&str>,
    after: Uuid,
    limit: u32,
) -> Result<Vec<Json>, Error> {
    let mut values = vec![Cell::Id(after), Cell::Integer(i64::from(limit))];
    let sql = match text {
        None => "select id, name, status, entitlements, created_at from stoa_tenant where id > $1 order by id limit $2",
        Some(text) => {
            let plain = text.to_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            values.extend([Cell::Id(text.trim().parse().unwrap_or_default()), Cell::Text(format!("%{plain}%"))]);
            "select id, name, status, entitlements, created_at from stoa_tenant
             where id > $1 and (id = $3 or lower(name) like $4 escape '\\') order by id limit $2"
        }
    };
    let rows = session.query(sql, &values).await?;
    rows.iter().map(|row| Ok(Company::read(row)?.json())).collect()
}

/// The company with its API clients, their keys, and its endpoints with their newest deliveries counted by status.
pub async fn read_company(database: &Database, tenant: Uuid) -> Result<Option<Json>, Error> {
    let read = database.read_plain(Shard::Company(tenant), tenant, |session, tenant| {
        Box::pin(async move {
            let sql = "select id, name, status, entitlements, created_at from stoa_tenant where id = $1";
            let rows = session.query(sql, &[Cell::Id(*tenant)]).await?;
            let Some(row) = rows.first() else { return Ok(None) };
            let mut company = Company::read(row)?.json();
            let values = [Cell::Id(*tenant), Cell::Integer(MOST)];
            company["clients"] = select(session, CLIENTS.to_owned(), &values, CLIENT).await?.into();
            let now = Cell::Instant(session.now().await?);
            company["keys"] = select(session, KEYS.to_owned(), &[&values[..], &[now]].concat(), KEY).await?.into();
            company["webhooks"] = select(session, sql_endpoints(), &values, ENDPOINT).await?.into();
            Ok(Some(company))
        })
    });
    let company = read.await?;
    let shard = database.by_shard(vec![tenant], |tenant| *tenant).await.first().map_or(Shard::Global, |part| part.0);
    Ok(company.map(|company| with_place(database, company, database.place_name(shard))))
}

/// The kind of a column that is shown.
enum Shown {
    Id,
    Text,
    Json,
    /// A list of words, which a blank separates in its column.
    Words,
    Instant,
}

/// Members of an object, in the sequence of a statement's columns.
type Members = &'static [(&'static str, Shown)];

const ID: (&str, Shown) = ("id", Shown::Id);
const NAME: (&str, Shown) = ("name", Shown::Text);
const STATUS: (&str, Shown) = ("status", Shown::Text);
const CREATED: (&str, Shown) = ("createdAt", Shown::Instant);

const CLIENTS: &str = "select id, name, status, environment, scopes, created_at from stoa_api_client
    where tenant_id = $1 order by id limit $2";
const CLIENT: Members = &[ID, NAME, STATUS, ("environment", Shown::Text), ("scopes", Shown::Words), CREATED];

const KEYS: &str = "select id, client_id, prefix, last4,
      case when revoked_at is not null then 'REVOKED' when expires_at <= $3 then 'EXPIRED' else 'ACTIVE' end,
      created_at, expires_at, last_used_at, revoked_at
    from stoa_api_key where tenant_id = $1 order by client_id, id limit $2";
#[rustfmt::skip]
const KEY: Members = &[
    ID, ("clientId", Shown::Id), ("prefix", Shown::Text), ("last4", Shown::Text), STATUS, CREATED,
    ("expiresAt", Shown::Instant), ("lastUsedAt", Shown::Instant), ("revokedAt", Shown::Instant),
];

#[rustfmt::skip]
const ENDPOINT: Members = &[
    ID, NAME, ("url", Shown::Text), STATUS, ("subscriptions", Shown::Text), CREATED, ("newestDeliveries", Shown::Json),
];

#[rustfmt::skip]
const ENTRY: Members = &[
    ID, ("actor", Shown::Text), ("operation", Shown::Text), ("result", Shown::Text), ("metadata", Shown::Json), CREATED,
];

fn sql_endpoints() -> String {
    let counts = ["PENDING", "SUCCEEDED", "FAILED", "CANCELLED"]
        .map(|status| format!("'\"{status}\":' || coalesce(sum(case when d.status = '{status}' then 1 else 0 end), 0)"))
        .join(" || ',' || ");
    format!(
        "select e.id, e.name, e.url, e.status, e.kinds, e.created_at,
           (select '{{' || {counts} || '}}' from (
             select status from stoa_webhook_delivery
             where tenant_id = $1 and endpoint_id = e.id order by id desc limit {COUNTED}) d)
         from stoa_webhook_endpoint e where e.tenant_id = $1 order by e.id limit $2"
    )
}

/// The rows of a statement as objects; null stays null.
async fn select(session: &mut Session, sql: String, values: &[Cell], members: Members) -> Result<Vec<Json>, Error> {
    let show = |row: &Row| {
        let mut object = serde_json::Map::new();
        for (index, (name, kind)) in members.iter().enumerate() {
            let value = match kind {
                _ if row.is_null(index) => Json::Null,
                Shown::Id => json!(row.id(index)?),
                Shown::Text => row.text(index)?.into(),
                Shown::Json => serde_json::from_str(&row.text(index)?).unwrap_or_default(),
                Shown::Words => row.text(index)?.split_ascii_whitespace().collect(),
                Shown::Instant => time(row.instant(index)?).into(),
            };
            object.insert((*name).to_owned(), value);
        }
        Ok(Json::Object(object))
    };
    session.query_composed(sql, values).await?.iter().map(show).collect()
}

/// Revokes a key. `revoked_by` is null; the entry of the company's audit has the actor system:operator.
pub async fn revoke_key(database: &Database, tenant: Uuid, key: Uuid) -> Result<CompanyResult<()>, Error> {
    let write = database.write_unless_refused(Shard::Company(tenant), (tenant, key), |session, (tenant, key)| {
        Box::pin(async move {
            let sql = "select client_id, revoked_at from stoa_api_key where tenant_id = $1 and id = $2";
            let rows = session.query(sql, &[Cell::Id(*tenant), Cell::Id(*key)]).await?;
            let Some(row) = rows.first() else { return Ok(Err(CompanyRefusal::NoRecord("key"))) };
            if !row.is_null(1) {
                return Ok(Err(CompanyRefusal::State("the key is revoked already")));
            }
            let now = session.now().await?;
            api_keys::end_key(session, *tenant, (row.id(0)?, *key), now, None).await?;
            let metadata = json!({ "result": "SUCCESS", "changed": ["revokedAt"] });
            let resource = ("API_KEY", *key);
            audit(session, now, *tenant, resource, Uuid::now_v7(), "revokeApiKey", &metadata).await?;
            Ok(Ok(()))
        })
    });
    write.await
}

/// Deliveries of an endpoint with their attempts, the newest first. None: the company has no such endpoint.
pub async fn list_deliveries(
    database: &Database,
    tenant: Uuid,
    endpoint: Uuid,
    filter: DeliveryFilter,
) -> Result<Option<Vec<Json>>, Error> {
    let read = database.read_plain(
        Shard::Company(tenant),
        (tenant, endpoint, filter),
        |session, (tenant, endpoint, DeliveryFilter { status, before, limit })| {
            Box::pin(async move {
                if !has_endpoint(session, *tenant, *endpoint).await? {
                    return Ok(None);
                }
                let mut values = vec![
                    Cell::Id(*tenant),
                    Cell::Id(*endpoint),
                    Cell::Id(before.unwrap_or(Uuid::max())),
                    Cell::Integer(i64::from(*limit)),
                ];
                values.extend(status.map(|status| Cell::text(status.as_str())));
                let narrowed = if status.is_some() { " and status = $5" } else { "" };
                let sql = format!(
                    "select {COLUMNS} from stoa_webhook_delivery
                     where tenant_id = $1 and endpoint_id = $2 and id < $3{narrowed} order by id desc limit $4"
                );
                let rows = session.query_composed(sql, &values).await?;
                let shown = rows.iter().map(|row| Ok(json!(Delivery::read(row)?)));
                shown.collect::<Result<_, Error>>().map(Some)
            })
        },
    );
    read.await
}

async fn has_endpoint(session: &mut Session, tenant: Uuid, endpoint: Uuid) -> Result<bool, Error> {
    let sql = "select 1 from stoa_webhook_endpoint where tenant_id = $1 and id = $2";
    Ok(!session.query(sql, &[Cell::Id(tenant), Cell::Id(endpoint)]).await?.is_empty())
}

/// Sends the event of a delivery again that has ended; returns the id of the new delivery.
pub async fn redeliver(
    database: &Database,
    tenant: Uuid,
    endpoint: Uuid,
    delivery: Uuid,
) -> Result<CompanyResult<Uuid>, Error> {
    let wanted = (tenant, endpoint, delivery);
    let write =
        database.write_unless_refused(Shard::Company(tenant), wanted, |session, (tenant, endpoint, delivery)| {
            Box::pin(async move {
                if !has_endpoint(session, *tenant, *endpoint).await? {
                    return Ok(Err(CompanyRefusal::NoRecord("webhook")));
                }
                // Before the instant that the new delivery's id is made of: readers of what is new miss none.
                session.stand_for(*tenant).await?;
                let now = session.now().await?;
                let made = match send_again(session, *tenant, now, *endpoint, *delivery).await {
                    Ok(made) => made,
                    Err(Refused::Database(error)) => return Err(error),
                    Err(Refused::Problem(problem)) => {
                        return Ok(Err(match &*problem.code {
                            "NOT_FOUND" => CompanyRefusal::NoRecord("delivery"),
                            "ILLEGAL_STATE" => CompanyRefusal::State(
                                "the delivery is under way, its event is gone, or its webhook is disabled",
                            ),
                            "ARCHIVED" => CompanyRefusal::State("the webhook is archived"),
                            _ => CompanyRefusal::Problem(explain(&problem)),
                        }));
                    }
                };
                let metadata = json!({ "result": "SUCCESS", "detail": { "deliveryId": made } });
                let resource = ("WEBHOOK_ENDPOINT", *endpoint);
                audit(session, now, *tenant, resource, Uuid::now_v7(), "redeliverWebhookDelivery", &metadata).await?;
                Ok(Ok(made))
            })
        });
    write.await
}

/// Entries of the operators' audit, the newest first.
pub async fn list_operator_audit(database: &Database, before: Option<Uuid>, limit: u32) -> Result<Vec<Json>, Error> {
    let read = database.read_plain(Shard::Global, (before, limit), |session, (before, limit)| {
        let sql = "select id, actor, operation, result, metadata, created_at from stoa_operator_audit
                   where id < $1 order by id desc limit $2";
        let values = [Cell::Id(before.unwrap_or(Uuid::max())), Cell::Integer(i64::from(*limit))];
        Box::pin(async move { select(session, sql.to_owned(), &values, ENTRY).await })
    });
    read.await
}
