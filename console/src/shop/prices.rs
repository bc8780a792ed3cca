//! The price grid: variants by price lists, with the price in effect and a field for the next one. A button sends one column.

use axum::response::Response;
use chrono::{SecondsFormat, Utc};
use futures_util::future::join_all;
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

use crate::call::{Context, Problem, ProblemItem};
use crate::page::{self, Visit};
use crate::shop::parts::{Hidden, form, link, value_of};
use crate::shop::{Done, Said, address_of, finish, is_permitted, items, locate, name_of, read, text, write};
use crate::show::value::amount;

/// Columns of a page: each takes a call.
const MOST_LISTS: &str = "4";
const MOST_VARIANTS: &str = "50";

pub async fn respond(visit: &Visit) -> Result<Response, Problem> {
    let done = if visit.is_post { schedule(visit).await } else { Err(Box::default()) };
    match done {
        Ok(address) => Ok(page::redirect(&address)),
        Err(said) => draw(visit, &said).await,
    }
}

/// The cells of a column that state an amount: variant and amount, in the sequence of the form.
fn read_cells(visit: &Visit) -> Vec<(&str, &str)> {
    let cells = visit.form.0.iter().filter_map(|(name, value)| Some((name.strip_prefix("v-")?, value.trim())));
    cells.filter(|(_, value)| !value.is_empty()).collect()
}

async fn schedule(visit: &Visit) -> Done {
    let cells = read_cells(visit);
    if cells.is_empty() {
        return Err(Said::say("State a price in the column first."));
    }
    // A call for the company's zone is made only if an instant was typed.
    let from = match value_of(visit, "from") {
        "" => Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true),
        local => visit.clock().await.map_err(|problem| Said::reject("schedulePrices", problem))?.from_text(local),
    };
    let currency = value_of(visit, "currency");
    let prices: Vec<Value> = cells
        .iter()
        .map(|(variant, amount)| {
            json!({ "variantId": variant, "currencyCode": currency, "amount": amount, "validFrom": from })
        })
        .collect();
    let body = json!({ "prices": prices, "replace": true });
    write(visit, "schedulePrices", &[value_of(visit, "list")], &body).await?;
    Ok(address(visit, parameter(visit, "cursor"), parameter(visit, "lists")))
}

/// A parameter of the address; None if it is empty.
fn parameter<'v>(visit: &'v Visit, name: &str) -> Option<&'v str> {
    visit.query.get(name).filter(|value| !value.is_empty())
}

/// The address of a part of the grid: a search, a page of variants and a page of price lists.
fn address(visit: &Visit, cursor: Option<&str>, lists: Option<&str>) -> String {
    let stated = [("text", parameter(visit, "text")), ("cursor", cursor), ("lists", lists)];
    let stated =
        stated.iter().filter_map(|(name, value)| Some((name, utf8_percent_encode((*value)?, NON_ALPHANUMERIC))));
    let query: Vec<String> = stated.map(|(name, value)| format!("{name}={value}")).collect();
    format!("{}/-/prices?{}", visit.base, query.join("&"))
}

async fn draw(visit: &Visit, said: &Said) -> Result<Response, Problem> {
    let mut of_lists = vec![("status", "ACTIVE"), ("limit", MOST_LISTS)];
    let mut of_variants = vec![("limit", MOST_VARIANTS)];
    of_lists.extend(parameter(visit, "lists").map(|cursor| ("cursor", cursor)));
    of_variants.extend(["text", "cursor"].into_iter().filter_map(|name| Some((name, parameter(visit, name)?))));
    let (context, lists, variants) = tokio::join!(
        visit.context(),
        read(visit, "listPriceLists", &[], &of_lists),
        read(visit, "listVariants", &[], &of_variants),
    );
    let (context, lists, variants) = (context?, lists?, variants?);
    let (lists, rest_of_lists) = (items(&lists), text(&lists, "nextCursor"));
    let (variants, rest) = (items(&variants), text(&variants, "nextCursor"));
    let ids: Vec<&str> = variants.iter().map(|variant| text(variant, "id")).collect();
    let columns = lists.iter().filter(|_| !ids.is_empty()).map(|list| resolve(visit, text(list, "id"), &ids));
    let columns = join_all(columns).await.into_iter().collect::<Result<Vec<Value>, Problem>>()?;
    let cells = read_cells(visit);
    let place = |item: &ProblemItem| {
        let nth = item.pointer.strip_prefix("/prices/").and_then(|rest| rest.split('/').next()?.parse::<usize>().ok());
        let variant = nth.and_then(|nth| cells.get(nth)).map(|(variant, _)| *variant);
        variant.map(|variant| format!("{}:", name_of(variants, variant, "sku"))).unwrap_or_default()
    };
    let body = html! {
        (said.draw(&visit.site, &place))
        form.filters method="get" {
            div.field {
                label for="text" { "Find articles" }
                input id="text" name="text" type="search" maxlength="100" value=(parameter(visit, "text").unwrap_or_default());
            }
            @if let Some(lists) = parameter(visit, "lists") { input type="hidden" name="lists" value=(lists); }
            button { "Find" }
        }
        @if lists.is_empty() { p { "There is no price list: " (link(address_of(visit, "listPriceLists", &[]), "Price lists")) } }
        @if ids.is_empty() { p { "No article was found." } }
        div.grid tabindex="0" role="region" aria-label="Prices" {
            table {
                thead { tr {
                    th scope="col" { "Article" }
                    @for list in lists { th scope="col" { (draw_head(visit, said, context, list)) } }
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
            @if !rest.is_empty() { (link(address(visit, Some(rest), parameter(visit, "lists")), "More articles")) " " }
            @if !rest_of_lists.is_empty() { (link(address(visit, parameter(visit, "cursor"), Some(rest_of_lists)), "More price lists")) " " }
            @if parameter(visit, "cursor").or(parameter(visit, "lists")).is_some() { (link(address(visit, None, None), "First")) }
        }
        p { "An article that is not published has no price in effect. An empty field changes nothing." }
    };
    finish(visit, "Price grid", said, body).await
}

async fn resolve(visit: &Visit, list: &str, variants: &[&str]) -> Result<Value, Problem> {
    let (operation, path) = locate(&visit.site, "resolvePrices", &[list])?;
    let body = json!({ "variantIds": variants });
    visit.calls.write(operation, &path, Some(&body), None, None).await.map(|reply| reply.body)
}

/// The head of a column has its form; the fields below belong to it by the attribute `form`.
fn draw_head(visit: &Visit, said: &Said, context: &Context, list: &Value) -> Markup {
    let id = text(list, "id");
    let from = format!("from-{id}");
    let typed = if value_of(visit, "list") == id { value_of(visit, "from") } else { "" };
    let fields = html! {
        div.field {
            label for=(from) { "Valid from" }
            input id=(from) name="from" type="datetime-local" aria-describedby={ (from) "-help" } value=(typed);
            small.help id={ (from) "-help" } { "Empty: from now on" }
        }
        button aria-label={ "Set the prices of " (text(list, "name")) } { "Set prices" }
    };
    let hidden: Hidden<'_> = &[("list", &list["id"]), ("currency", &list["currencyCode"])];
    let target = address(visit, parameter(visit, "cursor"), parameter(visit, "lists"));
    html! {
        (text(list, "name")) " (" (text(list, "currencyCode")) ")"
        @if is_permitted(&visit.site, context, "schedulePrices") { (form(visit, said, &target, &format!("list-{id}"), hidden, fields)) }
    }
}

fn draw_cell(visit: &Visit, list: &Value, variant: &Value, prices: &Value) -> Markup {
    let (list, id) = (text(list, "id"), text(variant, "id"));
    let name = format!("v-{id}");
    let price = items(prices).iter().find(|price| text(price, "variantId") == id);
    let typed = if value_of(visit, "list") == list { value_of(visit, &name) } else { "" };
    html! {
        (price.map_or_else(|| "none".to_owned(), |price| amount(text(price, "amount")))) " "
        input form={ "list-" (list) } name=(name) inputmode="decimal" autocomplete="off" size="8" maxlength="40" value=(typed)
            aria-label={ "New price of " (text(variant, "sku")) };
    }
}
