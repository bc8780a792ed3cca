//! Companies: their list, their status, entitlements and keys.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::values::{cell, instant, list, query, show, table, text};
use super::{Drawn, OperatorRequest, address};
use crate::page;
use crate::pairs::Pairs;

pub async fn draw_list(asked: &OperatorRequest) -> Drawn {
    let (wanted, after) = (asked.query.get("text"), asked.query.get("after"));
    let found = asked.get(&format!("companies{}", query(&[("text", wanted), ("after", after)]))).await?;
    let rows = list(&found, "items").iter().map(|company| {
        vec![
            html! { a href=(address(&format!("companies/{}", text(company, "id")))) { (text(company, "name")) } },
            cell(text(company, "status")),
            cell(show(&company["entitlements"])),
            instant(&company["createdAt"]),
        ]
    });
    let next = show(&found["nextAfter"]);
    let body = html! {
        form.filters id="filter" method="get" action=(address("companies")) {
            p.field { label for="text" { "Name or id" } input id="text" name="text" type="search" value=[wanted]; }
            p.actions { button { "Find" } }
        }
        (table("Companies", &["Company", "Status", "Entitlements", "Created"], rows))
        @if !next.is_empty() {
            p.pager { a href=(address(&format!("companies{}", query(&[("text", wanted), ("after", Some(&next))])))) { "Next" } }
        }
    };
    Ok(asked.draw("Companies", body))
}

pub async fn draw(asked: &OperatorRequest, id: &str) -> Drawn {
    let company = asked.get(&format!("companies/{id}")).await?;
    let path = format!("companies/{id}");
    if let Some(key) = asked.query.get("revoke") {
        return Ok(asked.draw("Revoke a key?", ask_revocation(asked, &company, &path, key)));
    }
    let keys = list(&company, "keys").iter().map(|key| draw_key(&path, &company, key));
    let endpoints = list(&company, "webhooks").iter().map(|webhook| {
        let counts = webhook["newestDeliveries"].as_object().into_iter().flatten();
        let counts = counts.map(|(status, count)| format!("{status} {}", show(count)));
        vec![
            html! { a href=(address(&format!("{path}/webhooks/{}", text(webhook, "id")))) { (text(webhook, "name")) } },
            cell(text(webhook, "url")),
            cell(text(webhook, "status")),
            cell(counts.collect::<Vec<_>>().join(", ")),
        ]
    });
    let entitlements = list(&company, "entitlements");
    let (verb, label) = match text(&company, "status") {
        "SUSPENDED" => ("ACTIVE", "Resume"),
        _ => ("SUSPENDED", "Suspend"),
    };
    let body = html! {
        dl.record {
            dt { "Id" } dd { code { (text(&company, "id")) } }
            dt { "Status" } dd { (text(&company, "status")) }
            dt { "Created" } dd { (instant(&company["createdAt"])) }
            dt { "Entitlements" } dd { @if entitlements.is_empty() { "none" } @else { (show(&company["entitlements"])) } }
        }
        div.actions {
            (asked.form("status", &path, html! { button name="status" value=(verb) { (label) } }))
            @for entitlement in entitlements {
                @let entitlement = show(entitlement);
                (asked.form(&format!("withdraw-{entitlement}"), &path, html! {
                    button name="remove" value=(entitlement) { "Withdraw " (entitlement) }
                }))
            }
        }
        (asked.form("entitle", &path, html! {
            p.field { label for="add" { "Entitlement" } input id="add" name="add" value="PUBLIC_API" required; }
            p.actions { button { "Entitle" } }
        }))
        (table("Keys of API clients", &["Client", "Key", "Status", "Expires", "Last used", "Revoke"], keys))
        (table("Webhook endpoints", &["Endpoint", "Address", "Status", "Newest deliveries"], endpoints))
    };
    Ok(asked.draw(text(&company, "name"), body))
}

fn draw_key(path: &str, company: &Value, key: &Value) -> Vec<Markup> {
    let id = text(key, "id");
    let client = list(company, "clients").iter().find(|client| client["id"] == key["clientId"]);
    let client = client.map(|client| format!("{} ({})", text(client, "name"), text(client, "environment")));
    vec![
        cell(client.unwrap_or_default()),
        html! { code { (text(key, "prefix")) "..." (text(key, "last4")) } },
        cell(text(key, "status")),
        instant(&key["expiresAt"]),
        instant(&key["lastUsedAt"]),
        html! {
            @if text(key, "status") == "ACTIVE" {
                a href=(address(&format!("{path}{}", query(&[("revoke", Some(id))])))) { "Revoke" }
            }
        },
    ]
}

fn ask_revocation(asked: &OperatorRequest, company: &Value, path: &str, key: &str) -> Markup {
    let fields = html! {
        p { "The host rejects the next request with this key. A revoked key stays revoked: the company issues another one." }
        p { "Company: " (text(company, "name")) }
        p.actions { button.danger name="revoke" value=(key) { "Revoke the key" } " " a href=(address(path)) { "Keep it" } }
    };
    asked.form("revoke", path, fields)
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
