//! The close of a session: the day's cash, the count, and the variance.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::Problem;
use crate::page::{self, Visit};
use crate::shop::parts::{decimal, form, line, link, number, or_null, value_of};
use crate::shop::till::{address, basket};
use crate::shop::{Done, Said, finish, list, read, text, word, write};
use crate::show::value::amount;

pub async fn respond(visit: &Visit, id: &str) -> Result<Response, Problem> {
    let done = if visit.is_post { close(visit, id).await } else { Err(Box::default()) };
    match done {
        Ok(address) => Ok(page::redirect(&address)),
        Err(said) => draw(visit, id, &said).await,
    }
}

async fn close(visit: &Visit, id: &str) -> Done {
    let (counted, notes) = (value_of(visit, "counted"), or_null(value_of(visit, "notes")));
    let body = json!({ "expectedVersion": number(visit, "version"), "countedAmount": counted, "notes": notes });
    write(visit, "closePosSession", &[id], &body).await?;
    Ok(address(visit, &format!("/{id}/close")))
}

async fn draw(visit: &Visit, id: &str, said: &Said) -> Result<Response, Problem> {
    let parts = [id];
    let (context, session, report) = tokio::join!(
        visit.context(),
        read(visit, "getPosSession", &parts, &[]),
        read(visit, "getPosSessionReport", &parts, &[]),
    );
    let (_, session, report) = (context?, session?, report?);
    let fields = html! {
        (decimal(visit, "counted", &format!("Cash counted in the drawer, {}", text(&session, "currencyCode")), true))
        (line(visit, "notes", "Notes", 1_000))
        button { "Close the session" }
    };
    let target = address(visit, &format!("/{id}/close"));
    let body = html! {
        (said.draw(&visit.site, &|_| String::new()))
        p { "Session " (session["sessionNo"]) " of the register " (text(&report, "registerCode")) }
        (draw_report(&report))
        @if text(&session, "status") == "OPEN" {
            (form(visit, said, &target, "close", &[("version", &session["version"])], fields))
            p { (link(basket(visit, id, ""), "Continue selling")) }
        } @else {
            p { "The session is closed. " (link(address(visit, ""), "Registers")) }
        }
    };
    finish(visit, "Close the session", said, body).await
}

fn draw_report(report: &Value) -> Markup {
    let (cash, receipts) = (&report["cash"], &report["receipts"]);
    let rows = [
        ("At the opening", text(report, "openingAmount")),
        ("Sales in cash", text(cash, "sales")),
        ("Paid in", text(&cash["movementsIn"], "amount")),
        ("Paid out", text(&cash["movementsOut"], "amount")),
        ("Refunds", text(&cash["refunds"], "amount")),
        ("Refunds that were voided", text(&cash["refundsVoided"], "amount")),
        ("Expected in the drawer", text(cash, "expected")),
        ("Counted", text(report, "countedAmount")),
        ("Variance", text(report, "variance")),
    ];
    html! {
        h2 { "Cash" }
        dl.record {
            @for (label, value) in rows.iter().filter(|(_, value)| !value.is_empty()) { dt { (label) } dd.number { (amount(value)) } }
        }
        h2 { "Receipts" }
        dl.record {
            dt { "Number" } dd.number { (receipts["count"]) }
            dt { "Total" } dd.number { (amount(text(receipts, "total"))) " " (text(report, "currencyCode")) }
            @for method in list(report, "byMethod") {
                dt { (word(text(method, "method"))) " " (word(text(method, "cardKind"))) }
                dd.number { (amount(text(method, "amount"))) " (" (method["count"]) ")" }
            }
        }
    }
}
