//! Balances, statements, ageing and reports: each figure is the sum of the rows behind it. [F75] to [F79]

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office, Trade, parts};
use stoa_tests::books::{day, month_day};
use stoa_tests::company::fresh;
use stoa_tests::tables::figure;
use stoa_tests::{Answer, Database, on_both_databases};

on_both_databases![
    f75_a_statement_ends_at_the_balance,
    f76_the_past_knows_nothing_of_later,
    f77_what_a_report_may_be_asked,
    f78_margin_is_for_those_who_may_see_it,
    f79_sales_add_up_however_they_are_grouped,
    debts_age_by_their_due_days,
    a_statement_goes_on_where_its_page_ended,
    money_that_moved_adds_up_to_the_accounts,
    money_without_books_is_by_method,
    margin_is_revenue_less_cost,
    goods_are_worth_what_the_books_say,
    an_order_shows_how_far_it_is_settled,
    pages_of_groups_follow_each_other,
    d4_sums_have_more_than_twelve_digits,
    d4_so_have_those_of_the_books_and_of_orders,
];

fn party_path(desk: &Desk, resource: &str) -> String {
    let parties = match desk.trade {
        Trade::Sales => "sales/customers",
        Trade::Purchases => "purchases/suppliers",
    };
    format!("{parties}/{}/{resource}", desk.party)
}

/// The balance of the desk's party in euro.
#[track_caller]
fn balance(desk: &Desk) -> Json {
    let reported = desk.shop.list(&party_path(desk, "balance"), &[("currencyCode", "EUR")]).is(200);
    reported.items()[0].clone()
}

#[track_caller]
fn statement(desk: &Desk, query: &[(&str, &str)]) -> Answer {
    let scope = [("legalEntityId", desk.entity.as_str()), ("currencyCode", "EUR")];
    let query: Vec<(&str, &str)> = scope.into_iter().chain(query.iter().copied()).collect();
    desk.shop.list(&party_path(desk, "statement"), &query).is(200)
}

/// The ageing of the side, as of today unless the query says otherwise.
#[track_caller]
fn ages(desk: &Desk, query: &[(&str, &str)]) -> Answer {
    let report = match desk.trade {
        Trade::Sales => "reports/receivables-ageing",
        Trade::Purchases => "reports/payables-ageing",
    };
    let scope = [("legalEntityId", desk.entity.as_str()), ("currencyCode", "EUR")];
    let query: Vec<(&str, &str)> = scope.into_iter().chain(query.iter().copied()).collect();
    desk.shop.list(report, &query).is(200)
}

/// An amount in millionths of millionths.
fn units(amount: &Json) -> i128 {
    let text = amount.as_str().unwrap_or("0");
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction:0<12}");
    sign * digits.parse::<i128>().expect("an amount")
}

fn sum_of(rows: &[Json], member: &str) -> i128 {
    rows.iter().map(|row| units(&row[member])).sum()
}

/// Documents of every kind: an invoice paid in part, one that is void, an unused payment, a credit, a refund, a reversal.
fn trade(desk: &Desk) {
    let invoice = desk.owe("100");
    desk.pay_for("70", &[(&invoice, "60")]);
    let void = desk.owe("30");
    desk.void(&format!("invoices/{void}"), json!({})).is(200);
    let bounced = desk.pay_for("25", &[(&invoice, "25")]);
    desk.step(&bounced, "reverse", json!({ "reason": "bounced" })).is(200);
    let credit = desk.grant("20");
    desk.give_back(&credit, "5");
    desk.apply(&credit, &[(&invoice, "8")]).is(201);
}

fn f75_a_statement_ends_at_the_balance(database: Database) {
    let office = Office::with_books(database);
    for (desk, account, sign) in [(&office.sales, "1100", 1), (&office.purchases, "2000", -1)] {
        trade(desk);
        let reported = balance(desk);
        // 100 less 60 and 8; 10 of 70; 20 less 5 and 8.
        let figures =
            ["openInvoices", "unappliedPayments", "availableCredits", "balance"].map(|name| figure(&reported[name]));
        assert_eq!(figures, ["32", "10", "7", "15"]);
        let account_of = statement(desk, &[]);
        assert_eq!(account_of["closing"], reported["balance"]);
        let items = account_of.items();
        assert_eq!(sum_of(items, "increase") - sum_of(items, "decrease"), units(&account_of["closing"]));
        assert_eq!(items.last().expect("entries")["balance"], account_of["closing"]);
        let kinds: Vec<&str> = items.iter().filter_map(|item| item["kind"].as_str()).collect();
        assert_eq!(kinds, ["INVOICE", "PAYMENT", "INVOICE", "VOID", "PAYMENT", "VOID", "CREDIT", "REFUND"]);
        let ages = ages(desk, &[]);
        assert_eq!(
            (figure(&ages["totals"]["total"]), figure(&ages["totals"]["unapplied"])),
            ("32".into(), "17".into())
        );
        let books = office.books().closing();
        assert_eq!(units(&json!(books[account])) * sign, units(&ages["totals"]["total"]));
        // The records whose sums the figures are.
        let open = desk.shop.all(&desk.at("invoices"), &[("open", "true"), ("partyId", &desk.party)]);
        assert_eq!(sum_of(&open, "balance"), units(&reported["openInvoices"]));
        let payments = desk.shop.all(&desk.at("payments"), &[("partyId", &desk.party)]);
        assert_eq!(sum_of(&payments, "available"), units(&reported["unappliedPayments"]));
        let credits = desk.shop.all(&desk.at("credit-notes"), &[("partyId", &desk.party)]);
        assert_eq!(sum_of(&credits, "available"), units(&reported["availableCredits"]));
    }
    office.sound();
}

fn f76_the_past_knows_nothing_of_later(database: Database) {
    let office = Office::with_old_books(database);
    for desk in office.desks() {
        let on = if desk.trade == Trade::Sales { "issuedOn" } else { "recognizedOn" };
        let issue = |amount: &str| {
            let draft = desk.draft(json!([desk.free("1", amount)]));
            desk.try_issue(&draft, json!({ (on): month_day(2, 10) })).is(200);
            draft
        };
        let (paid, void) = (issue("100"), issue("30"));
        desk.pay_for("40", &[(&paid, "40")]);
        desk.void(&format!("invoices/{void}"), json!({})).is(200);
        let total = |as_of: &str| figure(&ages(desk, &[("asOf", as_of)])["totals"]["total"]);
        assert_eq!(total(&month_day(2, 9)), "0");
        assert_eq!(total(&month_day(1, 10)), "130");
        assert_eq!(total(&day(0)), "60");
    }
    office.sound();
}

fn debts_age_by_their_due_days(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        for (amount, due) in [
            ("1", 1),
            ("2", 0),
            ("4", -1),
            ("8", -30),
            ("16", -31),
            ("32", -60),
            ("64", -61),
            ("128", -90),
            ("256", -91),
        ] {
            let members = json!({ "issuedOn": day(-100), "dueOn": day(due) });
            let draft = desk.try_draft(json!([desk.free("1", amount)]), members).is(201).id();
            desk.try_issue(&draft, json!({})).is(200);
        }
        // Without a due day: by the day of issue.
        let draft = desk.try_draft(json!([desk.free("1", "512")]), json!({ "issuedOn": day(-2) })).is(201).id();
        desk.try_issue(&draft, json!({})).is(200);
        let reported = ages(desk, &[("partyId", &desk.party)]);
        let columns = |row: &Json| {
            ["notDue", "days1to30", "days31to60", "days61to90", "over90", "total"].map(|name| figure(&row[name]))
        };
        assert_eq!(columns(&reported.items()[0]), ["3", "524", "48", "192", "256", "1023"]);
        assert_eq!(columns(&reported["totals"]), columns(&reported.items()[0]));
    }
}

fn a_statement_goes_on_where_its_page_ended(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        trade(desk);
        let whole = statement(desk, &[]);
        let mut cursor: Option<String> = None;
        let mut items = Vec::new();
        loop {
            let query: Vec<(&str, &str)> =
                [("limit", "3")].into_iter().chain(cursor.as_deref().map(|cursor| ("cursor", cursor))).collect();
            let page = statement(desk, &query);
            assert_eq!((&page["opening"], &page["closing"]), (&whole["opening"], &whole["closing"]));
            items.extend(page.items().iter().cloned());
            match page["nextCursor"].as_str() {
                Some(next) => cursor = Some(next.to_string()),
                None => break,
            }
        }
        assert_eq!(json!(items), whole["items"]);
        let later = statement(desk, &[("from", &day(1)), ("to", &day(1))]);
        assert_eq!((&later["opening"], later.items().len()), (&whole["closing"], 0));
    }
}

fn f77_what_a_report_may_be_asked(database: Database) {
    let office = Office::new(database);
    let entity = office.entity.as_str();
    let range = [("from", "2026-01-01"), ("to", "2026-01-31"), ("currencyCode", "EUR")];
    for report in ["sales", "margin", "cash"] {
        let ask = |query: &[(&str, &str)]| office.shop.list(&format!("reports/{report}"), query);
        ask(&range).refused(400, "VALIDATION_FAILED").at("/query/legalEntityId");
        let long = [("legalEntityId", entity), ("currencyCode", "EUR"), ("from", "2025-01-01"), ("to", "2026-01-02")];
        let year = json!({ "minimum": 1, "maximum": 366, "counted": "DAYS" });
        ask(&long).refused(400, "VALIDATION_FAILED").fault("/query/to", "RANGE").bounds("/query/to", year);
        let gone = uuid::Uuid::now_v7().to_string();
        let gone: Vec<(&str, &str)> = [("legalEntityId", gone.as_str())].into_iter().chain(range).collect();
        ask(&gone).refused(404, "NOT_FOUND").at("/query/legalEntityId");
    }
    let wrong: Vec<(&str, &str)> = [("legalEntityId", entity), ("groupBy", "COLOR")].into_iter().chain(range).collect();
    office.shop.list("reports/sales", &wrong).refused(400, "VALIDATION_FAILED").at("/query/groupBy");
    for report in ["receivables-ageing", "payables-ageing", "valuation", "costs", "reconciliation"] {
        office
            .shop
            .list(&format!("reports/{report}"), &[])
            .refused(400, "VALIDATION_FAILED")
            .at("/query/legalEntityId");
    }
    office
        .shop
        .list("reports/reconciliation", &[("legalEntityId", entity)])
        .refused(409, "ILLEGAL_STATE")
        .fault("/query/legalEntityId", "BOOKS_NOT_KEPT");
}

fn f78_margin_is_for_those_who_may_see_it(database: Database) {
    let office = Office::new(database);
    let range =
        [("legalEntityId", office.entity.as_str()), ("currencyCode", "EUR"), ("from", &day(0)), ("to", &day(0))];
    let seller = office.shop.colleague(&["sales.read", "customers.read", "reports.cost.read"]);
    seller.list("reports/sales", &range).is(200);
    seller.list("reports/margin", &range).refused(403, "PERMISSION_DENIED");
    seller.list("reports/valuation", &range[..1]).refused(403, "PERMISSION_DENIED");
    let keeper = office.shop.colleague(&["sales.read", "reports.margin.read", "inventory.read", "reports.cost.read"]);
    keeper.list("reports/margin", &range).is(200);
    keeper.list("reports/valuation", &range[..1]).is(200);
    keeper.list("reports/cash", &range).refused(403, "PERMISSION_DENIED");
}

#[track_caller]
fn report(office: &Office, name: &str, by: &str, extra: &[(&str, &str)]) -> Answer {
    let (from, to) = (day(-100), day(1));
    let query = [
        ("legalEntityId", office.entity.as_str()),
        ("currencyCode", "EUR"),
        ("from", from.as_str()),
        ("to", to.as_str()),
        ("groupBy", by),
    ];
    let query: Vec<(&str, &str)> = query.into_iter().chain(extra.iter().copied()).collect();
    office.shop.list(&format!("reports/{name}"), &query).is(200)
}

fn f79_sales_add_up_however_they_are_grouped(database: Database) {
    let office = Office::with_books(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let (box_, other) = (counter.good("10", "50"), counter.good("7.5", "50"));
    counter.deliver(json!([{ "variantId": box_, "quantity": "3" }, { "variantId": other, "quantity": "2" }]));
    counter.deliver(json!([{ "variantId": box_, "quantity": "1" }]));
    let free = desk.draft(json!([desk.free("2", "6"), desk.goods(&other, "1", "9")]));
    desk.step(&format!("invoices/{free}"), "recognize", json!({ "recognizedOn": day(0) })).is(200);
    let void = desk.draft(json!([desk.free("1", "99")]));
    desk.step(&format!("invoices/{void}"), "recognize", json!({ "recognizedOn": day(0) })).is(200);
    desk.void(&format!("invoices/{void}"), json!({})).is(200);
    desk.grant("4");
    for by in ["DAY", "MONTH", "VARIANT", "CUSTOMER", "BRANCH", "WAREHOUSE"] {
        let reported = report(&office, "sales", by, &[]);
        // 30 + 15 + 10 of orders; 12 + 9 of an invoice without one.
        if by != "WAREHOUSE" {
            assert_eq!(figure(&reported["totals"]["revenue"]), "76", "{by}: {reported}");
        }
        assert_eq!(sum_of(reported.items(), "revenue"), units(&reported["totals"]["revenue"]), "{by}: {reported}");
        let has_credits = ["DAY", "MONTH", "CUSTOMER"].contains(&by);
        assert_eq!(reported["totals"]["credits"].is_string(), has_credits, "{by}: {reported}");
        if has_credits {
            assert_eq!(
                (figure(&reported["totals"]["credits"]), figure(&reported["totals"]["net"])),
                ("4".into(), "72".into())
            );
            assert_eq!(sum_of(reported.items(), "net"), units(&reported["totals"]["net"]), "{by}: {reported}");
        }
    }
    let by_variant = report(&office, "sales", "VARIANT", &[]);
    let quantity = |variant: &str| {
        let row = by_variant.items().iter().find(|row| row["key"] == variant).expect("a row of the variant");
        (figure(&row["quantity"]), figure(&row["revenue"]))
    };
    assert_eq!((quantity(&box_), quantity(&other)), (("4".into(), "40".into()), ("3".into(), "24".into())));
    let of_box = report(&office, "sales", "DAY", &[("variantId", &box_)]);
    assert_eq!(figure(&of_box["totals"]["revenue"]), "40");
    assert_eq!(office.books().closing()["4000"], "-76.000000000000");
    office.sound();
}

fn margin_is_revenue_less_cost(database: Database) {
    let office = Office::with_books(database);
    let variant = office.shop.counted(0);
    office.counter.price(&variant, "50");
    let item = office.buyer.stock(&variant, "3", "30");
    office.counter.deliver(json!([{ "variantId": variant, "quantity": "2" }]));
    let desk = &office.purchases;
    let lines = json!([{ "receiptItemId": item, "amount": "9" }]);
    let credit = desk.request("9", json!({ "reasonType": "COST_CORRECTION", "costLines": lines }));
    desk.recognize(&credit, json!({})).is(200);
    let reported = report(&office, "margin", "VARIANT", &[]);
    let row = &reported.items()[0];
    assert_eq!(["revenue", "cost", "margin"].map(|name| figure(&row[name])), ["100", "60", "40"]);
    // 3 of 9 for each of the two that were sold.
    assert_eq!(figure(&reported["totals"]["corrections"]), "6");
    assert_eq!(office.books().closing()["5000"], "54.000000000000", "the books have the cost less the correction");
    office.sound();
}

fn money_that_moved_adds_up_to_the_accounts(database: Database) {
    let office = Office::with_books(database);
    office.desks().iter().for_each(|desk| trade(desk));
    office.books().manual(&day(0), "1010", "3000", "500").is(201);
    let range =
        [("legalEntityId", office.entity.as_str()), ("currencyCode", "EUR"), ("from", &day(0)), ("to", &day(0))];
    let reported = office.shop.list("reports/cash", &range).is(200);
    let bank = office.books().money("BANK");
    let row = reported.items().iter().find(|row| row["moneyAccountId"] == json!(bank)).expect("a row of the bank");
    let cell = |name: &str| figure(&row[name]);
    // 70 came, 25 came and failed, 5 went back; the same the other way; 500 by hand.
    assert_eq!(["customerPayments", "customerRefunds"].map(cell), ["70", "-5"]);
    assert_eq!(["supplierPayments", "supplierRefunds"].map(cell), ["-70", "5"]);
    assert_eq!(["opening", "other", "closing"].map(cell), ["0", "500", "500"]);
    assert_eq!(office.books().closing()["1010"], "500.000000000000");
    office.sound();
}

fn money_without_books_is_by_method(database: Database) {
    let office = Office::new(database);
    office.sales.try_pay("10", json!({ "method": "CASH" })).is(201);
    office.purchases.try_pay("4", json!({ "method": "CASH" })).is(201);
    office.sales.try_pay("9", json!({})).is(201);
    let range =
        [("legalEntityId", office.entity.as_str()), ("currencyCode", "EUR"), ("from", &day(0)), ("to", &day(0))];
    let reported = office.shop.list("reports/cash", &range).is(200);
    let rows: Vec<_> = reported
        .items()
        .iter()
        .map(|row| (row["method"].clone(), figure(&row["customerPayments"]), figure(&row["supplierPayments"])))
        .collect();
    assert_eq!(
        rows,
        [(json!("CASH"), "10".to_string(), "-4".to_string()), (json!("TRANSFER"), "9".to_string(), "0".to_string())]
    );
    assert!(reported.items().iter().all(|row| row["closing"].is_null() && row["moneyAccountId"].is_null()));
}

fn goods_are_worth_what_the_books_say(database: Database) {
    let office = Office::with_books(database);
    let (one, two) = (office.shop.counted(0), office.shop.counted(0));
    office.counter.price(&one, "50");
    office.buyer.stock(&one, "3", "30");
    office.buyer.stock(&two, "2", "1.5");
    office.counter.deliver(json!([{ "variantId": one, "quantity": "1" }]));
    let worth = office.shop.list("reports/valuation", &[("legalEntityId", &office.entity)]).is(200);
    let values: Vec<String> = worth.items().iter().map(|row| figure(&row["values"][0]["value"])).collect();
    assert_eq!(values, ["60", "3"]);
    assert_eq!(
        [&worth["totals"][0]["value"], &worth["ledgerBalance"], &worth["difference"]],
        [&json!("63.000000000000"), &json!("63.000000000000"), &json!(stoa_tests::books::ZERO)]
    );
    let layers = office.shop.all("inventory/cost-layers", &[("variantId", &one), ("open", "true")]);
    assert_eq!(sum_of(&layers, "value"), units(&json!("60")));
    let range = [("legalEntityId", office.entity.as_str()), ("from", &day(0)), ("to", &day(0)), ("variantId", &one)];
    let flows = office.shop.list("reports/costs", &range).is(200);
    let row = &flows.items()[0];
    assert_eq!(["opening", "received", "sold", "closing"].map(|name| figure(&row[name])), ["0", "90", "-30", "60"]);
    office.sound();
}

fn an_order_shows_how_far_it_is_settled(database: Database) {
    let office = Office::new(database);
    let (counter, desk) = (&office.counter, &office.sales);
    let order = counter.deliver(json!([{ "variantId": counter.good("10", "9"), "quantity": "5" }]));
    let item = counter.read(&order)["items"][0]["id"].clone();
    let invoice = desk.issue(json!([{ "orderItemId": item, "quantity": "3" }]));
    let draft = desk.draft(json!([{ "orderItemId": item, "quantity": "1" }]));
    desk.try_pay("12", json!({ "applications": parts(&[(&invoice, "12")]) })).is(201);
    let reported = office.shop.get(&format!("sales/orders/{order}/settlement")).is(200);
    assert_eq!(
        (figure(&reported["total"]), figure(&reported["billed"]), &reported["receiptId"]),
        ("50".into(), "30".into(), &Json::Null)
    );
    let invoices: Vec<_> = reported["invoices"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| (row["id"].clone(), row["balance"].clone()))
        .collect();
    assert_eq!(invoices, [(json!(invoice), json!("18.000000")), (json!(draft), Json::Null)]);
    let key = office.shop.machine(&["sales.read"]);
    assert_eq!(key.get(&format!("sales/orders/{order}/settlement")).is(200).body, reported.body);
    office.shop.get(&format!("sales/orders/{}/settlement", uuid::Uuid::now_v7())).refused(404, "NOT_FOUND");
}

fn pages_of_groups_follow_each_other(database: Database) {
    let office = Office::new(database);
    let (counter, desk) = (&office.counter, &office.sales);
    for n in 1..=3 {
        let variant = counter.good("10", "9");
        counter.deliver(json!([{ "variantId": variant, "quantity": n.to_string() }]));
        // An invoice of another customer, and without an order.
        let customer =
            office.shop.post("sales/customers", json!({ "code": fresh("C-"), "name": "Other" })).is(201).id();
        let desk = Desk { party: customer, ..desk.clone() };
        let free = desk.draft(json!([desk.goods(&office.shop.counted(0), "1", "5"), desk.free("1", "1")]));
        desk.step(&format!("invoices/{free}"), "recognize", json!({ "recognizedOn": day(0) })).is(200);
    }
    for by in ["VARIANT", "CUSTOMER"] {
        let whole = report(&office, "sales", by, &[]);
        assert_eq!(figure(&whole["totals"]["revenue"]), "78", "{whole}");
        let mut rows = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let page_query: Vec<(&str, &str)> =
                [("limit", "2")].into_iter().chain(cursor.as_deref().map(|cursor| ("cursor", cursor))).collect();
            let page = report(&office, "sales", by, &page_query);
            assert_eq!(page["totals"], whole["totals"], "totals span the range on every page");
            rows.extend(page.items().iter().cloned());
            match page["nextCursor"].as_str() {
                Some(next) => cursor = Some(next.to_string()),
                None => break,
            }
        }
        assert_eq!(json!(rows), whole["items"], "{by}");
    }
}

/// Two of these are more than a document can say.
const MUCH: &str = "600000000000";
/// The sum of two of them.
const TWICE: &str = "1200000000000";

fn d4_sums_have_more_than_twelve_digits(database: Database) {
    let office = Office::with_books(database);
    let shop = &office.shop;
    let today = day(0);
    let of_entity = [("legalEntityId", office.entity.as_str())];
    let range = [of_entity[0], ("from", today.as_str()), ("to", today.as_str())];
    let in_euro = [range[0], range[1], range[2], ("currencyCode", "EUR")];
    for desk in office.desks() {
        desk.owe(MUCH);
        desk.owe(MUCH);
        let reported = balance(desk);
        assert_eq!(["openInvoices", "balance"].map(|name| figure(&reported[name])), [TWICE, TWICE]);
        assert_eq!(figure(&statement(desk, &[])["closing"]), TWICE);
        assert_eq!(figure(&statement(desk, &[("from", &day(1)), ("to", &day(1))])["opening"]), TWICE);
        let aged = ages(desk, &[]);
        assert_eq!([&aged["totals"]["total"], &aged.items()[0]["total"]].map(figure), [TWICE, TWICE]);
        desk.pay(MUCH);
        desk.pay(MUCH);
        desk.grant(MUCH);
        desk.grant(MUCH);
        let reported = balance(desk);
        assert_eq!(["unappliedPayments", "availableCredits"].map(|name| figure(&reported[name])), [TWICE, TWICE]);
        let last = statement(desk, &[]);
        assert_eq!(figure(&last["closing"]), format!("-{TWICE}"));
        assert_eq!(last.items().last().map(|item| item["balance"].clone()), Some(last["closing"].clone()));
    }
    let cash = shop.list("reports/cash", &in_euro).is(200);
    for row in [&cash["totals"], &cash.items()[0]] {
        assert_eq!(figure(&row["customerPayments"]), TWICE);
        assert_eq!(figure(&row["supplierPayments"]), format!("-{TWICE}"));
    }
    // Delivered by orders, and recognised without one.
    let variant = office.counter.good("1", "0");
    let main = shop.main();
    for _ in 0..2 {
        shop.bring(&variant, &main, MUCH, Some("1")).is(201);
        office.counter.deliver(json!([{ "variantId": variant, "quantity": MUCH }]));
        let free = office.sales.draft(json!([office.sales.goods(&variant, MUCH, "1")]));
        office.sales.step(&format!("invoices/{free}"), "recognize", json!({ "recognizedOn": today })).is(200);
    }
    for by in ["DAY", "MONTH", "VARIANT", "CUSTOMER", "BRANCH"] {
        let reported = report(&office, "sales", by, &[]);
        let earned = report(&office, "margin", by, &[]);
        assert_eq!(figure(&earned["totals"]["cost"]), TWICE, "{by}: {earned}");
        for figures in [reported["totals"].clone(), json!({ "revenue": sum_text(reported.items(), "revenue") })] {
            // Those of `owe` besides: they are recognised nowhere.
            assert_eq!(figure(&figures["revenue"]), "2400000000000", "{by}: {reported}");
        }
        match by {
            "VARIANT" => assert_eq!(figure(&reported["totals"]["quantity"]), "2400000000000", "{reported}"),
            "BRANCH" => {}
            _ => assert_eq!(figure(&reported["totals"]["credits"]), TWICE, "{by}: {reported}"),
        }
    }
    for _ in 0..2 {
        shop.bring(&office.counter.good("1", "0"), &main, MUCH, Some("2")).is(201);
    }
    let worth = shop.list("reports/valuation", &of_entity).is(200);
    assert_eq!(["quantity", "value"].map(|name| figure(&worth["totals"][0][name])), [TWICE, "2400000000000"]);
    assert_eq!(figure(&worth["difference"]), "0");
    let flows = shop.list("reports/costs", &range).is(200);
    assert!(flows.items().iter().any(|row| figure(&row["adjustedIn"]) == TWICE), "{flows}");
    let trial = shop.list("ledger/trial-balance", &of_entity).is(200);
    let row = |code: &str| trial["rows"].as_array().into_iter().flatten().find(|row| row["code"] == code).cloned();
    assert_eq!(row("1200").map(|row| figure(&row["closing"])).as_deref(), Some("2400000000000"), "{trial}");
    office.sound();
}

fn d4_so_have_those_of_the_books_and_of_orders(database: Database) {
    let office = Office::with_books(database);
    let (shop, books, today) = (&office.shop, office.books(), day(0));
    // In units of MUCH: the bank has 5 of revenue and 2 of capital, less 2 of expenses.
    for (debit, credit, times) in [("1010", "4000", 5), ("1010", "3000", 2), ("5100", "1010", 2)] {
        (0..times).for_each(|_| drop(books.manual(&today, debit, credit, MUCH).is(201)));
    }
    // Two lines of one order, each billed by an invoice of its own.
    let main = shop.main();
    let goods = [(); 2].map(|()| office.counter.good("1", "0"));
    goods.iter().for_each(|variant| drop(shop.bring(variant, &main, MUCH, Some("1")).is(201)));
    let lines: Vec<Json> = goods.iter().map(|variant| json!({ "variantId": variant, "quantity": MUCH })).collect();
    let order = office.counter.deliver(json!(lines));
    for nth in 0..2 {
        let line = office.counter.read(&order)["items"][nth]["id"].clone();
        office.sales.issue(json!([{ "orderItemId": line, "quantity": MUCH }]));
    }
    // Goods of one variant in two warehouses.
    let places = [main, shop.warehouse("PHYSICAL")];
    places.iter().for_each(|place| drop(shop.bring(&goods[0], place, MUCH, Some("1")).is(201)));

    let (of_entity, entity) = ("legalEntityId", office.entity.as_str());
    let range = vec![(of_entity, entity), ("from", today.as_str()), ("to", today.as_str())];
    let by_place = || {
        let grouping = [("currencyCode", "EUR"), ("groupBy", "WAREHOUSE")];
        range.iter().copied().chain(grouping).collect::<Vec<(&str, &str)>>()
    };
    let as_of = vec![(of_entity, entity), ("asOf", today.as_str())];
    let stock = format!("inventory/variants/{}/stock", goods[0]);
    let trial = shop.list("ledger/trial-balance", &range).is(200);
    let rows = trial["rows"].as_array().cloned().unwrap_or_default();
    let row_of =
        |code: &str| rows.iter().position(|row| row["code"] == code).unwrap_or_else(|| panic!("{code}: {trial}"));
    let bank = rows[row_of("1010")]["accountId"].as_str().unwrap_or_default().to_string();
    let bank_row = format!("/rows/{}", row_of("1010"));
    let statement = format!("ledger/accounts/{bank}/statement");
    let settlement = format!("sales/orders/{order}/settlement");
    type Sum<'a> = (&'a str, Vec<(&'a str, &'a str)>, String, &'a str);
    let table: Vec<Sum> = vec![
        ("ledger/trial-balance", range.clone(), format!("{bank_row}/debit"), "4200000000000"),
        ("ledger/trial-balance", range.clone(), format!("{bank_row}/credit"), TWICE),
        ("ledger/trial-balance", range.clone(), format!("{bank_row}/closing"), "3000000000000"),
        (&statement, vec![], "/closing".to_string(), "3000000000000"),
        (&statement, vec![], "/items/6/balance".to_string(), "4200000000000"),
        (&statement, vec![("from", &today)], "/closing".to_string(), "3000000000000"),
        // Revenue of the order besides; its cost and the goods that came cancel each other but for those still there.
        ("ledger/income-statement", range.clone(), "/subtotals/0/amount".to_string(), "4200000000000"),
        ("ledger/income-statement", range.clone(), "/subtotals/1/amount".to_string(), "0"),
        ("ledger/income-statement", range.clone(), "/result".to_string(), "4200000000000"),
        ("ledger/balance-sheet", as_of.clone(), "/resultOfYear".to_string(), "4200000000000"),
        ("ledger/balance-sheet", as_of.clone(), "/subtotals/2/amount".to_string(), TWICE),
        ("reports/sales", by_place(), "/totals/revenue".to_string(), TWICE),
        ("reports/sales", by_place(), "/items/0/revenue".to_string(), TWICE),
        ("reports/margin", by_place(), "/items/0/cost".to_string(), TWICE),
        (&settlement, vec![], "/total".to_string(), TWICE),
        (&settlement, vec![], "/billed".to_string(), TWICE),
        (&stock, vec![], "/totals/onHand".to_string(), TWICE),
        (&stock, vec![], "/totals/available".to_string(), TWICE),
    ];
    for (path, query, pointer, expected) in table {
        let reported = shop.list(path, &query).is(200);
        let found = reported.body.pointer(&pointer).map(figure);
        assert_eq!(found.as_deref(), Some(expected), "{path} {pointer}: {reported}");
    }
    let entries = shop.list("ledger/general-ledger", &range).is(200);
    assert!(entries.items().iter().all(|line| line["debit"] != line["credit"]), "{entries}");
    office.sound();
}

/// The sum of a member of the rows, as an amount.
fn sum_text(rows: &[Json], member: &str) -> String {
    let sum = sum_of(rows, member);
    format!("{}.{:012}", sum / 1_000_000_000_000, sum % 1_000_000_000_000)
}
