//! The start of a company: today's figures, two weeks of sales; and by itself what waits and goods that run out.

use axum::response::Response;
use chrono::{Days, NaiveDate};
use maud::{Markup, html};
use serde_json::Value;

use crate::call::{Problem, to_address};
use crate::page::{self, Visit};
use crate::shop::parts::{cell, from_millionths, link, quantity, table, to_millionths};
use crate::shop::{Read, address_of, items, join_ids, read_if, text};
use crate::show::value::amount;

/// Days of the bars, and those by whose sales goods are foreseen to run out.
const BARS: u64 = 14;
const SOLD: u64 = 28;
const MOST_SHORTAGES: usize = 10;
/// Size of the bars' picture.
const WIDTH: usize = 280;
const HEIGHT: i128 = 80;

pub async fn draw(visit: &Visit) -> Result<Response, Problem> {
    let (context, entities) = tokio::try_join!(visit.context(), read_if(visit, "listLegalEntities", "", []))?;
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
    let (id, own) = (text(entity, "id"), text(entity, "currencyCode"));
    // A legal entity without books has no currency: that of a price list is the next best.
    let lists = match own {
        "" => read_if(visit, "listPriceLists", "", [("status", "ACTIVE"), ("limit", "1")]).await?,
        _ => Value::Null,
    };
    let currency = items(&lists).first().map_or(own, |list| text(list, "currencyCode"));
    if currency.is_empty() {
        let text = "There are no figures before the legal entity has a currency or there is a price list.";
        return Ok(html! { p { (text) } });
    }
    let today = visit.clock().await?.today();
    let to = today.to_string();
    let of_bars = start(today, BARS);
    let (days, cash) = tokio::join!(
        read_if(visit, "getSalesReport", "", report(id, currency, &of_bars, &to, "DAY")),
        read_if(visit, "getCashReport", "", report(id, currency, &to, &to, "")),
    );
    let figure = |label: &str, value: &str| draw_figure(label, html! { (amount(value)) " " (currency) });
    let net = |days: &Value, day: &str| {
        let row = items(days).iter().find(|row| text(row, "key") == day);
        row.map_or("0.00", |row| text(row, "net")).to_owned()
    };
    let bars = |days: &Value| -> Vec<(String, String)> {
        (1..=BARS).rev().map(|back| start(today, back)).map(|day| (day.clone(), net(days, &day))).collect()
    };
    let mut waiting = vec![("entity", id), ("currency", currency)];
    waiting.extend((!own.is_empty()).then_some(("books", "1")));
    Ok(html! {
        div.figures {
            (draw_read(&days, |days| figure("Net sales today", &net(days, &to))))
            (draw_read(&cash, |cash| html! {
                (figure("At the tills today", text(&cash["totals"], "posReceipts")))
                (figure("Payments of customers today", text(&cash["totals"], "customerPayments")))
            }))
        }
        // A page of its own: both together would send more queries than a page may.
        section data-part { (link(to_address(&format!("{}/-/waiting", visit.base), &waiting), "Open documents and goods that run out")) }
        (draw_read(&days, |days| html! { h2 { "Net sales of 14 days" } (draw_bars(&bars(days))) }))
    })
}

fn report<'q>(
    entity: &'q str,
    currency: &'q str,
    from: &'q str,
    to: &'q str,
    group: &'q str,
) -> [(&'q str, &'q str); 6] {
    let limit = if group == "VARIANT" { "100" } else { "" };
    [
        ("legalEntityId", entity),
        ("currencyCode", currency),
        ("from", from),
        ("to", to),
        ("groupBy", group),
        ("limit", limit),
    ]
}

/// Open documents, and goods that run out. The overview states the legal entity, its currency and whether it keeps books.
pub async fn draw_waiting(visit: &Visit) -> Result<Response, Problem> {
    let [id, currency, books] = ["entity", "currency", "books"].map(|name| visit.query.get(name).unwrap_or_default());
    let today = visit.clock().await?.today();
    let (entity, of_sold, to) = (("legalEntityId", id), start(today, SOLD), today.to_string());
    let purchases = async {
        match books {
            "" => Ok(Value::Null),
            _ => read_if(visit, "listPurchaseOrders", "", [("status", "APPROVED"), entity]).await,
        }
    };
    let (sold, sales, purchases) = tokio::join!(
        read_if(visit, "getSalesReport", "", report(id, currency, &of_sold, &to, "VARIANT")),
        read_if(visit, "listSalesOrders", "", [("status", "CONFIRMED"), entity]),
        purchases,
    );
    let sold = sold.unwrap_or_default();
    let variants = join_ids(items(&sold), "key");
    let stock = match variants.as_str() {
        "" => Ok(Value::Null),
        ids => read_if(visit, "listStock", "", [("variantIds", ids), entity, ("limit", "100")]).await,
    };
    let body = html! {
        div.figures {
            (draw_read(&sales, |page| draw_count(visit, page, "Orders to deliver", "listSalesOrders", "CONFIRMED")))
            (draw_read(&purchases, |page| draw_count(visit, page, "Purchases to receive", "listPurchaseOrders", "APPROVED")))
        }
        (draw_read(&stock, |stock| draw_shortages(visit, items(&sold), stock)))
    };
    page::draw(visit, "Open documents and goods that run out", body).await
}

fn draw_read(read: &Read, draw: impl Fn(&Value) -> Markup) -> Markup {
    match read {
        Ok(Value::Null) => html! {},
        Ok(value) => draw(value),
        Err(problem) => html! { p { "Not loaded: " (problem.detail) } },
    }
}

fn draw_figure(label: &str, value: Markup) -> Markup {
    html! { div.figure { (label) " " strong { (value) } } }
}

/// How many records wait, with a link to them.
fn draw_count(visit: &Visit, page: &Value, label: &str, list: &str, status: &str) -> Markup {
    let more = if text(page, "nextCursor").is_empty() { "" } else { " or more" };
    let address = format!("{}?status={status}", address_of(visit, list, ""));
    draw_figure(label, link(address, html! { (items(page).len()) (more) }))
}

/// Bars of a day and its decimal each, with the same figures as a table.
fn draw_bars(bars: &[(String, String)]) -> Markup {
    let sizes = || bars.iter().map(|(_, value)| to_millionths(value));
    let (top, bottom) = sizes().fold((0, 0), |(top, bottom), size| (size.max(top), size.min(bottom)));
    let step = WIDTH / bars.len().max(1);
    // From the top of the picture. All bars begin at the level of zero.
    let level = |size: i128| HEIGHT * (top - size) / (top - bottom).max(1);
    html! {
        svg.bars viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label="Net sales of 14 days" {
            @for (nth, ((day, value), size)) in bars.iter().zip(sizes()).enumerate() {
                rect.bar x=(nth * step + 2) y=(level(size.max(0))) width=(step.saturating_sub(4))
                    height=((level(size) - level(0)).abs()) { title { (day) ": " (amount(value)) } }
            }
        }
        details {
            summary { "The same as a table" }
            (table(["Day", ">Net"], bars.iter().map(|(day, value)| [cell(day), cell(amount(value))])))
        }
    }
}

fn draw_shortages(visit: &Visit, sold: &[Value], stock: &Value) -> Markup {
    if !text(stock, "nextCursor").is_empty() {
        return html! { p { "There are too many stock levels to foresee which goods run out." } };
    }
    let row = |(row, short): &(&Value, i128)| {
        let name = row["label"].as_str().unwrap_or("unnamed");
        let article = link(address_of(visit, "getVariant", text(row, "key")), name);
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

/// Variants that run out within 14 days if they sell as in the last 28, with the millionths that will be missing: the
/// worst first. A variant without a stock level is not counted.
fn find_shortages<'v>(sold: &'v [Value], levels: &[Value]) -> Vec<(&'v Value, i128)> {
    let figure = |record: &Value, member: &str| to_millionths(text(record, member));
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
        assert_eq!(find_shortages(&sold, &levels), [(&sold[0], 5_500_000)]);
    }

    #[test]
    fn the_largest_value_has_the_whole_height_and_losses_are_below_zero() {
        let draw = |values: &[&str]| {
            let bars: Vec<_> = values.iter().map(|value| (String::new(), (*value).to_owned())).collect();
            draw_bars(&bars).into_string()
        };
        let page = draw(&["50.000000", "100.000000", "-100.000000"]);
        for (y, height) in [(20, 20), (0, 40), (40, 40)] {
            assert!(page.contains(&format!("y=\"{y}\" width=\"89\" height=\"{height}\"")), "{page}");
        }
        assert!(draw(&["0.000000"]).contains("height=\"0\""));
    }
}
