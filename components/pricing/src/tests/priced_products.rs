//! A product with its variants and their prices.

use serde_json::{Value as Json, json};
use stoa_sdk::Id;
use stoa_sdk::scripted::{rows, script, whole};
use stoa_trade::Status;
use stoa_trade::clients::products::{self, ShownProduct, ShownVariant};

use super::{call, list, price, refusal};
use crate::records::price::PriceRow;
use crate::records::price_list::ListRow;

/// A catalog that shows every product with the example's variant and another, of more.
fn show() {
    let variant = |id: Id| ShownVariant { id: id.into(), document: json!({ "id": id }).to_string() };
    products::service::stand_in::show(move |product, after, limit, with_media| {
        assert_eq!((after, limit, with_media), (None, 100, false));
        Some(ShownProduct {
            document: json!({ "id": Id::from(product) }).to_string(),
            variants: vec![variant(PriceRow::example().variant_id), variant(Id(9, 9))],
            more: true,
            media: Vec::new(),
        })
    });
}

fn prices(body: &Json) -> Vec<&Json> {
    body["variants"].as_array().into_iter().flatten().map(|variant| &variant["price"]["amount"]).collect()
}

#[test]
fn prices_of_a_product_are_one_round_trip_beside_the_catalog() {
    show();
    let log = script(vec![vec![rows(vec![list()]), rows(vec![price(Id(6, 6), None, None)])]]);
    let body = call("getPricedProduct", Json::Null).expect("it is on sale");
    assert_eq!(log.borrow().runs.len(), 1);
    assert_eq!(prices(&body), [&json!("12.500000"), &Json::Null]);
    assert_eq!((&body["priceList"]["currencyCode"], &body["nextCursor"]), (&json!("EUR"), &json!(Id(9, 9))));
    assert!(body.get("media").is_none());
}

#[test]
fn an_archived_list_has_no_prices_for_people_and_is_none_for_clients() {
    show();
    let archived = || rows(vec![whole(&ListRow { status: Status::Archived, ..ListRow::example() }, 1)]);
    let read = || vec![vec![archived(), rows(vec![price(Id(6, 6), None, None)])]];
    script(read());
    let body = call("getPricedProduct", Json::Null).expect("people may read it");
    assert_eq!(prices(&body), [&Json::Null, &Json::Null]);
    script(read());
    assert_eq!(call("apiGetPricedProduct", Json::Null), refusal("NOT_FOUND", &[]));
}

#[test]
fn of_what_is_not_on_sale_no_price_is_read() {
    products::service::stand_in::show(|_, _, _, _| None);
    for operation in ["getPricedProduct", "apiGetPricedProduct"] {
        let log = script(Vec::new());
        assert_eq!(call(operation, Json::Null), refusal("NOT_FOUND", &[]));
        assert!(log.borrow().runs.is_empty());
    }
}
