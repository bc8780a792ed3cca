//! What goods cost: layers, valuation, who may read them, and what other modules do with them. [E64], [E66]..[E74]

use serde_json::{Value as Json, json};
use stoa_tests::goods::{WHY, bookkeeping, wire, with_porter};
use stoa_tests::{Company, Database, at_once, company, on_both_databases};

on_both_databases![
    e64_the_oldest_goods_go_first,
    e64_many_layers_are_drawn_at_once,
    e66_a_return_brings_back_what_a_sale_cost,
    e66_the_last_piece_comes_back_once,
    e67_a_correction_is_dealt_over_sold_and_unsold,
    e68_a_correction_never_exceeds_the_cost,
    e69_steps_are_those_of_the_unit,
    e71_a_valuation_as_of_a_day,
    e72_currencies_are_never_added,
    e73_books_begin_with_every_cost_known,
    e74_a_correction_races_sales,
    charges_raise_what_goods_cost_wherever_they_are,
    flows_add_up,
    costs_are_read_by_who_may,
];

fn e64_the_oldest_goods_go_first(database: Database) {
    let shop = bookkeeping(database);
    let (main, other, variant) = (shop.main(), shop.warehouse("VIRTUAL"), shop.counted(0));
    shop.bring(&variant, &main, "10", Some("1")).is(201);
    shop.bring(&variant, &main, "10", Some("2")).is(201);
    // From another warehouse of the entity, as from the first.
    shop.transfer(&variant, "15", &main, &other).is(201);
    let out = shop.take("ADJUSTMENT_OUT", &variant, &other, "15").is(201).id();
    let entry = shop.list("ledger/journal-entries", &[("legalEntityId", &shop.entity()), ("sourceId", &out)]).is(200);
    assert_eq!(entry.items()[0]["total"], "20.000000000000");
    let layers = shop.list("inventory/cost-layers", &[("variantId", &variant)]).is(200);
    let [layer] = layers.items() else { panic!("one open layer: {layers}") };
    for (member, value) in [
        ("unitCost", "2.000000000000"),
        ("quantity", "10.000000"),
        ("remaining", "5.000000"),
        ("value", "10.000000000000"),
        ("currencyCode", "EUR"),
    ] {
        assert_eq!(layer[member], value, "{member}");
    }
    assert_eq!(
        shop.list("inventory/cost-layers", &[("variantId", &variant), ("open", "false")]).is(200).items().len(),
        1
    );
    shop.verified();
}

fn e64_many_layers_are_drawn_at_once(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    for n in 1..=12 {
        shop.bring(&variant, &main, "1", Some(&n.to_string())).is(201);
    }
    shop.take("LOSS", &variant, &main, "11").is(201);
    assert_eq!(shop.worth(&variant), "12.000000000000");
    shop.verified();
}

/// A company with the porter, and the words of sales and procurement in it.
struct Trade {
    shop: Company,
    main: String,
    variant: String,
}

impl Trade {
    fn new(database: Database, places: u8) -> Trade {
        let shop = with_porter(database).company();
        let (main, variant) = (shop.main(), shop.counted(places));
        Trade { shop, main, variant }
    }

    /// Receives goods of a receipt's line.
    #[track_caller]
    fn receive(&self, item: u64, quantity: &str, unit_cost: &str, charge: Option<&str>) -> Json {
        let incoming =
            json!({ "variant_id": wire(&self.variant), "warehouse_id": wire(&self.main), "delta": quantity });
        let receipt = json!({
            "id": [item, 0], "warehouse_id": wire(&self.main), "location_id": null, "currency_code": "EUR", "reason": WHY
        });
        let line = json!({
            "receipt_item_id": [item, item], "variant_id": wire(&self.variant), "quantity": quantity,
            "unit_cost": unit_cost, "charge": charge, "units": []
        });
        let calls = [json!(["change-incoming", [incoming]]), json!(["receive", receipt, [line]])];
        self.shop.carried(&calls)[1][0].clone()
    }

    /// Sells a quantity for an order: the delivery.
    #[track_caller]
    fn sell(&self, order: u64, quantity: &str) -> Json {
        let answers = self.try_sell(order, quantity).is(201);
        let text = answers["answers"][0].as_str().unwrap_or_default();
        serde_json::from_str::<Json>(text).expect("a JSON text")[0].clone()
    }

    fn try_sell(&self, order: u64, quantity: &str) -> stoa_tests::Answer {
        let document = json!({ "id": [order, order], "number": format!("SO-{order}") });
        let line =
            json!({ "line": [order, 1], "variant_id": wire(&self.variant), "quantity": quantity, "unit_ids": [] });
        let held = self.shop.carry(&[json!(["reserve", document, wire(&self.main), [line]])]);
        if held.status != 201 {
            return held;
        }
        let reserved: Json =
            serde_json::from_str(held["answers"][0].as_str().unwrap_or_default()).expect("a JSON text");
        let line = json!({ "reservation_id": reserved[0]["reservation_id"], "sale_allocation_id": [order, 7] });
        self.shop.carry(&[json!(["deliver", document, [line]])])
    }

    fn take_back(&self, order: u64, sale: &Json, quantity: &str) -> stoa_tests::Answer {
        let to = json!({
            "id": [order, 3], "order_id": [order, order], "warehouse_id": wire(&self.main), "location_id": null, "reason": WHY
        });
        let line = json!({
            "movement_id": sale["movement_id"], "sale_allocation_id": [order, 7], "unit_id": null, "quantity": quantity,
            "disposition": "Restock"
        });
        self.shop.carry(&[json!(["return-from-customer", to, [line]])])
    }

    fn correct(&self, item: u64, amount: &str) -> stoa_tests::Answer {
        let line = json!({ "receipt_item_id": [item, item], "unit_id": null, "amount": amount });
        self.shop.carry(&[json!(["correct", [item, 8], [line]])])
    }

    fn charge(&self, item: u64, amount: &str) -> stoa_tests::Answer {
        self.shop.carry(&[json!(["charge", [item, 9], [{ "receipt_item_id": [item, item], "amount": amount }]])])
    }

    fn worth(&self) -> String {
        self.shop.worth(&self.variant)
    }
}

/// What a call answered.
#[track_caller]
fn answered(answer: stoa_tests::Answer) -> Json {
    let answer = answer.is(201);
    serde_json::from_str(answer["answers"][0].as_str().unwrap_or_default()).expect("a JSON text")
}

/// The parts of a correction's or charge's one line.
#[track_caller]
fn parts(answer: stoa_tests::Answer) -> Vec<(String, String)> {
    let lines = answered(answer);
    let part = |part: &Json| {
        let text = |member: &str| part[member].as_str().unwrap_or_default().to_string();
        (text("destination"), text("amount"))
    };
    let mut parts: Vec<_> = lines[0].as_array().into_iter().flatten().map(part).collect();
    parts.sort();
    parts
}

fn pair(destination: &str, amount: &str) -> (String, String) {
    (destination.to_string(), amount.to_string())
}

fn e66_a_return_brings_back_what_a_sale_cost(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "2", "5", None);
    trade.receive(2, "2", "7", None);
    let before = trade.worth();
    let sale = trade.sell(1, "3");
    assert_eq!((&sale["cost"], &sale["currency_code"]), (&json!("17.000000000000"), &json!("EUR")));
    assert_eq!(trade.worth(), "7.000000000000");
    // The dearest first.
    assert_eq!(answered(trade.take_back(1, &sale, "1"))[0]["cost"], "7.000000000000");
    assert_eq!(answered(trade.take_back(1, &sale, "2"))[0]["cost"], "10.000000000000");
    assert_eq!(trade.worth(), before);
    trade.take_back(1, &sale, "1").refused(409, "LIMIT_EXCEEDED").at("/lines/0/quantity");
    let movements = trade.shop.all("inventory/movements", &[("documentType", "CUSTOMER_RETURN")]);
    assert!(
        movements.iter().all(|row| row["movementType"] == "ADJUSTMENT_IN" && row["referenceType"] == "SALES_ORDER")
    );
    assert_eq!(movements.len(), 2);
    let sold = trade.shop.all("inventory/movements", &[("movementType", "SALE")]);
    assert_eq!(sold[0]["reason"], "SALES_ORDER SO-1");

    // A correction between sale and return: less by it.
    let sale = trade.sell(2, "4");
    assert_eq!(parts(trade.correct(2, "2")), [pair("Sold", "2.000000000000")]);
    assert_eq!(answered(trade.take_back(2, &sale, "4"))[0]["cost"], "22.000000000000");
    assert_eq!(trade.worth(), "22.000000000000");
    trade.shop.verified();
}

fn e66_the_last_piece_comes_back_once(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "1", "5", None);
    let sale = trade.sell(1, "1");
    let mut statuses = at_once(2, |_| trade.take_back(1, &sale, "1").status);
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    assert_eq!(trade.shop.figure(&trade.variant, &trade.main, "onHand"), "1.000000");
    trade.shop.verified();
}

fn e67_a_correction_is_dealt_over_sold_and_unsold(database: Database) {
    let shop = with_porter(database).company_with(json!({ "keepsBooks": true }));
    let (main, variant) = (shop.main(), shop.counted(0));
    let trade = Trade { shop, main, variant };
    trade.receive(1, "3", "33.333333", None);
    trade.sell(1, "1");
    let dealt = parts(trade.correct(1, "10"));
    assert_eq!(dealt, [pair("OnHand", "6.666666000000"), pair("Sold", "3.333334000000")]);
    assert_eq!(trade.worth(), "60.000000000000");
    let layers = trade.shop.list("inventory/cost-layers", &[("variantId", &trade.variant)]).is(200);
    assert_eq!(layers.items()[0]["unitCost"], "30.000000000000");
    assert_eq!(trade.sell(2, "2")["cost"], "60.000000000000");
}

fn e68_a_correction_never_exceeds_the_cost(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "3", "1", None);
    let refused = trade.correct(1, "3.000001").refused(409, "LIMIT_EXCEEDED");
    refused.fault("/lines/0/amount", "EXCEEDS_COST");
    for left in ["2.000000000000", "1.000000000000", "0.000000000000"] {
        trade.correct(1, "1").is(201);
        assert_eq!(trade.worth(), left);
    }
    trade.correct(1, "0.000001").refused(409, "LIMIT_EXCEEDED");
    trade.correct(7, "1").refused(409, "REFERENCE_INVALID").at("/lines/0/receiptItemId");
    let twice = json!({ "receipt_item_id": [1, 1], "unit_id": null, "amount": "0" });
    trade.shop.carry(&[json!(["correct", [1, 8], [twice, twice]])]).refused(409, "REFERENCE_INVALID");
    trade.shop.verified();
}

fn e69_steps_are_those_of_the_unit(database: Database) {
    let trade = Trade::new(database, 1);
    trade.receive(1, "2.5", "10", None);
    assert_eq!(parts(trade.correct(1, "10")), [pair("OnHand", "10.000000000000")]);
    let layers = trade.shop.list("inventory/cost-layers", &[("variantId", &trade.variant)]).is(200);
    let [layer] = layers.items() else { panic!("one layer: {layers}") };
    assert_eq!((&layer["unitCost"], &layer["value"]), (&json!("6.000000000000"), &json!("15.000000000000")));
    trade.shop.verified();
}

/// [E122] and [E123]: charges known in time, and charges known later. Without books they are dealt to the twelfth digit.
fn charges_raise_what_goods_cost_wherever_they_are(database: Database) {
    for (books, first, rest) in
        [(true, "4.333334000000", "5.333333000000"), (false, "4.333333333334", "5.333333333333")]
    {
        let shop = with_porter(database).company_with(json!({ "keepsBooks": books }));
        let (main, variant) = (shop.main(), shop.counted(0));
        let trade = Trade { shop, main, variant };
        trade.receive(1, "3", "1", Some("10"));
        assert_eq!(trade.worth(), "13.000000000000");
        assert_eq!(trade.sell(1, "1")["cost"], first);
        trade.shop.take("LOSS", &trade.variant, &trade.main, "1").is(201);
        let dealt = parts(trade.charge(1, "3"));
        let expected = [("Lost", "1.000000000000"), ("OnHand", "1.000000000000"), ("Sold", "1.000000000000")];
        assert_eq!(dealt, expected.map(|(to, amount)| pair(to, amount)));
        assert_eq!(trade.worth(), rest);
        if !books {
            trade.shop.verified();
        }
    }
}

fn e71_a_valuation_as_of_a_day(database: Database) {
    let shop = company(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    shop.bring(&variant, &main, "3", Some("2")).is(201);
    let today = shop.list("inventory/movements", &[]).is(200).items()[0]["createdAt"].as_str().unwrap_or_default()
        [..10]
        .to_string();
    let as_of = |day: &str| shop.list("inventory/valuation", &[("asOf", day)]);
    let row = as_of(&today).is(200).items()[0].clone();
    assert_eq!((&row["quantity"], &row["values"][0]["value"]), (&json!("3.000000"), &json!("6.000000000000")));
    let yesterday: chrono::NaiveDate = today.parse().expect("a day");
    let yesterday = yesterday.pred_opt().expect("a day before").to_string();
    assert!(as_of(&yesterday).is(200).items().is_empty());
    as_of("2999-01-01").refused(400, "VALIDATION_FAILED").at("/query/asOf");
    as_of("2026-02-30").refused(400, "VALIDATION_FAILED").at("/query/asOf");
    shop.take("LOSS", &variant, &main, "1").is(201);
    assert_eq!(as_of(&today).is(200).items()[0]["values"][0]["value"], "4.000000000000");
}

fn e72_currencies_are_never_added(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "1", "5", None);
    let incoming = json!({ "variant_id": wire(&trade.variant), "warehouse_id": wire(&trade.main), "delta": "2" });
    let receipt = json!({
        "id": [2, 0], "warehouse_id": wire(&trade.main), "location_id": null, "currency_code": "USD", "reason": WHY
    });
    let line = json!({
        "receipt_item_id": [2, 2], "variant_id": wire(&trade.variant), "quantity": "2", "unit_cost": "6", "charge": null,
        "units": []
    });
    trade.shop.carried(&[json!(["change-incoming", [incoming]]), json!(["receive", receipt, [line]])]);
    let page = trade.shop.list("inventory/valuation", &[("variantId", &trade.variant)]).is(200);
    let mut values = page.items()[0]["values"].as_array().cloned().unwrap_or_default();
    values.sort_by_key(|value| value["currencyCode"].as_str().map(str::to_string));
    assert_eq!(
        values,
        [
            json!({ "currencyCode": "EUR", "quantity": "1.000000", "value": "5.000000000000" }),
            json!({ "currencyCode": "USD", "quantity": "2.000000", "value": "12.000000000000" }),
        ]
    );
    let entity = wire(&trade.shop.entity());
    let told = answered(trade.shop.carry(&[json!(["valuation", entity, null, null, null, 10])]));
    assert_eq!(told["totals"].as_array().map(Vec::len), Some(2), "{told}");
    // A sale over both has no cost that could be told.
    let sale = trade.sell(1, "2");
    assert_eq!((&sale["cost"], &sale["currency_code"]), (&Json::Null, &Json::Null));
    trade.shop.verified();
}

fn e73_books_begin_with_every_cost_known(database: Database) {
    let trade = Trade::new(database, 0);
    let entity = wire(&trade.shop.entity());
    trade.shop.bring(&trade.variant, &trade.main, "3", None).is(201);
    trade.shop.bring(&trade.variant, &trade.main, "2", Some("4")).is(201);
    trade.receive(1, "1", "5", None);
    trade.shop.carry(&[json!(["open", entity, "EUR", []])]).refused(409, "VALUATION_COST_REQUIRED");
    let uncosted = |yes: &str| trade.shop.list("inventory/cost-layers", &[("uncosted", yes)]).is(200).items().len();
    assert_eq!((uncosted("true"), uncosted("false")), (1, 2));
    let other = json!(["open", entity, "USD", [{ "goods": { "OfVariant": wire(&trade.variant) }, "unit_cost": "1" }]]);
    trade.shop.carry(&[other]).refused(409, "VALUATION_COST_REQUIRED");
    let stated = json!([{ "goods": { "OfVariant": wire(&trade.variant) }, "unit_cost": "1.5" }]);
    let value = answered(trade.shop.carry(&[json!(["open", entity, "EUR", stated])]));
    assert_eq!(value, "17.500000000000");
    assert_eq!((uncosted("true"), uncosted("false")), (0, 3));
    assert_eq!(trade.worth(), "17.500000000000");
    trade.shop.verified();
}

/// A correction against twenty sales at once: whoever comes first, layers and ledger agree to the last digit.
fn e74_a_correction_races_sales(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "30", "1.234567", None);
    let statuses = at_once(21, |n| match n {
        0 => trade.correct(1, "7.654321").status,
        n => trade.try_sell(n as u64, "1").status,
    });
    assert_eq!(statuses, [201; 21]);
    assert_eq!(trade.shop.figure(&trade.variant, &trade.main, "onHand"), "10.000000");
    trade.shop.verified();
}

fn flows_add_up(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "10", "2", None);
    trade.shop.bring(&trade.variant, &trade.main, "2", Some("3")).is(201);
    let sale = trade.sell(1, "4");
    answered(trade.take_back(1, &sale, "1"));
    for (kind, quantity) in [("ADJUSTMENT_OUT", "1"), ("DAMAGE", "1"), ("LOSS", "1")] {
        trade.shop.take(kind, &trade.variant, &trade.main, quantity).is(201);
    }
    trade.correct(1, "1").is(201);
    let entity = wire(&trade.shop.entity());
    let flows = answered(trade.shop.carry(&[json!(["flows", entity, "2020-01-01", "2999-12-31", null, null, 10])]));
    // The receipt's currency, and what was brought without books and so without one.
    let rows = flows["rows"].as_array().cloned().unwrap_or_default();
    for row in &rows {
        let units = |name: &str| -> i128 {
            row[name].as_str().unwrap_or_default().replace('.', "").parse().expect("an amount")
        };
        let moved = ["received", "adjusted_in", "sold", "adjusted_out", "damaged", "lost", "returned", "corrected"];
        let sum: i128 = moved.map(units).iter().sum();
        assert_eq!(units("opening") + sum, units("closing"), "{row}");
    }
    let euro = rows.iter().find(|row| row["currency_code"] == "EUR").expect("a row in euro");
    assert_eq!((&euro["received"], &euro["sold"]), (&json!("20.000000000000"), &json!("-6.000000000000")));
    let before = answered(trade.shop.carry(&[json!(["flows", entity, "2020-01-01", "2020-12-31", null, null, 10])]));
    assert_eq!(before["rows"], json!([]));
    trade.shop.verified();
}

/// Costs stand behind reports.cost.read, and in no answer besides.
fn costs_are_read_by_who_may(database: Database) {
    let shop = bookkeeping(database);
    let (main, variant) = (shop.main(), shop.counted(0));
    let receipt = shop.bring(&variant, &main, "3", Some("7.654321")).is(201);
    assert!(!receipt.body.to_string().contains("7.65"), "{receipt}");
    shop.reserve(&variant, &main, "1").is(201);
    let stock = ["inventory.read", "inventory.adjust", "inventory.transfer", "inventory.serials.read"];
    let (_, clerk) = shop.member("clerk", &[&shop.role("CLERK", &stock)]);
    let (_, accountant) = shop.member("accountant", &[&shop.role("ACCOUNTANT", &["reports.cost.read"])]);
    for path in [
        "inventory/stock".to_string(),
        format!("inventory/variants/{variant}/stock"),
        "inventory/movements".into(),
        "inventory/reservations".into(),
        "inventory/warehouses".into(),
    ] {
        accountant.get(&path).refused(403, "PERMISSION_DENIED");
        let answer = clerk.get(&path).is(200);
        let text = answer.body.to_string();
        for word in ["ost\"", "value", "7.65", "22.96", "currency"] {
            assert!(!text.contains(word), "{path} tells of {word}: {text}");
        }
    }
    for path in ["inventory/cost-layers", "inventory/valuation"] {
        clerk.get(path).refused(403, "PERMISSION_DENIED");
        let answer = accountant.get(path).is(200);
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer}");
        assert!(answer.body.to_string().contains("22.962963000000"), "{answer}");
        shop.as_user("stranger@example.test").get(path).refused(403, "MEMBERSHIP_REQUIRED");
        shop.machine(&["inventory.read"]).get(path).refused(404, "NOT_FOUND");
    }
}
