//! Payments of both sides and what they pay. [F34] to [F47]

use serde_json::{Value as Json, json};
use stoa_tests::billing::{Desk, Office, id, parts};
use stoa_tests::books::{day, month, month_day};
use stoa_tests::company::{fresh, with};
use stoa_tests::goods::WHY;
use stoa_tests::{Database, on_both_databases};

on_both_databases![
    f35_an_expected_payment_pays_nothing,
    f37_a_payment_is_dated_in_an_open_month,
    f47_a_bounced_cheque_opens_its_invoices,
    applications_are_dated_by_their_documents,
    both_balances_hold_over_many_payments,
    lists_find_payments,
];

on_both_databases![
    rules:
    f34_nothing_is_no_payment,
    f36_a_payment_is_confirmed_once,
    f38_money_accounts_fit,
    f39_books_are_of_one_currency,
    f40_no_card_is_kept,
    f41_an_invoice_is_named_once,
    f43_a_version_is_used_once,
    f44_all_applications_or_none,
    f45_only_what_the_party_owes_is_paid,
    f46_what_is_used_is_not_voided,
    f47_what_cannot_be_reversed,
    an_unused_payment_is_voided,
    an_expected_payment_is_replaced,
    a_payment_settles_on_the_day_of_its_application,
];

fn f34_nothing_is_no_payment(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        for amount in ["0", "0.000000", "-1", "1.0000001"] {
            desk.try_pay(amount, json!({})).refused(400, "VALIDATION_FAILED").at("/amount");
        }
    }
}

fn f35_an_expected_payment_pays_nothing(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let invoice = desk.owe("30");
        let before = office.balances();
        let pending = json!({ "status": "PENDING" });
        let at_once = with(&pending, json!({ "applications": parts(&[(&invoice, "30")]) }));
        desk.try_pay("30", at_once).refused(400, "VALIDATION_FAILED").fault("/applications", "NOT_ALLOWED");
        let payment = format!("payments/{}", desk.try_pay("30", pending).is(201).id());
        desk.apply(&payment, &[(&invoice, "30")]).refused(409, "ILLEGAL_STATE");
        desk.try_refund(&payment, "1", json!({})).refused(409, "ILLEGAL_STATE");
        let read = desk.read(&payment);
        assert_eq!((&read["status"], &read["available"]), (&json!("PENDING"), &json!("0.000000")));
        assert_eq!(office.balances(), before);
        desk.void(&payment, json!({})).is(200);
        assert!(office.entries(id(&payment)).is_empty());
    }
    office.sound();
}

fn f36_a_payment_is_confirmed_once(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let invoice = desk.owe("30");
        let members = json!({ "status": "PENDING", "reference": "expected" });
        let payment = format!("payments/{}", desk.try_pay("40", members).is(201).id());
        let body = json!({ "applications": parts(&[(&invoice, "30")]), "reference": "came" });
        let reported = desk.step(&payment, "confirm", body).is(200);
        assert_eq!((&reported["status"], &reported["version"]), (&json!("CONFIRMED"), &json!(2)));
        let read = desk.read(&payment);
        assert_eq!((&read["reference"], &read["available"]), (&json!("came"), &json!("10.000000")));
        assert!(read["confirmedAt"].is_string() && read["confirmedBy"].is_string(), "{read}");
        desk.step(&payment, "confirm", json!({})).refused(409, "ILLEGAL_STATE");
        assert_eq!(office.entries(id(&payment)).len(), 1);
        assert_eq!(desk.balance(&invoice), "0");
    }
    office.sound();
}

fn f37_a_payment_is_dated_in_an_open_month(database: Database) {
    let office = Office::with_old_books(database);
    for months_ago in [3, 2] {
        office.books().close(&month(months_ago)).is(200);
    }
    let closed = json!({ "paidOn": month_day(2, 3) });
    for desk in office.desks() {
        desk.try_pay("10", closed.clone()).refused(409, "ACCOUNTING_PERIOD_CLOSED").fault("/paidOn", "MONTH_CLOSED");
        assert!(desk.shop.all(&desk.at("payments"), &[]).is_empty());
        let pending = with(&closed, json!({ "status": "PENDING" }));
        let payment = format!("payments/{}", desk.try_pay("10", pending).is(201).id());
        desk.step(&payment, "confirm", json!({})).refused(409, "ACCOUNTING_PERIOD_CLOSED").at("/paidOn");
        desk.step(&payment, "confirm", json!({ "paidOn": day(2) }))
            .refused(400, "VALIDATION_FAILED")
            .fault("/paidOn", "DATE_IN_FUTURE");
        desk.step(&payment, "confirm", json!({ "paidOn": month_day(1, 3) })).is(200);
        assert_eq!(desk.read(&payment)["paidOn"], month_day(1, 3));
        desk.try_pay("10", json!({ "paidOn": month_day(4, 28) }))
            .refused(409, "ACCOUNTING_PERIOD_CLOSED")
            .fault("/paidOn", "BEFORE_BOOKS");
    }
    office.sound();
}

fn f38_money_accounts_fit(database: Database) {
    let office = Office::with_books(database);
    let books = office.books();
    let refused = |desk: &Desk, method: &str, account: &str| {
        let members = json!({ "method": method, "accountId": account });
        desk.try_pay("10", members).refused(409, "PAYMENT_ACCOUNT_INVALID").at("/accountId");
    };
    let old = office.shop.post(
        "ledger/accounts",
        json!({ "legalEntityId": office.entity, "code": "1099", "name": "Old bank", "type": "ASSET" }),
    );
    let old = json!({
        "legalEntityId": office.entity, "code": "OLD", "name": "Old bank", "kind": "BANK", "accountId": old.is(201).id(),
    });
    let old = office.shop.post("ledger/money-accounts", old).is(201).id();
    office.shop.archive(&format!("ledger/money-accounts/{old}")).is(200);
    let elsewhere = Desk { entity: office.shop.other_entity(), ..office.sales.clone() };
    for desk in office.desks() {
        refused(desk, "CASH", &books.money("BANK"));
        refused(desk, "TRANSFER", &old);
        refused(desk, "TRANSFER", &uuid::Uuid::now_v7().to_string());
        desk.try_pay("10", json!({ "method": "CARD", "accountId": books.money("BANK") })).is(201);
    }
    refused(&elsewhere, "TRANSFER", &books.money("BANK"));
    elsewhere.try_pay("10", json!({})).is(201);
    office.sound();
}

fn f39_books_are_of_one_currency(database: Database) {
    let office = Office::with_books(database);
    let bare = office.shop.other_entity();
    for desk in office.desks() {
        let dollars = json!({ "currencyCode": "USD" });
        desk.try_pay("10", dollars.clone()).refused(409, "ACCOUNTING_CURRENCY_UNSUPPORTED").at("/currencyCode");
        Desk { entity: bare.clone(), ..desk.clone() }.try_pay("10", dollars).is(201);
    }
}

fn f40_no_card_is_kept(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        desk.try_pay("10", json!({ "method": "CASH", "cardKind": "DEBIT" }))
            .refused(400, "VALIDATION_FAILED")
            .fault("/cardKind", "NOT_ALLOWED");
        desk.try_pay("10", json!({ "method": "CARD" })).is(201);
        for member in ["reference", "notes"] {
            let reported =
                desk.try_pay("10", json!({ (member): "4111 1111 1111 1111" })).refused(400, "VALIDATION_FAILED");
            assert!(!reported.tells("4111"), "{reported}");
            reported.fault(&format!("/{member}"), "CARD_NUMBER_REFUSED");
        }
        desk.try_pay("10", json!({ "number": "4111111111111111" })).refused(400, "VALIDATION_FAILED").at("/number");
    }
    assert!(!office.shop.host.log().contains("4111 1111"), "a card number was logged");
}

fn f41_an_invoice_is_named_once(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let invoice = desk.owe("30");
        let twice = json!({ "applications": parts(&[(&invoice, "1"), (&invoice, "1")]) });
        desk.try_pay("10", twice).refused(400, "VALIDATION_FAILED").fault("/applications/1/invoiceId", "REPEATED");
        let many: Vec<Json> = (0..51).map(|_| json!({ "invoiceId": uuid::Uuid::now_v7(), "amount": "1" })).collect();
        desk.try_pay("90", json!({ "applications": many }))
            .refused(400, "VALIDATION_FAILED")
            .fault("/applications", "TOO_MANY");
        let payment = desk.pay("10");
        desk.apply(&payment, &[]).refused(400, "VALIDATION_FAILED").at("/applications");
    }
}

fn f43_a_version_is_used_once(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let invoice = desk.owe("30");
        let payment = desk.pay("10");
        let body = json!({ "applications": parts(&[(&invoice, "5")]) });
        let reported = desk.step_at(&payment, "applications", json!(1), body.clone()).is(201);
        assert_eq!(reported["version"], 2);
        desk.step_at(&payment, "applications", json!(1), body).refused(409, "VERSION_CONFLICT");
        assert_eq!((desk.balance(&invoice), desk.available(&payment)), ("25".to_string(), "5".to_string()));
        assert_eq!(desk.invoice(&invoice)["version"], 2, "an application leaves the invoice's version");
    }
    office.sound();
}

fn f44_all_applications_or_none(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let (one, two) = (desk.owe("30"), desk.owe("20"));
        let before = office.shop.records();
        let pay =
            |amount: &str, applied: &[(&str, &str)]| desk.try_pay(amount, json!({ "applications": parts(applied) }));
        pay("90", &[(&one, "30"), (&two, "20.000001")])
            .refused(409, "LIMIT_EXCEEDED")
            .fault("/applications/1/amount", "EXCEEDS_INVOICE_BALANCE");
        pay("49.999999", &[(&one, "30"), (&two, "20")])
            .refused(409, "LIMIT_EXCEEDED")
            .fault("/applications/1/amount", "EXCEEDS_AVAILABLE");
        assert_eq!(office.shop.records(), before, "nothing was stored");
        let payment = pay("50", &[(&one, "30"), (&two, "20")]).is(201).id();
        assert_eq!(desk.available(&format!("payments/{payment}")), "0");
    }
    office.sound();
}

fn f45_only_what_the_party_owes_is_paid(database: Database) {
    let office = Office::new(database);
    let other = office.shop.post("sales/customers", json!({ "code": fresh("C-"), "name": "Other" })).is(201).id();
    let supplier = office.shop.new_supplier();
    let entity = office.shop.other_entity();
    for (desk, party, across) in
        [(&office.sales, &other, &office.purchases), (&office.purchases, &supplier, &office.sales)]
    {
        let dollars = desk.try_draft(json!([desk.free("1", "30")]), json!({ "currencyCode": "USD" })).is(201).id();
        desk.try_issue(&dollars, json!({})).is(200);
        let void = desk.owe("30");
        desk.void(&format!("invoices/{void}"), json!({})).is(200);
        let wrong = [
            across.owe("30"),
            Desk { party: party.clone(), ..desk.clone() }.owe("30"),
            Desk { entity: entity.clone(), ..desk.clone() }.owe("30"),
            dollars,
            desk.draft(json!([desk.free("1", "30")])),
            void,
        ];
        let payment = desk.pay("30");
        for invoice in &wrong {
            desk.apply(&payment, &[(invoice, "1")])
                .refused(409, "REFERENCE_INVALID")
                .fault("/applications/0/invoiceId", "REFERENCE_INVALID");
        }
        let gone = uuid::Uuid::now_v7().to_string();
        desk.apply(&payment, &[(&gone, "1")]).refused(404, "NOT_FOUND").at("/applications/0/invoiceId");
        assert_eq!(desk.version(&payment), json!(1));
        across.shop.get(&across.at(&payment)).refused(404, "NOT_FOUND");
    }
    office.shop.verified();
}

fn f46_what_is_used_is_not_voided(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let invoice = desk.owe("30");
        let applied = desk.pay_for("30", &[(&invoice, "0.000001")]);
        desk.void(&applied, json!({})).refused(409, "ILLEGAL_STATE").fault("/path/id", "HAS_APPLICATIONS");
        let refunded = desk.pay("30");
        desk.give_back(&refunded, "1");
        desk.void(&refunded, json!({})).refused(409, "ILLEGAL_STATE").fault("/path/id", "HAS_REFUNDS");
    }
    office.shop.verified();
}

fn f47_a_bounced_cheque_opens_its_invoices(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let (one, two) = (desk.owe("70"), desk.owe("40"));
        let before = office.balances();
        let payment = desk.pay_for("100", &[(&one, "60"), (&two, "40")]);
        assert_eq!(desk.invoice(&two)["settledOn"], day(0));
        desk.step(&payment, "reverse", json!({ "reason": "it bounced" })).is(200);
        assert_eq!((desk.balance(&one), desk.balance(&two)), ("70".to_string(), "40".to_string()));
        assert!(desk.invoice(&two)["settledOn"].is_null());
        assert_eq!(office.balances(), before, "bank and debts are as before");
        assert_eq!(office.entries(id(&payment)).len(), 2, "the money and its mirror");
        let rows = desk.shop.all(&desk.at(&format!("{payment}/applications")), &[]);
        assert_eq!(rows.len(), 4);
        let undone: Vec<&Json> = rows.iter().filter(|row| !row["reverses"].is_null()).collect();
        assert!(undone.len() == 2 && undone.iter().all(|row| row["amount"].as_str().unwrap().starts_with('-')));
        let read = desk.read(&payment);
        assert_eq!((&read["status"], &read["applied"]), (&json!("REVERSED"), &json!("0.000000")));
        desk.step(&payment, "reverse", json!({ "reason": WHY })).refused(409, "ILLEGAL_STATE");
        desk.apply(&payment, &[(&one, "1")]).refused(409, "ILLEGAL_STATE");
        for invoice in [one, two] {
            desk.void(&format!("invoices/{invoice}"), json!({})).is(200);
        }
    }
    office.sound();
}

fn f47_what_cannot_be_reversed(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let reverse = |payment: &str| desk.step(payment, "reverse", json!({ "reason": WHY }));
        let pending = desk.try_pay("9", json!({ "status": "PENDING" })).is(201).id();
        reverse(&format!("payments/{pending}")).refused(409, "ILLEGAL_STATE");
        reverse(&desk.pay("9")).refused(409, "ILLEGAL_STATE").fault("/path/id", "NOT_APPLIED");
        let refunded = desk.pay_for("9", &[(&desk.owe("5"), "5")]);
        desk.give_back(&refunded, "1");
        reverse(&refunded).refused(409, "ILLEGAL_STATE").fault("/path/id", "HAS_REFUNDS");
        let applied = desk.pay_for("9", &[(&desk.owe("5"), "5")]);
        desk.step(&applied, "reverse", json!({ "reason": WHY, "reversedOn": day(-1) }))
            .refused(409, "ILLEGAL_STATE")
            .fault("/reversedOn", "DATE_BEFORE_DOCUMENT");
    }
}

fn an_unused_payment_is_voided(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let payment = desk.pay("30");
        desk.void(&payment, json!({ "voidedOn": day(-1) }))
            .refused(409, "ILLEGAL_STATE")
            .fault("/voidedOn", "DATE_BEFORE_DOCUMENT");
        desk.void(&payment, json!({})).is(200);
        let read = desk.read(&payment);
        assert_eq!((&read["status"], &read["available"]), (&json!("VOID"), &json!("0.000000")));
        desk.void(&payment, json!({})).refused(409, "ILLEGAL_STATE");
    }
    assert_eq!(office.balances(), "");
    office.sound();
}

fn an_expected_payment_is_replaced(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let made = with(&desk.payment("9"), json!({ "status": "PENDING", "notes": "soon" }));
        let payment = desk.shop.post(&desk.at("payments"), made.clone()).is(201).id();
        let path = desk.at(&format!("payments/{payment}"));
        let body = with(&made, json!({ "expectedVersion": 1, "amount": "11", "notes": null, "method": "CASH" }));
        let put = |members: Json| desk.shop.put(&path, with(&body, members));
        put(json!({ "status": "RECORDED" })).refused(400, "VALIDATION_FAILED").at("/status");
        put(json!({ "number": "ANOTHER" })).refused(409, "IMMUTABLE_FIELD").at("/number");
        put(json!({ "legalEntityId": office.shop.other_entity() }))
            .refused(409, "IMMUTABLE_FIELD")
            .at("/legalEntityId");
        put(json!({})).is(200);
        let read = desk.read(&format!("payments/{payment}"));
        assert_eq!(
            (&read["amount"], &read["method"], &read["version"]),
            (&json!("11.000000"), &json!("CASH"), &json!(2))
        );
        let recorded = desk.pay("9");
        let stored = desk.read(&recorded);
        let body = with(&made, json!({ "expectedVersion": 1, "number": stored["number"] }));
        desk.shop.put(&desk.at(&recorded), body).refused(409, "ILLEGAL_STATE");
    }
    office.sound();
}

fn applications_are_dated_by_their_documents(database: Database) {
    let office = Office::with_old_books(database);
    for desk in office.desks() {
        let draft = desk.draft(json!([desk.free("1", "30")]));
        let on = if desk.at("") == "sales/" { "issuedOn" } else { "recognizedOn" };
        desk.try_issue(&draft, json!({ (on): month_day(2, 10) })).is(200);
        // At once: the later of both days.
        let early = json!({ "paidOn": month_day(2, 5), "applications": parts(&[(&draft, "1")]) });
        let payment = format!("payments/{}", desk.try_pay("20", early).is(201).id());
        let applied = || {
            let rows = desk.shop.all(&desk.at(&format!("invoices/{draft}/applications")), &[]);
            rows.iter().map(|row| row["appliedOn"].clone()).collect::<Vec<_>>()
        };
        assert_eq!(applied(), [json!(month_day(2, 10))]);
        let apply = |on: &str| {
            desk.step(&payment, "applications", json!({ "appliedOn": on, "applications": parts(&[(&draft, "1")]) }))
        };
        apply(&month_day(2, 9)).refused(409, "ILLEGAL_STATE").fault("/appliedOn", "DATE_BEFORE_DOCUMENT");
        apply(&day(2)).refused(400, "VALIDATION_FAILED").fault("/appliedOn", "DATE_IN_FUTURE");
        apply(&month_day(1, 1)).is(201);
        assert_eq!(applied()[1], json!(month_day(1, 1)));
    }
    office.sound();
}

fn a_payment_settles_on_the_day_of_its_application(database: Database) {
    let office = Office::new(database);
    for desk in office.desks() {
        let invoice = desk.owe("30");
        let payment = desk.pay("30");
        desk.apply(&payment, &[(&invoice, "10")]).is(201);
        assert!(desk.invoice(&invoice)["settledOn"].is_null());
        let rest = json!({ "appliedOn": day(1), "applications": parts(&[(&invoice, "20")]) });
        desk.step(&payment, "applications", rest).is(201);
        let read = desk.invoice(&invoice);
        assert_eq!((&read["settledOn"], &read["applied"]), (&json!(day(1)), &json!("30.000000")));
    }
}

fn both_balances_hold_over_many_payments(database: Database) {
    let office = Office::with_books(database);
    for desk in office.desks() {
        let invoices: Vec<String> = (0..3).map(|_| desk.owe("33.333333")).collect();
        let applied: Vec<(&str, &str)> = invoices.iter().map(|invoice| (invoice.as_str(), "33.333333")).collect();
        let payment = desk.pay_for("100", &applied);
        assert_eq!(desk.available(&payment), "0.000001");
        assert!(invoices.iter().all(|invoice| desk.balance(invoice) == "0"));
        let reported = desk.apply(&payment, &[(&invoices[0], "0.000001")]).refused(409, "LIMIT_EXCEEDED");
        reported.fault("/applications/0/amount", "EXCEEDS_INVOICE_BALANCE");
    }
    office.sound();
}

fn lists_find_payments(database: Database) {
    let office = Office::with_books(database);
    let cash = office.books().money("CASH");
    for desk in office.desks() {
        let recorded = desk.pay("30");
        let pending = desk.try_pay("20", json!({ "status": "PENDING", "reference": "The Bank" })).is(201).id();
        let in_cash = desk.try_pay("10", json!({ "method": "CASH" })).is(201).id();
        let find = |query: &[(&str, &str)]| desk.shop.list(&desk.at("payments"), query).is(200).ids();
        assert_eq!(find(&[("status", "PENDING")]), [pending.as_str()]);
        assert_eq!(find(&[("method", "CASH")]), [in_cash.as_str()]);
        assert_eq!(find(&[("accountId", &cash)]), [in_cash]);
        assert_eq!(find(&[("text", "the bank")]), [pending]);
        assert_eq!(find(&[("totalMin", "30")]), [id(&recorded)]);
        assert_eq!(find(&[("origin", "POS_RECEIPT")]), Vec::<String>::new());
        assert_eq!(find(&[("partyId", &desk.party), ("from", &day(0)), ("to", &day(0))]).len(), 3);
    }
}
