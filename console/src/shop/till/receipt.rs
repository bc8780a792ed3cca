//! The receipt of a sale, as it is printed on a roll of 80 mm.

use axum::response::Response;
use maud::html;
use serde_json::Value;

use crate::call::Problem;
use crate::clock::Clock;
use crate::page;
use crate::shop::figures::{amount, quantity};
use crate::shop::till::address;
use crate::shop::{Visit, list, text, word};

pub async fn respond(visit: &Visit<'_>, session: &str, id: &str) -> Result<Response, Problem> {
    let (frame, receipt) = tokio::join!(visit.frame(), visit.read("getPosReceipt", &[id], &[]));
    let (frame, receipt) = (frame?, receipt?);
    let order = visit.read("getSalesOrder", &[text(&receipt, "orderId")], &[]).await?;
    let clock = Clock { zone: frame.context.zone };
    let currency = text(&receipt, "currencyCode");
    let serials = |line: &Value| {
        let units = list(line, "units").iter().filter(|unit| text(unit, "outcome") != "RELEASED");
        let names =
            units.map(|unit| ["imei1", "serialNumber"].map(|name| text(unit, name)).join(" ").trim().to_owned());
        names.collect::<Vec<_>>().join(", ")
    };
    let body = html! {
        div.receipt {
            h2 { (frame.context.name) }
            p { time datetime=(text(&receipt, "createdAt")) { (clock.to_text(text(&receipt, "createdAt")).replace('T', " ")) } }
            p { "Order " (text(&order, "number")) }
            table {
                thead { tr { th scope="col" { "Article" } th.amount scope="col" { "Amount" } } }
                tbody { @for line in list(&order, "items") {
                    tr {
                        td data-label="Article" {
                            (text(line, "description")) br;
                            small { (text(line, "sku")) ", " (quantity(text(line, "quantity"))) " x " (amount(text(line, "unitPrice"))) }
                            @let serials = serials(line);
                            @if !serials.is_empty() { br; small { (serials) } }
                        }
                        td.amount data-label="Amount" { (amount(text(line, "lineTotal"))) }
                    }
                } }
            }
            dl {
                dt { "Total" } dd.total { (amount(text(&receipt, "total"))) " " (currency) }
                @for payment in list(&receipt, "payments") {
                    dt { (word(text(payment, "method"))) " " (text(payment, "reference")) }
                    dd.amount { (amount(text(payment, "amount"))) }
                }
                @if !text(&receipt, "cashAmount").is_empty() {
                    dt { "Received" } dd.amount { (amount(text(&receipt, "tenderedAmount"))) }
                    dt { "Change" } dd.amount { (amount(text(&receipt, "changeAmount"))) }
                }
            }
            small { "Receipt " (id) }
        }
        div.buttons {
            a.main href=(address(visit, session, "")) { "Next sale" }
            a href=(visit.address(&format!("/-/orders/{}", text(&order, "id")))) { "Timeline of the order" }
        }
        p { "Print the page with the browser: only the receipt is printed." }
    };
    Ok(page::draw(&frame, "Receipt", body))
}
