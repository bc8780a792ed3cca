//! Endpoints: made with a secret that is shown once, changed by version, archived for good.

use std::collections::BTreeSet;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stoa_descriptor::LAST_VERSION;
use stoa_descriptor::schemas::never_null;
use uuid::Uuid;

use super::super::Platform;
use super::super::conditions::Conditions;
use super::super::page::{Limit, Page};
use super::super::reply::{answer, answer_about};
use super::super::values::{Instant, Integer, text_enum};
use super::super::{Call, Performed};
use crate::database::{Cell, Error, Row, Session};
use crate::events::address::LONGEST_URL;
use crate::events::endpoint::{self, OVERLAP_MS, Secrets};
use crate::events::{TEST_KIND, sign, wake_lane};
use crate::ids::{Ids, first_of};
use crate::pipeline::Input;
use crate::pipeline::outcome::{Done, Refused};
use crate::problem::{Item, Problem};

/// Kinds of one endpoint.
const MOST_KINDS: usize = 42;

text_enum! {
    /// The state of an endpoint: only an ACTIVE one receives events.
    pub enum WebhookStatus { Active => "ACTIVE", Disabled => "DISABLED", Archived => "ARCHIVED" }
}

text_enum! {
    /// The states that a caller may set.
    pub enum WantedStatus { Active => "ACTIVE", Disabled => "DISABLED" }
}

impl WantedStatus {
    fn active() -> WantedStatus {
        WantedStatus::Active
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListWebhooks {
    /// Id of the last item of the previous page.
    cursor: Option<Uuid>,
    #[serde(default)]
    limit: Limit,
    /// Omitted: all endpoints that are not archived.
    status: Option<WebhookStatus>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub struct NewWebhook {
    #[schemars(length(min = 1, max = 100), extend("x-normalize" = ["trim"]))]
    name: String,
    #[schemars(length(max = LONGEST_URL), extend("format" = "uri"))]
    url: String,
    #[serde(default = "WantedStatus::active")]
    status: WantedStatus,
    #[schemars(length(min = 1, max = MOST_KINDS))]
    subscriptions: BTreeSet<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub struct Replacement {
    #[serde(flatten)]
    webhook: NewWebhook,
    #[schemars(with = "Integer", range(min = 1, max = LAST_VERSION))]
    expected_version: i64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline, extend("properties" = {}, "required" = []))]
pub struct EmptyBody {}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline, extend("required" = []))]
pub struct Transition {
    /// Rejected if the endpoint has a different version.
    #[schemars(with = "Option<Integer>", transform = never_null, range(min = 1, max = LAST_VERSION))]
    expected_version: Option<i64>,
}

/// An endpoint of the company, without its secret.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    pub id: Uuid,
    tenant_id: Uuid,
    name: String,
    url: String,
    pub status: WebhookStatus,
    subscriptions: Vec<String>,
    /// Subscribed kinds that no active module declares now; the host sends nothing for them.
    undeclared_subscriptions: Vec<String>,
    #[schemars(with = "Integer", range(min = 1, max = LAST_VERSION))]
    version: i64,
    created_at: Instant,
    updated_at: Instant,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Credential {
    id: Uuid,
    endpoint: Webhook,
    /// `whsec_` and 43 characters, all of which are the key. The service cannot show it again.
    #[schemars(regex(pattern = "^whsec_[A-Za-z0-9_-]{43}$"))]
    signing_secret: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventReference {
    event_id: Uuid,
}

const COLUMNS: &str = "id, name, url, status, kinds, version, created_at, updated_at";

impl Webhook {
    fn read(tenant: Uuid, declared: &[String], row: &Row) -> Result<Webhook, Error> {
        let subscriptions: Vec<String> = row.text(4)?.split_ascii_whitespace().map(str::to_owned).collect();
        let undeclared = subscriptions.iter().filter(|kind| !declared.contains(kind)).cloned().collect();
        Ok(Webhook {
            id: row.id(0)?,
            tenant_id: tenant,
            name: row.text(1)?,
            url: row.text(2)?,
            status: WebhookStatus::read(row, 3)?,
            subscriptions,
            undeclared_subscriptions: undeclared,
            version: row.integer(5)?,
            created_at: Instant(row.instant(6)?),
            updated_at: Instant(row.instant(7)?),
        })
    }
}

/// Checks before the transaction that the host may call the URL: resolving its name needs the network and takes time.
pub fn check_address<'a>(platform: &'a Platform, input: &'a Input) -> BoxFuture<'a, Result<(), Problem>> {
    Box::pin(async move {
        let body: serde_json::Value =
            serde_json::from_str(input.call.body.as_deref().unwrap_or("null")).unwrap_or_default();
        let url = body["url"].as_str().unwrap_or_default();
        match platform.dialer.is_allowed(url).await {
            true => Ok(()),
            false => {
                let item = Item::new("/url", "ADDRESS_NOT_ALLOWED").with_expected(describe_allowed(platform.dev));
                Err(Problem::new("VALIDATION_FAILED").with(vec![item]))
            }
        }
    })
}

/// The addresses that are accepted, and on a --dev host the setting that accepts one of this machine.
fn describe_allowed(dev: bool) -> serde_json::Value {
    match dev {
        true => json!({ "scheme": "https", "port": 443, "setting": "STOA_WEBHOOK_DEV_TARGETS" }),
        false => json!({ "scheme": "https", "port": 443 }),
    }
}

pub async fn list(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let query: ListWebhooks = call.query()?;
    let mut wanted = Conditions::new("tenant_id", tenant);
    match query.status {
        Some(status) => wanted.and("status = ?", Cell::text(status.as_str())),
        None => wanted.and("status <> ?", Cell::text(WebhookStatus::Archived.as_str())),
    }
    wanted.and_some("id > ?", query.cursor, Cell::Id);
    wanted.and_some("id < ?", call.watermark.map(first_of), Cell::Id);
    let rows = wanted.value(Cell::Integer(query.limit.rows()));
    let sql = format!("select {COLUMNS} from stoa_webhook_endpoint where {} order by id limit {rows}", wanted.sql());
    let rows = session.query_composed(sql, wanted.values()).await?;
    let declared = super::kinds(&call.request.generation.modules);
    let webhooks = rows.iter().map(|row| Webhook::read(tenant, &declared, row)).collect::<Result<_, Error>>()?;
    answer(&Page::new(query.limit, webhooks, |webhook: &Webhook| webhook.id))
}

pub async fn get(session: &mut Session, call: &Call<'_>) -> Performed {
    answer(&read(session, call, false).await?)
}

/// The endpoint of the path. `lock`: and no other transaction changes it before this one ends.
pub async fn read(session: &mut Session, call: &Call<'_>, lock: bool) -> Result<Webhook, Refused> {
    let (tenant, id) = (call.tenant()?, call.path_id("webhookId")?);
    let lock = if lock && matches!(session, Session::Postgres(_)) { " for update" } else { "" };
    let sql = format!("select {COLUMNS} from stoa_webhook_endpoint where tenant_id = $1 and id = $2{lock}");
    let rows = session.query_composed(sql, &[Cell::Id(tenant), Cell::Id(id)]).await?;
    let row = rows.first().ok_or_else(|| Problem::new("NOT_FOUND"))?;
    Ok(Webhook::read(tenant, &super::kinds(&call.request.generation.modules), row)?)
}

/// The endpoint of the path, to be changed: refused where it is archived or has another version.
async fn read_to_change(session: &mut Session, call: &Call<'_>, expected: Option<i64>) -> Result<Webhook, Refused> {
    let webhook = read(session, call, true).await?;
    if expected.is_some_and(|expected| expected != webhook.version) {
        return Err(Problem::new("VERSION_CONFLICT").into());
    }
    if webhook.status == WebhookStatus::Archived {
        return Err(Problem::new("ARCHIVED").into());
    }
    if webhook.version >= LAST_VERSION {
        return Err(Problem::limit_exceeded(LAST_VERSION, "VERSIONS").into());
    }
    Ok(webhook)
}

fn join(kinds: &BTreeSet<String>) -> String {
    kinds.iter().map(String::as_str).collect::<Vec<_>>().join(" ")
}

pub async fn create(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let NewWebhook { name, url, status, subscriptions } = call.body()?;
    let (now, id) = (call.opened.now, Ids::new(call.opened.now).make());
    check_limit(session, tenant, call.platform.webhook_endpoints, now).await?;
    let secret = make_secret()?;
    let sealed = Secrets { current: secret.clone(), previous: None }.seal(&call.platform.keys, tenant, id)?;
    let [key_id, sealed, _, _] = sealed.cells();
    let disabled_at = (status == WantedStatus::Disabled).then_some(now);
    session
        .query(
            "insert into stoa_webhook_endpoint (tenant_id, id, name, url, status, kinds, version, key_id, secret,
               listens_since, disabled_at, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $10, $9, $9)",
            &[
                Cell::Id(tenant),
                Cell::Id(id),
                Cell::text(name),
                Cell::text(url),
                Cell::text(status.as_str()),
                Cell::text(join(&subscriptions)),
                key_id,
                sealed,
                Cell::Instant(now),
                Cell::optional(disabled_at, Cell::Instant),
            ],
        )
        .await?;
    session
        .query(
            "insert into stoa_webhook_lane (tenant_id, endpoint_id) values ($1, $2)",
            &[Cell::Id(tenant), Cell::Id(id)],
        )
        .await?;
    show_credential(session, call, id, secret).await
}

/// Rejects one more endpoint where the company has as many as it may have. The company's cursor, which its first
/// endpoint makes, is locked until the transaction ends: two that are made at once count one after the other.
async fn check_limit(session: &mut Session, tenant: Uuid, most: u32, now: i64) -> Result<(), Refused> {
    // From the first endpoint on, events are looked at. An update that changes nothing locks the row.
    session
        .query(
            "insert into stoa_webhook_cursor (tenant_id, last_event) values ($1, $2)
             on conflict (tenant_id) do update set last_event = stoa_webhook_cursor.last_event",
            &[Cell::Id(tenant), Cell::Id(first_of(now))],
        )
        .await?;
    let sql = format!(
        "select 1 from stoa_webhook_endpoint where tenant_id = $1 and status <> 'ARCHIVED' order by id limit {most}"
    );
    let count = session.query_composed(sql, &[Cell::Id(tenant)]).await?.len();
    if u32::try_from(count).unwrap_or(u32::MAX) >= most {
        return Err(Problem::limit_exceeded(most, "WEBHOOKS").into());
    }
    Ok(())
}

fn make_secret() -> Result<String, Error> {
    sign::make_secret().map_err(|error| Error::Fault(error.to_string()))
}

async fn read_one(session: &mut Session, call: &Call<'_>, id: Uuid) -> Result<Webhook, Refused> {
    let tenant = call.tenant()?;
    let sql = format!("select {COLUMNS} from stoa_webhook_endpoint where tenant_id = $1 and id = $2");
    let rows = session.query_composed(sql, &[Cell::Id(tenant), Cell::Id(id)]).await?;
    let row = rows.first().ok_or_else(|| Error::Fault("an endpoint that was written is gone".into()))?;
    Ok(Webhook::read(tenant, &super::kinds(&call.request.generation.modules), row)?)
}

async fn show_credential(session: &mut Session, call: &Call<'_>, id: Uuid, signing_secret: String) -> Performed {
    let endpoint = read_one(session, call, id).await?;
    let shown = answer_about(id, &Credential { id, endpoint, signing_secret })?;
    Ok(Done { credential: true, ..shown })
}

pub async fn replace(session: &mut Session, call: &Call<'_>) -> Performed {
    let Replacement { webhook: wanted, expected_version } = call.body()?;
    let before = read_to_change(session, call, Some(expected_version)).await?;
    let (tenant, id, now) = (before.tenant_id, before.id, call.opened.now);
    let kinds = join(&wanted.subscriptions);
    session
        .query(
            "update stoa_webhook_endpoint set name = $3, url = $4, kinds = $5, version = version + 1, updated_at = $6
             where tenant_id = $1 and id = $2",
            &[
                Cell::Id(tenant),
                Cell::Id(id),
                Cell::text(&wanted.name),
                Cell::text(&wanted.url),
                Cell::text(&kinds),
                Cell::Instant(now),
            ],
        )
        .await?;
    let is_other = before.status.as_str() != wanted.status.as_str();
    if is_other {
        set_status(session, &before, wanted.status, now).await?;
    }
    let changes = [
        ("name", before.name != wanted.name),
        ("url", before.url != wanted.url),
        ("status", is_other),
        ("subscriptions", before.subscriptions.join(" ") != kinds),
    ];
    let changed = changes.iter().filter(|(_, differs)| *differs).map(|(name, _)| (*name).to_owned()).collect();
    let after = read_one(session, call, id).await?;
    Ok(Done { changed, ..answer_about(id, &after)? })
}

/// Events of the time while it was disabled are not sent; events emitted before wait for it.
async fn set_status(session: &mut Session, before: &Webhook, status: WantedStatus, now: i64) -> Result<(), Error> {
    let mut values = vec![Cell::Id(before.tenant_id), Cell::Id(before.id), Cell::Instant(now)];
    let sql = match status {
        WantedStatus::Active => {
            "update stoa_webhook_endpoint set status = 'ACTIVE', listens_since = $3, disabled_at = null
             where tenant_id = $1 and id = $2"
        }
        WantedStatus::Disabled => {
            "update stoa_webhook_endpoint set status = 'DISABLED', disabled_at = $3 where tenant_id = $1 and id = $2"
        }
    };
    session.query(sql, &values).await?;
    values.truncate(2);
    // Activation starts a new series of tries: earlier failures do not count.
    let sql =
        "update stoa_webhook_lane set failures = 0, failing_since = null where tenant_id = $1 and endpoint_id = $2";
    session.query(sql, &values).await?;
    wake_lane(session, before.tenant_id, before.id, now).await
}

pub async fn archive(session: &mut Session, call: &Call<'_>) -> Performed {
    let Transition { expected_version } = call.body()?;
    let before = read_to_change(session, call, expected_version).await?;
    let ids = [Cell::Id(before.tenant_id), Cell::Id(before.id)];
    let now = Cell::Instant(call.opened.now);
    session
        .query(
            "update stoa_webhook_endpoint set status = 'ARCHIVED', version = version + 1, updated_at = $3
             where tenant_id = $1 and id = $2",
            &[ids[0].clone(), ids[1].clone(), now],
        )
        .await?;
    session
        .query(
            "update stoa_webhook_delivery set status = 'CANCELLED', next_attempt_at = null
             where tenant_id = $1 and endpoint_id = $2 and status = 'PENDING'",
            &ids,
        )
        .await?;
    let after = read_one(session, call, before.id).await?;
    Ok(Done { changed: vec!["status".to_owned()], ..answer_about(before.id, &after)? })
}

pub async fn rotate_secret(session: &mut Session, call: &Call<'_>) -> Performed {
    let Transition { expected_version } = call.body()?;
    let before = read_to_change(session, call, expected_version).await?;
    let (tenant, id, now) = (before.tenant_id, before.id, call.opened.now);
    let sql = format!("select {} from stoa_webhook_endpoint where tenant_id = $1 and id = $2", endpoint::COLUMNS);
    let rows = session.query_composed(sql, &[Cell::Id(tenant), Cell::Id(id)]).await?;
    let row = rows.first().ok_or_else(|| Problem::new("NOT_FOUND"))?;
    let secrets = Secrets::read(&call.platform.keys, tenant, id, row, 0)?;
    if secrets.previous.as_ref().is_some_and(|(_, until)| now < *until) {
        return Err(Problem::new("ILLEGAL_STATE").into());
    }
    let secret = make_secret()?;
    let secrets = Secrets { current: secret.clone(), previous: Some((secrets.current, now + OVERLAP_MS)) };
    endpoint::write(session, &call.platform.keys, tenant, id, &secrets).await?;
    session
        .query(
            "update stoa_webhook_endpoint set version = version + 1, updated_at = $3 where tenant_id = $1 and id = $2",
            &[Cell::Id(tenant), Cell::Id(id), Cell::Instant(now)],
        )
        .await?;
    let shown = show_credential(session, call, id, secret).await?;
    Ok(Done { changed: vec!["signingSecret".to_owned()], ..shown })
}

pub async fn test(session: &mut Session, call: &Call<'_>) -> Performed {
    let Transition { expected_version } = call.body()?;
    let webhook = read_to_change(session, call, expected_version).await?;
    if webhook.status != WebhookStatus::Active {
        return Err(Problem::new("ILLEGAL_STATE").into());
    }
    let event_id = Ids::new(call.opened.now).make();
    session
        .query(
            "insert into stoa_event (tenant_id, id, kind, resource_type, resource_id, resource_version, data, request_id,
               created_at, trace)
             values ($1, $2, $3, 'WEBHOOK_ENDPOINT', $4, $5, $6, $7, $8, $9)",
            &[
                Cell::Id(webhook.tenant_id),
                Cell::Id(event_id),
                Cell::text(TEST_KIND),
                Cell::Id(webhook.id),
                Cell::Integer(webhook.version),
                Cell::text(json!({ "id": webhook.id }).to_string()),
                Cell::Id(call.request.request_id),
                Cell::Instant(call.opened.now),
                Cell::optional(call.request.trail.successor(), |next| Cell::text(next.to_string())),
            ],
        )
        .await?;
    let done = answer_about(event_id, &EventReference { event_id })?;
    Ok(Done { subjects: vec![webhook.id], ..done })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_development_host_names_its_setting() {
        assert_eq!(describe_allowed(false), json!({ "scheme": "https", "port": 443 }));
        assert_eq!(describe_allowed(true)["setting"], "STOA_WEBHOOK_DEV_TARGETS");
    }
}
