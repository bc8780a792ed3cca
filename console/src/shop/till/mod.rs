//! The till: registers, sessions and their opening. The basket is a draft order: the host has its prices, and nothing is lost if the
//! browser fails.

pub mod close;
pub mod lines;
pub mod pay;
pub mod receipt;

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::Problem;
use crate::page;
use crate::shop::figures::amount;
use crate::shop::{Visit, find_record, is_permitted, items, text};

pub const NEEDS: &[&str] = &[
    "listPosRegisters",
    "listPosSessions",
    "getPosSession",
    "openPosSession",
    "checkoutPosSession",
    "closePosSession",
    "getPosReceipt",
    "getPosSessionReport",
    "listSalesOrders",
    "getSalesOrder",
    "createSalesOrder",
    "replaceSalesOrder",
    "confirmSalesOrder",
    "listCustomers",
    "listVariants",
];

pub async fn respond(visit: &Visit<'_>) -> Result<Response, Problem> {
    let parts: Vec<&str> = visit.rest.split('/').filter(|part| !part.is_empty()).collect();
    match parts[..] {
        [] => start(visit).await,
        [session] => lines::respond(visit, session).await,
        [session, "close"] => close::respond(visit, session).await,
        [session, "receipts", receipt] => receipt::respond(visit, session, receipt).await,
        _ => Ok(page::redirect(&visit.address("/-/till"))),
    }
}

/// The address of a session at the till, with an order in its basket.
pub fn address(visit: &Visit<'_>, session: &str, order: &str) -> String {
    let query = if order.is_empty() { String::new() } else { format!("?order={order}") };
    visit.address(&format!("/-/till/{session}{query}"))
}

/// The name that a basket has, by which its operator finds it again: `salesperson` takes 100 characters.
pub fn salesperson<'a>(visit: &Visit<'a>) -> &'a str {
    visit.email.char_indices().nth(100).and_then(|(end, _)| visit.email.get(..end)).unwrap_or(visit.email)
}

async fn start(visit: &Visit<'_>) -> Result<Response, Problem> {
    let done = match visit.field("action") {
        "" => return draw(visit, None).await,
        "open" => {
            let body = json!({ "registerId": visit.field("register"), "openingAmount": visit.field("opening") });
            let opened = visit.write("openPosSession", &[], &body).await;
            opened.map(|session| address(visit, text(&session, "id"), ""))
        }
        _ => {
            let body = json!({ "expectedVersion": visit.number("version"), "reason": "Abandoned at the till" });
            let cancelled = visit.write("cancelSalesOrder", &[visit.field("order")], &body).await;
            cancelled.map(|_| visit.address("/-/till"))
        }
    };
    match done {
        Ok(address) => Ok(page::redirect(&address)),
        Err(problem) => draw(visit, Some(problem)).await,
    }
}

async fn draw(visit: &Visit<'_>, problem: Option<Problem>) -> Result<Response, Problem> {
    let (frame, registers, sessions, baskets) = tokio::join!(
        visit.frame(),
        visit.read("listPosRegisters", &[], &[("status", "ACTIVE"), ("limit", "100")]),
        visit.read("listPosSessions", &[], &[("status", "OPEN"), ("operatorId", visit.user)]),
        visit.read("listSalesOrders", &[], &[("status", "DRAFT"), ("salesperson", salesperson(visit))]),
    );
    let (frame, registers, sessions, baskets) = (frame?, registers?, sessions?, baskets?);
    let can_cancel = is_permitted(visit.site, &frame.context, "cancelSalesOrder");
    let body = html! {
        @if let Some(problem) = &problem {
            (visit.explain("openPosSession", problem, &|item| item.pointer.clone()))
        }
        h2 { "Registers" }
        @if items(&registers).is_empty() {
            p { "The company has no register. " a href=(visit.page_of("listPosRegisters", &[])) { "Registers" } }
        }
        table {
            thead { tr { th scope="col" { "Register" } th scope="col" { "Cash session" } } }
            tbody { @for register in items(&registers) {
                tr {
                    td data-label="Register" { (text(register, "name")) " (" (text(register, "code")) ")" }
                    td data-label="Cash session" { (draw_session(visit, register, items(&sessions), problem.as_ref())) }
                }
            } }
        }
        @if !items(&baskets).is_empty() {
            h2 { "Your open baskets" }
            table {
                thead { tr { th scope="col" { "Order" } th.amount scope="col" { "Total" } th scope="col" { "Next" } } }
                tbody { @for basket in items(&baskets) {
                    tr {
                        td data-label="Order" { (text(basket, "number")) }
                        td.amount data-label="Total" { (amount(text(basket, "total"))) " " (text(basket, "currencyCode")) }
                        td data-label="Next" { (draw_basket(visit, basket, items(&sessions), can_cancel)) }
                    }
                } }
            }
        }
    };
    let status = problem.map_or(http::StatusCode::OK, |problem| problem.status);
    Ok(page::draw_with_status(&frame, status, "Sell at a till", body))
}

fn draw_session(visit: &Visit<'_>, register: &Value, own: &[Value], problem: Option<&Problem>) -> Markup {
    let (id, open) = (text(register, "id"), text(register, "openSessionId"));
    let opening = format!("opening-{id}");
    html! {
        @if find_record(own, open).is_some() {
            a href=(address(visit, open, "")) { "Continue selling" } " "
            a href={ (address(visit, open, "")) "/close" } { "Close" }
        } @else if !open.is_empty() {
            "Opened by another user"
        } @else {
            form method="post" {
                (visit.hide("open", problem))
                input type="hidden" name="register" value=(id);
                label for=(opening) { "Cash in the drawer, " (text(register, "currencyCode")) }
                input id=(opening) name="opening" inputmode="decimal" required value=(
                    if visit.field("register") == id { visit.field("opening") } else { "" }
                );
                button { "Open" }
            }
        }
    }
}

/// A basket goes on in a session of the same place.
fn draw_basket(visit: &Visit<'_>, basket: &Value, own: &[Value], can_cancel: bool) -> Markup {
    let is_of = |session: &&Value| {
        ["legalEntityId", "warehouseId", "priceListId"].iter().all(|name| text(session, name) == text(basket, name))
    };
    html! {
        div.buttons {
            @if let Some(session) = own.iter().find(is_of) {
                a href=(address(visit, text(session, "id"), text(basket, "id"))) { "Continue" }
            } @else {
                a href=(visit.page_of("getSalesOrder", &[text(basket, "id")])) { "Show" }
            }
            @if can_cancel {
                form method="post" {
                    (visit.hide("cancel", None))
                    input type="hidden" name="order" value=(text(basket, "id"));
                    input type="hidden" name="version" value=(basket["version"]);
                    button { "Cancel" }
                }
            }
        }
    }
}
