//! What a request costs in round trips to PostgreSQL, counted by a bystander, is no more than `stoa_tap::BOUNDS` says.

use serde_json::json;
use stoa_tap::BOUNDS;
use stoa_tests::company::{product, with};
use stoa_tests::round_trips::Watched;
use stoa_tests::{Company, Database};

mod postgres {
    #[test]
    fn no_request_takes_more_round_trips_than_its_bound() {
        stoa_tests::on_both::run(super::Database::Postgres, |_| {
            super::no_request_takes_more_round_trips_than_its_bound()
        });
    }
}

fn no_request_takes_more_round_trips_than_its_bound() {
    let watched = Watched::start();
    let shop = watched.host.company();
    let measured = BOUNDS.iter().map(|bound| {
        let count = measure(&watched, &shop, bound.figure);
        assert!(count > 0, "{}: nothing was counted", bound.figure);
        (bound, count)
    });
    let over: Vec<_> = measured.filter(|(bound, count)| *count > bound.most).collect();
    assert!(over.is_empty(), "{over:?}");
}

fn measure(watched: &Watched, shop: &Company, figure: &str) -> usize {
    match figure {
        "statements_read" => {
            let product = shop.product("Read");
            watched.count(|| drop(shop.get(&format!("catalog/products/{product}")).is(200)))
        }
        "statements_read_awaited" => {
            let product = shop.product("Awaited");
            let read = || shop.request("GET", &format!("catalog/products/{product}")).unchecked().send().is(200);
            watched.count_awaited(|| drop(read()))
        }
        "statements_page" => {
            let shown =
                with(&product("Page"), json!({ "publicationStatus": "PUBLISHED", "variants": [{ "sku": "PAGE" }] }));
            let (list, product) = (shop.price_list("PAGE"), shop.post("catalog/products", shown).is(201).id());
            let path = format!("pricing/price-lists/{list}/products/{product}?expand=media");
            watched.count_awaited(|| drop(shop.request("GET", &path).unchecked().send().is(200)))
        }
        "statements_write" => {
            let (list, variant) = (shop.price_list("WRITTEN"), shop.on_sale("WRITTEN"));
            let mut days = (0..).map(|day| {
                let day = chrono::DateTime::from_timestamp(1_893_456_000 + day * 86_400, 0).expect("a day");
                day.format("%Y-%m-%dT00:00:00.000Z").to_string()
            });
            let mut from = days.next();
            watched.count(|| {
                let to = days.next();
                shop.price(&list, &variant, from.as_deref(), to.as_deref()).is(201);
                from = to;
            })
        }
        "statements_adjustment" => count_adjustments(watched, shop),
        "statements_adjustment_books" => {
            count_adjustments(watched, &watched.host.company_with(json!({ "keepsBooks": true })))
        }
        other => panic!("nobody measures {other}"),
    }
}

fn count_adjustments(watched: &Watched, shop: &Company) -> usize {
    let (variant, warehouse) = (shop.counted(0), shop.main());
    watched.count(|| drop(shop.bring(&variant, &warehouse, "1", Some("12.5")).is(201)))
}
