//! Verification of the rows of companies.

use axum::response::Response;
use maud::html;
use serde_json::json;

use super::values::Cell::At;
use super::values::{list, show, table};
use super::{Drawn, OperatorRequest};
use crate::pairs::Pairs;

pub fn draw(asked: &OperatorRequest) -> Response {
    let fields = html! {
        p { "Each active module checks its rows of these companies. That may take minutes." }
        p.field {
            label for="companies" { "Ids of companies, one a line, at most 100" }
            textarea id="companies" name="companies" rows="6" required {}
        }
        p.actions { button { "Verify" } }
    };
    asked.draw("Verify companies", asked.form("verify", "verify", fields))
}

pub async fn run(asked: &OperatorRequest, form: &Pairs) -> Drawn {
    let companies: Vec<&str> = form.get("companies").unwrap_or_default().split_whitespace().collect();
    let report = asked.post("verify", &json!({ "tenantIds": companies })).await?;
    let (findings, unfinished) = (list(&report, "findings"), list(&report, "unfinished"));
    let body = html! {
        p role="status" { "Companies verified: " (show(&report["companies"])) ". Findings: " (findings.len()) "." }
        (table("Findings", findings, &[
            ("Company", At("/tenantId")), ("Module", At("/module")), ("Invariant", At("/invariant")),
            ("Record", At("/resourceId")), ("Message", At("/message")),
        ]))
        (table("Checks that did not end", unfinished, &[
            ("Company", At("/tenantId")), ("Module", At("/module")), ("Reason", At("/reason")),
        ]))
    };
    Ok(asked.draw("Verification", body))
}
