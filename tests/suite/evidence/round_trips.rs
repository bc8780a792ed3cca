//! The cost of a request in round trips to PostgreSQL, counted by a proxy, is no more than `stoa_postgres_proxy::BOUNDS` says.

use serde_json::{Value as Json, json};
use stoa_postgres_proxy::{BOUNDS, Bound};
use stoa_tests::Company;
use stoa_tests::billing::Office;
use stoa_tests::company::{fresh, product, with};
use stoa_tests::purchases::{Buyer, Order, fresh_serials, line, serials};
use stoa_tests::round_trips::{REQUESTS, Watched};
use stoa_tests::selling::Counter;
use stoa_tests::services::sales::{Call, Sale, SellLine};
use stoa_tests::services::{key, new_key};
use stoa_tests::tills::{Till, parts};

stoa_tests::tests![
    no_request_takes_more_round_trips_than_its_bound,
    round_trips_do_not_grow_with_what_a_request_holds,
    a_request_of_a_company_at_a_place_asks_no_other_server,
];

fn no_request_takes_more_round_trips_than_its_bound() {
    let measured = measure_all(&Watched::start(), |_| true);
    // The statements of a request do not grow with its lines.
    let measured_count =
        |figure: &&str| measured.iter().find(|(bound, _)| bound.figure == *figure).map(|(_, count)| *count);
    for figures in [
        &["statements_receipt_line", "statements_receipt", "statements_receipt_lines"][..],
        &["statements_order_create", "statements_order_create_100"],
        &["statements_order_confirm", "statements_order_confirm_100"],
        &["statements_order_complete", "statements_order_complete_100"],
    ] {
        let counts: Vec<Option<usize>> = figures.iter().map(measured_count).collect();
        assert!(counts.iter().all(|count| *count == counts[0]), "{figures:?}: {counts:?}");
    }
}

/// Those of [`BOUNDS`] that count what a request waits for. The host's own looks at home are as slow then, and in the way.
const AWAITED: [&str; 2] = ["statements_read_awaited", "statements_page"];

/// Each count fails if another database than the company's was asked.
fn a_request_of_a_company_at_a_place_asks_no_other_server() {
    let watched = Watched::start_at_place();
    measure_all(&watched, |bound| !AWAITED.contains(&bound.figure));
    assert_eq!(watched.host.companies_at("home"), 0);
}

/// The figures of these requests, of all that have a bound.
#[track_caller]
fn measure_all(watched: &Watched, is_measured: fn(&Bound) -> bool) -> Vec<(&'static Bound, usize)> {
    let shop = watched.host.company();
    let bounds = BOUNDS.iter().filter(|bound| is_measured(bound));
    let measured: Vec<_> = bounds.map(|bound| (bound, measure(watched, &shop, bound.figure))).collect();
    for (bound, count) in &measured {
        assert!(*count > 0, "{}: nothing was counted", bound.figure);
        println!("{} {count}", bound.figure);
    }
    let over: Vec<_> = measured.iter().filter(|(bound, count)| *count > bound.most).collect();
    assert!(over.is_empty(), "{over:?}");
    measured
}

/// Requests of one thing and of twenty: products with variants, imports, schedules of prices that close others, orders to buy.
fn round_trips_do_not_grow_with_what_a_request_holds() {
    let watched = Watched::start();
    let shop = watched.host.company();
    let skus = |count: usize| -> Json {
        let stem = fresh("SKU-");
        (0..count).map(|nth| json!({ "sku": format!("{stem}-{nth}") })).collect()
    };
    let count_products = |count: usize| {
        watched.count(|| {
            let body = with(&product(&fresh("Many ")), json!({ "variants": skus(count) }));
            drop(shop.post("catalog/products", body).is(201));
        })
    };
    let count_imports = |count: usize| {
        watched.count(|| {
            let one = |_| with(&product(&fresh("Import ")), json!({ "variants": skus(1) }));
            let products: Vec<Json> = (0..count).map(one).collect();
            drop(shop.post("catalog/imports", json!({ "products": products })).is(201));
        })
    };
    let count_schedules = |count: usize| {
        let made = shop.post("catalog/products", with(&product(&fresh("Prices ")), json!({ "variants": skus(count) })));
        let made = made.is(201);
        let path = format!("pricing/price-lists/{}/prices/batch", shop.price_list(&fresh("LIST-")));
        let mut days = (0..).map(|day| {
            let day = chrono::DateTime::from_timestamp(1_893_456_000 + day * 86_400, 0).expect("a day");
            day.format("%Y-%m-%dT00:00:00.000Z").to_string()
        });
        watched.count(|| {
            let from = days.next();
            let price = |variant: &Json| {
                json!({ "variantId": variant["id"], "currencyCode": "EUR", "amount": "1", "validFrom": from })
            };
            let prices: Json = made["variants"].as_array().into_iter().flatten().map(price).collect();
            drop(shop.post(&path, json!({ "prices": prices, "replace": true })).is(201));
        })
    };
    let buyer = Buyer::from_shop(watched.host.company());
    let count_purchases = |count: usize| {
        let items: Json = (0..count).map(|_| line(&buyer.shop.counted(0), "2", "0.5")).collect();
        watched.count(|| drop(buyer.draft(items.clone())))
    };
    for (name, one, many) in [
        ("a product with its variants", count_products(1), count_products(20)),
        ("an import", count_imports(1), count_imports(20)),
        ("a schedule of prices", count_schedules(1), count_schedules(20)),
        ("an order to buy", count_purchases(1), count_purchases(20)),
    ] {
        assert!(one > 0, "{name}: nothing was counted");
        assert_eq!(one, many, "{name}");
    }
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
        "statements_receipt" => count_receipts(watched, 10),
        "statements_receipt_line" => count_receipts(watched, 1),
        "statements_receipt_lines" => count_receipts(watched, 100),
        "statements_receipt_units" => count_receipts_of_units(watched),
        "statements_order_create" => count_drafts(watched, 10),
        "statements_order_create_100" => count_drafts(watched, 100),
        "statements_order_confirm" => count_confirmations(watched, 10),
        "statements_order_confirm_100" => count_confirmations(watched, 100),
        "statements_order_complete" => count_completions(watched, 10),
        "statements_order_complete_100" => count_completions(watched, 100),
        "statements_checkout" => count_checkouts(watched, 10),
        "statements_checkout_100" => count_checkouts(watched, 100),
        "statements_sell" => count_sales(watched, 10),
        "statements_sell_100" => count_sales(watched, 100),
        "statements_invoice_issue" => {
            count_invoices(watched, |office, id| drop(office.sales.step_at(id, "issue", json!(1), json!({})).is(200)))
        }
        "statements_invoice_confirm" => count_invoices(watched, |office, id| {
            let members = json!({ "warehouseId": office.counter.main, "priceListId": office.counter.list });
            drop(office.sales.step_at(id, "confirm", json!(1), members).is(200));
        }),
        "statements_payment_50" => count_payments(watched),
        other => panic!("no measure is called {other}"),
    }
}

/// A shop with books, and variants of which there is enough for every request, at a price.
fn counter(watched: &Watched, lines: usize) -> (Counter, Vec<String>) {
    let counter = Counter::new(watched.host.company_with(json!({ "keepsBooks": true })));
    let variants = (0..lines).map(|_| counter.good("10", "1000")).collect();
    (counter, variants)
}

fn items(variants: &[String]) -> Json {
    variants.iter().map(|variant| json!({ "variantId": variant, "quantity": "1" })).collect()
}

fn count_confirmations(watched: &Watched, lines: usize) -> usize {
    count_steps(watched, lines, |orders, id| drop(orders.confirm(id).is(200)), &[])
}

fn count_completions(watched: &Watched, lines: usize) -> usize {
    count_steps(watched, lines, |orders, id| drop(orders.complete(id).is(200)), &["confirm"])
}

fn count_drafts(watched: &Watched, lines: usize) -> usize {
    let (counter, variants) = counter(watched, lines);
    let items = items(&variants);
    watched.count(|| drop(counter.draft(items.clone())))
}

/// Counts a step of orders of so many lines that have gone these steps before.
fn count_steps(watched: &Watched, lines: usize, step: impl Fn(&Counter, &str), before: &[&str]) -> usize {
    let (counter, variants) = counter(watched, lines);
    let items = items(&variants);
    let ready = || {
        let order = counter.draft(items.clone());
        for (version, verb) in (1..).zip(before) {
            counter.step(&order, verb, version, json!({})).is(200);
        }
        order
    };
    // As many as are asked for, made before any is counted.
    let mut orders: Vec<String> = (0..REQUESTS).map(|_| ready()).collect();
    watched.count(|| step(&counter, &orders.pop().expect("enough orders")))
}

/// Checkouts of orders of so many lines in one session, in cash and by card.
fn count_checkouts(watched: &Watched, lines: usize) -> usize {
    let (counter, variants) = counter(watched, lines);
    let items = items(&variants);
    let till = Till::new(counter);
    // As many as are asked for, made before any is counted.
    let mut orders: Vec<String> = (0..REQUESTS).map(|_| till.order(items.clone())).collect();
    let session = till.open("100");
    let (card, mut version) = (format!("{}", 10 * lines - 1), 1);
    let payment = parts(&[("CASH", "1"), ("CARD", &card)]);
    watched.count(|| {
        let order = orders.pop().expect("enough orders");
        session.try_check_out_at(&order, version, payment.clone()).is(201);
        version += 1;
    })
}

fn count_sales(watched: &Watched, lines: usize) -> usize {
    let (counter, variants) = counter(watched, lines);
    let line = |variant: &String| SellLine {
        variant_id: key(variant),
        quantity: "1".to_string(),
        unit_price: Some("9".to_string()),
        reason: None,
        unit_ids: Vec::new(),
        pointer: "/lines".to_string(),
    };
    watched.count(|| {
        let sale = Sale {
            invoice_id: new_key(),
            number: fresh("INV-"),
            customer_id: key(&counter.customer),
            legal_entity_id: key(&counter.entity),
            warehouse_id: key(&counter.main),
            price_list_id: key(&counter.list),
            lines: variants.iter().map(line).collect(),
        };
        drop(counter.try_services(&[Call::Sell(sale)]).is(201));
    })
}

/// Counts a step of drafts of ten lines, made before any is counted.
fn count_invoices(watched: &Watched, step: impl Fn(&Office, &str)) -> usize {
    let shop = watched.host.company_with(json!({ "keepsBooks": true }));
    let office = Office::from_shop(shop.clone(), shop.entity());
    let lines: Json = (0..10).map(|_| office.sales.goods(&office.counter.good("10", "1000"), "1", "9")).collect();
    let mut drafts: Vec<String> =
        (0..REQUESTS).map(|_| format!("invoices/{}", office.sales.draft(lines.clone()))).collect();
    watched.count(|| step(&office, &drafts.pop().expect("enough drafts")))
}

/// Payments that each pay a little of the same fifty invoices.
fn count_payments(watched: &Watched) -> usize {
    let shop = watched.host.company_with(json!({ "keepsBooks": true }));
    let office = Office::from_shop(shop.clone(), shop.entity());
    let invoices: Vec<String> = (0..50).map(|_| office.sales.owe("1000")).collect();
    let parts: Vec<(&str, &str)> = invoices.iter().map(|invoice| (invoice.as_str(), "1")).collect();
    watched.count(|| drop(office.sales.pay_for("50", &parts)))
}

fn count_adjustments(watched: &Watched, shop: &Company) -> usize {
    let (variant, warehouse) = (shop.counted(0), shop.main());
    watched.count(|| drop(shop.bring(&variant, &warehouse, "1", Some("12.5")).is(201)))
}

/// Receipts of one piece of each of so many lines of one order.
fn count_receipts(watched: &Watched, lines: usize) -> usize {
    let buyer = Buyer::from_shop(watched.host.company_with(json!({ "keepsBooks": true })));
    let sku = fresh("LINES-");
    let variants: Vec<Json> = (0..lines).map(|n| json!({ "sku": format!("{sku}-{n}") })).collect();
    let members = json!({ "trackInventory": true, "publicationStatus": "PUBLISHED", "variants": variants });
    let made = buyer.shop.post("catalog/products", with(&product(&sku), members)).is(201);
    let variants = made["variants"].as_array().into_iter().flatten();
    let items = variants.map(|variant| line(variant["id"].as_str().unwrap_or_default(), "1000", "12.5")).collect();
    let order = buyer.place(items);
    let read = order.read();
    let items: Vec<Json> =
        read.items().iter().map(|item| json!({ "orderItemId": item["id"], "quantity": "1" })).collect();
    count_of(watched, &order, || json!(items))
}

fn count_receipts_of_units(watched: &Watched) -> usize {
    let buyer = Buyer::from_shop(watched.host.company_with(json!({ "keepsBooks": true })));
    let order = buyer.place(json!([line(&buyer.shop.phone(), "100000", "499.95")]));
    let item = order.item_id(0);
    count_of(
        watched,
        &order,
        || json!([{ "orderItemId": item, "quantity": "100", "units": serials(&fresh_serials(100)) }]),
    )
}

/// Round trips of receipts of an order, whose version each of them raises.
fn count_of(watched: &Watched, order: &Order, items: impl Fn() -> Json) -> usize {
    let mut version = 2;
    watched.count(|| {
        let body = json!({ "expectedVersion": version, "reason": "counted", "items": items() });
        order.post_receipt(body).is(201);
        version += 1;
    })
}
