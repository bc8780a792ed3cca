//! The start of a company: today's figures, two weeks of sales, goods that run out, and what waits.

use axum::response::Response;
use chrono::{Days, NaiveDate};
use maud::{Markup, html};
use serde_json::Value;

use crate::call::Problem;
use crate::clock::Clock;
use crate::page::{self, Frame};
use crate::shop::figures::{amount, from_millionths, quantity, to_millionths};
use crate::shop::{Visit, chart, find_record, items, join_ids, text};

/// Days of the bars, and those by whose sales goods are foreseen to run out.
const BARS: u64 = 14;
const SOLD: u64 = 28;
const MOST_SHORTAGES: usize = 10;

type Read = Option<Result<Value, Problem>>;

pub async fn respond(visit: &Visit<'_>) -> Result<Response, Problem> {
    let entities = async {
        match visit.site.operation("listLegalEntities") {
            Some(_) => visit.read("listLegalEntities", &[], &[]).await,
            None => Ok(Value::Null),
        }
    };
    let (frame, entities) = tokio::join!(visit.frame(), entities);
    let (frame, entities) = (frame?, entities?);
    let chosen = visit.query.get("entity").and_then(|id| find_record(items(&entities), id));
    let entity = chosen.or_else(|| items(&entities).first());
    let body = match entity {
        Some(entity) => draw_entity(visit, &frame, entity).await,
        None => html! { p { "The company has no legal entity." } },
    };
    let page = html! {
        @if items(&entities).len() > 1 {
            nav.buttons aria-label="Legal entities" {
                @for other in items(&entities) {
                    @let is_shown = entity.is_some_and(|entity| text(entity, "id") == text(other, "id"));
                    a href={ "?entity=" (text(other, "id")) } aria-current=[is_shown.then_some("page")] { (text(other, "name")) }
                }
            }
        }
        (body)
    };
    let title = frame.context.name.clone();
    Ok(page::draw(&frame, &title, page))
}

/// What the reports of the page are about.
struct Scope<'a> {
    visit: &'a Visit<'a>,
    frame: &'a Frame,
    /// Of the legal entity.
    id: &'a str,
    /// "" if it has none: there are no reports then.
    currency: &'a str,
    /// Last day.
    to: &'a str,
}

impl Scope<'_> {
    async fn report(&self, operation: &str, from: &str, more: &[(&str, &str)]) -> Read {
        if self.currency.is_empty() {
            return None;
        }
        let mut query =
            vec![("legalEntityId", self.id), ("currencyCode", self.currency), ("from", from), ("to", self.to)];
        query.extend(more);
        self.visit.read_if(self.frame, operation, &query).await
    }
}

async fn draw_entity(visit: &Visit<'_>, frame: &Frame, entity: &Value) -> Markup {
    let today = Clock { zone: frame.context.zone }.today();
    let back = |days: u64| today.checked_sub_days(Days::new(days - 1)).unwrap_or(today).to_string();
    let (from_bars, from_sold, to) = (back(BARS), back(SOLD), today.to_string());
    let (id, currency) = (text(entity, "id"), text(entity, "currencyCode"));
    let scope = Scope { visit, frame, id, currency, to: &to };
    let sales = [("status", "CONFIRMED"), ("legalEntityId", id)];
    let purchases = [("status", "APPROVED"), ("legalEntityId", id)];
    let (days, sold, cash, sales, purchases) = tokio::join!(
        scope.report("getSalesReport", &from_bars, &[("groupBy", "DAY")]),
        scope.report("getSalesReport", &from_sold, &[("groupBy", "VARIANT"), ("limit", "100")]),
        scope.report("getCashReport", &to, &[]),
        visit.read_if(frame, "listSalesOrders", &sales),
        visit.read_if(frame, "listPurchaseOrders", &purchases),
    );
    let variants = sold.as_ref().and_then(|read| read.as_ref().ok()).map(|sold| join_ids(items(sold), "key"));
    let stock: Read = match variants.filter(|ids| !ids.is_empty()) {
        Some(ids) => {
            let query = [("variantIds", ids.as_str()), ("legalEntityId", id), ("limit", "100")];
            visit.read_if(frame, "listStock", &query).await
        }
        None => None,
    };
    html! {
        @if currency.is_empty() { p { "The legal entity has no currency yet, so there are no reports." } }
        div.figures {
            (draw_read(&days, |days| draw_today(days, &to, currency)))
            (draw_read(&cash, |cash| html! {
                (draw_figure("At the tills today", &amount(total(cash, "posReceipts")), currency))
                (draw_figure("Payments of customers today", &amount(total(cash, "customerPayments")), currency))
            }))
            (draw_waiting(visit, &sales, "Orders to deliver", "listSalesOrders", "CONFIRMED"))
            (draw_waiting(visit, &purchases, "Purchases to receive", "listPurchaseOrders", "APPROVED"))
        }
        (draw_read(&days, |days| html! { h2 { "Net sales of 14 days" } (draw_bars(days, today)) }))
        @if let Some(Ok(sold)) = &sold {
            (draw_read(&stock, |stock| draw_shortages(visit, items(sold), stock)))
        }
    }
}

fn draw_read(read: &Read, draw: impl Fn(&Value) -> Markup) -> Markup {
    match read {
        None => html! {},
        Some(Ok(value)) => draw(value),
        Some(Err(problem)) => html! { p { "Not loaded: " (problem.detail) } },
    }
}

fn draw_figure(label: &str, value: &str, currency: &str) -> Markup {
    html! { div.figure { (label) strong { (value) " " (currency) } } }
}

fn total<'v>(report: &'v Value, member: &str) -> &'v str {
    report.get("totals").map(|totals| text(totals, member)).unwrap_or_default()
}

fn draw_today(days: &Value, today: &str, currency: &str) -> Markup {
    let row = items(days).iter().find(|row| text(row, "key") == today);
    draw_figure("Net sales today", &amount(row.map_or("0", |row| text(row, "net"))), currency)
}

fn draw_waiting(visit: &Visit<'_>, read: &Read, label: &str, list: &str, status: &str) -> Markup {
    draw_read(read, |page| {
        let address = format!("{}?status={status}", visit.page_of(list, &[]));
        let more = if text(page, "nextCursor").is_empty() { "" } else { " or more" };
        html! { div.figure { (label) strong { a href=(address) { (items(page).len()) (more) } } } }
    })
}

fn draw_bars(days: &Value, today: NaiveDate) -> Markup {
    let day = |back: u64| today.checked_sub_days(Days::new(back)).unwrap_or(today).to_string();
    let net = |day: &str| {
        items(days).iter().find(|row| text(row, "key") == day).map_or("0", |row| text(row, "net")).to_owned()
    };
    let bars: Vec<(String, String)> = (0..BARS).rev().map(day).map(|day| (day.clone(), net(&day))).collect();
    chart::draw("Net sales of 14 days", "Net", &bars)
}

/// Variants that run out within 14 days if they sell as in the last 28: the worst first. A variant without a stock level is not counted.
fn draw_shortages(visit: &Visit<'_>, sold: &[Value], stock: &Value) -> Markup {
    if !text(stock, "nextCursor").is_empty() {
        return html! { p { "There are too many stock levels to foresee which goods run out." } };
    }
    let shortages = find_shortages(sold, items(stock));
    html! {
        h2 { "Goods that run out within 14 days" }
        @if shortages.is_empty() { p { "None, if goods sell as in the last 28 days." } } @else {
            table {
                thead { tr { th scope="col" { "Article" } th.amount scope="col" { "Sold in 28 days" } th.amount scope="col" { "Short" } } }
                tbody { @for Shortage { row, short } in &shortages {
                    @let address = visit.page_of("getVariant", &[text(row, "key")]);
                    tr {
                        td data-label="Article" { a href=(address) { (row.get("label").and_then(Value::as_str).unwrap_or("unnamed")) } }
                        td.amount data-label="Sold in 28 days" { (quantity(text(row, "quantity"))) }
                        td.amount data-label="Short" { (quantity(&from_millionths(*short))) }
                    }
                } }
            }
        }
    }
}

struct Shortage<'v> {
    row: &'v Value,
    /// Millionths that are missing.
    short: i128,
}

fn find_shortages<'v>(sold: &'v [Value], levels: &[Value]) -> Vec<Shortage<'v>> {
    let figure = |record: &Value, member: &str| to_millionths(text(record, member)).unwrap_or_default();
    let mut shortages: Vec<Shortage<'v>> = Vec::new();
    for row in sold {
        let own: Vec<&Value> = levels.iter().filter(|level| text(level, "variantId") == text(row, "key")).collect();
        let there: i128 = own.iter().map(|level| figure(level, "available") + figure(level, "incoming")).sum();
        let short = figure(row, "quantity") / 2 - there;
        if !own.is_empty() && short > 0 {
            shortages.push(Shortage { row, short });
        }
    }
    shortages.sort_by_key(|shortage| -shortage.short);
    shortages.truncate(MOST_SHORTAGES);
    shortages
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn goods_run_out_by_half_of_what_four_weeks_sold() {
        let sold = [
            json!({ "key": "a", "quantity": "28.000000" }),
            json!({ "key": "b", "quantity": "10.000000" }),
            json!({
                "key": "service", "quantity": "100.000000"
            }),
        ];
        let level = |variant: &str, available: &str, incoming: &str| json!({ "variantId": variant, "available": available, "incoming": incoming });
        let levels = [
            level("a", "3.000000", "4.500000"),
            level("a", "1.000000", "0.000000"),
            level("b", "5.000000", "0.000000"),
        ];
        let shortages = find_shortages(&sold, &levels);
        assert_eq!(
            shortages.iter().map(|one| (text(one.row, "key"), one.short)).collect::<Vec<_>>(),
            [("a", 5_500_000)]
        );
    }
}
