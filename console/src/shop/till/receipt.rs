//! The receipt of a sale, as it is printed on a roll of 80 mm.

use axum::response::Response;
use maud::html;
use serde_json::Value;

use crate::call::Problem;
use crate::page::{self, Visit};
use crate::shop::figures::quantity;
use crate::shop::parts::{cell, link, table};
use crate::shop::till::basket;
use crate::shop::{list, read, text, word};
use crate::show::value::{amount, instant};

pub async fn respond(visit: &Visit, session: &str, id: &str) -> Result<Response, Problem> {
    let parts = [id];
    let (context, receipt) = tokio::join!(visit.context(), read(visit, "getPosReceipt", &parts, &[]));
    let (context, receipt, clock) = (context?, receipt?, visit.clock().await?);
    let order = read(visit, "getSalesOrder", &[text(&receipt, "orderId")], &[]).await?;
    let row = |line: &Value| {
        let serials = list(line, "units").iter().filter(|unit| text(unit, "outcome") != "RELEASED");
        let serials =
            serials.flat_map(|unit| [text(unit, "imei1"), text(unit, "serialNumber")]).filter(|one| !one.is_empty());
        let count = format!("{} x {}", quantity(text(line, "quantity")), amount(text(line, "unitPrice")));
        let article = html! {
            (text(line, "description")) br; small { (text(line, "sku")) ", " (count) }
            @for serial in serials { br; small { (serial) } }
        };
        [article, cell(amount(text(line, "lineTotal")))]
    };
    let body = html! {
        div.receipt {
            h2 { (context.name) }
            p { (instant(&clock, text(&receipt, "createdAt"))) ", order " (text(&order, "number")) }
            (table(["Article", ">Amount"], list(&order, "items").iter().map(row)))
            dl.record {
                dt { "Total" } dd.total { (amount(text(&receipt, "total"))) " " (text(&receipt, "currencyCode")) }
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
