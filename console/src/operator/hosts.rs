//! Hosts and their health: the first page.

use maud::html;
use serde_json::Value;

use super::values::Cell::{At, By};
use super::values::{list, show, table};
use super::{Drawn, OperatorRequest};

pub async fn draw(asked: &OperatorRequest) -> Drawn {
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
