//! Hosts and their health: the first page.

use maud::html;
use serde_json::Value;

use super::values::{cell, instant, list, show, table, text};
use super::{Drawn, OperatorRequest};

pub async fn draw(asked: &OperatorRequest) -> Drawn {
    let shown = asked.get("modules").await?;
    let hosts = list(&shown, "hosts").iter().map(|host| {
        let trouble = html! { @if !host["trouble"].is_null() { strong { (show(&host["trouble"])) } } };
        vec![
            cell(text(host, "name")),
            cell(show(&host["generation"])),
            instant(&host["startedAt"]),
            instant(&host["seenAt"]),
            cell(describe_health(&host["health"])),
            trouble,
        ]
    });
    let upgrades = list(&shown, "upgrades").iter().map(|upgrade| {
        let companies = &upgrade["companies"];
        vec![
            cell(text(upgrade, "module")),
            cell(format!("{} to {}", text(upgrade, "from"), text(upgrade, "to"))),
            cell(format!("{} of {}", show(&companies["reached"]), show(&companies["all"]))),
            instant(&upgrade["doneAt"]),
            cell(show(&upgrade["trouble"])),
        ]
    });
    let listeners = list(&shown, "listeners").iter().map(|listener| {
        let counts = ["companiesBehind", "companiesInTrouble"].map(|name| cell(show(&listener[name])));
        let [behind, in_trouble] = counts;
        let retry = instant(&listener["retryAt"]);
        vec![cell(text(listener, "module")), behind, in_trouble, retry, cell(show(&listener["trouble"]))]
    });
    let timers = list(&shown, "timers").iter().map(|timer| {
        let companies = &timer["companies"];
        let state = match (timer["isLate"] == true, timer["isDue"] == true) {
            (true, _) => "late",
            (false, true) => "due",
            (false, false) => "waiting",
        };
        vec![
            cell(format!("{} {}", text(timer, "module"), text(timer, "timer"))),
            cell(state),
            instant(&timer["until"]),
            cell(format!("{} of {}", show(&companies["reached"]), show(&companies["all"]))),
        ]
    });
    let body = html! {
        dl.record {
            dt { "Newest generation" } dd { (show(&shown["generation"])) }
            dt { "This host" } dd { (show(&shown["host"]["name"])) ", generation " (show(&shown["host"]["generation"])) }
        }
        (table("Hosts", &["Host", "Generation", "Started", "Last seen", "Failures of modules", "Trouble"], hosts))
        (table("Backfills", &["Module", "Versions", "Companies", "Done", "Trouble"], upgrades))
        (table("Listeners", &["Module", "Companies behind", "In trouble", "Next try", "Trouble"], listeners))
        (table("Timers", &["Timer", "State", "Until", "Companies"], timers))
    };
    Ok(asked.draw("Hosts", body))
}

/// Failures of the calls of all modules on a host.
fn describe_health(health: &Value) -> String {
    let modules = || health.as_object().into_iter().flat_map(|modules| modules.values());
    let calls: u64 = modules().filter_map(|module| module["calls"].as_u64()).sum();
    format!("{} of {calls} calls", modules().map(count_failures).sum::<u64>())
}

/// Traps, timeouts and calls that reached a limit.
pub fn count_failures(health: &Value) -> u64 {
    ["traps", "timeouts", "limits"].iter().filter_map(|member| health[*member].as_u64()).sum()
}
