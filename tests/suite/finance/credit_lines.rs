//! Lines of credits to customers: what they may say, and reports of sales by variant that subtract them.

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office};
use stoa_tests::books::day;
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::WHY;
use stoa_tests::tables::figure;
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![
    lines_are_kept_and_shown,
    sales_by_variant_subtract_lines,
    sales_of_one_variant_subtract_its_lines,
    pages_of_variants_have_every_line_once,
    a_void_credit_takes_its_lines_back_on_its_day,
];

on_both_databases![
    rules:
    lines_add_up_to_the_amount,
    lines_name_variants_in_their_units,
    lines_are_of_credits_to_customers,
    a_record_is_sent_back_as_it_was_read,
];

/// Lines of these variants: quantity, amount.
fn lines(lines: &[(&str, &str, &str)]) -> Json {
    let line = |(variant, quantity, amount): &(&str, &str, &str)| json!({ "variantId": variant, "quantity": quantity, "amount": amount });
    json!({ "lines": lines.iter().map(line).collect::<Vec<_>>() })
}

/// A recognised credit with these lines: its path.
#[track_caller]
fn grant(desk: &Desk, amount: &str, stated: &[(&str, &str, &str)], members: Json) -> String {
    let credit = desk.request(amount, lines(stated));
    desk.recognize(&credit, members).is(200);
    credit
}

#[track_caller]
fn report(office: &Office, name: &str, by: &str, extra: &[(&str, &str)]) -> Answer {
    let (from, to) = (day(-100), day(1));
    let mut query = vec![("legalEntityId", office.entity.as_str()), ("currencyCode", "EUR"), ("groupBy", by)];
    let stated = |name: &str| extra.iter().any(|(known, _)| *known == name);
    query.extend([("from", from.as_str()), ("to", to.as_str())].into_iter().filter(|(name, _)| !stated(name)));
    query.extend(extra);
    office.shop.list(&format!("reports/{name}"), &query).is(200)
}

/// Revenue, credits and net of a row or of the totals; `?` where one is null.
fn figures(row: &Json) -> [String; 3] {
    ["revenue", "credits", "net"].map(|name| figure(&row[name]))
}

/// Credits of the totals, with lines and without.
fn totals(reported: &Answer) -> [String; 2] {
    ["credits", "creditsWithoutLines"].map(|name| figure(&reported["totals"][name]))
}

fn lines_are_kept_and_shown(database: Database) {
    let office = Office::new(database);
    let desk = &office.sales;
    let (box_, sack) = (office.shop.counted(0), office.shop.counted(3));
    // Two lines of one variant, at different amounts.
    let stated = lines(&[(&box_, "2", "4"), (&sack, "0.125", "0.5"), (&box_, "1", "1.5")]);
    let credit = desk.request("6", stated.clone());
    let shown = |stated: &[(&str, &str, &str)]| lines(stated)["lines"].clone();
    let kept =
        shown(&[(&box_, "2.000000", "4.000000"), (&sack, "0.125000", "0.500000"), (&box_, "1.000000", "1.500000")]);
    let key = office.shop.machine(&["sales.read", "purchases.read"]);
    let path = desk.at(&credit);
    assert_eq!(desk.read(&credit)["lines"], kept);
    assert_eq!(key.get(&path).is(200)["lines"], kept);
    // A list has none, nor has a credit that states none.
    let listed = |answer: Answer| answer.is(200).items()[0].clone();
    assert!(listed(office.shop.list("sales/credit-notes", &[])).get("lines").is_none());
    assert!(listed(key.get("sales/credit-notes")).get("lines").is_none());
    let without = desk.request("1", json!({}));
    assert_eq!(desk.read(&without)["lines"], json!([]));
    let body = with(&desk.credit("2"), json!({ "number": desk.read(&credit)["number"], "expectedVersion": 1 }));
    office.shop.put(&path, with(&body, lines(&[(&sack, "1", "2")]))).is(200);
    assert_eq!(desk.read(&credit)["lines"], shown(&[(&sack, "1.000000", "2.000000")]));
    let version_of = |body: &Json, version: i64| with(body, json!({ "expectedVersion": version }));
    office.shop.put(&path, version_of(&body, 2)).is(200);
    assert_eq!(desk.read(&credit)["lines"], json!([]), "a replacement without lines has none");
    assert_eq!(office.purchases.read(&office.purchases.request("1", json!({})))["lines"], json!([]));
    assert!(key.get(&office.purchases.at(&office.purchases.grant("1"))).is(200).body.get("lines").is_none());
}

fn lines_add_up_to_the_amount(database: Database) {
    let office = Office::new(database);
    let box_ = office.shop.counted(0);
    let refused = |amount: &str, stated: &[(&str, &str, &str)]| {
        office
            .sales
            .try_request(amount, lines(stated))
            .refused(400, "VALIDATION_FAILED")
            .fault("/lines", "SUM_MISMATCH");
    };
    refused("5", &[(&box_, "1", "4.999999")]);
    refused("5", &[(&box_, "1", "2.5"), (&box_, "1", "2.500001")]);
    office.sales.request("5", lines(&[(&box_, "1", "2.5"), (&box_, "1", "2.5")]));
    let one = (box_.as_str(), "1", "1");
    office.sales.request("100", lines(&[one; 100]));
    let many = office.sales.try_request("101", lines(&[one; 101]));
    many.refused(400, "VALIDATION_FAILED").fault("/lines", "TOO_MANY");
}

fn lines_name_variants_in_their_units(database: Database) {
    let office = Office::new(database);
    let (box_, sack) = (office.shop.counted(0), office.shop.counted(3));
    let gone = uuid::Uuid::now_v7().to_string();
    let send = |stated: &[(&str, &str, &str)]| office.sales.try_request("2", lines(stated));
    let missing = send(&[(&box_, "1", "1"), (&gone, "1", "1")]).refused(404, "NOT_FOUND");
    assert_eq!(missing.pointers(), ["/lines/1/variantId"]);
    let places = |most: i64| json!({ "maximum": most, "counted": "FRACTION_DIGITS" });
    let fine = send(&[(&sack, "0.125", "1"), (&box_, "0.5", "1")]).refused(400, "VALIDATION_FAILED");
    fine.fault("/lines/1/quantity", "QUANTITY_SCALE").bounds("/lines/1/quantity", places(0));
    send(&[(&box_, "0", "2")]).refused(400, "VALIDATION_FAILED").at("/lines/0/quantity");
    send(&[(&box_, "1", "0")]).refused(400, "VALIDATION_FAILED").at("/lines/0/amount");
    // Debts outlive an archive: goods that are no longer sold are credited too.
    office.shop.archive(&format!("catalog/variants/{sack}")).is(200);
    send(&[(&sack, "0.125", "2")]).is(201);
}

fn lines_are_of_credits_to_customers(database: Database) {
    let office = Office::new(database);
    let box_ = office.shop.counted(0);
    let refused = office.purchases.try_request("2", lines(&[(&box_, "1", "2")]));
    refused.refused(400, "VALIDATION_FAILED").fault("/lines", "NOT_ALLOWED");
    for none in [json!({ "lines": [] }), json!({ "lines": null })] {
        office.purchases.request("2", none);
    }
}

/// The record shows the members that a replacement takes, so that a reader changes one member and sends the others back.
fn a_record_is_sent_back_as_it_was_read(database: Database) {
    let office = Office::new(database);
    let box_ = office.shop.counted(0);
    for (desk, members) in
        [(&office.sales, lines(&[(&box_, "1", "2")])), (&office.sales, json!({})), (&office.purchases, json!({}))]
    {
        let credit = desk.request("2", members);
        let read = desk.read(&credit);
        let mut body = desk.credit("2");
        for member in ["number", "lines", "costLines", "reason", "variantId"] {
            body[member] = read[member].clone();
        }
        let path = desk.at(&credit);
        office.shop.put(&path, with(&body, json!({ "expectedVersion": 1, "reason": "Scratched" }))).is(200);
        let after = desk.read(&credit);
        assert_eq!((&after["lines"], &after["reason"]), (&read["lines"], &json!("Scratched")));
    }
}

/// Sold: 3 boxes at 10, 2 cans at 7.5 and a tin at 20. Credited: 4 and 0.5 of boxes, 0.5 of cans, 1.000001 of a jar
/// that was never sold, and 2 without lines.
fn trade_with_credits(database: Database) -> (Office, [String; 4]) {
    let office = Office::with_books(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let [box_, can, tin] = [("10", "9"), ("7.5", "9"), ("20", "9")].map(|(price, stock)| counter.good(price, stock));
    let jar = office.shop.counted(0);
    counter.deliver(json!([
        { "variantId": box_, "quantity": "3" }, { "variantId": can, "quantity": "2" },
        { "variantId": tin, "quantity": "1" },
    ]));
    grant(desk, "4.5", &[(&box_, "1", "4"), (&can, "1", "0.5")], json!({}));
    grant(desk, "0.5", &[(&box_, "1", "0.25"), (&box_, "2", "0.25")], json!({}));
    grant(desk, "1.000001", &[(&jar, "1", "1.000001")], json!({}));
    desk.grant("2");
    // Neither one that is void nor one that no document recognised.
    let void = grant(desk, "3", &[(&tin, "1", "3")], json!({}));
    desk.void(&void, json!({})).is(200);
    desk.request("100", lines(&[(&box_, "1", "100")]));
    (office, [box_, can, tin, jar])
}

fn sales_by_variant_subtract_lines(database: Database) {
    let (office, [box_, can, tin, jar]) = trade_with_credits(database);
    let reported = report(&office, "sales", "VARIANT", &[]);
    let row = |variant: &str| {
        let row = reported.items().iter().find(|row| row["key"] == variant).expect("a row of the variant");
        figures(row)
    };
    assert_eq!(row(&box_), ["30", "4.5", "25.5"]);
    assert_eq!(row(&can), ["15", "0.5", "14.5"]);
    assert_eq!(row(&tin), ["20", "?", "20"], "no active credit names it");
    assert_eq!(row(&jar), ["0", "1.000001", "-1.000001"]);
    assert_eq!(reported.items().len(), 4, "{reported}");
    assert_eq!(figures(&reported["totals"]), ["65", "6.000001", "58.999999"]);
    assert_eq!(totals(&reported), ["6.000001", "2"]);
    assert_eq!(totals(&report(&office, "margin", "VARIANT", &[])), ["6.000001", "2"]);
    // Whole credits are whole whatever they name.
    for by in ["DAY", "MONTH", "CUSTOMER"] {
        assert_eq!(totals(&report(&office, "sales", by, &[])), ["8.000001", "?"], "{by}");
    }
    for by in ["BRANCH", "WAREHOUSE"] {
        assert_eq!(totals(&report(&office, "sales", by, &[])), ["?", "?"], "{by}");
    }
    let other = office.shop.post("sales/customers", json!({ "code": fresh("C-"), "name": "Other" })).is(201).id();
    assert_eq!(totals(&report(&office, "sales", "VARIANT", &[("customerId", &other)])), ["?", "0"]);
    let same = [("customerId", office.sales.party.as_str())];
    assert_eq!(report(&office, "sales", "VARIANT", &same)["totals"], reported["totals"]);
    office.sound();
}

fn sales_of_one_variant_subtract_its_lines(database: Database) {
    let (office, [box_, _, tin, _]) = trade_with_credits(database);
    for by in ["DAY", "MONTH", "VARIANT", "CUSTOMER"] {
        let reported = report(&office, "sales", by, &[("variantId", &box_)]);
        let rows: Vec<_> = reported.items().iter().map(figures).collect();
        assert_eq!(rows, [["30", "4.5", "25.5"]], "{by}: {reported}");
        assert_eq!(figures(&reported["totals"]), ["30", "4.5", "25.5"]);
        assert_eq!(totals(&reported), ["4.5", "2"], "credits without lines may be of any variant");
        assert_eq!(totals(&report(&office, "sales", by, &[("variantId", &tin)])), ["?", "2"]);
    }
}

fn pages_of_variants_have_every_line_once(database: Database) {
    let (office, _) = trade_with_credits(database);
    let whole = report(&office, "sales", "VARIANT", &[]);
    let (mut rows, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let mut query = vec![("limit", "1")];
        query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
        let page = report(&office, "sales", "VARIANT", &query);
        assert_eq!(page["totals"], whole["totals"]);
        rows.extend(page.items().iter().cloned());
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_string()),
            None => break,
        }
    }
    assert_eq!(json!(rows), whole["items"]);
}

fn a_void_credit_takes_its_lines_back_on_its_day(database: Database) {
    let office = Office::new(database);
    let box_ = office.counter.good("10", "9");
    let credit = grant(&office.sales, "3", &[(&box_, "1", "3")], json!({ "recognizedOn": day(-3) }));
    office.sales.void(&credit, json!({ "voidedOn": day(-1), "reason": WHY })).is(200);
    let totals_of = |from: &str, to: &str| totals(&report(&office, "sales", "VARIANT", &[("from", from), ("to", to)]));
    assert_eq!(totals_of(&day(-4), &day(-4)), ["?", "0"]);
    assert_eq!(totals_of(&day(-3), &day(-2)), ["3", "0"]);
    assert_eq!(totals_of(&day(-1), &day(0)), ["-3", "0"]);
    assert_eq!(totals_of(&day(-3), &day(0)), ["?", "0"]);
    office.shop.verified();
}
