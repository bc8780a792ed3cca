//! The price grid: variants by price lists, with the price in effect and a field for the next one. A button sends one column.

use axum::response::Response;
use chrono::{SecondsFormat, Utc};
use futures_util::future::join_all;
use http::StatusCode;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::{Problem, ProblemItem};
use crate::clock::Clock;
use crate::page::{self, Frame};
use crate::shop::figures::amount;
use crate::shop::{Visit, encode, is_permitted, items, text};

/// Columns of a page: each takes a call.
const MOST_LISTS: &str = "4";
const MOST_VARIANTS: &str = "50";

pub async fn respond(visit: &Visit<'_>) -> Result<Response, Problem> {
    match visit.form {
        None => draw(visit, None, None).await,
        Some(_) => schedule(visit).await,
    }
}

/// The cells of a column that state an amount: variant and amount, in the sequence of the form.
fn read_cells<'a>(visit: &Visit<'a>) -> Vec<(&'a str, &'a str)> {
    let Some(form) = visit.form else { return Vec::new() };
    let cells = form.0.iter().filter_map(|(name, value)| Some((name.strip_prefix("v-")?, value.trim())));
    cells.filter(|(_, value)| !value.is_empty()).collect()
}

async fn schedule(visit: &Visit<'_>) -> Result<Response, Problem> {
    let cells = read_cells(visit);
    if cells.is_empty() {
        return draw(visit, None, Some("State an amount in the column first.")).await;
    }
    let stated = visit.field("from");
    let from = match stated {
        "" => Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true),
        // The zone of the company: the one call that this needs is made only if an instant was typed.
        _ => Clock { zone: visit.calls.context().await?.zone }.from_text(stated),
    };
    let price = |(variant, amount): &(&str, &str)| json!({ "variantId": variant, "currencyCode": visit.field("currency"), "amount": amount, "validFrom": from });
    let body = json!({ "prices": cells.iter().map(price).collect::<Vec<_>>(), "replace": true });
    match visit.write("schedulePrices", &[visit.field("list")], &body).await {
        Ok(_) => Ok(page::redirect(&address(visit, visit.query.get("cursor"), visit.query.get("lists")))),
        Err(problem) => draw(visit, Some(problem), None).await,
    }
}

/// The address of this part of the grid: what was searched, and the pages of variants and of lists.
fn address(visit: &Visit<'_>, cursor: Option<&str>, lists: Option<&str>) -> String {
    let stated = [("text", visit.query.get("text")), ("cursor", cursor), ("lists", lists)];
    let stated = stated.iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
    let query: Vec<String> = stated.map(|(name, value)| format!("{name}={}", encode(value))).collect();
    visit.address("/-/prices?") + &query.join("&")
}

async fn draw(visit: &Visit<'_>, problem: Option<Problem>, message: Option<&str>) -> Result<Response, Problem> {
    let mut lists = vec![("status", "ACTIVE"), ("limit", MOST_LISTS)];
    let mut variants = vec![("limit", MOST_VARIANTS)];
    let stated = |name| visit.query.get(name).filter(|value| !value.is_empty());
    lists.extend(stated("lists").map(|cursor| ("cursor", cursor)));
    variants.extend(["text", "cursor"].iter().filter_map(|name| Some((*name, stated(name)?))));
    let (frame, lists, variants) = tokio::join!(
        visit.frame(),
        visit.read("listPriceLists", &[], &lists),
        visit.read("listVariants", &[], &variants),
    );
    let (frame, lists, variants) = (frame?, lists?, variants?);
    let ids: Vec<&str> = items(&variants).iter().map(|variant| text(variant, "id")).collect();
    let asked = json!({ "variantIds": ids });
    let columns = items(&lists).iter().map(|list| async {
        match ids.is_empty() {
            true => Ok(Value::Null),
            false => visit.write("resolvePrices", &[text(list, "id")], &asked).await,
        }
    });
    let columns = join_all(columns).await.into_iter().collect::<Result<Vec<Value>, Problem>>()?;
    let cells = read_cells(visit);
    let place = |item: &ProblemItem| {
        let nth = item.pointer.strip_prefix("/prices/").and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
        let variant = nth.and_then(|nth| cells.get(nth)).map(|(variant, _)| *variant);
        let known = items(&variants).iter().find(|known| Some(text(known, "id")) == variant);
        known.map(|known| format!("{}:", text(known, "sku"))).unwrap_or_default()
    };
    let body = html! {
        @if let Some(problem) = &problem { (visit.explain("schedulePrices", problem, &place)) }
        @if let Some(message) = message { p.problem role="alert" { (message) } }
        form.buttons method="get" {
            label for="text" { "Find articles" }
            input id="text" name="text" type="search" maxlength="100" value=(stated("text").unwrap_or_default());
            @if let Some(lists) = stated("lists") { input type="hidden" name="lists" value=(lists); }
            button { "Find" }
        }
        @if items(&lists).is_empty() {
            p { "There is no price list. " a href=(visit.page_of("listPriceLists", &[])) { "Price lists" } }
        }
        @if ids.is_empty() { p { "No article was found." } }
        div.grid tabindex="0" role="region" aria-label="Prices" {
            table {
                thead { tr {
                    th scope="col" { "Article" }
                    @for list in items(&lists) { th scope="col" { (draw_head(visit, &frame, list, problem.as_ref())) } }
                } }
                tbody { @for variant in items(&variants) {
                    tr {
                        th scope="row" { (text(variant, "sku")) " " (text(variant, "color")) " " (text(variant, "storage")) }
                        @for (list, prices) in items(&lists).iter().zip(&columns) {
                            td.amount { (draw_cell(visit, list, variant, prices)) }
                        }
                    }
                } }
            }
        }
        div.buttons {
            @let more = text(&variants, "nextCursor");
            @if !more.is_empty() { a href=(address(visit, Some(more), stated("lists"))) { "More articles" } }
            @let more = text(&lists, "nextCursor");
            @if !more.is_empty() { a href=(address(visit, stated("cursor"), Some(more))) { "More price lists" } }
            @if stated("cursor").or(stated("lists")).is_some() { a href=(address(visit, None, None)) { "First" } }
        }
        p { "An article has no price in effect if it is not published. An empty field changes nothing." }
    };
    let status = problem.map_or(StatusCode::OK, |problem| problem.status);
    Ok(page::draw_with_status(&frame, status, "Price grid", body))
}

/// The head of a column has its form; the fields below belong to it by the attribute `form`.
fn draw_head(visit: &Visit<'_>, frame: &Frame, list: &Value, problem: Option<&Problem>) -> Markup {
    let id = text(list, "id");
    let from = format!("from-{id}");
    let is_sent = visit.field("list") == id;
    html! {
        (text(list, "name")) " (" (text(list, "currencyCode")) ")"
        @if is_permitted(visit.site, &frame.context, "schedulePrices") {
            form id={ "list-" (id) } method="post" {
                (visit.hide("schedule", problem.filter(|_| is_sent)))
                input type="hidden" name="list" value=(id);
                input type="hidden" name="currency" value=(text(list, "currencyCode"));
                label for=(from) { "Valid from" }
                input id=(from) name="from" type="datetime-local" value=(if is_sent { visit.field("from") } else { "" });
                small { "Empty: from now on" }
                button aria-label={ "Set the prices of " (text(list, "name")) } { "Set prices" }
            }
        }
    }
}

fn draw_cell(visit: &Visit<'_>, list: &Value, variant: &Value, prices: &Value) -> Markup {
    let (list, id) = (text(list, "id"), text(variant, "id"));
    let price = items(prices).iter().find(|price| text(price, "variantId") == id);
    let name = format!("v-{id}");
    let typed = if visit.field("list") == list { visit.field(&name) } else { "" };
    html! {
        @match price {
            Some(price) => (amount(text(price, "amount"))),
            None => "none",
        }
        " "
        input form={ "list-" (list) } name=(name) inputmode="decimal" autocomplete="off" size="8" value=(typed)
            aria-label={ "Price of " (text(variant, "sku")) };
    }
}
