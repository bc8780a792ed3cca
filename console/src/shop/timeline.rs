//! The life of a sales order, from the records of all modules, in the sequence of the instants.

use axum::response::Response;
use futures_util::future::join_all;
use maud::{Markup, html};
use serde_json::Value;

use crate::call::Problem;
use crate::page::Visit;
use crate::shop::parts::{link, money, quantity, word};
use crate::shop::{Said, address_of, finish, items, read, read_if, text};
use crate::show::value::instant;

/// Records of an order: a word for them, their list, and the parameter of the list that takes the order.
const KINDS: [(&str, &str, &str); 6] = [
    ("movements", "listMovements", "referenceId"),
    ("invoices", "listSalesInvoices", "orderId"),
    ("payments", "listSalesPayments", "orderId"),
    ("receipts", "listPosReceipts", "orderId"),
    ("returns", "listSalesReturns", "orderId"),
    ("audit entries", "listAuditEntries", "resourceId"),
];

pub async fn draw(visit: &Visit, id: &str) -> Result<Response, Problem> {
    let (clock, order) = tokio::try_join!(visit.clock(), read(visit, "getSalesOrder", id, []))?;
    let records = KINDS.map(|(kind, list, parameter)| {
        let reference = if kind == "movements" { "SALES_ORDER" } else { "" };
        read_if(visit, list, "", [("referenceType", reference), (parameter, id), ("limit", "100")])
    });
    let records = join_all(records).await;
    let mut entries = list_steps(&order);
    let mut missing = Vec::new();
    for ((kind, ..), records) in KINDS.iter().zip(records) {
        let page = records.as_ref().unwrap_or(&Value::Null);
        entries.extend(
            items(page)
                .iter()
                .map(|record| (text(record, "createdAt").to_owned(), describe(visit, kind, record, &order))),
        );
        if records.is_err() || !text(page, "nextCursor").is_empty() {
            missing.push(*kind);
        }
    }
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    let body = html! {
        p {
            (link(address_of(visit, "getSalesOrder", id), text(&order, "number"))) ", " (word(text(&order, "status"))) ", "
            (money(&order, "total"))
        }
        @if !missing.is_empty() { p.faults role="alert" { "Not all are shown: " (missing.join(", ")) } }
        ol.timeline { @for (at, entry) in &entries { li { (instant(&clock, at)) " " (entry) } } }
    };
    finish(visit, &format!("Timeline of {}", text(&order, "number")), &Said::Nothing, body).await
}

/// The steps that the order itself states.
fn list_steps(order: &Value) -> Vec<(String, Markup)> {
    let cancelled = format!("Cancelled: {}", text(order, "cancelReason"));
    let steps = [
        ("createdAt", "Drafted"),
        ("confirmedAt", "Confirmed: goods reserved, prices fixed"),
        ("completedAt", "Delivered"),
        ("cancelledAt", &cancelled),
    ];
    let steps = steps.iter().map(|(member, step)| (text(order, member).to_owned(), html! { (step) }));
    steps.filter(|(at, _)| !at.is_empty()).collect()
}

fn describe(visit: &Visit, kind: &str, record: &Value, order: &Value) -> Markup {
    let (id, number, status) = (text(record, "id"), text(record, "number"), word(text(record, "status")));
    match kind {
        "movements" => {
            let line = items(order).iter().find(|line| line["variantId"] == record["variantId"]);
            let (kind, sku) = (word(text(record, "movementType")), line.map_or("goods", |line| text(line, "sku")));
            let list = address_of(visit, "listMovements", "") + "?referenceType=SALES_ORDER&referenceId=";
            let goods = format!("Stock, {kind}: {} x {sku}", quantity(text(record, "quantity")));
            link(list + text(order, "id"), goods)
        }
        "invoices" => {
            let invoice = format!("Invoice {number}, {status}: {}", money(record, "total"));
            link(address_of(visit, "getSalesInvoice", id), invoice)
        }
        "payments" => {
            let payment = format!("Payment {number}, {}: {}", word(text(record, "method")), money(record, "amount"));
            link(address_of(visit, "getSalesPayment", id), payment)
        }
        "receipts" => {
            let address = format!("{}/-/till/{}/receipts/{id}", visit.base, text(record, "sessionId"));
            link(address, format!("Receipt of a register: {}", money(record, "total")))
        }
        "returns" => {
            let goods = format!("Return, {status}: {}", text(record, "reason"));
            link(address_of(visit, "getSalesReturn", id), goods)
        }
        _ => {
            let operation = text(record, "operation");
            let summary = visit.site.operation(operation).map_or(operation, |operation| operation.summary.as_str());
            html! { "Audit: " (summary) ", by " (text(record, "actorId")) }
        }
    }
}
