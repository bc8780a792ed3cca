//! Pages that report: hosts and their health, the audit of operators, and the verification of companies.

use axum::response::Response;
use maud::html;
use serde_json::{Value, json};

use super::values::Cell::{At, By};
use super::values::{list, show, table};
use super::{Drawn, OperatorRequest};
use crate::pairs::Pairs;

pub async fn draw_hosts(asked: &OperatorRequest) -> Drawn {
    let shown = asked.get("modules").await?;
    let draw_failures = |host: &Value| {
        let modules = || host["health"].as_object().into_iter().flatten().map(|(_, health)| health);
        let calls: u64 = modules().filter_map(|health| health["calls"].as_u64()).sum();
        html! { (modules().map(count_failures).sum::<u64>()) " of " (calls) " calls" }
    };
    let body = html! {
        dl.record {
            dt { "Newest generation" } dd { (show(&shown["generation"])) }
            dt { "This host" } dd { (show(&shown["host"]["name"])) ", generation " (show(&shown["host"]["generation"])) }
        }
        (table("Hosts", list(&shown, "hosts"), &[
            ("Host", At("/name")), ("Generation", At("/generation")), ("Started", At("/startedAt")),
            ("Last seen", At("/seenAt")), ("Failures of modules", By(&draw_failures)), ("Trouble", At("/trouble")),
        ]))
        (table("Backfills", list(&shown, "upgrades"), &[
            ("Module", At("/module")), ("From", At("/from")), ("To", At("/to")), ("Companies", At("/companies/reached")),
            ("Of", At("/companies/all")), ("Done", At("/doneAt")), ("Trouble", At("/trouble")),
        ]))
        (table("Listeners", list(&shown, "listeners"), &[
            ("Module", At("/module")), ("Companies behind", At("/companiesBehind")),
            ("In trouble", At("/companiesInTrouble")), ("Next try", At("/retryAt")), ("Trouble", At("/trouble")),
        ]))
        (table("Timers", list(&shown, "timers"), &[
            ("Module", At("/module")), ("Timer", At("/timer")), ("Until", At("/until")), ("Late", At("/isLate")),
            ("Companies", At("/companies/reached")), ("Of", At("/companies/all")),
        ]))
    };
    Ok(asked.draw("Hosts", body))
}

/// Traps, timeouts and calls that reached a limit.
pub fn count_failures(health: &Value) -> u64 {
    ["traps", "timeouts", "limits"].iter().filter_map(|member| health[*member].as_u64()).sum()
}

pub async fn draw_audit(asked: &OperatorRequest) -> Drawn {
    let found = asked.get_filtered("audit").await?;
    let body = html! {
        (table("Entries", list(&found, "items"), &[
            ("Time", At("/createdAt")), ("Operator", At("/actor")), ("Operation", At("/operation")),
            ("Result", At("/result")), ("Details", At("/metadata")),
        ]))
        (asked.draw_next("before", &found["nextBefore"]))
    };
    Ok(asked.draw("Audit of operators", body))
}

pub fn draw_verification(asked: &OperatorRequest) -> Response {
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

pub async fn verify(asked: &OperatorRequest, form: &Pairs) -> Drawn {
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
