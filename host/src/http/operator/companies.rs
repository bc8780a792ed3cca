//! Companies: the host's own records of them, and the changes of their status, entitlements, keys and deliveries.

use std::collections::BTreeSet;

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::answer::{Answer, apart, invalid, note, write_audit};
use super::{Console, Name};
use crate::deployment::DeploymentError;
use crate::gate::refusal::Refusal;
use crate::platform::operators::{self, CompanyChange, CompanyRefusal, ENTITLEMENTS};
use crate::platform::oversight::{self, DeliveryFilter, DeliveryStatus};

/// Rows of a page, usually and at most.
const PAGE: u32 = 50;
const LARGEST_PAGE: u32 = 100;
const LONGEST_TEXT: usize = 200;
const DELIVERIES: &str = "/operator/companies/{company}/webhooks/{webhook}/deliveries";
const REDELIVER: &str = "/operator/companies/{company}/webhooks/{webhook}/deliveries/{delivery}/redeliver";

pub(super) fn routes() -> Router<Console> {
    Router::new()
        .route("/operator/companies", get(list))
        .route("/operator/companies/{company}", get(show))
        .route("/operator/companies/{company}/status", post(set_status))
        .route("/operator/companies/{company}/entitlements", post(set_entitlements))
        .route("/operator/companies/{company}/keys/{key}/revoke", post(revoke_key))
        .route(DELIVERIES, get(list_deliveries))
        .route(REDELIVER, post(redeliver))
        .route("/operator/audit", get(list_audit))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PageQuery {
    text: Option<String>,
    status: Option<DeliveryStatus>,
    /// Id of the last row of the page before.
    after: Option<Uuid>,
    before: Option<Uuid>,
    limit: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StatusBody {
    status: WantedStatus,
}

#[derive(Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum WantedStatus {
    Active,
    Suspended,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntitlementsBody {
    #[serde(default)]
    add: BTreeSet<String>,
    #[serde(default)]
    remove: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoBody {}

/// The ids of the path; another text is the id of no record.
struct Ids<const COUNT: usize>([Uuid; COUNT]);

impl<const COUNT: usize> FromRequestParts<Console> for Ids<COUNT> {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, console: &Console) -> Result<Ids<COUNT>, Response> {
        let path = Path::<Vec<Uuid>>::from_request_parts(parts, console).await.ok();
        let ids = path.and_then(|Path(ids)| ids.try_into().ok());
        ids.map(Ids).ok_or_else(|| Answer(Err(DeploymentError::NotFound("record"))).into_response())
    }
}

type Asked = Result<Query<PageQuery>, QueryRejection>;

fn read_query(query: Asked) -> Result<PageQuery, DeploymentError> {
    let Query(query) = query.map_err(|error| invalid(&error.body_text()))?;
    if query.text.as_ref().is_some_and(|text| text.len() > LONGEST_TEXT) {
        return Err(invalid(&format!("text has at most {LONGEST_TEXT} bytes")).into());
    }
    Ok(PageQuery { limit: Some(query.limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE)), ..query })
}

fn read_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, DeploymentError> {
    serde_json::from_slice(body).map_err(|error| invalid(&error.to_string()).into())
}

/// A page of rows; `next`: the member with the id of the last one, if there may be more.
fn page(items: Vec<Json>, limit: u32, next: &str) -> Json {
    let is_full = items.len() >= usize::try_from(limit).unwrap_or(usize::MAX);
    let last = items.last().filter(|_| is_full).map(|item| item["id"].clone());
    let mut page = json!({ "items": items });
    page[next] = last.unwrap_or_default();
    page
}

fn reject(refusal: CompanyRefusal) -> DeploymentError {
    match refusal {
        CompanyRefusal::NoCompany(_) => DeploymentError::NotFound("company"),
        CompanyRefusal::NoRecord(kind) => DeploymentError::NotFound(kind),
        other => Refusal::new("ILLEGAL_STATE", other.to_string()).with_status(StatusCode::CONFLICT).into(),
    }
}

fn answer_read(read: Result<Json, DeploymentError>) -> Answer {
    Answer(read.map(|body| (StatusCode::OK, body)))
}

/// Writes the operators' audit of a change, done or not, and answers it.
async fn answer_change(
    console: &Console,
    by: &str,
    operation: &'static str,
    metadata: Json,
    done: Result<Json, DeploymentError>,
) -> Answer {
    match &done {
        Ok(_) => write_audit(console, by, operation, "SUCCESS", metadata).await,
        Err(refused) => note(console, by, operation, refused, metadata).await,
    }
    answer_read(done)
}

async fn list(State(console): State<Console>, query: Asked) -> Answer {
    let read = async {
        let PageQuery { text, after, limit, .. } = read_query(query)?;
        let text = text.as_deref().map(str::trim).filter(|text| !text.is_empty());
        let limit = limit.unwrap_or(PAGE);
        let items = oversight::list_companies(&console.deployment.database, text, after, limit).await?;
        Ok(page(items, limit, "nextAfter"))
    };
    answer_read(read.await)
}

async fn show(State(console): State<Console>, Ids([tenant]): Ids<1>) -> Answer {
    let company = oversight::read_company(&console.deployment.database, tenant).await;
    answer_read(company.map_err(Into::into).and_then(|company| company.ok_or(DeploymentError::NotFound("company"))))
}

async fn set_status(
    State(console): State<Console>,
    Extension(Name(by)): Extension<Name>,
    Ids([tenant]): Ids<1>,
    body: Bytes,
) -> Answer {
    let done = async {
        let change = match read_body::<StatusBody>(&body)?.status {
            WantedStatus::Active => CompanyChange::Resume,
            WantedStatus::Suspended => CompanyChange::Suspend,
        };
        change_company(&console, tenant, vec![change]).await
    };
    let done = done.await;
    let status = done.as_ref().ok().map(|company| company["status"].clone());
    let metadata = json!({ "tenantId": tenant, "status": status });
    answer_change(&console, &by, "setCompanyStatus", metadata, done).await
}

async fn set_entitlements(
    State(console): State<Console>,
    Extension(Name(by)): Extension<Name>,
    Ids([tenant]): Ids<1>,
    body: Bytes,
) -> Answer {
    let done = async {
        let EntitlementsBody { add, remove } = read_body(&body)?;
        let names: Vec<&String> = add.iter().chain(&remove).collect();
        let are_known = names.iter().all(|name| ENTITLEMENTS.contains(&name.as_str()));
        if names.is_empty() || !are_known || !add.is_disjoint(&remove) {
            let known = ENTITLEMENTS.join(", ");
            return Err(invalid(&format!("add or remove names an entitlement, and both none twice: {known}")).into());
        }
        let added = add.into_iter().map(CompanyChange::Entitle);
        let changes = added.chain(remove.into_iter().map(CompanyChange::Revoke));
        change_company(&console, tenant, changes.collect()).await
    };
    let done = done.await;
    let entitlements = done.as_ref().ok().map(|company| company["entitlements"].clone());
    let metadata = json!({ "tenantId": tenant, "entitlements": entitlements });
    answer_change(&console, &by, "setEntitlements", metadata, done).await
}

/// Makes the changes one after the other; returns the company as it is then.
async fn change_company(console: &Console, tenant: Uuid, changes: Vec<CompanyChange>) -> Result<Json, DeploymentError> {
    let database = console.deployment.database.clone();
    apart(async move {
        let mut company = Json::Null;
        for change in changes {
            (company, _) = operators::change(&database, tenant, change).await?.map_err(reject)?;
        }
        Ok(company)
    })
    .await
}

async fn revoke_key(
    State(console): State<Console>,
    Extension(Name(by)): Extension<Name>,
    Ids([tenant, key]): Ids<2>,
    body: Bytes,
) -> Answer {
    let done = async {
        let NoBody {} = read_body(&body)?;
        let database = console.deployment.database.clone();
        apart(async move { oversight::revoke_key(&database, tenant, key).await?.map_err(reject) }).await?;
        Ok(json!({ "id": key, "status": "REVOKED" }))
    };
    answer_change(&console, &by, "revokeApiKey", json!({ "tenantId": tenant, "keyId": key }), done.await).await
}

async fn list_deliveries(State(console): State<Console>, Ids([tenant, webhook]): Ids<2>, query: Asked) -> Answer {
    let read = async {
        let PageQuery { status, before, limit, .. } = read_query(query)?;
        let limit = limit.unwrap_or(PAGE);
        let filter = DeliveryFilter { status, before, limit };
        let items = oversight::list_deliveries(&console.deployment.database, tenant, webhook, filter).await?;
        Ok(page(items.ok_or(DeploymentError::NotFound("webhook"))?, limit, "nextBefore"))
    };
    answer_read(read.await)
}

async fn redeliver(
    State(console): State<Console>,
    Extension(Name(by)): Extension<Name>,
    Ids([tenant, webhook, delivery]): Ids<3>,
    body: Bytes,
) -> Answer {
    let done = async {
        let NoBody {} = read_body(&body)?;
        let database = console.deployment.database.clone();
        let made = apart(async move {
            let made = oversight::redeliver(&database, tenant, webhook, delivery).await?.map_err(reject)?;
            database.note_write(tenant);
            Ok(made)
        });
        Ok(json!({ "deliveryId": made.await? }))
    };
    let metadata = json!({ "tenantId": tenant, "webhookId": webhook, "deliveryId": delivery });
    answer_change(&console, &by, "redeliverDelivery", metadata, done.await).await
}

async fn list_audit(State(console): State<Console>, query: Asked) -> Answer {
    let read = async {
        let PageQuery { before, limit, .. } = read_query(query)?;
        let limit = limit.unwrap_or(PAGE);
        let items = oversight::list_operator_audit(&console.deployment.database, before, limit).await?;
        Ok(page(items, limit, "nextBefore"))
    };
    answer_read(read.await)
}
