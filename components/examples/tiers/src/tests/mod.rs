//! Tiers against a scripted host: what they make of prices, what they write and what they refuse.

use std::cell::RefCell;
use std::rc::Rc;

use pricing::Pricing;
use pricing::records::price::PriceRow;
use pricing::records::price_list::ListRow;
use serde_json::{Value as Json, json};
use stoa_sdk::descriptor::Descriptor;
use stoa_sdk::scripted::{self, Log, NOW, ask, rows, whole};
use stoa_sdk::store::{Call as StoreCall, Reply as StoreReply, Row, Value};
use stoa_sdk::{Decimal, Field, Id, Instant, Module, Problem};
use stoa_trade::Status;
use stoa_trade::clients::articles;

use crate::Tiers;
use crate::records::tier::{Tier, TierRow};
use crate::rules::tier::amount_at;

fn script(replies: Vec<Vec<StoreReply>>) -> Rc<RefCell<Log>> {
    articles::service::stand_in::get_variants(|variants| {
        variants.iter().map(|variant| articles::example((*variant).into())).collect()
    });
    scripted::script(replies)
}

fn decimal(text: &str) -> Decimal<6> {
    text.parse().expect("a decimal")
}

fn list() -> Row {
    whole(&ListRow::example(), 1)
}

fn price(status: Status) -> Row {
    whole(&PriceRow { amount: decimal("10"), status, ..PriceRow::example() }, 3)
}

fn tier(position: i64, from: &str, amount: &str, active: bool) -> Row {
    let row = TierRow {
        id: Id(5, u64::try_from(position).expect("a place")),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        price_id: PriceRow::example().id,
        position,
        from_quantity: decimal(from),
        amount: decimal(amount),
        active,
    };
    whole(&row, 1)
}

fn call(operation: &str, query: &[(&str, &str)], body: Json) -> Result<Json, (String, Vec<(String, String)>)> {
    let price = PriceRow::example();
    let path = [("listId", price.list_id), ("priceId", price.id), ("variantId", price.variant_id)];
    let path = path.map(|(name, id)| (name, id.to_string()));
    let path: Vec<(&str, &str)> = path.iter().map(|(name, id)| (*name, id.as_str())).collect();
    let faults = |problem: Problem| problem.errors.into_iter().map(|item| (item.pointer, item.code)).collect();
    ask::<Tiers>(operation, &path, query, Some(body)).map_err(|problem| (problem.code.clone(), faults(problem)))
}

fn set(tiers: &[(&str, &str)]) -> Result<Json, (String, Vec<(String, String)>)> {
    let tiers: Vec<Json> =
        tiers.iter().map(|(from, amount)| json!({ "fromQuantity": from, "amount": amount })).collect();
    call("setPriceTiers", &[], json!({ "tiers": tiers }))
}

fn reads(tiers: Vec<Row>) -> Vec<Vec<StoreReply>> {
    vec![
        vec![rows(vec![price(Status::Active)]), rows(vec![list()])],
        vec![StoreReply::Done, rows(vec![price(Status::Active)]), rows(tiers)],
    ]
}

#[test]
fn the_highest_tier_that_is_reached_counts() {
    let tiers = [("10", "9"), ("100", "8.5")]
        .map(|(from, amount)| Tier { from_quantity: decimal(from), amount: decimal(amount) });
    for (quantity, amount) in
        [("0", "10"), ("9.999999", "10"), ("10", "9"), ("99", "9"), ("100", "8.5"), ("999999999999", "8.5")]
    {
        assert_eq!(amount_at(decimal(quantity), decimal("10"), &tiers), decimal(amount), "{quantity}");
    }
    assert_eq!(amount_at(decimal("1"), decimal("10"), &[]), decimal("10"));
}

#[test]
fn a_price_resolves_for_a_quantity() {
    let script = || {
        script(vec![
            vec![rows(vec![list()]), rows(vec![price(Status::Active)])],
            vec![rows(vec![tier(1, "100", "8", true), tier(0, "10", "9", true)])],
        ])
    };
    for (query, amount) in
        [(&[][..], "10.000000"), (&[("quantity", "9")], "10.000000"), (&[("quantity", "50")], "9.000000")]
    {
        script();
        let body = call("resolvePrice", query, Json::Null).expect("it is in effect");
        assert_eq!(body["amount"], amount, "{query:?}");
        assert_eq!(body["quantityTiers"][0], json!({ "fromQuantity": "10.000000", "amount": "9.000000" }));
        assert_eq!(body["id"], json!(PriceRow::example().id));
    }
}

#[test]
fn tiers_fill_the_places_that_are_there() {
    let mut replies = reads(vec![tier(0, "10", "9", true), tier(1, "20", "8", true), tier(2, "30", "7", false)]);
    replies.extend([vec![StoreReply::Done], vec![StoreReply::Done]]);
    let log = script(replies);
    let body = set(&[("10", "9")]).expect("they are set");
    assert_eq!(body["tiers"], json!([{ "fromQuantity": "10.000000", "amount": "9.000000" }]));
    assert_eq!(body["amount"], "10.000000");
    let log = log.borrow();
    // Only the second place goes out of use; then the price's version rises.
    let [StoreCall::Update(update)] = log.runs[2].as_slice() else { panic!("{:?}", log.runs[2]) };
    let changed: Vec<_> = update.rows.iter().map(|row| (row.key.clone(), row.set.last().cloned())).collect();
    assert_eq!(changed, [(vec![Id(5, 1).put()], Some(Value::Boolean(false)))]);
    assert!(matches!(log.runs[3].as_slice(), [StoreCall::Update(price)] if price.collection == "price"));
    assert_eq!(log.events.len(), 1);
}

#[test]
fn more_tiers_than_places_are_inserted_in_order() {
    let mut replies = reads(vec![tier(0, "10", "9", true)]);
    replies.extend([vec![StoreReply::Done, StoreReply::Done], vec![StoreReply::Done]]);
    let log = script(replies);
    let body = set(&[("100", "7"), ("5", "9.5")]).expect("they are set");
    assert_eq!(body["tiers"][0]["fromQuantity"], "5.000000");
    let log = log.borrow();
    let [StoreCall::Update(_), StoreCall::Insert(insert)] = log.runs[2].as_slice() else { panic!("{:?}", log.runs[2]) };
    assert_eq!(insert.rows.len(), 1);
    assert!(insert.rows[0].contains(&Value::Integer(1)) && insert.rows[0].contains(&decimal("100").put()));
}

#[test]
fn what_is_refused() {
    let fault = |pointer: &str, code: &str| (pointer.to_owned(), code.to_owned());
    script(Vec::new());
    let faults = vec![fault("/tiers/1/fromQuantity", "REPEATED"), fault("/tiers/2/fromQuantity", "RANGE")];
    assert_eq!(set(&[("1", "1"), ("1.0", "2"), ("0", "1")]), Err(("VALIDATION_FAILED".to_owned(), faults)));
    script(vec![vec![rows(Vec::new()), rows(vec![list()])]]);
    assert_eq!(set(&[]), Err(("NOT_FOUND".to_owned(), Vec::new())));
    let mut replies = reads(Vec::new());
    replies[1][1] = rows(vec![price(Status::Archived)]);
    script(replies);
    assert_eq!(set(&[]), Err(("ARCHIVED".to_owned(), Vec::new())));
}

/// Everything that the built-in module says of itself is said here too, and nothing of it otherwise.
#[test]
fn nothing_of_the_built_in_module_is_missing() {
    let (tiers, built_in) = (Tiers::descriptor(), Pricing::descriptor());
    assert_eq!(tiers.name, built_in.name);
    assert_eq!(tiers.collections[..built_in.collections.len()], built_in.collections[..]);
    assert_eq!(tiers.routes.len(), built_in.routes.len() + 2);
    for route in &built_in.routes {
        let same =
            tiers.routes.iter().filter(|other| (&other.operation, &other.path) == (&route.operation, &route.path));
        assert_eq!(same.count(), 1, "{}", route.operation);
    }
    let codes = |descriptor: &Descriptor| {
        let events = descriptor.events.iter().map(|event| event.code.clone()).collect();
        let problems = descriptor.problems.iter().map(|problem| problem.code.clone()).collect();
        let named = [&descriptor.permissions, &descriptor.scopes];
        let [permissions, scopes] = named.map(|named| named.iter().map(|named| named.code.clone()).collect::<Vec<_>>());
        [permissions, scopes, events, problems]
    };
    assert_eq!(codes(&tiers), codes(&built_in));
}
