//! Deliveries of a webhook of a company, and their redelivery.

use maud::html;
use serde_json::{Value, json};

use super::values::{cell, instant, list, query, show, table, text};
use super::{Drawn, OperatorRequest, address};
use crate::page;
use crate::pairs::Pairs;

/// States of a delivery; the first: any of them.
const STATUSES: [&str; 5] = ["", "PENDING", "SUCCEEDED", "FAILED", "CANCELLED"];

pub async fn draw(asked: &OperatorRequest, company: &str, webhook: &str) -> Drawn {
    let path = format!("companies/{company}/webhooks/{webhook}");
    let status = asked.query.get("status");
    let asked_for = query(&[("status", status), ("before", asked.query.get("before"))]);
    let found = asked.get(&format!("{path}/deliveries{asked_for}")).await?;
    let rows = list(&found, "items").iter().map(|delivery| {
        let id = text(delivery, "id");
        vec![
            instant(&delivery["createdAt"]),
            cell(text(delivery, "kind")),
            cell(text(delivery, "status")),
            html! { ul { @for attempt in list(delivery, "attempts") { li { (describe_attempt(attempt)) } } } },
            instant(&delivery["nextAttemptAt"]),
            html! {
                @if text(delivery, "status") != "PENDING" {
                    (asked.form(&format!("redeliver-{id}"), &path, html! {
                        button name="delivery" value=(id) { "Deliver again" }
                    }))
                }
            },
        ]
    });
    let next = show(&found["nextBefore"]);
    let body = html! {
        p { a href=(address(&format!("companies/{company}"))) { "The company" } }
        form.filters id="filter" method="get" action=(address(&path)) {
            p.field {
                label for="status" { "Status" }
                select id="status" name="status" {
                    @for value in STATUSES {
                        option value=(value) selected[status == Some(value)] { @if value.is_empty() { "any" } @else { (value) } }
                    }
                }
            }
            p.actions { button { "Find" } }
        }
        (table("Deliveries", &["Created", "Event", "Status", "Attempts", "Next attempt", "Again"], rows))
        @if !next.is_empty() {
            p.pager { a href=(address(&format!("{path}{}", query(&[("status", status), ("before", Some(&next))])))) { "Older" } }
        }
    };
    Ok(asked.draw("Deliveries of an endpoint", body))
}

fn describe_attempt(attempt: &Value) -> String {
    let outcome = if attempt["error"].is_null() { &attempt["responseStatus"] } else { &attempt["error"] };
    let at = text(attempt, "at");
    format!(
        "{}: {} in {} ms",
        at.get(..19).unwrap_or(at).replacen('T', " ", 1),
        show(outcome),
        show(&attempt["durationMs"])
    )
}

pub async fn redeliver(asked: &OperatorRequest, company: &str, webhook: &str, form: &Pairs) -> Drawn {
    let path = format!("companies/{company}/webhooks/{webhook}");
    let delivery = form.get("delivery").unwrap_or_default();
    asked.post(&format!("{path}/deliveries/{delivery}/redeliver"), &json!({})).await?;
    Ok(page::redirect(&address(&path)))
}
