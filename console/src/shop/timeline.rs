//! The life of a sales order, from the records of all modules, in the sequence of the instants.

use axum::response::Response;
use maud::html;
use serde_json::Value;

use crate::call::Problem;
use crate::clock::Clock;
use crate::page;
use crate::shop::figures::{amount, quantity};
use crate::shop::{Visit, items, list, shorten, text, word};

struct Entry {
    instant: String,
    what: String,
    link: String,
}

type Read = Option<Result<Value, Problem>>;

pub async fn respond(visit: &Visit<'_>) -> Result<Response, Problem> {
    let id = visit.rest.trim_matches('/');
    let (frame, order) = tokio::join!(visit.frame(), visit.read("getSalesOrder", &[id], &[]));
    let (frame, order) = (frame?, order?);
    let of_order = [("orderId", id), ("limit", "100")];
    let movements = [("referenceType", "SALES_ORDER"), ("referenceId", id), ("limit", "100")];
    let audit = [("resourceId", id), ("limit", "100")];
    let (movements, invoices, payments, receipts, returns, audit) = tokio::join!(
        visit.read_if(&frame, "listMovements", &movements),
        visit.read_if(&frame, "listSalesInvoices", &of_order),
        visit.read_if(&frame, "listSalesPayments", &of_order),
        visit.read_if(&frame, "listPosReceipts", &of_order),
        visit.read_if(&frame, "listSalesReturns", &of_order),
        visit.read_if(&frame, "listAuditEntries", &audit),
    );
    let reads = [
        ("movements", movements),
        ("invoices", invoices),
        ("payments", payments),
        ("receipts", receipts),
        ("returns", returns),
        ("audit", audit),
    ];
    let mut entries = list_steps(&order);
    for (kind, read) in &reads {
        let Some(Ok(page)) = read else { continue };
        entries.extend(items(page).iter().filter_map(|record| draw_record(visit, kind, record, &order)));
    }
    entries.sort_by(|one, other| one.instant.cmp(&other.instant));
    let clock = Clock { zone: frame.context.zone };
    let missing: Vec<&str> = reads.iter().filter(|(_, read)| is_partial(read)).map(|(kind, _)| *kind).collect();
    let body = html! {
        p {
            a href=(visit.page_of("getSalesOrder", &[id])) { (text(&order, "number")) } ", " (word(text(&order, "status"))) ", "
            (amount(text(&order, "total"))) " " (text(&order, "currencyCode"))
        }
        @if !missing.is_empty() { p.problem role="alert" { "Not everything is shown of: " (missing.join(", ")) "." } }
        ol.timeline { @for entry in &entries {
            li {
                time datetime=(entry.instant) { (clock.to_text(&entry.instant).replace('T', " ")) } " "
                @if entry.link.is_empty() { (entry.what) } @else { a href=(entry.link) { (entry.what) } }
            }
        } }
    };
    Ok(page::draw(&frame, &format!("Timeline of {}", text(&order, "number")), body))
}

/// True if it was rejected, or has more pages.
fn is_partial(read: &Read) -> bool {
    match read {
        None => false,
        Some(Err(_)) => true,
        Some(Ok(page)) => !text(page, "nextCursor").is_empty(),
    }
}

/// The steps that the order itself has.
fn list_steps(order: &Value) -> Vec<Entry> {
    let steps = [
        ("createdAt", "Drafted".to_owned()),
        ("confirmedAt", "Confirmed: the goods are reserved and the prices fixed".to_owned()),
        ("completedAt", "Delivered".to_owned()),
        ("cancelledAt", format!("Cancelled: {}", text(order, "cancelReason"))),
    ];
    let steps = steps.into_iter().filter(|(member, _)| !text(order, member).is_empty());
    steps.map(|(member, what)| Entry { instant: text(order, member).to_owned(), what, link: String::new() }).collect()
}

fn draw_record(visit: &Visit<'_>, kind: &str, record: &Value, order: &Value) -> Option<Entry> {
    let (id, currency) = (text(record, "id"), text(record, "currencyCode"));
    let sum = |member: &str| format!("{} {currency}", amount(text(record, member)));
    let (instant, what, link) = match kind {
        "movements" => {
            let line = list(order, "items").iter().find(|line| text(line, "variantId") == text(record, "variantId"));
            let name = line.map_or(shorten(text(record, "variantId")), |line| text(line, "sku"));
            let what = format!(
                "Goods moved ({}): {} x {name}",
                word(text(record, "movementType")),
                quantity(text(record, "quantity"))
            );
            (
                "createdAt",
                what,
                visit.page_of("listMovements", &[]) + "?referenceType=SALES_ORDER&referenceId=" + text(order, "id"),
            )
        }
        "invoices" => {
            let what =
                format!("Invoice {} ({}): {}", text(record, "number"), word(text(record, "status")), sum("total"));
            ("createdAt", what, visit.page_of("getSalesInvoice", &[id]))
        }
        "payments" => {
            let what =
                format!("Payment {} ({}): {}", text(record, "number"), word(text(record, "method")), sum("amount"));
            ("createdAt", what, visit.page_of("getSalesPayment", &[id]))
        }
        "receipts" => {
            let link = visit.address(&format!("/-/till/{}/receipts/{id}", text(record, "sessionId")));
            ("createdAt", format!("Receipt of a register: {}", sum("total")), link)
        }
        "returns" => {
            let what = format!("Return ({}): {}", word(text(record, "status")), text(record, "reason"));
            ("createdAt", what, visit.page_of("getSalesReturn", &[id]))
        }
        _ => {
            let operation = text(record, "operation");
            let summary = visit.site.operation(operation).map_or(operation, |operation| operation.summary.as_str());
            ("createdAt", format!("Audit: {summary}, by {}", text(record, "actorId")), String::new())
        }
    };
    let instant = text(record, instant).to_owned();
    (!instant.is_empty()).then_some(Entry { instant, what, link })
}
