//! Rights to know which units were sold: no API client, no event, no stored answer; and everyone who is shown them
//! leaves an audit entry. The schemas of what API clients are answered are the module's own test.

use serde_json::{Value as Json, json};
use stoa_tests::company::fresh;
use stoa_tests::selling::{Counter, counter};
use stoa_tests::serials::imei;
use stoa_tests::{Answer, Database, eventually, on_both_databases};

on_both_databases![api_clients_see_no_unit, reads_that_show_units_are_audited, nothing_written_by_a_sale_names_a_unit,];

/// An order of two phones, delivered, of which one came back; and everything that identifies these.
struct Sold {
    counter: Counter,
    order: String,
    back: String,
    secrets: Vec<String>,
    units: Vec<String>,
}

fn sell_known(database: Database) -> Sold {
    let counter = counter(database);
    let phone = counter.shop.phone();
    counter.price(&phone, "300");
    let stem = 70_000 + u64::from(std::process::id()) % 1_000;
    let secrets = vec![fresh("SECRET-"), imei(stem), imei(stem + 1_000)];
    let identities = json!([{ "serialNumber": secrets[0] }, { "imei1": secrets[1], "imei2": secrets[2] }]);
    let units = counter.shop.try_admit(&phone, &counter.main, Some("100"), identities).is(201).ids();
    let order = counter.deliver(json!([{ "variantId": phone, "quantity": "2", "unitIds": units }]));
    let item = counter.read(&order)["items"][0]["id"].clone();
    let items = json!([{ "itemId": item, "quantity": "1", "unitIds": [units[0]] }]);
    let body = json!({ "orderId": order, "reason": "too small", "items": items });
    let back = counter.shop.post("sales/returns", body).is(201).id();
    counter.shop.post(&format!("sales/returns/{back}/receive"), json!({ "expectedVersion": 1 })).is(200);
    Sold { counter, order, back, secrets, units }
}

fn api_clients_see_no_unit(database: Database) {
    let sold = sell_known(database);
    let scopes = ["sales.read", "customers.read", "inventory.read", "purchases.read"];
    let key = sold.counter.shop.machine(&scopes);
    let paths = [
        "sales/orders".to_string(),
        format!("sales/orders/{}", sold.order),
        "sales/returns".to_string(),
        format!("sales/returns/{}", sold.back),
        "sales/customers".to_string(),
        "inventory/movements".to_string(),
        "inventory/reservations".to_string(),
    ];
    for answer in paths.iter().map(|path| key.get(path).is(200)) {
        let text = answer.body.to_string();
        for secret in sold.secrets.iter().chain(&sold.units) {
            assert!(!text.contains(secret), "{secret} is reported: {answer}");
        }
        for member in ["\"units\"", "unitId", "unitIds", "serialNumber", "imei1", "imei2"] {
            assert!(!text.contains(member), "{member} is reported: {answer}");
        }
    }
    // An API client may know of the goods how many, by which movements.
    let line = key.get(&paths[1]).is(200)["items"][0].clone();
    assert_eq!(line["allocations"].as_array().map(Vec::len), Some(2), "{line}");
}

fn reads_that_show_units_are_audited(database: Database) {
    let sold = sell_known(database);
    let shop = &sold.counter.shop;
    let audited = |operation: &str| shop.count("stoa_audit", &format!("operation = '{operation}'"));
    // The order has been read to take its goods back.
    eventually(|| (audited("getSalesOrder") == 1).then_some(()));
    // Every read of them is, whatever it showed.
    let reader = shop.colleague(&["sales.read"]);
    for path in [format!("sales/orders/{}", sold.order), format!("sales/returns/{}", sold.back)] {
        let names_units = |answer: &Answer| sold.secrets.iter().any(|secret| answer.body.to_string().contains(secret));
        assert!(!names_units(&reader.get(&path).is(200)), "{path}");
        assert!(names_units(&shop.get(&path).is(200)), "{path}");
    }
    shop.get("sales/orders").is(200);
    eventually(|| (audited("getSalesReturn") == 2 && audited("getSalesOrder") == 3).then_some(()));
    assert_eq!((audited("listSalesOrders"), audited("listSalesReturns")), (0, 0));
}

fn nothing_written_by_a_sale_names_a_unit(database: Database) {
    let sold = sell_known(database);
    let shop = &sold.counter.shop;
    for table in ["stoa_event", "stoa_audit", "stoa_idempotency"] {
        let rows = shop.rows(&format!("select * from {table} where {{tenant}}")).concat().concat();
        for secret in &sold.secrets {
            assert!(!rows.contains(secret), "an identity is in {table}");
        }
    }
    let events = shop.rows("select data from stoa_event where {tenant}").concat().concat();
    assert!(sold.units.iter().all(|unit| !events.contains(unit)), "a unit is in an event");
    // A refusal names none either: the other unit never came back.
    let again: Json = json!([{ "variantId": sold.variant(), "quantity": "1", "unitIds": [sold.units[1]] }]);
    let order = sold.counter.draft(again);
    let refused = sold.counter.confirm(&order).refused(409, "UNIT_UNAVAILABLE");
    assert!(sold.secrets.iter().chain(&sold.units).all(|name| !refused.body.to_string().contains(name)), "{refused}");
}

impl Sold {
    fn variant(&self) -> Json {
        self.counter.read(&self.order)["items"][0]["variantId"].clone()
    }
}
