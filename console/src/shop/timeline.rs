//! The life of a sales order, from the records of all modules, in the sequence of the instants.

use axum::response::Response;
use maud::html;
use serde_json::Value;

use crate::call::Problem;
use crate::page::Visit;
use crate::shop::figures::quantity;
use crate::shop::parts::link;
use crate::shop::{Said, address_of, finish, items, list, read, read_if, text, word};
use crate::show::value::{amount, instant};

struct Entry {
    instant: String,
    what: String,
    /// "" if it has no page.
    address: String,
}

pub async fn respond(visit: &Visit, rest: &str) -> Result<Response, Problem> {
    let id = rest.trim_matches('/');
    let parts = [id];
    let (context, order) = tokio::join!(visit.context(), read(visit, "getSalesOrder", &parts, &[]));
    let (_, order, clock) = (context?, order?, visit.clock().await?);
    let of_order = [("orderId", id), ("limit", "100")];
    let of_goods = [("referenceType", "SALES_ORDER"), ("referenceId", id), ("limit", "100")];
    let of_record = [("resourceId", id), ("limit", "100")];
    let (movements, invoices, payments, receipts, returns, audit) = tokio::join!(
        read_if(visit, "listMovements", &of_goods),
        read_if(visit, "listSalesInvoices", &of_order),
        read_if(visit, "listSalesPayments", &of_order),
        read_if(visit, "listPosReceipts", &of_order),
        read_if(visit, "listSalesReturns", &of_order),
        read_if(visit, "listAuditEntries", &of_record),
    );
    let mut entries = list_steps(&order);
    let mut missing = Vec::new();
    for (kind, read) in [
        ("movements", movements),
        ("invoices", invoices),
        ("payments", payments),
        ("receipts", receipts),
        ("returns", returns),
        ("audit entries", audit),
    ] {
        match read {
            None => {}
            Some(Err(_)) => missing.push(kind),
            Some(Ok(page)) => {
                entries.extend(items(&page).iter().map(|record| describe(visit, kind, record, &order)));
                missing.extend(Some(kind).filter(|_| !text(&page, "nextCursor").is_empty()));
            }
        }
    }
    entries.sort_by(|one, other| one.instant.cmp(&other.instant));
    let body = html! {
        p {
            (link(address_of(visit, "getSalesOrder", &[id]), text(&order, "number"))) ", " (word(text(&order, "status"))) ", "
            (amount(text(&order, "total"))) " " (text(&order, "currencyCode"))
        }
        @if !missing.is_empty() { p.faults role="alert" { "Not all are shown: " (missing.join(", ")) } }
        ol.timeline { @for entry in &entries {
            li {
                (instant(&clock, &entry.instant)) " "
                @if entry.address.is_empty() { (entry.what) } @else { (link(&entry.address, &entry.what)) }
            }
        } }
    };
    finish(visit, &format!("Timeline of {}", text(&order, "number")), &Said::default(), body).await
}

/// The steps that the order itself states.
fn list_steps(order: &Value) -> Vec<Entry> {
    let steps = [
        ("createdAt", "Drafted".to_owned()),
        ("confirmedAt", "Confirmed: goods reserved, prices fixed".to_owned()),
        ("completedAt", "Delivered".to_owned()),
        ("cancelledAt", format!("Cancelled: {}", text(order, "cancelReason"))),
    ];
    let steps = steps.into_iter().filter(|(member, _)| !text(order, member).is_empty());
    steps
        .map(|(member, what)| Entry { instant: text(order, member).to_owned(), what, address: String::new() })
        .collect()
}

fn describe(visit: &Visit, kind: &str, record: &Value, order: &Value) -> Entry {
    let (id, number, status) = (text(record, "id"), text(record, "number"), word(text(record, "status")));
    let sum = |member: &str| format!("{} {}", amount(text(record, member)), text(record, "currencyCode"));
    let (what, address) = match kind {
        "movements" => {
            let line = list(order, "items").iter().find(|line| line["variantId"] == record["variantId"]);
            let goods =
                format!("{} x {}", quantity(text(record, "quantity")), line.map_or("goods", |line| text(line, "sku")));
            let list = address_of(visit, "listMovements", &[]) + "?referenceType=SALES_ORDER&referenceId=";
            (format!("Stock, {}: {goods}", word(text(record, "movementType"))), list + text(order, "id"))
        }
        "invoices" => {
            (format!("Invoice {number}, {status}: {}", sum("total")), address_of(visit, "getSalesInvoice", &[id]))
        }
        "payments" => {
            let method = word(text(record, "method"));
            (format!("Payment {number}, {method}: {}", sum("amount")), address_of(visit, "getSalesPayment", &[id]))
        }
        "receipts" => {
            let address = format!("{}/-/till/{}/receipts/{id}", visit.base, text(record, "sessionId"));
            (format!("Receipt of a register: {}", sum("total")), address)
        }
        "returns" => {
            (format!("Return, {status}: {}", text(record, "reason")), address_of(visit, "getSalesReturn", &[id]))
        }
        _ => {
            let operation = text(record, "operation");
            let summary = visit.site.operation(operation).map_or(operation, |operation| operation.summary.as_str());
            (format!("Audit: {summary}, by {}", text(record, "actorId")), String::new())
        }
    };
    Entry { instant: text(record, "createdAt").to_owned(), what, address }
}
