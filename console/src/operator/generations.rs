//! Generations, and the way back to one of them.

use maud::html;
use serde_json::{Value, json};

use super::modules::{draw_generation, read_generation};
use super::values::Cell::{At, By};
use super::values::{list, show, table, text};
use super::{Drawn, OperatorRequest};
use crate::page;
use crate::pairs::Pairs;

pub async fn draw(asked: &OperatorRequest) -> Drawn {
    let modules = asked.get("modules").await?;
    let newest = &modules["generation"];
    let history = asked.get_filtered("generations").await?;
    let draw_modules = |item: &Value| {
        let modules = list(item, "modules").iter();
        let texts = modules.map(|module| format!("{} {}", text(module, "name"), text(module, "version")));
        html! { (texts.collect::<Vec<_>>().join(", ")) }
    };
    let draw_restore = |item: &Value| {
        let number = show(&item["generation"]);
        html! {
            @if item["generation"] == *newest { "newest" } @else {
                (asked.form(&format!("restore-{number}"), "generations", html! {
                    (draw_generation(newest))
                    button name="restore" value=(number) { "Restore " (number) }
                }))
            }
        }
    };
    let body = html! {
        (asked.form("rollback", "generations", html! {
            (draw_generation(newest))
            p { "The host restores the newest generation with other modules of which none was withdrawn." }
            p.actions { button { "Roll back" } }
        }))
        (table("History", list(&history, "items"), &[
            ("Generation", At("/generation")), ("Cause", At("/cause")), ("Module", At("/module")),
            ("Reason", At("/reason")), ("Activated", At("/activatedAt")), ("By", At("/activatedBy")),
            ("Modules", By(&draw_modules)), ("Withdrawn", At("/withdrawn")), ("Restore", By(&draw_restore)),
        ]))
        (asked.draw_next("before", &history["nextBefore"]))
    };
    Ok(asked.draw("Generations", body))
}

pub async fn change(asked: &OperatorRequest, form: &Pairs) -> Drawn {
    let path = match form.get("restore").and_then(|number| number.parse::<u64>().ok()) {
        Some(number) => format!("generations/{number}/activate"),
        None => "rollback".to_owned(),
    };
    asked.post(&path, &json!({ "expectedGeneration": read_generation(form)? })).await?;
    Ok(page::redirect(&asked.address()))
}
