//! Payment of a basket: confirmation of the order, cash or several ways, and the way back.

use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::Problem;
use crate::page::Frame;
use crate::shop::figures::amount;
use crate::shop::till::address;
use crate::shop::till::lines::{Said, Step};
use crate::shop::{Visit, is_permitted, list, text, word};

/// Ways of one payment that the form has room for.
const ROWS: usize = 4;

/// Confirms the order at the version and the total that the page showed.
pub async fn confirm(visit: &Visit<'_>, session: &str) -> Step {
    let body = json!({ "expectedVersion": visit.number("version"), "expectedTotal": visit.field("total") });
    match visit.write("confirmSalesOrder", &[visit.field("order")], &body).await {
        Ok(order) => Step::Done(address(visit, session, text(&order, "id")) + "&pay=1"),
        Err(problem) => Step::reject("confirmSalesOrder", problem),
    }
}

pub async fn cancel(visit: &Visit<'_>, session: &str) -> Step {
    let body = json!({ "expectedVersion": visit.number("version"), "reason": visit.field("reason") });
    match visit.write("cancelSalesOrder", &[visit.field("order")], &body).await {
        Ok(_) => Step::Done(address(visit, session, "")),
        Err(problem) => Step::reject("cancelSalesOrder", problem),
    }
}

/// Checks the order out: in cash, or by the rows that state an amount.
pub async fn check_out(visit: &Visit<'_>, session: &str) -> Step {
    let mut body = json!({
        "orderId": visit.field("order"), "expectedOrderVersion": visit.number("version"),
        "expectedSessionVersion": visit.number("session"),
    });
    if visit.field("action") == "split" {
        body["payments"] = (0..ROWS).filter_map(|row| read_row(visit, row)).collect();
        body["cashTendered"] = stated(visit.field("cash"));
    } else {
        let exact = if visit.field("do") == "exact" { "total" } else { "tendered" };
        body["tenderedAmount"] = Value::from(visit.field(exact));
    }
    match visit.write("checkoutPosSession", &[session], &body).await {
        Ok(receipt) => Step::Done(visit.address(&format!("/-/till/{session}/receipts/{}", text(&receipt, "id")))),
        Err(problem) => Step::reject("checkoutPosSession", problem),
    }
}

fn stated(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { Value::from(text) }
}

fn read_row(visit: &Visit<'_>, row: usize) -> Option<Value> {
    let field = |name: &str| visit.field(&format!("{name}-{row}"));
    (!field("amount").is_empty()).then(|| {
        json!({
            "method": field("method"), "amount": field("amount"), "cardKind": stated(field("card")),
            "reference": stated(field("reference")),
        })
    })
}

/// The page of an order that is no draft any more.
pub fn draw(visit: &Visit<'_>, frame: &Frame, session: &Value, order: &Value, said: &Said) -> Markup {
    let id = text(session, "id");
    let problem = said.problem.as_ref().map(|(_, problem)| problem);
    html! {
        table {
            thead { tr { th scope="col" { "Article" } th.amount scope="col" { "Quantity" } th.amount scope="col" { "Total" } } }
            tbody { @for line in list(order, "items") {
                tr {
                    td data-label="Article" { (text(line, "description")) br; small { (text(line, "sku")) } }
                    td.amount data-label="Quantity" { (crate::shop::figures::quantity(text(line, "quantity"))) }
                    td.amount data-label="Total" { (amount(text(line, "lineTotal"))) }
                }
            } }
        }
        p.total { (amount(text(order, "total"))) " " (text(order, "currencyCode")) }
        @if text(order, "status") == "CONFIRMED" {
            (draw_cash(visit, session, order, problem))
            (draw_split(visit, session, order, problem))
            (draw_cancel(visit, frame, id, order, problem))
        } @else {
            p { "The order " (text(order, "number")) " is " (word(text(order, "status"))) "." }
            @let receipt = text(order, "posReceiptId");
            @if !receipt.is_empty() {
                p { a href={ (address(visit, id, "")) "/receipts/" (receipt) } { "Receipt" } }
            }
            p { a href=(address(visit, id, "")) { "Next sale" } }
        }
    }
}

fn hide_versions(session: &Value, order: &Value) -> Markup {
    html! {
        input type="hidden" name="order" value=(text(order, "id"));
        input type="hidden" name="version" value=(order["version"]);
        input type="hidden" name="session" value=(session["version"]);
    }
}

fn draw_cash(visit: &Visit<'_>, session: &Value, order: &Value, problem: Option<&Problem>) -> Markup {
    let total = amount(text(order, "total"));
    html! {
        form method="post" action=(address(visit, text(session, "id"), "")) data-total=(total) {
            h2 { "Cash" }
            (visit.hide("cash", problem))
            (hide_versions(session, order))
            input type="hidden" name="total" value=(total);
            label for="tendered" { "Cash received" }
            input id="tendered" name="tendered" inputmode="decimal" autocomplete="off" autofocus data-scan
                value=(visit.field("tendered"));
            p { "Change: " output for="tendered" data-change { "is on the receipt" } }
            div.buttons {
                button.main { "Pay in cash" }
                button name="do" value="exact" { "Exact amount" }
            }
        }
    }
}

fn draw_split(visit: &Visit<'_>, session: &Value, order: &Value, problem: Option<&Problem>) -> Markup {
    let methods = visit.choices("checkoutPosSession", &["payments", "method"]);
    let cards = visit.choices("checkoutPosSession", &["payments", "cardKind"]);
    let option = |value: &str, chosen: &str| html! { option value=(value) selected[value == chosen] { (word(value)) } };
    html! {
        details open[visit.field("action") == "split"] {
            summary { "By card, or in several ways" }
            form method="post" action=(address(visit, text(session, "id"), "")) {
                (visit.hide("split", problem))
                (hide_versions(session, order))
                @for row in 0..ROWS {
                    @let name = |part: &str| format!("{part}-{row}");
                    @let typed = |part: &str| visit.field(&name(part));
                    fieldset {
                        legend { "Payment " (row + 1) }
                        label for=(name("method")) { "Method" }
                        select id=(name("method")) name=(name("method")) {
                            @for method in &methods { (option(method, if typed("method").is_empty() { "CARD" } else { typed("method") })) }
                        }
                        label for=(name("amount")) { "Amount" }
                        input id=(name("amount")) name=(name("amount")) inputmode="decimal" autocomplete="off" value=(typed("amount"));
                        label for=(name("card")) { "Kind of the card" }
                        select id=(name("card")) name=(name("card")) {
                            option value="" { "no card" }
                            @for card in &cards { (option(card, typed("card"))) }
                        }
                        label for=(name("reference")) { "Reference, unless in cash" }
                        input id=(name("reference")) name=(name("reference")) maxlength="120" autocomplete="off" value=(typed("reference"));
                    }
                }
                label for="cash" { "Cash received for the payment in cash, if it is more" }
                input id="cash" name="cash" inputmode="decimal" autocomplete="off" value=(visit.field("cash"));
                button { "Pay" }
            }
        }
    }
}

/// The way out of a sale. A confirmed order is not edited any more.
pub fn draw_cancel(
    visit: &Visit<'_>,
    frame: &Frame,
    session: &str,
    order: &Value,
    problem: Option<&Problem>,
) -> Markup {
    if !is_permitted(visit.site, &frame.context, "cancelSalesOrder") {
        return html! {};
    }
    html! {
        details {
            summary { "Cancel the sale" }
            form method="post" action=(address(visit, session, "")) {
                (visit.hide("cancel", problem))
                input type="hidden" name="order" value=(text(order, "id"));
                input type="hidden" name="version" value=(order["version"]);
                label for="reason" { "Reason" }
                input id="reason" name="reason" maxlength="1000" required value=(visit.field("reason"));
                button { "Cancel the sale" }
            }
        }
    }
}
