//! Calls between modules: a service acts whole or not at all, its arguments are its caller's to answer for, and a
//! partner's module acts within the rights of the caller of the request.

use serde_json::{Value as Json, json};
use stoa_tests::billing::Office;
use stoa_tests::books::day;
use stoa_tests::company::fresh;
use stoa_tests::host::Settings;
use stoa_tests::operator::signed_by;
use stoa_tests::selling::{Counter, counter_with_services};
use stoa_tests::services::{self, Key, finance, inventory, key, ledger, new_key, procurement, sales};
use stoa_tests::{Answer, Company, Database, Stoa, eventually, modules, on_both_databases};

use super::vetter::{Vetter, trust_file};

on_both_databases![
    a_refusal_that_is_swallowed_commits_nothing,
    every_service_is_whole_for_who_swallows_its_refusals,
    a_module_between_that_swallows_is_the_one_that_failed,
    a_bad_argument_is_the_failure_of_who_passed_it,
    a_partner_acts_within_the_rights_of_its_caller,
];

/// Calls services through a guest that goes on after a refusal and answers a success.
#[track_caller]
fn swallow(shop: &Company, guest: &str, calls: &[impl serde::Serialize]) -> Answer {
    shop.post(&format!("{guest}/calls"), json!({ "calls": calls, "swallow": true }))
}

/// Traps of a module that this host counted.
fn traps(host: &Stoa, module: &str) -> u64 {
    let shown = host.console().shown();
    let modules = shown["modules"].as_array().expect("modules");
    let health = modules.iter().find(|other| other["name"] == module).map(|module| module["health"]["traps"].clone());
    health.and_then(|traps| traps.as_u64()).unwrap_or_else(|| panic!("no traps of {module}: {shown}"))
}

fn sale(counter: &Counter, variant: &str, quantity: &str) -> sales::Sale {
    sales::Sale {
        invoice_id: new_key(),
        number: fresh("INV-"),
        customer_id: key(&counter.customer),
        legal_entity_id: key(&counter.entity),
        warehouse_id: key(&counter.main),
        price_list_id: key(&counter.list),
        lines: vec![sales::SellLine {
            variant_id: key(variant),
            quantity: quantity.to_string(),
            unit_price: None,
            reason: None,
            unit_ids: Vec::new(),
            pointer: "/lines/0".to_string(),
        }],
    }
}

/// The books lack an account: `sell` and `deliver` refuse when the goods have left already.
fn a_refusal_that_is_swallowed_commits_nothing(database: Database) {
    let counter = counter_with_services(database, true);
    let good = counter.good("10", "5");
    let order = counter.draft_of(&good, "1");
    counter.confirm(&order).is(200);
    books(&counter).map(&[("COST_OF_GOODS_SOLD", None)]).is(200);
    let sell = sales::Call::Sell(sale(&counter, &good, "1"));
    counter.try_services(std::slice::from_ref(&sell)).refused(409, "ACCOUNTING_SETUP_REQUIRED");
    let (before, failed) = (counter.shop.records(), traps(&counter.shop.host, "seller"));
    for call in [sell, sales::Call::Deliver(key(&order), 2, None)] {
        swallow(&counter.shop, "seller", &[call]).refused(500, "MODULE_FAILED");
    }
    assert_eq!(counter.shop.records(), before, "nothing of the refused sales is left");
    assert!(traps(&counter.shop.host, "seller") >= failed + 2, "it is the module that swallowed");
    eventually(|| counter.shop.host.log().contains("after commerce:sales/orders#sell had refused").then_some(()));
    // A refusal before anything was written leaves the module free to go on.
    let nobody = sales::Sale { customer_id: new_key(), ..sale(&counter, &good, "1") };
    let passed = swallow(&counter.shop, "seller", &[sales::Call::Sell(nobody)]).is(201);
    assert!(passed["answers"][0]["refused"].is_string(), "{passed}");
    assert_eq!(counter.shop.records(), before);
    counter.shop.verified();
}

fn books(counter: &Counter) -> stoa_tests::books::Books {
    stoa_tests::books::Books { shop: counter.shop.clone(), entity: counter.entity.clone() }
}

/// Every function that may refuse, of each module, refused in one way or another: whatever the module answers, either
/// nothing of the call is there or the request failed whole.
fn every_service_is_whole_for_who_swallows_its_refusals(database: Database) {
    let office = Office::with_services(database, true);
    let drawer = office.drawer("100");
    let order = office.order("50");
    let shop = &office.shop;
    let phone = shop.phone();
    let purchase = office.buyer.place(json!([stoa_tests::purchases::line(&phone, "2", "3")]));
    let calls = refusals(&office, drawer.session, &order, &purchase.id, &purchase.item_id(0), &phone);
    let roles = ["COST_OF_GOODS_SOLD", "GOODS_RECEIVED_NOT_INVOICED", "CASH_OVER_SHORT", "CASH_MOVEMENT"];
    let unmapped: Vec<(&str, Option<&str>)> = roles.iter().map(|role| (*role, None)).collect();
    office.books().map(&unmapped).is(200);
    let mut refused = 0;
    let before = shop.records();
    for (guest, call) in calls {
        let answer = swallow(shop, guest, std::slice::from_ref(&call));
        match answer.status {
            201 | 200 => assert!(answer["answers"][0]["refused"].is_string(), "{call} is no refusal: {answer}"),
            500 => refused += 1,
            _ => panic!("{call}: {answer}"),
        }
        assert_eq!(shop.records(), before, "{guest}: {call}");
    }
    assert!(refused > 0, "no service refused after it had written");
}

/// Calls that are refused, with the guest that makes them.
fn refusals(
    office: &Office,
    session: Key,
    order: &str,
    purchase: &str,
    purchase_item: &str,
    phone: &str,
) -> Vec<(&'static str, Json)> {
    let (entity, main, nobody) = (key(&office.entity), key(&office.counter.main), new_key());
    let text = str::to_string;
    let sales_order = || inventory::SalesOrder { id: nobody, number: text("SO-1") };
    let good = key(&office.counter.good("10", "1"));
    let twins = |serial: &str| procurement::NewUnit {
        serial_number: Some(text(serial)),
        imei1: None,
        imei2: None,
        condition: None,
        grade: None,
    };
    let stocked = |serial: &str| inventory::NewUnit {
        serial_number: Some(text(serial)),
        imei1: None,
        imei2: None,
        condition: None,
        grade: None,
    };
    let leg = |role: &str, side: ledger::Side| ledger::Leg {
        target: ledger::Target::Role(text(role)),
        side,
        amount: text("1"),
        party: None,
        branch: None,
        pointer: None,
    };
    let posting = |role: &str| ledger::Posting {
        entity,
        currency_code: text("EUR"),
        currency_pointer: None,
        on: None,
        on_pointer: None,
        source_kind: text("POSTER"),
        source_id: new_key(),
        purpose: text("TEST"),
        text: text("Test"),
        legs: vec![leg("INVENTORY_ADJUSTMENT", ledger::Side::Debit), leg(role, ledger::Side::Credit)],
    };
    let component = stoa_tests::drawer::component(1, "CASH", "50");
    vec![
        ("seller", json!(sales::Call::Bill(vec![sales::BillLine { item_id: nobody, quantity: text("1") }]))),
        ("seller", json!(sales::Call::Deliver(key(order), 2, None))),
        ("seller", json!(sales::Call::Sell(sale(&office.counter, &services::id(good), "1")))),
        (
            "clerk",
            json!(procurement::Call::Bill(vec![procurement::BillLine {
                order_item_id: nobody,
                receipt_item_id: None,
                quantity: text("1"),
            }])),
        ),
        (
            "clerk",
            json!(procurement::Call::Receive {
                order: key(purchase),
                expected_version: 2,
                reason: text("test"),
                location_id: None,
                lines: vec![procurement::ReceiveLine {
                    order_item_id: key(purchase_item),
                    quantity: text("2"),
                    units: vec![twins("S-1"), twins("S-2")],
                }],
            }),
        ),
        (
            "clerk",
            json!(procurement::Call::Buy(
                procurement::Purchase {
                    number: None,
                    supplier_id: key(&office.buyer.supplier),
                    legal_entity_id: entity,
                    warehouse_id: main,
                    currency_code: text("EUR"),
                    reason: text("test"),
                    location_id: None,
                },
                vec![procurement::BuyLine {
                    variant_id: key(phone),
                    quantity: text("1"),
                    unit_cost: text("2"),
                    units: vec![twins("S-3")],
                }],
            )),
        ),
        (
            "porter",
            json!(inventory::Call::Reserve(
                sales_order(),
                main,
                vec![inventory::ReserveLine {
                    line: new_key(),
                    variant_id: good,
                    quantity: text("2"),
                    unit_ids: Vec::new(),
                }]
            )),
        ),
        ("porter", json!(inventory::Call::Release(nobody, vec![new_key()], text("test")))),
        (
            "porter",
            json!(inventory::Call::Deliver(
                sales_order(),
                vec![inventory::DeliveryLine { reservation_id: new_key(), sale_allocation_id: new_key() }]
            )),
        ),
        (
            "porter",
            json!(inventory::Call::ReturnFromCustomer(
                inventory::CustomerReturn {
                    id: new_key(),
                    order_id: nobody,
                    warehouse_id: main,
                    location_id: None,
                    reason: text("test"),
                },
                vec![inventory::ReturnLine {
                    movement_id: new_key(),
                    sale_allocation_id: new_key(),
                    unit_id: None,
                    quantity: text("1"),
                    disposition: inventory::Disposition::Restock,
                }],
            )),
        ),
        (
            "porter",
            json!(inventory::Call::Receive(
                inventory::Receipt {
                    id: new_key(),
                    warehouse_id: main,
                    location_id: None,
                    currency_code: text("EUR"),
                    reason: text("test"),
                },
                vec![inventory::ReceiptLine {
                    receipt_item_id: new_key(),
                    variant_id: key(phone),
                    quantity: text("2"),
                    unit_cost: text("1"),
                    charge: None,
                    units: vec![stocked("TWIN"), stocked("TWIN")],
                }],
            )),
        ),
        (
            "porter",
            json!(inventory::Call::ReturnToSupplier(
                inventory::SupplierReturn { id: new_key(), warehouse_id: main, reason: text("test") },
                vec![inventory::SupplierReturnLine {
                    receipt_item_id: new_key(),
                    receipt_id: new_key(),
                    variant_id: good,
                    quantity: text("9"),
                    unit_ids: Vec::new(),
                }],
            )),
        ),
        (
            "porter",
            json!(inventory::Call::Correct(
                new_key(),
                vec![inventory::CorrectionLine { receipt_item_id: nobody, unit_id: None, amount: text("1") }]
            )),
        ),
        (
            "porter",
            json!(inventory::Call::Charge(
                new_key(),
                vec![inventory::ChargeLine { receipt_item_id: nobody, amount: text("1") }]
            )),
        ),
        ("poster", json!(ledger::Call::Post(posting("CASH_MOVEMENT")))),
        ("poster", json!(ledger::Call::PostAll(vec![posting("CUSTOMER_CREDIT"), posting("CASH_MOVEMENT")]))),
        ("poster", json!(ledger::Call::Begin(entity, 1, text("EUR"), 6))),
        ("poster", json!(ledger::Call::Require(nobody, None))),
        (
            "poster",
            json!(ledger::Call::Hold {
                kind: text("WAREHOUSE"),
                holder: new_key(),
                entity: nobody,
                branch: None,
                money_account: None,
            }),
        ),
        (
            "poster",
            json!(ledger::Call::Resolve(
                entity,
                vec![ledger::Usage { method: text("CASH"), stated: Some(nobody), pointer: text("/accountId") }]
            )),
        ),
        (
            "teller",
            json!(finance::Call::Open(finance::Session { money_account_id: Some(nobody), ..office.session("1") })),
        ),
        (
            "teller",
            json!(finance::Call::Prepare(
                session,
                key(order),
                vec![finance::Component { account_id: Some(nobody), ..component.clone() }]
            )),
        ),
        (
            "teller",
            json!(finance::Call::Collect(finance::Collection {
                session_id: session,
                receipt_id: new_key(),
                order_id: key(order),
                customer_id: key(&office.counter.customer),
                legal_entity_id: entity,
                branch_id: None,
                currency_code: text("USD"),
                total: text("50"),
                components: vec![component],
            })),
        ),
        (
            "teller",
            json!(finance::Call::Move(session, new_key(), finance::Direction::Out, text("1000"), None, text("test"),)),
        ),
        ("teller", json!(finance::Call::Close(nobody, text("1")))),
    ]
}

/// A service calls another one, which refuses after a change. The module in the middle passes the refusal on, the first
/// one does not.
fn a_module_between_that_swallows_is_the_one_that_failed(database: Database) {
    let counter = counter_with_services(database, true);
    let good = counter.good("10", "5");
    books(&counter).map(&[("COST_OF_GOODS_SOLD", None)]).is(200);
    let host = &counter.shop.host;
    let count = || ["seller", "sales", "ledger", "inventory"].map(|module| traps(host, module));
    let before = count();
    swallow(&counter.shop, "seller", &[sales::Call::Sell(sale(&counter, &good, "1"))]).refused(500, "MODULE_FAILED");
    let after = count();
    assert!(after[0] > before[0], "seller answered a success");
    assert_eq!(after[1..], before[1..], "sales passed on what the ledger refused");
}

/// Every text of a call in turn is not of the form that the service's WIT promises.
fn a_bad_argument_is_the_failure_of_who_passed_it(database: Database) {
    let office = Office::with_services(database, true);
    let (shop, host) = (&office.shop, &office.shop.host);
    let drawer = office.drawer("100");
    let order = office.order("50");
    let phone = shop.phone();
    let purchase = office.buyer.place(json!([stoa_tests::purchases::line(&phone, "2", "3")]));
    let provide = ["catalog", "pricing", "inventory", "ledger", "procurement", "sales", "finance"];
    let count = || provide.map(|module| traps(host, module));
    let mut calls = refusals(&office, drawer.session, &order, &purchase.id, &purchase.item_id(0), &phone);
    let question = sales::Question {
        legal_entity_id: key(&office.entity),
        currency_code: "EUR".to_string(),
        since: day(0),
        until: day(0),
        by: sales::Group::Variant,
        customer_id: None,
        variant_id: None,
        branch_id: None,
        warehouse_id: None,
        cursor: Some(uuid::Uuid::nil().to_string()),
        limit: 10,
    };
    calls.push(("seller", json!(sales::Call::Figures(question))));
    calls.push(("poster", json!(ledger::Call::Flows(key(&office.entity), day(0), day(0)))));
    let roles = vec!["REVENUE".to_string()];
    calls.push(("poster", json!(ledger::Call::RoleBalances(key(&office.entity), roles, Some(day(0))))));
    let (mut failed, mut blamed) = (0, Vec::new());
    for (guest, call) in &calls {
        for bad in ["abc", "-1", "", "1e400"] {
            for spoilt in spoil(call, bad) {
                let before = count();
                let answer = shop.post(&format!("{guest}/calls"), json!({ "calls": [spoilt] }));
                assert!(answer.status < 500 || answer["code"] == "MODULE_FAILED", "{spoilt}: {answer}");
                failed += usize::from(answer.status == 500);
                if count() != before {
                    blamed.push(format!("{guest} passed it: {spoilt}: {answer}"));
                }
            }
        }
    }
    assert!(blamed.is_empty(), "services that failed themselves:\n{}", blamed.join("\n"));
    assert!(failed > 20, "{failed} calls were rejected");
    assert!(traps(host, "seller") > 0 && traps(host, "clerk") > 0 && traps(host, "porter") > 0);
}

/// The call with this text in the place of each of its texts in turn.
fn spoil(call: &Json, bad: &str) -> Vec<Json> {
    fn places(value: &Json, pointer: &str, found: &mut Vec<String>) {
        match value {
            Json::String(_) => found.push(pointer.to_string()),
            Json::Array(items) => {
                items.iter().enumerate().for_each(|(nth, item)| places(item, &format!("{pointer}/{nth}"), found));
            }
            Json::Object(members) => {
                members.iter().for_each(|(name, member)| places(member, &format!("{pointer}/{name}"), found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    places(call, "", &mut found);
    let spoilt = |pointer: &String| {
        let mut call = call.clone();
        *call.pointer_mut(pointer).expect("a text") = json!(bad);
        call
    };
    found.iter().map(spoilt).collect()
}

/// `seller` sells for callers that may use `seller`: signed by a partner, only within the caller's own rights on sales,
/// until the partner's entry says that it acts for any caller, and no longer than that.
fn a_partner_acts_within_the_rights_of_its_caller(database: Database) {
    let acme = Vetter::make("acme", "partner");
    let trust = |names: &str| trust_file(&[acme.entry(&format!("{names}+names:*"))]);
    let settings = Settings::default().modules(&modules::folder()).set("STOA_SANDBOX", "fast").file(trust(":seller"));
    let host = Stoa::start_with(database, settings);
    let console = host.console();
    let pushed = console.push(&signed_by(acme.key(), &modules::guest("seller")));
    assert!(matches!(pushed.status, 200 | 201), "{pushed}");
    console.activate(&pushed.text("digest"), json!({ "allow": ["SERVICE_WANTED"] })).is(200);
    host.forget_contract();
    let counter = Counter::new(host.company());
    let good = counter.good("10", "9");
    let person = |name: &str, permissions: &[&str]| {
        let role = counter.shop.role(&name.to_uppercase(), permissions);
        let (_, shop) = counter.shop.member(name, &[&role]);
        Counter { shop, ..counter.clone() }
    };
    let sell = |who: &Counter| who.try_services(&[sales::Call::Sell(sale(&counter, &good, "1"))]);
    let (guest, clerk) = (
        person("guest", &["seller.call"]),
        person("clerk", &["seller.call", "sales.create", "pricing.read", "inventory.adjust"]),
    );
    sell(&guest).refused(403, "PERMISSION_DENIED");
    let orders = counter.shop.all("sales/orders", &[]).len();
    assert_eq!((orders, traps(&host, "seller")), (0, 0), "a caller without rights is no failure of the module");
    sell(&clerk).is(201);
    guest.try_services(&[sales::Call::Customers(vec![key(&counter.customer)])]).refused(403, "PERMISSION_DENIED");

    host.rewrite_file(&trust(":seller+acts:sales/orders"));
    host.hang_up();
    eventually(|| (sell(&guest).status == 201).then_some(()));
    guest.try_services(&[sales::Call::Customers(vec![key(&counter.customer)])]).refused(403, "PERMISSION_DENIED");

    host.rewrite_file(&trust(":seller"));
    host.hang_up();
    eventually(|| (sell(&guest).status == 403).then_some(()));
}
