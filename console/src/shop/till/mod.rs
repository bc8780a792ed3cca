//! The till: registers, sessions, their opening and their close. The basket is a draft order: its prices are the
//! host's, and it survives the browser.

mod pay;
mod sale;

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::Problem;
use crate::commerce::is_permitted;
use crate::page::Visit;
use crate::shop::parts::{action, cell, decimal, form, line, link, money, number, or_null, table, value_of, word};
use crate::shop::{Done, Said, address_of, finish, items, list, read, text, write};
use crate::show::value::amount;

pub use pay::draw_receipt;
pub use sale::{change, draw_sale, read_order};

/// A page of the till: `""` is its start, `/SESSION` sells.
fn address(visit: &Visit, rest: &str) -> String {
    format!("{}/-/till{rest}", visit.base)
}

/// The address of a session with an order in its basket.
fn basket(visit: &Visit, session: &str, order: &str) -> String {
    let query = if order.is_empty() { String::new() } else { format!("?order={order}") };
    address(visit, &format!("/{session}{query}"))
}

/// The name of the operator in an order, by which the open baskets are found again: the API takes 100 characters.
fn salesperson(visit: &Visit) -> String {
    visit.email.chars().take(100).collect()
}

/// Opens a session, or cancels an order that was left.
pub async fn open(visit: &Visit) -> Done {
    if action(visit) == "cancel" {
        pay::cancel(visit, value_of(visit, "order")).await?;
        return Ok(address(visit, ""));
    }
    let register = value_of(visit, "register");
    let body = json!({ "registerId": register, "openingAmount": value_of(visit, &format!("opening-{register}")) });
    let session = write(visit, "openPosSession", "", &body).await?;
    Ok(basket(visit, text(&session, "id"), ""))
}

pub async fn draw_registers(visit: &Visit, said: &Said) -> Result<Response, Problem> {
    let salesperson = salesperson(visit);
    let (context, registers, sessions, baskets) = tokio::try_join!(
        visit.context(),
        read(visit, "listPosRegisters", "", [("status", "ACTIVE"), ("limit", "100")]),
        read(visit, "listPosSessions", "", [("status", "OPEN"), ("operatorId", &visit.user)]),
        read(visit, "listSalesOrders", "", [("status", "DRAFT"), ("salesperson", &salesperson)]),
    )?;
    let (sessions, can_cancel) = (items(&sessions), is_permitted(&visit.site, context, "cancelSalesOrder"));
    let registers = items(&registers).iter().map(|register| {
        let name = format!("{} ({})", text(register, "name"), text(register, "code"));
        [cell(name), draw_register(visit, said, register, sessions)]
    });
    let baskets = items(&baskets).iter().map(|order| {
        let next = draw_open_basket(visit, said, order, sessions, can_cancel);
        [cell(text(order, "number")), cell(money(order, "total")), next]
    });
    let body = html! {
        (said.draw(&visit.site, &|_| None))
        @if registers.len() == 0 { p { "There is no register: " (link(address_of(visit, "listPosRegisters", ""), "Registers")) } }
        (table(["Register", "Cash session"], registers))
        @if baskets.len() > 0 { h2 { "Your open baskets" } (table(["Order", ">Total", "Next"], baskets)) }
    };
    finish(visit, "Sell at a till", said, body).await
}

fn draw_register(visit: &Visit, said: &Said, register: &Value, own: &[Value]) -> Markup {
    let (id, open) = (text(register, "id"), text(register, "openSessionId"));
    if own.iter().any(|session| text(session, "id") == open) {
        let (sell, close) = (basket(visit, open, ""), address(visit, &format!("/{open}/close")));
        return html! { (link(sell, "Continue selling")) " " (link(close, "Close")) };
    }
    if !open.is_empty() {
        return html! { "Opened by another user" };
    }
    let label = format!("Cash in the drawer, {}", text(register, "currencyCode"));
    let fields = html! { (decimal(visit, &format!("opening-{id}"), &label, false)) button { "Open" } };
    form(visit, said, &format!("open-{id}"), &[("register", &register["id"])], fields)
}

/// A basket goes on in a session of the same place.
fn draw_open_basket(visit: &Visit, said: &Said, order: &Value, own: &[Value], can_cancel: bool) -> Markup {
    let (id, places) = (text(order, "id"), ["legalEntityId", "warehouseId", "priceListId"]);
    let session = own.iter().find(|session| places.iter().all(|place| session[place] == order[place]));
    let reason = Value::from("Left at the till");
    let hidden = [("order", &order["id"]), ("version", &order["version"]), ("reason", &reason)];
    html! {
        @match session {
            Some(session) => (link(basket(visit, text(session, "id"), id), "Continue")),
            None => (link(address_of(visit, "getSalesOrder", id), "Show")),
        }
        @if can_cancel { (form(visit, said, &format!("cancel-{id}"), &hidden, html! { button.plain { "Cancel" } })) }
    }
}

pub async fn close(visit: &Visit, id: &str) -> Done {
    let (counted, notes) = (value_of(visit, "counted"), or_null(value_of(visit, "notes")));
    let body = json!({ "expectedVersion": number(visit, "version"), "countedAmount": counted, "notes": notes });
    write(visit, "closePosSession", id, &body).await?;
    Ok(address(visit, &format!("/{id}/close")))
}

pub async fn draw_close(visit: &Visit, id: &str, said: &Said) -> Result<Response, Problem> {
    let (_, session, report) = tokio::try_join!(
        visit.context(),
        read(visit, "getPosSession", id, []),
        read(visit, "getPosSessionReport", id, []),
    )?;
    let fields = html! {
        (decimal(visit, "counted", &format!("Cash counted in the drawer, {}", text(&session, "currencyCode")), true))
        (line(visit, "notes", "Notes", 1_000))
        button { "Close the session" }
    };
    let body = html! {
        (said.draw(&visit.site, &|_| None))
        p { "Session " (session["sessionNo"]) " of the register " (text(&report, "registerCode")) }
        (draw_report(&report))
        @if text(&session, "status") == "OPEN" {
            (form(visit, said, "close", &[("version", &session["version"])], fields))
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
