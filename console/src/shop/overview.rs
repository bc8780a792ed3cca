//! The start of a company: today's figures, two weeks of sales, goods that run out, and what waits.

use axum::response::Response;
use chrono::{Days, NaiveDate};
use maud::{Markup, html};
use serde_json::Value;

use crate::call::Problem;
use crate::page::{self, Visit};
use crate::shop::figures::{from_millionths, quantity, to_millionths};
use crate::shop::parts::{cell, link, table};
use crate::shop::{address_of, chart, items, join_ids, read, read_if, text};
use crate::show::value::amount;

/// Days of the bars, and those by whose sales goods are foreseen to run out.
const BARS: u64 = 14;
const SOLD: u64 = 28;
const MOST_SHORTAGES: usize = 10;

type Read = Option<Result<Value, Problem>>;

pub async fn respond(visit: &Visit) -> Result<Response, Problem> {
    let entities = async {
        match visit.site.operation("listLegalEntities") {
            Some(_) => read(visit, "listLegalEntities", &[], &[]).await,
            None => Ok(Value::Null),
        }
    };
    let (context, entities) = tokio::join!(visit.context(), entities);
    let (context, entities) = (context?, entities?);
    let entities = items(&entities);
    let asked = visit.query.get("entity").unwrap_or_default();
    let entity = entities.iter().find(|entity| text(entity, "id") == asked).or(entities.first());
    let body = match entity {
        Some(entity) => draw_entity(visit, entity).await?,
        None => html! { p { "The company has no legal entity." } },
    };
    let page = html! {
        @if entities.len() > 1 {
            nav.actions aria-label="Legal entities" {
                @for other in entities { (link(format!("?entity={}", text(other, "id")), text(other, "name"))) " " }
            }
        }
        (body)
    };
    page::draw(visit, &context.name, page).await
}

/// The first of so many days of which today is the last.
fn start(today: NaiveDate, days: u64) -> String {
    today.checked_sub_days(Days::new(days - 1)).unwrap_or(today).to_string()
}

async fn draw_entity(visit: &Visit, entity: &Value) -> Result<Markup, Problem> {
    let own = text(entity, "currencyCode");
    // A legal entity without books has no currency: that of a price list is the next best, for the price of a call.
    let lists = match own {
        "" => read_if(visit, "listPriceLists", &[("status", "ACTIVE"), ("limit", "1")]).await.transpose()?,
        _ => None,
    };
    let other = lists.as_ref().and_then(|lists| items(lists).first()).map(|list| text(list, "currencyCode"));
    let (id, currency) = (text(entity, "id"), other.unwrap_or(own));
    if currency.is_empty() {
        return Ok(
            html! { p { "There are no figures before the legal entity has a currency or there is a price list." } },
        );
    }
    let today = visit.clock().await?.today();
    let (of_bars, of_sold, to) = (start(today, BARS), start(today, SOLD), today.to_string());
    let fixed = [("legalEntityId", id), ("currencyCode", currency), ("to", to.as_str())];
    let of_days = [&fixed[..], &[("from", of_bars.as_str()), ("groupBy", "DAY")]].concat();
    let of_sold = [&fixed[..], &[("from", of_sold.as_str()), ("groupBy", "VARIANT"), ("limit", "100")]].concat();
    let of_cash = [&fixed[..], &[("from", to.as_str())]].concat();
    let of_sales = [("status", "CONFIRMED"), ("legalEntityId", id)];
    let purchases = async {
        match other {
            Some(_) => None,
            None => read_if(visit, "listPurchaseOrders", &[("status", "APPROVED"), ("legalEntityId", id)]).await,
        }
    };
    let (days, sold, cash, sales, purchases) = tokio::join!(
        read_if(visit, "getSalesReport", &of_days),
        read_if(visit, "getSalesReport", &of_sold),
        read_if(visit, "getCashReport", &of_cash),
        read_if(visit, "listSalesOrders", &of_sales),
        purchases,
    );
    let sold = sold.transpose().unwrap_or_default().unwrap_or_default();
    let variants = join_ids(items(&sold), "key");
    let stock = match variants.is_empty() {
        true => None,
        false => {
            read_if(visit, "listStock", &[("variantIds", variants.as_str()), ("legalEntityId", id), ("limit", "100")])
                .await
        }
    };
    let figure = |label: &str, value: &str| draw_figure(label, html! { (amount(value)) " " (currency) });
    let net = |days: &Value, day: &str| {
        let row = items(days).iter().find(|row| text(row, "key") == day);
        row.map_or("0.00", |row| text(row, "net")).to_owned()
    };
    let total = |report: &Value, member: &str| text(&report["totals"], member).to_owned();
    let bars = |days: &Value| -> Vec<(String, String)> {
        (1..=BARS).rev().map(|back| start(today, back)).map(|day| (day.clone(), net(days, &day))).collect()
    };
    Ok(html! {
        div.figures {
            (draw_read(&days, |days| figure("Net sales today", &net(days, &to))))
            (draw_read(&cash, |cash| html! {
                (figure("At the tills today", &total(cash, "posReceipts")))
                (figure("Payments of customers today", &total(cash, "customerPayments")))
            }))
            (draw_read(&sales, |page| draw_count(visit, page, "Orders to deliver", "listSalesOrders", "CONFIRMED")))
            (draw_read(&purchases, |page| draw_count(visit, page, "Purchases to receive", "listPurchaseOrders", "APPROVED")))
        }
        (draw_read(&days, |days| html! {
            h2 { "Net sales of 14 days" }
            (chart::draw("Net sales of 14 days", ["Day", ">Net"], &bars(days)))
        }))
        (draw_read(&stock, |stock| draw_shortages(visit, items(&sold), stock)))
    })
}

fn draw_read(read: &Read, draw: impl Fn(&Value) -> Markup) -> Markup {
    match read {
        None => html! {},
        Some(Ok(value)) => draw(value),
        Some(Err(problem)) => html! { p { "Not loaded: " (problem.detail) } },
    }
}

fn draw_figure(label: &str, value: Markup) -> Markup {
    html! { div.figure { (label) " " strong { (value) } } }
}

/// How many records wait, with a link to them.
fn draw_count(visit: &Visit, page: &Value, label: &str, list: &str, status: &str) -> Markup {
    let more = if text(page, "nextCursor").is_empty() { "" } else { " or more" };
    let address = format!("{}?status={status}", address_of(visit, list, &[]));
    draw_figure(label, link(address, html! { (items(page).len()) (more) }))
}

fn draw_shortages(visit: &Visit, sold: &[Value], stock: &Value) -> Markup {
    if !text(stock, "nextCursor").is_empty() {
        return html! { p { "There are too many stock levels to foresee which goods run out." } };
    }
    let row = |(row, short): &(&Value, i128)| {
        let name = row["label"].as_str().unwrap_or("unnamed");
        let article = link(address_of(visit, "getVariant", &[text(row, "key")]), name);
        [article, cell(quantity(text(row, "quantity"))), cell(quantity(&from_millionths(*short)))]
    };
    let shortages = find_shortages(sold, items(stock));
    html! {
        h2 { "Goods that run out within 14 days" }
        @if shortages.is_empty() { p { "None, if goods sell as in the last 28 days." } } @else {
            (table(["Article", ">Sold in 28 days", ">Short"], shortages.iter().map(row)))
        }
    }
}

/// Variants that run out within 14 days if they sell as in the last 28, with the millionths that will be missing: the worst first. A
/// variant without a stock level is not counted.
fn find_shortages<'v>(sold: &'v [Value], levels: &[Value]) -> Vec<(&'v Value, i128)> {
    let figure = |record: &Value, member: &str| to_millionths(text(record, member)).unwrap_or_default();
    let shortage = |row: &'v Value| {
        let mut own = levels.iter().filter(|level| text(level, "variantId") == text(row, "key")).peekable();
        own.peek()?;
        let there: i128 = own.map(|level| figure(level, "available") + figure(level, "incoming")).sum();
        Some((row, figure(row, "quantity") / 2 - there)).filter(|(_, short)| *short > 0)
    };
    let mut shortages: Vec<(&Value, i128)> = sold.iter().filter_map(shortage).collect();
    shortages.sort_by_key(|(_, short)| -short);
    shortages.truncate(MOST_SHORTAGES);
    shortages
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn goods_run_out_by_half_of_what_four_weeks_sold() {
        let sold = [("a", "28.000000"), ("b", "10.000000"), ("service", "100.000000")];
        let sold = sold.map(|(key, quantity)| json!({ "key": key, "quantity": quantity }));
        let levels = [("a", "3.000000", "4.500000"), ("a", "1.000000", "0.000000"), ("b", "5.000000", "0.000000")];
        let levels = levels.map(|(variant, available, incoming)| {
            json!({ "variantId": variant, "available": available, "incoming": incoming })
        });
        let shortages = find_shortages(&sold, &levels);
        assert_eq!(shortages, [(&sold[0], 5_500_000)]);
    }
}
