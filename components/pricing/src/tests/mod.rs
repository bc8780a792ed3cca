//! The module against a scripted host: how many round trips its operations take, and what they refuse.

mod changes;
mod clients;
mod priced_products;
mod service;

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{self, Log, ask, rows, whole};
use stoa_sdk::store::{Reply as StoreReply, Row, Value};
use stoa_sdk::{Id, Instant, Module, Problem};
use stoa_trade::clients::articles::{self, Article};

use crate::Pricing;
use crate::records::price::PriceRow;
use crate::records::price_list::ListRow;

/// An operation's refusal: a code, and where.
type Refusal = (String, Vec<String>);

/// A host with these replies, and a catalog that sells every variant.
fn script(replies: Vec<Vec<StoreReply>>) -> Rc<RefCell<Log>> {
    sell(|_| true);
    scripted::script(replies)
}

/// A catalog in which these variants are active, and the others are archived.
fn sell(is_active: fn(Id) -> bool) {
    articles::service::stand_in::get_variants(move |variants| {
        let article = |id: Id| Article { variant_active: is_active(id), ..articles::example(id) };
        variants.iter().map(|variant| article((*variant).into())).collect()
    });
}

fn list() -> Row {
    whole(&ListRow::example(), 1)
}

fn price(id: Id, from: Option<i64>, to: Option<i64>) -> Row {
    let (valid_from, valid_to) = (from.map(Instant), to.map(Instant));
    whole(&PriceRow { id, valid_from, valid_to, ..PriceRow::example() }, 1)
}

/// Calls an operation on the example's list, price and variant.
fn call(operation: &str, body: Json) -> Result<Json, Refusal> {
    let price = PriceRow::example();
    let path =
        [("listId", price.list_id), ("variantId", price.variant_id), ("priceId", Id(6, 6)), ("productId", Id(8, 8))];
    let path = path.map(|(name, id)| (name, id.to_string()));
    let path: Vec<(&str, &str)> = path.iter().map(|(name, id)| (*name, id.as_str())).collect();
    let is_list = operation.trim_start_matches("api").to_lowercase().starts_with("list");
    let query: &[(&str, &str)] = if is_list { &[("limit", "2")] } else { &[] };
    let pointers = |problem: Problem| problem.errors.into_iter().map(|item| item.pointer).collect();
    ask::<Pricing>(operation, &path, query, Some(body)).map_err(|problem| (problem.code.clone(), pointers(problem)))
}

fn input(amount: &str) -> Json {
    json!({ "variantId": PriceRow::example().variant_id, "currencyCode": "EUR", "amount": amount })
}

fn refusal(code: &str, pointers: &[&str]) -> Result<Json, Refusal> {
    Err((code.to_owned(), pointers.iter().map(|&pointer| pointer.to_owned()).collect()))
}

#[test]
fn verify_finds_overlaps_and_lists_of_another_currency() {
    let (first, second) = (price(Id(6, 1), Some(0), Some(10)), price(Id(6, 2), Some(5), None));
    let mut dollars = list();
    dollars[7] = Value::Text("USD".to_owned());
    let both = || rows(vec![first.clone(), second.clone()]);
    script(vec![vec![both()], vec![rows(vec![dollars])], vec![both()]]);
    let findings = (Pricing::MANIFEST.verify)(None);
    let found: Vec<_> =
        findings.findings.iter().map(|finding| (finding.invariant.as_str(), finding.resource)).collect();
    let (first, second) = (Some((6, 1)), Some((6, 2)));
    assert_eq!(found, [("price-list", first), ("price-list", second), ("price-overlap", second)]);
    assert_eq!(findings.next, None);
}
