//! The close of a session: the day's cash, the count, and the variance.

use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::Problem;
use crate::page;
use crate::shop::figures::amount;
use crate::shop::till::address;
use crate::shop::{Visit, list, text, word};

pub async fn respond(visit: &Visit<'_>, id: &str) -> Result<Response, Problem> {
    if visit.form.is_none() {
        return draw(visit, id, None).await;
    }
    let notes = visit.field("notes");
    let body = json!({
        "expectedVersion": visit.number("version"), "countedAmount": visit.field("counted"),
        "notes": if notes.is_empty() { Value::Null } else { Value::from(notes) },
    });
    match visit.write("closePosSession", &[id], &body).await {
        Ok(_) => Ok(page::redirect(&(address(visit, id, "") + "/close"))),
        Err(problem) => draw(visit, id, Some(problem)).await,
    }
}

async fn draw(visit: &Visit<'_>, id: &str, problem: Option<Problem>) -> Result<Response, Problem> {
    let (frame, session, report) = tokio::join!(
        visit.frame(),
        visit.read("getPosSession", &[id], &[]),
        visit.read("getPosSessionReport", &[id], &[]),
    );
    let (frame, session, report) = (frame?, session?, report?);
    let is_open = text(&session, "status") == "OPEN";
    let body = html! {
        @if let Some(problem) = &problem {
            (visit.explain("closePosSession", problem, &|item| item.pointer.clone()))
        }
        p { "Session " (session["sessionNo"]) " of the register " (text(&report, "registerCode")) }
        (draw_cash(&report))
        @if is_open {
            form method="post" {
                (visit.hide("close", problem.as_ref()))
                input type="hidden" name="version" value=(session["version"]);
                label for="counted" { "Cash counted in the drawer, " (text(&session, "currencyCode")) }
                input id="counted" name="counted" inputmode="decimal" required autocomplete="off" autofocus value=(visit.field("counted"));
                label for="notes" { "Notes" }
                textarea id="notes" name="notes" maxlength="1000" { (visit.field("notes")) }
                button.main { "Close the session" }
            }
            p { a href=(address(visit, id, "")) { "Continue selling" } }
        } @else {
            p { "The session is closed." }
            p { a href=(visit.address("/-/till")) { "Registers" } }
        }
    };
    let status = problem.map_or(StatusCode::OK, |problem| problem.status);
    Ok(page::draw_with_status(&frame, status, "Close the session", body))
}

fn draw_cash(report: &Value) -> Markup {
    let tally = |name: &str| report["cash"].get(name).map(|tally| text(tally, "amount")).unwrap_or_default().to_owned();
    let cash = |name: &str| text(&report["cash"], name).to_owned();
    let rows = [
        ("At the opening", text(report, "openingAmount").to_owned()),
        ("Sales in cash", cash("sales")),
        ("Paid in", tally("movementsIn")),
        ("Paid out", tally("movementsOut")),
        ("Refunds", tally("refunds")),
        ("Refunds that were voided", tally("refundsVoided")),
        ("Expected in the drawer", cash("expected")),
        ("Counted", text(report, "countedAmount").to_owned()),
        ("Variance", text(report, "variance").to_owned()),
    ];
    html! {
        h2 { "Cash" }
        dl { @for (label, value) in rows.iter().filter(|(_, value)| !value.is_empty()) {
            dt { (label) } dd.amount { (amount(value)) }
        } }
        h2 { "Receipts" }
        dl {
            dt { "Number" } dd.amount { (report["receipts"]["count"]) }
            dt { "Total" } dd.amount { (amount(text(&report["receipts"], "total"))) " " (text(report, "currencyCode")) }
            @for method in list(report, "byMethod") {
                dt { (word(text(method, "method"))) " " (word(text(method, "cardKind"))) }
                dd.amount { (amount(text(method, "amount"))) " (" (method["count"]) ")" }
            }
        }
    }
}
