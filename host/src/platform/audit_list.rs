//! `GET /tenants/{tenantId}/audit`: who did what, newest first. Filters narrow together, before the page is cut.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate};
use serde_json::{Value as Json, json};
use stoa_descriptor::Route;
use uuid::Uuid;

use super::conditions::Conditions;
use super::page::Page;
use super::routes::{self, list, object, permission, text, uuid};
use super::{Call, Operation, Performed, calendar, time};
use crate::database::{Cell, Error, Row, Session};
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

/// An entry's id is made of the instant that `created_at` holds. Bounds on ids, for the index alone, leave this much room.
const SLACK_MS: i64 = 3_600_000;

pub fn routes(modules: &[Arc<Module>]) -> Vec<(Route, Operation)> {
    let day = |what: &str| {
        json!({
            "type": "string", "anyOf": [{ "format": "date-time" }, { "format": "date" }],
            "description": format!("{what}, inclusive: an instant, or a day in the company's time zone."),
        })
    };
    let mut filters = json!({
        "resourceType": { "type": "string", "pattern": "^[A-Z][A-Z0-9_]{0,63}$" },
        "resourceId": uuid(),
        "actorType": { "type": "string", "enum": ["USER", "API_CLIENT", "SYSTEM"] },
        "actorId": {
            "type": "string", "minLength": 1, "maxLength": 100, "x-normalize": ["trim", "lower"],
            "description": "Id of the user or API client, or the name of a part of the service."
        },
        "operation": { "type": "string", "pattern": "^[a-z][A-Za-z0-9]{0,63}$", "description": "An operation's id." },
        "result": { "type": "string", "enum": ["SUCCESS", "ADMITTED", "DENIED"] },
        "from": day("Not before"),
        "to": day("Not after"),
        "text": {
            "type": "string", "minLength": 1, "maxLength": 200, "x-normalize": ["trim"],
            "description": "Text that operation, resource type, actor, address, user agent, result or reason contains, in \
                either case; `%` and `_` mean themselves."
        },
    });
    for filter in modules.iter().flat_map(|module| &module.descriptor.audit_filters) {
        filters[&filter.code] = json!({ "type": "string", "format": "uuid", "description": filter.description });
    }
    let route = Route {
        access: permission("settings.manage"),
        description: "Newest first: the cursor is the last id of the page before. Filters narrow together.".into(),
        ..list("/tenants/{tenantId}/audit", "listAuditEntries", "The company's audit log.", "AuditEntry", filters)
    };
    vec![(route, Operation::ListAuditEntries)]
}

pub fn schemas() -> Vec<(&'static str, Json)> {
    let optional = json!({ "type": ["string", "null"] });
    let metadata = json!({
        "type": "object",
        "properties": {
            "result": { "enum": ["SUCCESS", "ADMITTED", "DENIED"] },
            "reason": { "type": "string", "description": "Why it was denied: a problem code." },
            "responseCode": { "type": "integer" },
            "keyId": uuid(),
            "changed": { "type": "array", "items": text(), "description": "Members that a change touched." },
        },
        "required": ["result"],
    });
    let entry = object(json!({
        "id": uuid(), "tenantId": uuid(), "requestId": uuid(), "resourceId": uuid(),
        "actorType": { "enum": ["USER", "API_CLIENT", "SYSTEM"] }, "actorId": text(), "operation": text(),
        "resourceType": { "type": "string", "description": "Types are added with modules: take unknown ones." },
        "ipAddress": optional,
        "userAgent": { "type": ["string", "null"], "description": "Family and major version: `curl/8`." },
        "metadata": metadata, "createdAt": routes::time(),
    }));
    vec![("AuditEntry", entry)]
}

/// What the two databases spell differently. Everything searched is ASCII, about whose letters they agree.
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

pub async fn answer(session: &mut Session, call: &Call<'_>) -> Performed {
    let tenant = call.tenant()?;
    let page = Page::of(call);
    let spelling = if matches!(session, Session::Postgres(_)) { POSTGRES } else { SQLITE };
    let mut wanted = wanted(call, tenant, &spelling);
    wanted.and_some("id < ?", page.after, Cell::Id);
    let limit = wanted.value(Cell::Integer(page.rows()));
    let statement = format!(
        "select id, request_id, resource_id, actor_type, actor_id, operation, resource_type, ip_address, user_agent,
           metadata, created_at
         from stoa_audit where {} order by id desc limit {limit}",
        wanted.sql()
    );
    let rows = session.query_composed(statement, wanted.values()).await?;
    Ok(page.answer(&rows, |row| entry(tenant, row))?)
}

fn wanted(call: &Call<'_>, tenant: Uuid, spelling: &Spelling) -> Conditions {
    let id = |name: &str| call.query(name).and_then(|value| Uuid::try_parse(value).ok());
    let mut wanted = Conditions::of("tenant_id", tenant);
    wanted.and_some("resource_type = ?", call.query("resourceType"), Cell::text);
    wanted.and_some("resource_id = ?", id("resourceId"), Cell::Id);
    wanted.and_some("actor_type = ?", call.query("actorType"), Cell::text);
    wanted.and_some("actor_id = ?", call.query("actorId"), Cell::text);
    wanted.and_some("operation = ?", call.query("operation"), Cell::text);
    wanted.and_some(spelling.result, call.query("result"), Cell::text);
    // What parts the fields is in none of them.
    let sought = call.query("text").map(|text| text.to_ascii_lowercase().replace('\u{1f}', " "));
    wanted.and_some(spelling.text, sought, Cell::Text);

    // The time decides; the id, which ascends with it, is what the index knows.
    let zone = call.opened.standing.as_ref().map_or("UTC", |standing| standing.time_zone.as_str());
    if let Some((from, _)) = call.query("from").and_then(|text| span(text, zone)) {
        wanted.and("created_at >= ?", Cell::Instant(from));
        wanted.and("id >= ?", Cell::Id(first_id(from.saturating_sub(SLACK_MS))));
    }
    if let Some((_, to)) = call.query("to").and_then(|text| span(text, zone)) {
        wanted.and("created_at < ?", Cell::Instant(to));
        wanted.and("id < ?", Cell::Id(first_id(to.saturating_add(SLACK_MS))));
    }
    for filter in call.request.generation.modules.iter().flat_map(|module| &module.descriptor.audit_filters) {
        // Two look-ups, since no index serves an `or`.
        wanted.and_some(
            "id in (select id from stoa_audit where tenant_id = $1 and subject_id = ?
               union select id from stoa_audit where tenant_id = $1 and resource_id = ?)",
            id(&filter.code),
            Cell::Id,
        );
    }
    wanted
}

/// The first millisecond of an instant or day, and the first after it.
fn span(text: &str, zone: &str) -> Option<(i64, i64)> {
    if let Ok(day) = text.parse::<NaiveDate>() {
        return Some((calendar::begin(day, zone), calendar::end(day, zone)));
    }
    let at = DateTime::parse_from_rfc3339(text).ok()?.timestamp_millis();
    Some((at, at + 1))
}

/// The least UUIDv7 of a millisecond.
fn first_id(ms: i64) -> Uuid {
    let ms = u128::try_from(ms).unwrap_or(0).min((1 << 48) - 1);
    Uuid::from_u128(ms << 80)
}

fn entry(tenant: Uuid, row: &Row) -> Result<Json, Error> {
    let metadata: Json = serde_json::from_str(&row.text(9)?).map_err(|error| Error::Fault(error.to_string()))?;
    Ok(json!({
        "id": row.id(0)?,
        "tenantId": tenant,
        "requestId": row.id(1)?,
        "resourceId": row.id(2)?,
        "actorType": row.text(3)?,
        "actorId": row.text(4)?,
        "operation": row.text(5)?,
        "resourceType": row.text(6)?,
        "ipAddress": row.optional(7, Row::text)?,
        "userAgent": row.optional(8, Row::text)?,
        "metadata": metadata,
        "createdAt": time(row.instant(10)?),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_a_millisecond_or_a_day() {
        let at = |text: &str| DateTime::parse_from_rfc3339(text).unwrap().timestamp_millis();
        let instant = at("2026-01-15T10:00:00.123Z");
        assert_eq!(span("2026-01-15T10:00:00.123Z", "Europe/Berlin"), Some((instant, instant + 1)));
        let day = (at("2026-01-14T23:00:00Z"), at("2026-01-15T23:00:00Z"));
        assert_eq!(span("2026-01-15", "Europe/Berlin"), Some(day));
        assert_eq!(span("yesterday", "UTC"), None);
    }

    #[test]
    fn ids_of_a_millisecond_are_not_below_its_first() {
        let ms = 1_767_225_600_000;
        let made = crate::ids::Ids::new(ms).make();
        assert!(first_id(ms) <= made && made < first_id(ms + 1));
        assert_eq!(first_id(-1), Uuid::nil());
        assert!(first_id(i64::MAX) > first_id(253_402_300_799_999));
    }
}
