//! Companies: their status, entitlements and keys, and the deliveries of their webhooks.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::values::Cell::{At, By};
use super::values::{draw_value, list, show, table, text};
use super::{Drawn, OperatorRequest, link};
use crate::call::to_address;
use crate::page;
use crate::pairs::Pairs;

/// States of a delivery.
const STATUSES: [&str; 4] = ["PENDING", "SUCCEEDED", "FAILED", "CANCELLED"];

pub async fn draw_list(asked: &OperatorRequest) -> Drawn {
    let found = asked.get_filtered("companies").await?;
    let link = |company: &Value| link(&format!("companies/{}", text(company, "id")), text(company, "name"));
    let body = html! {
        (draw_filter(asked, html! {
            label for="text" { "Name or id" } input id="text" name="text" type="search" value=[asked.query.get("text")];
        }))
        (table("Companies", list(&found, "items"), &[
            ("Company", By(&link)), ("Status", At("/status")), ("Entitlements", At("/entitlements")),
            ("Created", At("/createdAt")),
        ]))
        (asked.draw_next("after", &found["nextAfter"]))
    };
    Ok(asked.draw("Companies", body))
}

fn draw_filter(asked: &OperatorRequest, field: Markup) -> Markup {
    html! {
        form.filters id="filter" method="get" action=(asked.address()) {
            p.field { (field) }
            p.actions { button { "Find" } }
        }
    }
}

pub async fn draw(asked: &OperatorRequest) -> Drawn {
    let path = &asked.path;
    let company = asked.get(path).await?;
    if let Some(key) = asked.query.get("revoke") {
        let fields = html! {
            p { "The host rejects the next request with this key of " (text(&company, "name")) ". It stays revoked." }
            p.actions {
                button.danger name="revoke" value=(key) { "Revoke the key" } " " a href=(asked.address()) { "Keep it" }
            }
        };
        return Ok(asked.draw("Revoke a key?", asked.form("revoke", path, fields)));
    }
    let draw_client = |key: &Value| {
        let client = list(&company, "clients").iter().find(|client| client["id"] == key["clientId"]);
        html! { @if let Some(client) = client { (text(client, "name")) ", " (text(client, "environment")) } }
    };
    let draw_key = |key: &Value| html! { code { (text(key, "prefix")) "..." (text(key, "last4")) } };
    let draw_revocation = |key: &Value| {
        let address = to_address(&asked.address(), &[("revoke", text(key, "id"))]);
        html! { @if text(key, "status") == "ACTIVE" { a href=(address) { "Revoke" } } }
    };
    let link = |webhook: &Value| link(&format!("{path}/webhooks/{}", text(webhook, "id")), text(webhook, "name"));
    let (status, label) =
        if company["status"] == "SUSPENDED" { ("ACTIVE", "Resume") } else { ("SUSPENDED", "Suspend") };
    let body = html! {
        dl.record {
            dt { "Id" } dd { code { (text(&company, "id")) } }
            dt { "Status" } dd { (text(&company, "status")) }
            dt { "Entitlements" } dd { (show(&company["entitlements"])) }
        }
        div.actions {
            (asked.form("status", path, html! { button name="status" value=(status) { (label) } }))
            @for entitlement in list(&company, "entitlements").iter().map(show) {
                (asked.form(&format!("withdraw-{entitlement}"), path, html! {
                    button name="remove" value=(entitlement) { "Withdraw " (entitlement) }
                }))
            }
        }
        (asked.form("entitle", path, html! {
            p.field { label for="add" { "Entitlement" } input id="add" name="add" value="PUBLIC_API" required; }
            p.actions { button { "Entitle" } }
        }))
        (table("Keys of API clients", list(&company, "keys"), &[
            ("Client", By(&draw_client)), ("Key", By(&draw_key)), ("Status", At("/status")), ("Expires", At("/expiresAt")),
            ("Last used", At("/lastUsedAt")), ("Revoke", By(&draw_revocation)),
        ]))
        (table("Webhook endpoints", list(&company, "webhooks"), &[
            ("Endpoint", By(&link)), ("Address", At("/url")), ("Status", At("/status")),
            ("Pending", At("/newestDeliveries/PENDING")), ("Succeeded", At("/newestDeliveries/SUCCEEDED")),
            ("Failed", At("/newestDeliveries/FAILED")), ("Cancelled", At("/newestDeliveries/CANCELLED")),
        ]))
    };
    Ok(asked.draw(text(&company, "name"), body))
}

pub async fn change(asked: &OperatorRequest, form: &Pairs) -> Drawn {
    let stated = |name| form.all(name).map(str::trim).collect::<Vec<_>>();
    let (part, body) = match (form.get("revoke"), form.get("status")) {
        (Some(key), _) => (format!("keys/{key}/revoke"), json!({})),
        (_, Some(status)) => ("status".to_owned(), json!({ "status": status })),
        _ => ("entitlements".to_owned(), json!({ "add": stated("add"), "remove": stated("remove") })),
    };
    asked.post(&format!("{}/{part}", asked.path), &body).await?;
    Ok(page::redirect(&asked.address()))
}

pub async fn draw_webhook(asked: &OperatorRequest, company: &str) -> Drawn {
    let found = asked.get_filtered(&format!("{}/deliveries", asked.path)).await?;
    let status = asked.query.get("status");
    let draw_attempts = |delivery: &Value| {
        html! {
            @for attempt in list(delivery, "attempts") {
                p {
                    (draw_value(&attempt["at"])) ": " (show(&attempt["responseStatus"])) " " (show(&attempt["error"]))
                    " in " (show(&attempt["durationMs"])) " ms"
                }
            }
        }
    };
    let draw_again = |delivery: &Value| {
        let id = text(delivery, "id");
        html! {
            @if delivery["status"] != "PENDING" {
                (asked.form(&format!("redeliver-{id}"), &asked.path, html! {
                    button name="delivery" value=(id) { "Deliver again" }
                }))
            }
        }
    };
    let body = html! {
        p { (link(&format!("companies/{company}"), "The company")) }
        (draw_filter(asked, html! {
            label for="status" { "Status" }
            select id="status" name="status" {
                option value="" { "any" }
                @for value in STATUSES { option value=(value) selected[status == Some(value)] { (value) } }
            }
        }))
        (table("Deliveries", list(&found, "items"), &[
            ("Created", At("/createdAt")), ("Event", At("/kind")), ("Status", At("/status")),
            ("Attempts", By(&draw_attempts)), ("Next attempt", At("/nextAttemptAt")), ("Again", By(&draw_again)),
        ]))
        (asked.draw_next("before", &found["nextBefore"]))
    };
    Ok(asked.draw("Deliveries of an endpoint", body))
}

pub async fn redeliver(asked: &OperatorRequest, form: &Pairs) -> Drawn {
    let delivery = form.get("delivery").unwrap_or_default();
    asked.post(&format!("{}/deliveries/{delivery}/redeliver", asked.path), &json!({})).await?;
    Ok(page::redirect(&asked.address()))
}
