//! The price grid: variants by price lists, with the price in effect and a field for the next one. A button sends one column.

use axum::response::Response;
use chrono::{SecondsFormat, Utc};
use futures_util::future::try_join_all;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::call::{Problem, to_address};
use crate::page::Visit;
use crate::shop::parts::{field, form, link, value_of};
use crate::shop::{Done, Said, address_of, entry_at, finish, items, locate, name_of, read, text, write};
use crate::show::value::amount;

/// Columns of a page: each takes a call.
const MOST_LISTS: &str = "4";
const MOST_VARIANTS: &str = "50";

/// The cells of a column that state an amount: variant and amount, in the sequence of the form.
fn read_cells(visit: &Visit) -> Vec<(&str, &str)> {
    let cells = visit.form.0.iter().filter_map(|(name, value)| Some((name.strip_prefix("v-")?, value.trim())));
    cells.filter(|(_, value)| !value.is_empty()).collect()
}

pub async fn schedule(visit: &Visit) -> Done {
    // A call for the company's zone is made only if an instant was typed.
    let from = match value_of(visit, "from") {
        "" => Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true),
        local => visit.clock().await.map_err(|problem| Said::Rejection("schedulePrices", problem))?.read_text(local),
    };
    let price = |(variant, amount): (&str, &str)| {
        let currency = value_of(visit, "currency");
        json!({ "variantId": variant, "currencyCode": currency, "amount": amount, "validFrom": from })
    };
    let prices: Vec<Value> = read_cells(visit).into_iter().map(price).collect();
    if prices.is_empty() {
        return Err(Said::Sentence("State a price in the column first.".to_owned()));
    }
    write(visit, "schedulePrices", value_of(visit, "list"), &json!({ "prices": prices, "replace": true })).await?;
    Ok(address(visit, parameter(visit, "cursor"), parameter(visit, "lists")))
}

fn parameter<'v>(visit: &'v Visit, name: &str) -> &'v str {
    visit.query.get(name).unwrap_or_default()
}

/// The address of a part of the grid: a search, a page of variants and a page of price lists.
fn address(visit: &Visit, cursor: &str, lists: &str) -> String {
    let mut query = vec![("text", parameter(visit, "text")), ("cursor", cursor), ("lists", lists)];
    query.retain(|(_, value)| !value.is_empty());
    to_address(&format!("{}/-/prices", visit.base), &query)
}

pub async fn draw(visit: &Visit, said: &Said) -> Result<Response, Problem> {
    let [search, cursor, of_lists] = ["text", "cursor", "lists"].map(|name| parameter(visit, name));
    let (_, lists, variants) = tokio::try_join!(
        visit.context(),
        read(visit, "listPriceLists", "", [("status", "ACTIVE"), ("limit", MOST_LISTS), ("cursor", of_lists)]),
        read(visit, "listVariants", "", [("limit", MOST_VARIANTS), ("text", search), ("cursor", cursor)]),
    )?;
    let (lists, more_lists) = (items(&lists), text(&lists, "nextCursor"));
    let (variants, more) = (items(&variants), text(&variants, "nextCursor"));
    let ids: Vec<&str> = variants.iter().map(|variant| text(variant, "id")).collect();
    let columns = lists.iter().filter(|_| !ids.is_empty()).map(|list| resolve(visit, text(list, "id"), &ids));
    let columns = try_join_all(columns).await?;
    let cells = read_cells(visit);
    let place = |pointer: &str| {
        entry_at(&cells, "prices", pointer).map(|(variant, _)| name_of(variants, variant, "sku").to_owned())
    };
    let body = html! {
        (said.draw(&visit.site, &place))
        form.filters method="get" {
            (field("text", "Find articles", html! { input id="text" name="text" type="search" maxlength="100" value=(search); }))
            @if !of_lists.is_empty() { input type="hidden" name="lists" value=(of_lists); }
            button { "Find" }
        }
        @if lists.is_empty() { p { "There is no price list: " (link(address_of(visit, "listPriceLists", ""), "Price lists")) } }
        @if ids.is_empty() { p { "No article was found." } }
        div.grid tabindex="0" role="region" aria-label="Prices" {
            table {
                thead { tr {
                    th scope="col" { "Article" }
                    @for list in lists { th scope="col" { (draw_head(visit, said, list)) } }
                } }
                tbody { @for variant in variants {
                    tr {
                        th scope="row" { (["sku", "color", "storage"].map(|name| text(variant, name)).join(" ")) }
                        @for (list, prices) in lists.iter().zip(&columns) { td.number { (draw_cell(visit, list, variant, prices)) } }
                    }
                } }
            }
        }
        p.pager {
            @if !more.is_empty() { (link(address(visit, more, of_lists), "More articles")) " " }
            @if !more_lists.is_empty() { (link(address(visit, cursor, more_lists), "More price lists")) " " }
            @if !(cursor.is_empty() && of_lists.is_empty()) { (link(address(visit, "", ""), "First")) }
        }
        p { "An article that is not published has no price in effect. An empty field changes nothing." }
    };
    finish(visit, "Price grid", said, body).await
}

async fn resolve(visit: &Visit, list: &str, variants: &[&str]) -> Result<Value, Problem> {
    let (operation, path) = locate(&visit.site, "resolvePrices", list)?;
    let body = json!({ "variantIds": variants });
    visit.calls.write(operation, &path, Some(&body), None, None).await.map(|reply| reply.body)
}

/// The text that the user typed into the column of a list.
fn read_typed<'v>(visit: &'v Visit, list: &str, name: &str) -> &'v str {
    if value_of(visit, "list") == list { value_of(visit, name) } else { "" }
}

/// The head of a column has its form; the fields below belong to it by the attribute `form`.
fn draw_head(visit: &Visit, said: &Said, list: &Value) -> Markup {
    let id = text(list, "id");
    let from = format!("from-{id}");
    let control = html! {
        input id=(from) name="from" type="datetime-local" aria-describedby={ (from) "-help" } value=(read_typed(visit, id, "from"));
        small.help id={ (from) "-help" } { "Empty: from now on" }
    };
    let fields = html! {
        (field(&from, "Valid from", control))
        button aria-label={ "Set prices of " (text(list, "name")) } { "Set prices" }
    };
    let hidden = [("list", &list["id"]), ("currency", &list["currencyCode"])];
    html! {
        (text(list, "name")) " (" (text(list, "currencyCode")) ")"
        (form(visit, said, &format!("list-{id}"), &hidden, fields))
    }
}

fn draw_cell(visit: &Visit, list: &Value, variant: &Value, prices: &Value) -> Markup {
    let (list, id) = (text(list, "id"), text(variant, "id"));
    let name = format!("v-{id}");
    let price = items(prices).iter().find(|price| text(price, "variantId") == id);
    html! {
        (price.map_or_else(|| "none".to_owned(), |price| amount(text(price, "amount")))) " "
        input form={ "list-" (list) } name=(name) inputmode="decimal" autocomplete="off" size="8" maxlength="40"
            value=(read_typed(visit, list, &name)) aria-label={ "New price of " (text(variant, "sku")) };
    }
}
