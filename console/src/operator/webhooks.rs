//! Deliveries of a webhook of a company, and their redelivery.

use maud::html;
use serde_json::{Value, json};

use super::values::Cell::{At, By};
use super::values::{draw_next, draw_value, list, query, show, table, text};
use super::{Drawn, OperatorRequest, address};
use crate::page;
use crate::pairs::Pairs;

/// States of a delivery; the first: any of them.
const STATUSES: [&str; 5] = ["", "PENDING", "SUCCEEDED", "FAILED", "CANCELLED"];

pub async fn draw(asked: &OperatorRequest, company: &str, webhook: &str) -> Drawn {
    let path = format!("companies/{company}/webhooks/{webhook}");
    let status = asked.query.get("status");
    let wanted = query(&[("status", status), ("before", asked.query.get("before"))]);
    let found = asked.get(&format!("{path}/deliveries{wanted}")).await?;
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
        html! {
            @if text(delivery, "status") != "PENDING" {
                (asked.form(&format!("redeliver-{}", text(delivery, "id")), &path, html! {
                    button name="delivery" value=(text(delivery, "id")) { "Deliver again" }
                }))
            }
        }
    };
    let body = html! {
        p { a href=(address(&format!("companies/{company}"))) { "The company" } }
        form.filters id="filter" method="get" action=(address(&path)) {
            p.field {
                label for="status" { "Status" }
                select id="status" name="status" {
                    @for value in STATUSES {
                        option value=(value) selected[status == Some(value)] { (if value.is_empty() { "any" } else { value }) }
                    }
                }
            }
            p.actions { button { "Find" } }
        }
        (table("Deliveries", list(&found, "items"), &[
            ("Created", At("/createdAt")), ("Event", At("/kind")), ("Status", At("/status")),
            ("Attempts", By(&draw_attempts)), ("Next attempt", At("/nextAttemptAt")), ("Again", By(&draw_again)),
        ]))
        (draw_next(&path, &[("status", status)], "before", &found["nextBefore"]))
    };
    Ok(asked.draw("Deliveries of an endpoint", body))
}

pub async fn redeliver(asked: &OperatorRequest, company: &str, webhook: &str, form: &Pairs) -> Drawn {
    let path = format!("companies/{company}/webhooks/{webhook}");
    let delivery = form.get("delivery").unwrap_or_default();
    asked.post(&format!("{path}/deliveries/{delivery}/redeliver"), &json!({})).await?;
    Ok(page::redirect(&address(&path)))
}
