//! The till: registers, sessions and their opening. The basket is a draft order: its prices are the host's, and it survives the
//! browser.

mod close;
mod lines;
mod pay;
mod receipt;

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::Problem;
use crate::page::{self, Visit};
use crate::shop::parts::{cell, decimal, form, link, table, value_of};
use crate::shop::{Done, Said, address_of, finish, is_permitted, items, read, text, write};
use crate::show::value::amount;

#[rustfmt::skip]
pub const NEEDS: &[&str] = &[
    "listPosRegisters", "listPosSessions", "getPosSession", "openPosSession", "checkoutPosSession", "closePosSession",
    "getPosReceipt", "getPosSessionReport", "listSalesOrders", "getSalesOrder", "createSalesOrder", "replaceSalesOrder",
    "confirmSalesOrder", "listCustomers", "listVariants",
];

pub async fn respond(visit: &Visit, rest: &str) -> Result<Response, Problem> {
    let parts: Vec<&str> = rest.split('/').filter(|part| !part.is_empty()).collect();
    match parts[..] {
        [session] => lines::respond(visit, session).await,
        [session, "close"] => close::respond(visit, session).await,
        [session, "receipts", receipt] => receipt::respond(visit, session, receipt).await,
        _ => start(visit).await,
    }
}

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
fn salesperson(visit: &Visit) -> &str {
    visit.email.char_indices().nth(100).and_then(|(end, _)| visit.email.get(..end)).unwrap_or(&visit.email)
}

async fn start(visit: &Visit) -> Result<Response, Problem> {
    let done = match value_of(visit, "action") {
        "" => Err(Box::default()),
        "open" => open(visit).await,
        _ => pay::cancel(visit).await.map(|()| address(visit, "")),
    };
    match done {
        Ok(address) => Ok(page::redirect(&address)),
        Err(said) => draw(visit, &said).await,
    }
}

async fn open(visit: &Visit) -> Done {
    let register = value_of(visit, "register");
    let opening = value_of(visit, &format!("opening-{register}"));
    let body = json!({ "registerId": register, "openingAmount": opening });
    let session = write(visit, "openPosSession", &[], &body).await?;
    Ok(basket(visit, text(&session, "id"), ""))
}

async fn draw(visit: &Visit, said: &Said) -> Result<Response, Problem> {
    let of_user = [("status", "OPEN"), ("operatorId", visit.user.as_str())];
    let of_baskets = [("status", "DRAFT"), ("salesperson", salesperson(visit))];
    let (context, registers, sessions, baskets) = tokio::join!(
        visit.context(),
        read(visit, "listPosRegisters", &[], &[("status", "ACTIVE"), ("limit", "100")]),
        read(visit, "listPosSessions", &[], &of_user),
        read(visit, "listSalesOrders", &[], &of_baskets),
    );
    let (context, registers, sessions, baskets) = (context?, registers?, sessions?, baskets?);
    let (sessions, can_cancel) = (items(&sessions), is_permitted(&visit.site, context, "cancelSalesOrder"));
    let registers = items(&registers).iter().map(|register| {
        [
            cell(format!("{} ({})", text(register, "name"), text(register, "code"))),
            draw_register(visit, said, register, sessions),
        ]
    });
    let baskets = items(&baskets).iter().map(|order| {
        let total = format!("{} {}", amount(text(order, "total")), text(order, "currencyCode"));
        [cell(text(order, "number")), cell(total), draw_open_basket(visit, said, order, sessions, can_cancel)]
    });
    let body = html! {
        (said.draw(&visit.site, &|_| String::new()))
        @if registers.len() == 0 { p { "There is no register: " (link(address_of(visit, "listPosRegisters", &[]), "Registers")) } }
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
    let fields = html! {
        (decimal(visit, &format!("opening-{id}"), &label, false))
        button { "Open" }
    };
    form(visit, said, &address(visit, ""), &format!("open-{id}"), &[("register", &register["id"])], fields)
}

/// A basket goes on in a session of the same place.
fn draw_open_basket(visit: &Visit, said: &Said, order: &Value, own: &[Value], can_cancel: bool) -> Markup {
    let (id, places) = (text(order, "id"), ["legalEntityId", "warehouseId", "priceListId"]);
    let session = own.iter().find(|session| places.iter().all(|place| session[place] == order[place]));
    let hidden =
        [("order", &order["id"]), ("version", &order["version"]), ("reason", &Value::from("Left at the till"))];
    let cancel = || {
        form(visit, said, &address(visit, ""), &format!("cancel-{id}"), &hidden, html! { button.plain { "Cancel" } })
    };
    html! {
        @match session {
            Some(session) => (link(basket(visit, text(session, "id"), id), "Continue")),
            None => (link(address_of(visit, "getSalesOrder", &[id]), "Show")),
        }
        @if can_cancel { (cancel()) }
    }
}
