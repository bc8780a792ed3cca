//! Payment of a basket: confirmation of the order, cash or several ways, the receipt, and the way back.

use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::{Context, Problem};
use crate::commerce::is_permitted;
use crate::page::{self, Visit};
use crate::shop::parts::{
    action, cell, choices, decimal, form, line, link, money, number, or_null, quantity, select, table, value_of, word,
};
use crate::shop::till::{address, basket};
use crate::shop::{Done, Said, items, list, read, text, write};
use crate::show::value::{amount, instant};

/// Ways of one payment that the form has room for.
const ROWS: usize = 4;

/// Confirms the order at the version and the total that the page showed.
pub async fn confirm(visit: &Visit, session: &str, order: &str) -> Done {
    let body = json!({ "expectedVersion": number(visit, "version"), "expectedTotal": value_of(visit, "total") });
    write(visit, "confirmSalesOrder", order, &body).await?;
    Ok(basket(visit, session, order) + "&pay=1")
}

pub async fn cancel(visit: &Visit, order: &str) -> Result<Value, Said> {
    let body = json!({ "expectedVersion": number(visit, "version"), "reason": value_of(visit, "reason") });
    write(visit, "cancelSalesOrder", order, &body).await
}

/// Checks the order out: in cash, or by the rows that state an amount.
pub async fn check_out(visit: &Visit, session: &str, order: &str) -> Done {
    let mut body = json!({
        "orderId": order, "expectedOrderVersion": number(visit, "version"),
        "expectedSessionVersion": number(visit, "session"),
    });
    if action(visit) == "split" {
        body["payments"] = (0..ROWS).filter_map(|row| read_row(visit, row)).collect();
        body["cashTendered"] = or_null(value_of(visit, "cashTendered"));
    } else {
        let is_exact = value_of(visit, "do") == "exact";
        body["tenderedAmount"] = Value::from(value_of(visit, if is_exact { "total" } else { "tendered" }));
    }
    let receipt = write(visit, "checkoutPosSession", session, &body).await?;
    Ok(address(visit, &format!("/{session}/receipts/{}", text(&receipt, "id"))))
}

fn read_row(visit: &Visit, row: usize) -> Option<Value> {
    let field = |name: &str| value_of(visit, &format!("{name}-{row}"));
    (!field("amount").is_empty()).then(|| {
        json!({
            "method": field("method"), "amount": field("amount"), "cardKind": or_null(field("card")),
            "reference": or_null(field("reference")),
        })
    })
}

/// The page of an order that is not a draft any more.
pub fn draw(visit: &Visit, said: &Said, session: &Value, order: &Value, context: &Context) -> Markup {
    let (id, receipt) = (text(session, "id"), text(order, "posReceiptId"));
    let row = |line: &Value| {
        let article = html! { (text(line, "description")) br; small { (text(line, "sku")) } };
        [article, cell(quantity(text(line, "quantity"))), cell(amount(text(line, "lineTotal")))]
    };
    html! {
        (table(["Article", ">Quantity", ">Total"], items(order).iter().map(row)))
        p.total { (money(order, "total")) }
        @if text(order, "status") == "CONFIRMED" {
            (draw_cash(visit, said, session, order))
            (draw_split(visit, said, session, order))
            (draw_cancel(visit, said, order, context))
        } @else {
            p { "The order " (text(order, "number")) " is " (word(text(order, "status"))) "." }
            @if !receipt.is_empty() { p { (link(address(visit, &format!("/{id}/receipts/{receipt}")), "Receipt")) } }
            p { (link(basket(visit, id, ""), "Next sale")) }
        }
    }
}

fn draw_cash(visit: &Visit, said: &Said, session: &Value, order: &Value) -> Markup {
    let total = Value::from(amount(text(order, "total")));
    let fields = html! {
        h2 { "Cash" }
        (decimal(visit, "tendered", "Cash received", true))
        p data-total=(amount(text(order, "total"))) { "Change: " output for="tendered" data-change { "is on the receipt" } }
        div.actions {
            button { "Pay in cash" }
            button.plain name="do" value="exact" { "Exact amount" }
        }
    };
    let hidden = [("version", &order["version"]), ("session", &session["version"]), ("total", &total)];
    form(visit, said, "cash", &hidden, fields)
}

fn draw_split(visit: &Visit, said: &Said, session: &Value, order: &Value) -> Markup {
    let [methods, cards] = ["method", "cardKind"].map(|name| choices(visit, "checkoutPosSession", &["payments", name]));
    let fields = html! {
        @for row in 0..ROWS {
            fieldset.fields {
                legend { "Payment " (row + 1) }
                (select(visit, &format!("method-{row}"), "Method", "none", &methods))
                (decimal(visit, &format!("amount-{row}"), "Amount", false))
                (select(visit, &format!("card-{row}"), "Kind of the card", "no card", &cards))
                (line(visit, &format!("reference-{row}"), "Reference, unless in cash", 120))
            }
        }
        (decimal(visit, "cashTendered", "Cash received, if it is more than the payment in cash", false))
        button { "Pay" }
    };
    html! {
        details open[action(visit) == "split"] {
            summary { "By card, or in several ways" }
            (form(visit, said, "split", &[("version", &order["version"]), ("session", &session["version"])], fields))
        }
    }
}

/// The way out of a sale. A confirmed order is not edited any more.
pub fn draw_cancel(visit: &Visit, said: &Said, order: &Value, context: &Context) -> Markup {
    let fields = html! { (line(visit, "reason", "Reason", 1_000)) button.danger { "Cancel the sale" } };
    html! {
        @if is_permitted(&visit.site, context, "cancelSalesOrder") {
            details { summary { "Cancel the sale" } (form(visit, said, "cancel", &[("version", &order["version"])], fields)) }
        }
    }
}

/// The receipt of a sale, as it is printed on a roll of 80 mm.
pub async fn draw_receipt(visit: &Visit, session: &str, id: &str) -> Result<Response, Problem> {
    let (context, receipt) = tokio::try_join!(visit.context(), read(visit, "getPosReceipt", id, []))?;
    let clock = visit.clock().await?;
    let order = read(visit, "getSalesOrder", text(&receipt, "orderId"), []).await?;
    let row = |line: &Value| {
        let sold = list(line, "units").iter().filter(|unit| text(unit, "outcome") != "RELEASED");
        let serials = sold.flat_map(|unit| [text(unit, "imei1"), text(unit, "serialNumber")]);
        let count = format!("{} x {}", quantity(text(line, "quantity")), amount(text(line, "unitPrice")));
        let article = html! {
            (text(line, "description")) br; small { (text(line, "sku")) ", " (count) }
            @for serial in serials.filter(|serial| !serial.is_empty()) { br; small { (serial) } }
        };
        [article, cell(amount(text(line, "lineTotal")))]
    };
    let body = html! {
        div.receipt {
            h2 { (context.name) }
            p { (instant(&clock, text(&receipt, "createdAt"))) ", order " (text(&order, "number")) }
            (table(["Article", ">Amount"], items(&order).iter().map(row)))
            dl.record {
                dt { "Total" } dd.total { (money(&receipt, "total")) }
                @for payment in list(&receipt, "payments") {
                    dt { (word(text(payment, "method"))) " " (text(payment, "reference")) }
                    dd.number { (amount(text(payment, "amount"))) }
                }
                @if !text(&receipt, "cashAmount").is_empty() {
                    dt { "Received" } dd.number { (amount(text(&receipt, "tenderedAmount"))) }
                    dt { "Change" } dd.number { (amount(text(&receipt, "changeAmount"))) }
                }
            }
            small { "Receipt " (id) }
        }
        p.actions {
            a.button href=(basket(visit, session, "")) { "Next sale" }
            (link(format!("{}/-/orders/{}", visit.base, text(&order, "id")), "Timeline of the order"))
        }
        p { "Print the page with the browser: only the receipt is printed." }
    };
    page::draw(visit, "Receipt", body).await
}
