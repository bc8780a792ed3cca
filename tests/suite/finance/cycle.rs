//! Whole runs of a trade: goods bought, billed and paid, sold, billed and paid, credited, refunded and sent back, by
//! figures worked out by hand; and random documents of several hands, of which every figure is the sum of what is
//! behind it. [F80]

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office, parts};
use stoa_tests::books::day;
use stoa_tests::company::fresh;
use stoa_tests::goods::WHY;
use stoa_tests::purchases::line;
use stoa_tests::tables::figure;
use stoa_tests::{Answer, Database, Dice, at_once, on_both_databases, tills};

on_both_databases![
    a_whole_cycle_adds_up,
    money_of_the_company_is_what_its_documents_say,
    f80_random_documents_leave_everything_sound,
];

fn a_whole_cycle_adds_up(database: Database) {
    let office = Office::with_books(database);
    let (shop, counter, buyer) = (&office.shop, &office.counter, &office.buyer);
    let (sales, purchases) = (&office.sales, &office.purchases);
    let variant = shop.counted(0);
    counter.price(&variant, "50");
    // Ten come at 20 and are billed at 21.
    let order = buyer.place(json!([line(&variant, "10", "20")]));
    let receipt = order.receive(json!([order.goods(0, "10")])).is(201).id();
    let item = buyer.receipt(&receipt)["items"][0]["id"].clone();
    let billed = purchases.issue(json!([{ "receiptItemId": item, "quantity": "10", "unitCost": "21" }]));
    purchases.pay_for("210", &[(&billed, "210")]);
    assert_eq!(office.balances(), "1010 -210, 1200 200, 5110 10");
    // Four are sold at 50; 150 of 200 come in cash.
    let sold = counter.deliver(json!([{ "variantId": variant, "quantity": "4" }]));
    let sold = counter.read(&sold)["items"][0]["id"].clone();
    let invoice = sales.issue(json!([{ "orderItemId": sold, "quantity": "4" }]));
    let cash = json!({ "method": "CASH", "applications": parts(&[(&invoice, "150")]) });
    sales.try_pay("150", cash).is(201);
    // A credit of 30: 20 lower the invoice, 10 go back.
    let credit = sales.grant("30");
    sales.apply(&credit, &[(&invoice, "20")]).is(201);
    sales.give_back(&credit, "10");
    let mistake = sales.owe("15");
    sales.void(&format!("invoices/{mistake}"), json!({})).is(200);
    // One goes back at its cost of 20; 21 come for it.
    let body = json!({
        "number": fresh("RET-"), "legalEntityId": office.entity, "partyId": purchases.party, "warehouseId": buyer.main,
        "reason": WHY, "lines": [{ "receiptItemId": item, "quantity": "1" }],
    });
    let back = shop.post("purchases/returns", body).is(201).id();
    shop.post(&format!("purchases/returns/{back}/ship"), json!({ "expectedVersion": 1 })).is(200);
    let credit = purchases.request("21", json!({ "reasonType": "RETURN", "supplierReturnId": back }));
    purchases.recognize(&credit, json!({})).is(200);
    purchases.give_back(&credit, "21");
    assert_eq!(
        office.balances(),
        "1000 150, 1010 -199, 1100 30, 1200 100, 4000 -200, 4100 30, 5000 80, 5110 10, 5130 -1"
    );
    let trial = office.books().trial_answer(&[("to", &day(1))]);
    assert_eq!(trial["totals"]["debit"], trial["totals"]["credit"]);
    assert_eq!(shop.worth(&variant), "100.000000000000");
    assert_eq!(sales.balance(&invoice), "30");
    let range =
        [("legalEntityId", office.entity.as_str()), ("currencyCode", "EUR"), ("from", &day(0)), ("to", &day(0))];
    let money = shop.list("reports/cash", &range).is(200);
    let closing = |code: &str| {
        let account = json!(office.books().money(code));
        let row = money.items().iter().find(|row| row["moneyAccountId"] == account).expect("a row of the account");
        (figure(&row["closing"]), figure(&row["other"]))
    };
    assert_eq!((closing("CASH"), closing("BANK")), (("150".into(), "0".into()), ("-199".into(), "0".into())));
    let debts = shop.list(&format!("sales/customers/{}/balance", sales.party), &[]).is(200);
    assert_eq!(figure(&debts.items()[0]["balance"]), "30");
    let owed = shop.list(&format!("purchases/suppliers/{}/balance", purchases.party), &[]).is(200);
    assert!(owed.items().is_empty(), "all is paid and given back: {owed}");
    let totals = |report: &str, names: &[&str]| -> Vec<String> {
        let reported = shop.list(&format!("reports/{report}"), &range).is(200);
        names.iter().map(|name| figure(&reported["totals"][*name])).collect()
    };
    assert_eq!(totals("sales", &["revenue", "credits", "net"]), ["200", "30", "170"]);
    assert_eq!(totals("margin", &["revenue", "cost", "margin", "corrections"]), ["200", "80", "120", "0"]);
    let ages = shop.list("reports/receivables-ageing", &range[..2]).is(200);
    assert_eq!((figure(&ages["totals"]["notDue"]), figure(&ages["totals"]["total"])), ("30".into(), "30".into()));
    let worth = shop.list("reports/valuation", &range[..1]).is(200);
    let reported = [&worth["items"][0]["quantity"], &worth["items"][0]["values"][0]["value"], &worth["difference"]];
    assert_eq!(reported.map(figure), ["5", "100", "0"]);
    let flows = shop.list("reports/costs", &[range[0], range[2], range[3]]).is(200);
    let flow = |name: &str| figure(&flows.items()[0][name]);
    assert_eq!(["opening", "received", "sold", "returned", "closing"].map(flow), ["0", "200", "-80", "-20", "100"]);
    office.sound();
}

/// Registers, payments and refunds of both sides, some of them undone: the amounts of documents are on the money
/// accounts, to the last digit.
fn money_of_the_company_is_what_its_documents_say(database: Database) {
    let office = Office::with_books(database);
    let session = tills::Till::new(office.counter.clone()).open("0");
    session.sell("19.99", tills::parts(&[("CARD", "9.990001"), ("CASH", "9.999999")]));
    session.sell("0.000007", tills::cash("5"));
    session.try_move_at(3, "OUT", "3.5", json!({ "counterAccountId": office.books().money("BANK") })).is(201);
    for desk in office.desks() {
        let invoice = desk.owe("70.123457");
        desk.pay_for("70.123456", &[(&invoice, "70.123456")]);
        let bounced = desk.pay_for("0.000001", &[(&invoice, "0.000001")]);
        desk.step(&bounced, "reverse", json!({ "reason": WHY })).is(200);
        let void = desk.try_pay("11.1", json!({ "method": "CHECK" })).is(201).id();
        desk.void(&format!("payments/{void}"), json!({})).is(200);
        let left = desk.try_pay("33.333333", json!({ "method": "CASH" })).is(201).id();
        desk.try_pay("5", json!({ "status": "PENDING" })).is(201);
        let credit = desk.grant("20");
        desk.give_back(&credit, "6.000003");
        let refund = desk.give_back(&credit, "7");
        desk.void(&refund, json!({})).is(200);
        desk.give_back(&format!("payments/{left}"), "0.333333");
    }
    // Cash of the register's drawer.
    let credit = office.sales.grant("4");
    office.sales.try_refund(&credit, "2.000009", json!({ "method": "CASH", "sessionId": session.id })).is(201);
    let sum = |path: &str, statuses: &[&str]| -> i64 {
        let rows = |status: &&str| office.shop.all(path, &[("status", status), ("limit", "100")]);
        statuses.iter().flat_map(rows).map(|row| units(&row["amount"])).sum()
    };
    let paid = |side: &str| sum(&format!("{side}/payments"), &["RECORDED", "CONFIRMED"]);
    let given_back = |side: &str| sum(&format!("{side}/refunds"), &["RECORDED"]);
    let money = paid("sales") - given_back("sales") - paid("purchases") + given_back("purchases");
    // By hand: the receipts, and what each side paid and got back.
    let side = 70_123_456 + 33_333_333 - 6_000_003 - 333_333;
    assert_eq!((paid("sales") - given_back("sales"), money), (19_990_007 + side - 2_000_009, 19_990_007 - 2_000_009));
    let closing = office.books().closing();
    let accounts = closing.iter().filter(|(code, _)| code.starts_with("10"));
    let account = |amount: &String| -> i128 { amount.replace('.', "").parse().expect("an amount of the books") };
    assert_eq!(accounts.map(|(_, amount)| account(amount)).sum::<i128>(), i128::from(money) * 1_000_000, "{closing:?}");
    office.sound();
}

/// Six hands at once on few documents: an operation succeeds, or is refused as the specification says, and every
/// balance is the sum of the rows behind it.
fn f80_random_documents_leave_everything_sound(database: Database) {
    let office = Office::with_books(database);
    let mut dice = Dice::new("f80_random_documents_leave_everything_sound");
    let seeds: Vec<u64> = (0..6).map(|_| dice.roll()).collect();
    for desk in office.desks() {
        let invoices: Vec<String> = (0..6).map(|n| desk.owe(&format!("{}.{:06}", 20 + n, 7 * n + 1))).collect();
        let sources: Vec<String> = (0..3).flat_map(|_| [desk.pay("40.000003"), desk.grant("25.5")]).collect();
        at_once(seeds.len(), |n| {
            let mut dice = Dice::seeded(seeds[n]);
            for _ in 0..25 {
                let answer = step(&mut dice, desk, &invoices, &sources);
                let expected = ["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED", "REFERENCE_INVALID"];
                let is_refused = answer.status == 409 && expected.contains(&answer["code"].as_str().unwrap_or(""));
                assert!(answer.status < 300 || is_refused, "{answer}");
            }
        });
        check_sums(desk);
    }
    office.sound();
}

/// One random operation on what is there.
fn step(dice: &mut Dice, desk: &Desk, invoices: &[String], sources: &[String]) -> Answer {
    let amount = format!("{}.{:06}", dice.between(0, 9), dice.between(1, 1_000_000));
    let (invoice, source) = (dice.pick(invoices), dice.pick(sources));
    match dice.between(0, 12) {
        0 => desk.void(&format!("invoices/{invoice}"), json!({})),
        1 => desk.void(source, json!({})),
        2 if source.starts_with("payments") => desk.step(source, "reverse", json!({ "reason": WHY })),
        2..=3 => desk.try_refund(source, &amount, json!({})),
        4 => desk.try_pay(&amount, json!({ "applications": parts(&[(invoice, &amount)]) })),
        5 => {
            let refunds = desk.shop.all(&desk.at("refunds"), &[("status", "RECORDED")]);
            match refunds.first().and_then(|refund| refund["id"].as_str()) {
                Some(refund) => desk.void(&format!("refunds/{refund}"), json!({})),
                None => desk.try_refund(source, &amount, json!({})),
            }
        }
        _ => desk.apply(source, &[(invoice, &amount)]),
    }
}

/// Millionths.
fn units(amount: &Json) -> i64 {
    let text = amount.as_str().unwrap_or("0.000000").replace('.', "");
    text.parse().expect("an amount of money")
}

/// Every balance of a side against its applications and refunds.
#[track_caller]
fn check_sums(desk: &Desk) {
    let all = |path: &str, query: &[(&str, &str)]| {
        let query: Vec<(&str, &str)> = [("limit", "100")].into_iter().chain(query.iter().copied()).collect();
        desk.shop.all(&desk.at(path), &query)
    };
    let mut taken: BTreeMap<String, i64> = BTreeMap::new();
    for invoice in all("invoices", &[]) {
        let id = invoice["id"].as_str().expect("an id");
        let rows = all(&format!("invoices/{id}/applications"), &[]);
        let applied: i64 = rows.iter().map(|row| units(&row["amount"])).sum();
        for row in &rows {
            let source = row["paymentId"].as_str().or(row["creditId"].as_str()).expect("a source");
            *taken.entry(source.to_string()).or_default() += units(&row["amount"]);
        }
        assert_eq!(units(&invoice["applied"]), applied, "{invoice}");
        if invoice["status"] == "ISSUED" {
            assert_eq!(units(&invoice["balance"]), units(&invoice["total"]) - applied, "{invoice}");
            assert_eq!(invoice["settledOn"].is_string(), units(&invoice["balance"]) == 0, "{invoice}");
        } else {
            assert_eq!(applied, 0, "{invoice}");
        }
    }
    for refund in all("refunds", &[("status", "RECORDED")]) {
        let source = refund["paymentId"].as_str().or(refund["creditId"].as_str()).expect("a source");
        *taken.entry(source.to_string()).or_default() += units(&refund["amount"]);
    }
    for source in [all("payments", &[]), all("credit-notes", &[])].concat() {
        let taken = taken.get(source["id"].as_str().expect("an id")).copied().unwrap_or_default();
        let stands = ["RECORDED", "CONFIRMED", "RECOGNIZED"].iter().any(|status| source["status"] == *status);
        let left = if stands { units(&source["amount"]) - taken } else { 0 };
        assert_eq!(units(&source["available"]), left, "{source}");
        assert!(stands || taken == 0, "{source}");
    }
}
