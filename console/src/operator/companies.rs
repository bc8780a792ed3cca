//! Companies: their list, their status, entitlements and keys.

use maud::html;
use serde_json::{Value, json};

use super::values::Cell::{At, By};
use super::values::{draw_next, list, query, show, table, text};
use super::{Drawn, OperatorRequest, address};
use crate::page;
use crate::pairs::Pairs;

pub async fn draw_list(asked: &OperatorRequest) -> Drawn {
    let (wanted, after) = (asked.query.get("text"), asked.query.get("after"));
    let found = asked.get(&format!("companies{}", query(&[("text", wanted), ("after", after)]))).await?;
    let link = |company: &Value| {
        html! { a href=(address(&format!("companies/{}", text(company, "id")))) { (text(company, "name")) } }
    };
    let body = html! {
        form.filters id="filter" method="get" action=(address("companies")) {
            p.field { label for="text" { "Name or id" } input id="text" name="text" type="search" value=[wanted]; }
            p.actions { button { "Find" } }
        }
        (table("Companies", list(&found, "items"), &[
            ("Company", By(&link)), ("Status", At("/status")), ("Entitlements", At("/entitlements")),
            ("Created", At("/createdAt")),
        ]))
        (draw_next("companies", &[("text", wanted)], "after", &found["nextAfter"]))
    };
    Ok(asked.draw("Companies", body))
}

pub async fn draw(asked: &OperatorRequest, id: &str) -> Drawn {
    let company = asked.get(&format!("companies/{id}")).await?;
    let path = format!("companies/{id}");
    if let Some(key) = asked.query.get("revoke") {
        let fields = html! {
            p { "The host rejects the next request with this key of " (text(&company, "name")) ". It stays revoked." }
            p.actions { button.danger name="revoke" value=(key) { "Revoke the key" } " " a href=(address(&path)) { "Keep it" } }
        };
        return Ok(asked.draw("Revoke a key?", asked.form("revoke", &path, fields)));
    }
    let draw_client = |key: &Value| {
        let client = list(&company, "clients").iter().find(|client| client["id"] == key["clientId"]);
        html! { @if let Some(client) = client { (text(client, "name")) ", " (text(client, "environment")) } }
    };
    let draw_key = |key: &Value| html! { code { (text(key, "prefix")) "..." (text(key, "last4")) } };
    let draw_revocation = |key: &Value| {
        let address = address(&format!("{path}{}", query(&[("revoke", Some(text(key, "id")))])));
        html! { @if text(key, "status") == "ACTIVE" { a href=(address) { "Revoke" } } }
    };
    let link = |webhook: &Value| {
        html! { a href=(address(&format!("{path}/webhooks/{}", text(webhook, "id")))) { (text(webhook, "name")) } }
    };
    let (status, label) = match text(&company, "status") {
        "SUSPENDED" => ("ACTIVE", "Resume"),
        _ => ("SUSPENDED", "Suspend"),
    };
    let body = html! {
        dl.record {
            dt { "Id" } dd { code { (text(&company, "id")) } }
            dt { "Status" } dd { (text(&company, "status")) }
            dt { "Entitlements" } dd { (show(&company["entitlements"])) }
        }
        div.actions {
            (asked.form("status", &path, html! { button name="status" value=(status) { (label) } }))
            @for entitlement in list(&company, "entitlements").iter().map(show) {
                (asked.form(&format!("withdraw-{entitlement}"), &path, html! {
                    button name="remove" value=(entitlement) { "Withdraw " (entitlement) }
                }))
            }
        }
        (asked.form("entitle", &path, html! {
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

pub async fn change(asked: &OperatorRequest, id: &str, form: &Pairs) -> Drawn {
    if let Some(key) = form.get("revoke") {
        asked.post(&format!("companies/{id}/keys/{key}/revoke"), &json!({})).await?;
    } else if let Some(status) = form.get("status") {
        asked.post(&format!("companies/{id}/status"), &json!({ "status": status })).await?;
    } else {
        let stated = |name| form.all(name).map(str::trim).collect::<Vec<_>>();
        let body = json!({ "add": stated("add"), "remove": stated("remove") });
        asked.post(&format!("companies/{id}/entitlements"), &body).await?;
    }
    Ok(page::redirect(&address(&format!("companies/{id}"))))
}
