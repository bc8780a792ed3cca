//! Generations, and the way back to one of them.

use maud::html;
use serde_json::json;

use super::modules::read_generation;
use super::values::{cell, instant, list, query, show, table, text};
use super::{Drawn, OperatorRequest, address};
use crate::page;
use crate::pairs::Pairs;

pub async fn draw(asked: &OperatorRequest) -> Drawn {
    let newest = show(&asked.get("modules").await?["generation"]);
    let history = asked.get(&format!("generations{}", query(&[("before", asked.query.get("before"))]))).await?;
    let rows = list(&history, "items").iter().map(|item| {
        let number = show(&item["generation"]);
        let cause = [show(&item["cause"]), show(&item["module"]), show(&item["reason"])];
        let modules =
            list(item, "modules").iter().map(|module| format!("{} {}", text(module, "name"), text(module, "version")));
        vec![
            cell(&number),
            cell(cause.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ")),
            html! { (instant(&item["activatedAt"])) " " (text(item, "activatedBy")) },
            cell(modules.collect::<Vec<_>>().join(", ")),
            cell(show(&item["withdrawn"])),
            html! {
                @if number == newest { "newest" } @else {
                    (asked.form(&format!("restore-{number}"), "generations", html! {
                        input type="hidden" name="generation" value=(newest);
                        button name="restore" value=(number) { "Restore " (number) }
                    }))
                }
            },
        ]
    });
    let next = show(&history["nextBefore"]);
    let body = html! {
        (asked.form("rollback", "generations", html! {
            input type="hidden" name="generation" value=(newest);
            p { "The host restores the newest generation with other modules of which none was withdrawn." }
            p.actions { button { "Roll back" } }
        }))
        (table("History", &["Generation", "Cause", "Activated", "Modules", "Withdrawn", "Restore"], rows))
        @if !next.is_empty() { p.pager { a href=(address(&format!("generations{}", query(&[("before", Some(&next))])))) { "Older" } } }
    };
    Ok(asked.draw("Generations", body))
}

pub async fn change(asked: &OperatorRequest, form: &Pairs) -> Drawn {
    let body = json!({ "expectedGeneration": read_generation(form)? });
    let path = match form.get("restore").and_then(|number| number.parse::<u64>().ok()) {
        Some(number) => format!("generations/{number}/activate"),
        None => "rollback".to_owned(),
    };
    asked.post(&path, &body).await?;
    Ok(page::redirect(&address("generations")))
}
