//! Payment of a basket: confirmation of the order, cash or several ways, and the way back.

use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::Context;
use crate::page::Visit;
use crate::shop::figures::quantity;
use crate::shop::parts::{Hidden, cell, choices, decimal, form, line, link, number, or_null, select, table, value_of};
use crate::shop::till::{address, basket};
use crate::shop::{Done, Said, is_permitted, list, text, word, write};
use crate::show::value::amount;

/// Ways of one payment that the form has room for.
const ROWS: usize = 4;

/// Confirms the order at the version and the total that the page showed.
pub async fn confirm(visit: &Visit, session: &str) -> Done {
    let body = json!({ "expectedVersion": number(visit, "version"), "expectedTotal": value_of(visit, "total") });
    let order = write(visit, "confirmSalesOrder", &[value_of(visit, "order")], &body).await?;
    Ok(basket(visit, session, text(&order, "id")) + "&pay=1")
}

pub async fn cancel(visit: &Visit) -> Result<(), Box<Said>> {
    let body = json!({ "expectedVersion": number(visit, "version"), "reason": value_of(visit, "reason") });
    write(visit, "cancelSalesOrder", &[value_of(visit, "order")], &body).await.map(|_| ())
}

/// Checks the order out: in cash, or by the rows that state an amount.
pub async fn check_out(visit: &Visit, session: &str) -> Done {
    let mut body = json!({
        "orderId": value_of(visit, "order"), "expectedOrderVersion": number(visit, "version"),
        "expectedSessionVersion": number(visit, "session"),
    });
    if value_of(visit, "action") == "split" {
        let rows: Vec<Value> = (0..ROWS).filter_map(|row| read_row(visit, row)).collect();
        body["payments"] = Value::from(rows);
        body["cashTendered"] = or_null(value_of(visit, "cashTendered"));
    } else {
        let is_exact = value_of(visit, "do") == "exact";
        body["tenderedAmount"] = Value::from(value_of(visit, if is_exact { "total" } else { "tendered" }));
    }
    let receipt = write(visit, "checkoutPosSession", &[session], &body).await?;
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

/// The page of an order that is no draft any more.
pub fn draw(visit: &Visit, said: &Said, session: &Value, order: &Value, context: &Context) -> Markup {
    let (id, receipt) = (text(session, "id"), text(order, "posReceiptId"));
    let target = basket(visit, id, "");
    let row = |line: &Value| {
        let article = html! { (text(line, "description")) br; small { (text(line, "sku")) } };
        [article, cell(quantity(text(line, "quantity"))), cell(amount(text(line, "lineTotal")))]
    };
    html! {
        (table(["Article", ">Quantity", ">Total"], list(order, "items").iter().map(row)))
        p.total { (amount(text(order, "total"))) " " (text(order, "currencyCode")) }
        @if text(order, "status") == "CONFIRMED" {
            (draw_cash(visit, said, &target, session, order))
            (draw_split(visit, said, &target, session, order))
            (draw_cancel(visit, said, &target, order, context))
        } @else {
            p { "The order " (text(order, "number")) " is " (word(text(order, "status"))) "." }
            @if !receipt.is_empty() { p { (link(address(visit, &format!("/{id}/receipts/{receipt}")), "Receipt")) } }
            p { (link(target, "Next sale")) }
        }
    }
}

fn draw_cash(visit: &Visit, said: &Said, target: &str, session: &Value, order: &Value) -> Markup {
    let total = Value::from(amount(text(order, "total")));
    let hidden: Hidden<'_> =
        &[("order", &order["id"]), ("version", &order["version"]), ("session", &session["version"]), ("total", &total)];
    let fields = html! {
        h2 { "Cash" }
        (decimal(visit, "tendered", "Cash received", true))
        p data-total=(amount(text(order, "total"))) { "Change: " output for="tendered" data-change { "is on the receipt" } }
        div.actions {
            button { "Pay in cash" }
            button.plain name="do" value="exact" { "Exact amount" }
        }
    };
    form(visit, said, target, "cash", hidden, fields)
}

fn draw_split(visit: &Visit, said: &Said, target: &str, session: &Value, order: &Value) -> Markup {
    let methods = choices(visit, "checkoutPosSession", &["payments", "method"]);
    let cards = choices(visit, "checkoutPosSession", &["payments", "cardKind"]);
    let hidden: Hidden<'_> =
        &[("order", &order["id"]), ("version", &order["version"]), ("session", &session["version"])];
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
        details open[value_of(visit, "action") == "split"] {
            summary { "By card, or in several ways" }
            (form(visit, said, target, "split", hidden, fields))
        }
    }
}

/// The way out of a sale. A confirmed order is not edited any more.
pub fn draw_cancel(visit: &Visit, said: &Said, target: &str, order: &Value, context: &Context) -> Markup {
    let hidden: Hidden<'_> = &[("order", &order["id"]), ("version", &order["version"])];
    let fields = html! { (line(visit, "reason", "Reason", 1_000)) button.danger { "Cancel the sale" } };
    html! {
        @if is_permitted(&visit.site, context, "cancelSalesOrder") {
            details { summary { "Cancel the sale" } (form(visit, said, target, "cancel", hidden, fields)) }
        }
    }
}
