//! Verification of the rows of companies.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::values::{cell, list, show, table, text};
use super::{Drawn, OperatorRequest};
use crate::pairs::Pairs;

pub fn draw(asked: &OperatorRequest) -> Response {
    let fields = html! {
        p { "Each active module checks its rows of these companies. That may take minutes." }
        p.field {
            label for="companies" { "Ids of companies, one a line, at most 100" }
            textarea id="companies" name="companies" rows="6" required { (asked.query.get("company").unwrap_or_default()) }
        }
        p.actions { button { "Verify" } }
    };
    asked.draw("Verify companies", asked.form("verify", "verify", fields))
}

pub async fn run(asked: &OperatorRequest, form: &Pairs) -> Drawn {
    let companies: Vec<&str> = form.get("companies").unwrap_or_default().split_whitespace().collect();
    let report = asked.post("verify", &json!({ "tenantIds": companies })).await?;
    let rows = |member: &str, names: &[&str]| -> Vec<Vec<Markup>> {
        let cells = |entry: &Value| names.iter().map(|name| cell(text(entry, name))).collect();
        list(&report, member).iter().map(cells).collect()
    };
    let findings = rows("findings", &["tenantId", "module", "invariant", "resourceId", "message"]);
    let unfinished = rows("unfinished", &["tenantId", "module", "reason"]);
    let body = html! {
        p role="status" { "Companies verified: " (show(&report["companies"])) ". Findings: " (findings.len()) "." }
        (table("Findings", &["Company", "Module", "Invariant", "Record", "Message"], findings))
        @if !unfinished.is_empty() { (table("Checks that did not end", &["Company", "Module", "Reason"], unfinished)) }
    };
    Ok(asked.draw("Verification", body))
}
