//! `GET /tenants/{tenantId}/audit`: who did what, newest first. Filters narrow together, before the page is cut.

use std::sync::Arc;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, NaiveDate};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use stoa_descriptor::Route;
use stoa_descriptor::schemas::never_null;
use uuid::Uuid;

use super::conditions::Conditions;
use super::operation::{PlatformOperation, on_session};
use super::page::{Limit, Page, SEARCHED};
use super::reply::answer;
use super::values::{Instant, Integer, text_enum};
use super::{Call, Performed};
use crate::calendar;
use crate::database::{Cell, Error, Row, Session};
use crate::ids::first_of;
use crate::sandbox::Module;

/// Filters of the host; modules declare further ones.
pub const FILTERS: [&str; 11] = [
    "cursor",
    "limit",
    "resourceType",
    "resourceId",
    "actorType",
    "actorId",
    "operation",
    "result",
    "from",
    "to",
    "text",
];

/// An entry's id is made of the instant that `created_at` holds. Bounds on ids, which only the index needs, leave this much room.
const SLACK_MS: i64 = 3_600_000;

pub const OPERATIONS: &[PlatformOperation] =
    &[PlatformOperation::read("/tenants/{tenantId}/audit", "listAuditEntries", on_session!(list).amend(add_filters))
        .summary("Audit log of the company")
        .description("Newest first: the cursor is the last id of the previous page. An entry must match all filters.")
        .needs(&["settings.manage"])
        .query::<ListAuditEntries>()
        .answers::<Page<AuditEntry>>()];

text_enum! {
    /// The kind of actor.
    pub enum ActorType { User => "USER", ApiClient => "API_CLIENT", System => "SYSTEM" }
}

text_enum! {
    /// How it went.
    pub enum AuditResult { Success => "SUCCESS", Admitted => "ADMITTED", Denied => "DENIED" }
}

#[derive(Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListAuditEntries {
    /// Id of the last item of the previous page.
    cursor: Option<Uuid>,
    #[serde(default)]
    limit: Limit,
    #[schemars(regex(pattern = r"^[A-Z][A-Z0-9_]{0,63}$"))]
    resource_type: Option<String>,
    resource_id: Option<Uuid>,
    actor_type: Option<ActorType>,
    /// Id of the user or API client, or name of the part of the service.
    #[schemars(length(min = 1, max = 100), extend("x-normalize" = ["trim", "lower"]))]
    actor_id: Option<String>,
    /// Operation id in this contract.
    #[schemars(regex(pattern = r"^[a-z][A-Za-z0-9]{0,63}$"))]
    operation: Option<String>,
    result: Option<AuditResult>,
    /// Inclusive start: an instant, or a day in the company's time zone.
    #[serde(default)]
    #[schemars(with = "Moment")]
    from: Option<Moment>,
    /// Inclusive end: an instant, or a day in the company's time zone.
    #[serde(default)]
    #[schemars(with = "Moment")]
    to: Option<Moment>,
    /// Only entries whose operation, resource type, actor, address, user agent, result or reason contains the text, ignoring
    /// case. `%` and `_` have no special meaning.
    #[schemars(length(min = 1, max = 200), extend("x-normalize" = ["trim"]))]
    text: Option<String>,
    /// The filters of modules.
    #[serde(flatten)]
    #[schemars(skip)]
    of_modules: BTreeMap<String, Uuid>,
}

/// The filters that the active modules declare.
fn add_filters(route: &mut Route, modules: &[Arc<Module>]) {
    let filters = route.query.as_mut().and_then(|query| query.pointer_mut("/properties"));
    if let Some(Json::Object(filters)) = filters {
        for filter in modules.iter().flat_map(|module| &module.descriptor.audit_filters) {
            let schema = json!({ "type": "string", "format": "uuid", "description": filter.description });
            filters.insert(filter.code.clone(), schema);
        }
    }
}

/// An instant, or a day in the company's time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Instant(i64),
    Day(NaiveDate),
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Moment, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        if let Ok(day) = text.parse() {
            return Ok(Moment::Day(day));
        }
        let instant = DateTime::parse_from_rfc3339(&text).map_err(serde::de::Error::custom)?;
        Ok(Moment::Instant(instant.timestamp_millis()))
    }
}

impl JsonSchema for Moment {
    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "anyOf": [{ "format": "date-time" }, { "format": "date" }] })
    }
}

impl Moment {
    /// Its first millisecond, and the first after it.
    fn span(self, zone: &str) -> (i64, i64) {
        match self {
            Moment::Instant(time) => (time, time + 1),
            Moment::Day(day) => (calendar::begin(day, zone), calendar::end(day, zone)),
        }
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AuditEntry {
    id: Uuid,
    tenant_id: Uuid,
    request_id: Uuid,
    resource_id: Uuid,
    actor_type: ActorType,
    actor_id: String,
    operation: String,
    /// Modules add types: accept unknown ones.
    resource_type: String,
    ip_address: Option<String>,
    /// Product and major version of the user agent: `curl/8`.
    user_agent: Option<String>,
    metadata: Metadata,
    created_at: Instant,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Metadata {
    result: AuditResult,
    /// Problem code of the rejection; null if the request succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = never_null)]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Integer")]
    response_code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = never_null)]
    key_id: Option<Uuid>,
    /// Names of the changed members.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = never_null)]
    changed: Option<Vec<String>>,
    /// Modules that took part as extensions; absent without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = never_null)]
    extensions: Option<Vec<AuditedExtension>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = never_null)]
    detail: Option<Detail>,
}

/// A module that took part in a request as an extension.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
struct AuditedExtension {
    module: String,
    version: String,
}

/// Details that operation and resource leave open, such as the member who received or lost a role.
#[derive(Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub struct Detail {
    /// For an IAM command its kind, such as `assign_role`. New kinds are added: accept unknown ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(transform = never_null)]
    pub kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(transform = never_null)]
    pub role_id: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(transform = never_null)]
    pub membership_id: Option<Uuid>,
    /// User of a new membership, or the owner of a company that an operator created.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(transform = never_null)]
    pub user_id: Option<Uuid>,
    /// New status of the record; absent if the request set none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(transform = never_null)]
    pub status: Option<String>,
    /// Permissions or scopes that the request added to the role, member or API client.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gained: Vec<String>,
    /// Permissions or scopes that the request removed from the role, member or API client.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
}

impl Detail {
    /// The codes of `after` that `before` lacks, and the other way round.
    pub fn of_codes(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Detail {
        let beyond = |codes: &BTreeSet<String>, other: &BTreeSet<String>| codes.difference(other).cloned().collect();
        Detail { gained: beyond(after, before), lost: beyond(before, after), ..Detail::default() }
    }

    /// As the entry keeps it; none where it says nothing.
    pub fn keep(&self) -> Result<Option<Json>, Error> {
        let kept = serde_json::to_value(self).map_err(|error| Error::Fault(error.to_string()))?;
        Ok(Some(kept).filter(|kept| kept.as_object().is_some_and(|members| !members.is_empty())))
    }
}

impl AuditEntry {
    fn read(tenant: Uuid, row: &Row) -> Result<AuditEntry, Error> {
        Ok(AuditEntry {
            id: row.id(0)?,
            tenant_id: tenant,
            request_id: row.id(1)?,
            resource_id: row.id(2)?,
            actor_type: ActorType::read(row, 3)?,
            actor_id: row.text(4)?,
            operation: row.text(5)?,
            resource_type: row.text(6)?,
            ip_address: row.optional(7, Row::text)?,
            user_agent: row.optional(8, Row::text)?,
            metadata: serde_json::from_str(&row.text(9)?).map_err(|error| Error::Fault(error.to_string()))?,
            created_at: Instant(row.instant(10)?),
        })
    }
}

/// Expressions that the two databases spell differently. Everything searched is ASCII, about whose letters they agree.
struct Spelling {
    result: &'static str,
    text: &'static str,
}

const POSTGRES: Spelling = Spelling {
    result: "metadata::jsonb ->> 'result' = ?",
    text: "strpos(lower(concat_ws('\u{1f}', operation, resource_type, actor_type, actor_id, ip_address, user_agent,
             metadata::jsonb ->> 'result', metadata::jsonb ->> 'reason')), ?) > 0",
};

const SQLITE: Spelling = Spelling {
    result: "metadata ->> 'result' = ?",
    text: "instr(lower(concat_ws('\u{1f}', operation, resource_type, actor_type, actor_id, ip_address, user_agent,
             metadata ->> 'result', metadata ->> 'reason')), ?) > 0",
};

async fn list(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let query: ListAuditEntries = call.query()?;
    let spelling = if matches!(session, Session::Postgres(_)) { POSTGRES } else { SQLITE };
    let zone = call.opened.standing.as_ref().map_or("UTC", |standing| standing.time_zone.as_str());
    let limit = query.limit;
    let end = match query.searches() {
        true => find_end(session, tenant, query.clone(), zone, &spelling).await?,
        false => None,
    };
    let (statement, values) = compose(tenant, query, end, zone, &spelling);
    let rows = session.query_composed(statement, &values).await?;
    let entries = rows.iter().map(|row| AuditEntry::read(tenant, row)).collect::<Result<_, Error>>()?;
    answer(&Page::new(limit, entries, |entry: &AuditEntry| entry.id).searched_to(end))
}

impl ListAuditEntries {
    /// Returns whether entries are looked for without an index, by their text or their result.
    fn searches(&self) -> bool {
        self.text.is_some() || self.result.is_some()
    }

    /// The entries that a search may look at: those between its bounds that the first filter with an index leaves.
    /// Other filters do not narrow them, since one that few entries meet would have all of them read.
    fn into_candidates(self) -> ListAuditEntries {
        let of_modules: BTreeMap<String, Uuid> = self.of_modules.into_iter().take(1).collect();
        let resource_id = self.resource_id.filter(|_| of_modules.is_empty());
        let actor_id = self.actor_id.filter(|_| of_modules.is_empty() && resource_id.is_none());
        ListAuditEntries {
            cursor: self.cursor,
            limit: Limit(SEARCHED),
            resource_type: None,
            resource_id,
            actor_type: None,
            actor_id,
            operation: None,
            result: None,
            from: self.from,
            to: self.to,
            text: None,
            of_modules,
        }
    }
}

/// The last entry that a search may look at, where more follow.
async fn find_end(
    session: &mut Session,
    tenant: Uuid,
    query: ListAuditEntries,
    zone: &str,
    spelling: &Spelling,
) -> Result<Option<Uuid>, Error> {
    let (statement, values) = compose(tenant, query.into_candidates(), None, zone, spelling);
    let last = format!("select id from ({statement}) as c order by id desc limit 1 offset {}", SEARCHED - 1);
    session.query_composed(last, &values).await?.first().map(|row| row.id(0)).transpose()
}

const COLUMNS: &str =
    "id, request_id, resource_id, actor_type, actor_id, operation, resource_type, ip_address, user_agent,
  metadata, created_at";

/// The statement of a page, and its values. `end`: no entry before it is looked at.
fn compose(
    tenant: Uuid,
    query: ListAuditEntries,
    end: Option<Uuid>,
    zone: &str,
    spelling: &Spelling,
) -> (String, Vec<Cell>) {
    let mut conditions = Conditions::new("tenant_id", tenant);
    conditions.and_some("resource_type = ?", query.resource_type, Cell::Text);
    conditions.and_some("resource_id = ?", query.resource_id, Cell::Id);
    conditions.and_some("actor_type = ?", query.actor_type.map(ActorType::as_str), Cell::text);
    conditions.and_some("actor_id = ?", query.actor_id, Cell::Text);
    conditions.and_some("operation = ?", query.operation, Cell::Text);
    conditions.and_some(spelling.result, query.result.map(AuditResult::as_str), Cell::text);
    // The separator of the fields is in none of them.
    let text = query.text.map(|text| text.to_ascii_lowercase().replace('\u{1f}', " "));
    conditions.and_some(spelling.text, text, Cell::Text);

    // The time decides; the id, which ascends with it, is in the indexes.
    let mut bounds: Vec<(&str, Uuid)> = query.cursor.map(|cursor| ("<", cursor)).into_iter().collect();
    bounds.extend(end.map(|end| (">=", end)));
    if let Some((from, _)) = query.from.map(|from| from.span(zone)) {
        conditions.and("created_at >= ?", Cell::Instant(from));
        bounds.push((">=", first_of(from.saturating_sub(SLACK_MS))));
    }
    if let Some((_, to)) = query.to.map(|to| to.span(zone)) {
        conditions.and("created_at < ?", Cell::Instant(to));
        bounds.push(("<", first_of(to.saturating_add(SLACK_MS))));
    }
    let mut ids = query.of_modules.into_values();
    let first = ids.next().map(|id| conditions.value(Cell::Id(id)));
    for id in ids {
        conditions.and(
            "id in (select audit_id from stoa_audit_subject where tenant_id = $1 and subject_id = ?
               union select id from stoa_audit where tenant_id = $1 and resource_id = ?)",
            Cell::Id(id),
        );
    }
    let bounds: Vec<(&str, String)> =
        bounds.into_iter().map(|(than, id)| (than, conditions.value(Cell::Id(id)))).collect();
    let bound = |column: &str| bounds.iter().map(|(than, id)| format!(" and {column} {than} {id}")).collect::<String>();
    let rows = conditions.value(Cell::Integer(query.limit.rows()));
    let wanted = format!("{}{}", conditions.sql(), bound("id"));
    let statement = match first {
        None => format!("select {COLUMNS} from stoa_audit where {wanted} order by id desc limit {rows}"),
        // Two look-ups, each newest first to the end of the page, since no index serves an `or`.
        Some(id) => format!(
            "select * from (
               select {COLUMNS} from stoa_audit where {wanted} and resource_id = {id} order by id desc limit {rows}) as a
             union select * from (
               select {COLUMNS}
               from (select audit_id from stoa_audit_subject where tenant_id = $1 and subject_id = {id}{}) as s
               join stoa_audit e on e.tenant_id = $1 and e.id = audit_id
               where {wanted} order by audit_id desc limit {rows}) as b
             order by id desc limit {rows}",
            bound("audit_id")
        ),
    };
    (statement, conditions.values().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_those_of_the_query() {
        let query = stoa_descriptor::Schemas::default().parameters::<ListAuditEntries>();
        let names: Vec<&String> = query["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, FILTERS);
    }

    #[test]
    fn filters_of_modules_are_read_beside_them() {
        let id = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        let sent =
            [("limit", "7"), ("thingId", id), ("from", "2026-01-15")].map(|(a, b)| (a.to_string(), b.to_string()));
        let query: ListAuditEntries = stoa_descriptor::query::read(&sent).unwrap();
        assert_eq!(
            (query.limit, query.of_modules.len(), query.of_modules["thingId"].to_string()),
            (Limit(7), 1, id.into())
        );
        assert_eq!(query.from, Some(Moment::Day("2026-01-15".parse().unwrap())));
    }

    #[test]
    fn a_detail_says_what_came_and_went_and_nothing_else() {
        let codes = |codes: &[&str]| codes.iter().map(|code| (*code).to_string()).collect::<BTreeSet<_>>();
        let kept = |detail: Detail| detail.keep().ok().flatten();
        let changed = Detail::of_codes(&codes(&["a.read", "b.read"]), &codes(&["b.read", "c.read"]));
        assert_eq!(kept(changed), Some(json!({ "gained": ["c.read"], "lost": ["a.read"] })));
        assert_eq!(kept(Detail::of_codes(&codes(&["a.read"]), &codes(&["a.read"]))), None);
    }

    #[test]
    fn a_detail_of_an_entry_is_an_object_where_there_is_one() {
        let mut schemas = stoa_descriptor::Schemas::default();
        let entry = schemas.response::<Metadata>();
        let detail = &entry["properties"]["detail"];
        assert_eq!((&detail["type"], entry["required"].to_string()), (&json!("object"), r#"["result"]"#.to_string()));
        assert_eq!(detail["properties"]["gained"]["type"], "array");
        assert!(detail.get("required").is_none(), "{detail}");
    }

    #[test]
    fn a_page_by_product_ends_both_look_ups_with_the_page() {
        let id = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        let page = |sent: &[(&str, &str)]| {
            let sent: Vec<_> = sent.iter().map(|(a, b)| ((*a).to_string(), (*b).to_string())).collect();
            compose(Uuid::nil(), stoa_descriptor::query::read(&sent).unwrap(), None, "UTC", &SQLITE)
        };
        let (statement, values) = page(&[("limit", "7"), ("thingId", id), ("cursor", id)]);
        assert_eq!(statement.matches("limit $4").count(), 3);
        assert!(statement.contains("subject_id = $2 and audit_id < $3)"), "{statement}");
        assert_eq!(values.len(), 4);
        let (statement, values) = page(&[("limit", "7")]);
        assert!(statement.ends_with("where tenant_id = $1 order by id desc limit $2"), "{statement}");
        assert_eq!(values.len(), 2);
    }

    #[test]
    fn a_span_is_a_millisecond_or_a_day() {
        let milliseconds = |text: &str| DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis();
        let span = |text: &str| {
            let moment: Result<Moment, _> = serde_json::from_value(text.into());
            moment.ok().map(|moment| moment.span("Europe/Berlin"))
        };
        let instant = milliseconds("2026-01-15T10:00:00.123Z");
        assert_eq!(span("2026-01-15T10:00:00.123Z"), Some((instant, instant + 1)));
        let day = (milliseconds("2026-01-14T23:00:00Z"), milliseconds("2026-01-15T23:00:00Z"));
        assert_eq!(span("2026-01-15"), Some(day));
        assert_eq!(span("yesterday"), None);
    }

    #[test]
    fn ids_of_a_millisecond_are_not_below_its_first() {
        let ms = 1_767_225_600_000;
        let made = crate::ids::Ids::new(ms).make();
        assert!(first_of(ms) <= made && made < first_of(ms + 1));
        assert_eq!(first_of(-1), Uuid::nil());
        assert!(first_of(i64::MAX) > first_of(253_402_300_799_999));
    }
}
