//! Sales orders: round trips, refusals in their order, and one event for each change.

use serde_json::json;
use stoa_sdk::scripted::{rows, whole};
use stoa_sdk::store::{Call, Reply};
use stoa_sdk::{Id, Problem};
use stoa_trade::Status;
use stoa_trade::clients::books;
use stoa_trade::clients::stock;
use stoa_trade::quantity::Tracking;
use stoa_trade::{JsonList, clients};

use crate::records::allocation::AllocationOutcome;
use crate::records::order::OrderStatus;
use crate::tests::shop::{
    CUSTOMER, GONE, GOOD, ORDER, PHONE, SECRET, SERVICE, Shop, UNPRICED, a_refusal, allocation, body, call, customer,
    hold, kinds, line, lock_replies, order, refusal,
};

fn draft_replies() -> Vec<Vec<Reply>> {
    vec![
        vec![rows([customer(Status::Active)]), Reply::Number(7)],
        vec![Reply::Inserted(vec![true]), Reply::Inserted(vec![true])],
    ]
}

fn one(variant: Id) -> serde_json::Value {
    json!([{ "variantId": variant, "quantity": "2" }])
}

#[test]
fn a_draft_takes_two_round_trips_of_its_own_whatever_its_lines() {
    let log = Shop::default().open(draft_replies());
    let answer = call("createSalesOrder", ORDER, body(one(GOOD))).unwrap();
    assert_eq!((answer["number"].as_str(), answer["total"].as_str()), (Some("SO-000007"), Some("20.000000000000")));
    assert_eq!(answer["status"], "DRAFT");
    assert_eq!(log.borrow().runs.len(), 2);
    assert_eq!(kinds(&log), ["sale.created"]);
}

#[test]
fn e262_a_stated_number_that_is_taken_is_refused() {
    let taken = vec![Reply::Inserted(vec![false]), Reply::Inserted(vec![true])];
    let log = Shop::default().open(vec![vec![rows([customer(Status::Active)])], taken]);
    let mut stated = body(one(GOOD));
    stated["number"] = json!("A-1");
    assert_eq!(refusal(call("createSalesOrder", ORDER, stated)), a_refusal("DUPLICATE", &["/number DUPLICATE"]));
    assert!(kinds(&log).is_empty());
}

#[test]
fn a_generated_number_that_is_taken_is_stepped_over_and_the_lines_go_in_once() {
    let mut replies = draft_replies();
    replies[1][0] = Reply::Inserted(vec![false]);
    replies.extend([vec![Reply::Number(8)], vec![Reply::Inserted(vec![true])]]);
    let log = Shop::default().open(replies);
    let answer = call("createSalesOrder", ORDER, body(one(GOOD))).unwrap();
    assert_eq!(answer["number"], "SO-000008");
    let runs = &log.borrow().runs;
    let inserts = |calls: &[Call]| calls.iter().filter(|call| matches!(call, Call::Insert(_))).count();
    assert_eq!(runs.iter().map(|calls| inserts(calls)).collect::<Vec<_>>(), [0, 2, 0, 1]);
}

#[test]
fn e210_e222_what_is_missing_is_told_at_once_before_what_cannot_be_used() {
    let mut stated = body(json!([
        { "variantId": GONE, "quantity": "1" }, { "variantId": Id(5, 9), "quantity": "1" },
    ]));
    stated["priceListId"] = json!(Id(3, 9));
    Shop::default().open(vec![vec![rows([])]]);
    let expected = ["/priceListId NOT_FOUND", "/items/1/variantId NOT_FOUND", "/customerId NOT_FOUND"];
    assert_eq!(refusal(call("createSalesOrder", ORDER, stated)), a_refusal("NOT_FOUND", &expected));
}

#[test]
fn e222_e223_what_cannot_be_used_is_told_at_once() {
    Shop { warehouse_is_active: false, ..Shop::default() }
        .open(vec![vec![rows([customer(Status::Archived)]), Reply::Number(1)]]);
    let items =
        json!([{ "variantId": GONE, "quantity": "1" }, { "variantId": UNPRICED, "quantity": "1", "unitPrice": "3" }]);
    let expected = [
        "/customerId ARCHIVED",
        "/warehouseId ARCHIVED",
        "/items/0/variantId ARCHIVED",
        "/items/1/variantId PRICE_NOT_IN_EFFECT",
    ];
    assert_eq!(refusal(call("createSalesOrder", ORDER, body(items))), a_refusal("REFERENCE_INVALID", &expected));
}

#[test]
fn e224_a_machine_sees_public_lists_and_published_products_alone() {
    Shop { list_is_public: false, ..Shop::default() }.open(vec![vec![rows([customer(Status::Active)])]]);
    let expected = ["/priceListId NOT_FOUND", "/items/0/variantId NOT_FOUND"];
    assert_eq!(refusal(call("apiCreateSalesOrder", ORDER, body(one(SECRET)))), a_refusal("NOT_FOUND", &expected));
    let units = json!([{ "variantId": PHONE, "quantity": "1", "unitIds": [Id(1, 1)] }]);
    Shop::default().open(Vec::new());
    let expected = a_refusal("VALIDATION_FAILED", &["/items/0/unitIds NOT_ALLOWED"]);
    assert_eq!(refusal(call("apiCreateSalesOrder", ORDER, body(units))), expected);
}

#[test]
fn e219_e256_quantities_and_units_are_bounded_by_their_articles() {
    let drawn = || vec![vec![rows([customer(Status::Active)]), Reply::Number(1)]];
    for (items, expected) in [
        (
            json!([{ "variantId": GOOD, "quantity": "1.5" }, { "variantId": PHONE, "quantity": "0.5" }]),
            a_refusal("VALIDATION_FAILED", &["/items/0/quantity QUANTITY_SCALE", "/items/1/quantity QUANTITY_SCALE"]),
        ),
        (json!([{ "variantId": PHONE, "quantity": "101" }]), a_refusal("LIMIT_EXCEEDED", &["/items LIMIT_EXCEEDED"])),
        (
            json!([{ "variantId": PHONE, "quantity": "1", "unitIds": [Id(1, 1), Id(1, 2)] }]),
            a_refusal("UNIT_COUNT_MISMATCH", &["/items/0/unitIds UNITS_DIFFER_FROM_QUANTITY"]),
        ),
        (
            json!([{ "variantId": GOOD, "quantity": "1", "unitIds": [Id(1, 0)] }]),
            a_refusal("UNIT_COUNT_MISMATCH", &["/items/0/unitIds UNITS_DIFFER_FROM_QUANTITY"]),
        ),
        (
            json!([{ "variantId": PHONE, "quantity": "1", "unitIds": [Id(1, 0)] }]),
            a_refusal("REFERENCE_INVALID", &["/items/0/unitIds/0 OTHER_VARIANT"]),
        ),
        (
            json!([{ "variantId": GOOD, "quantity": "1", "discountAmount": "11" },
                { "variantId": PHONE, "quantity": "1", "discountPercent": "0.0001" }]),
            a_refusal("DISCOUNT_EXCEEDS_PRICE", &["/items/0/discountAmount DISCOUNT_EXCEEDS_PRICE"]),
        ),
    ] {
        Shop::default().open(drawn());
        assert_eq!(refusal(call("createSalesOrder", ORDER, body(items.clone()))), expected, "{items}");
    }
}

fn confirmable() -> Vec<Vec<Reply>> {
    let (draft, item) = (order(OrderStatus::Draft, "20"), line(0, GOOD, Tracking::Quantity, "2"));
    vec![
        lock_replies(&draft, &[item], vec![customer(Status::Active)]),
        vec![Reply::Done, Reply::Done, Reply::Inserted(vec![true])],
    ]
}

#[test]
fn a_confirmation_takes_two_round_trips_of_its_own_and_holds_what_is_tracked() {
    let log = Shop::default().open(confirmable());
    let answer = call("confirmSalesOrder", ORDER, json!({ "expectedVersion": 1 })).unwrap();
    assert_eq!((answer["status"].as_str(), answer["version"].as_i64()), (Some("CONFIRMED"), Some(2)));
    assert_eq!(log.borrow().runs.len(), 2);
    assert_eq!(kinds(&log), ["sale.confirmed"]);
    match log.borrow().runs[1].as_slice() {
        [Call::Update(_), Call::Update(items), Call::Insert(allocations)] => {
            assert_eq!((items.rows.len(), allocations.rows.len()), (1, 1));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn e247_a_price_that_moved_is_refused_where_a_total_is_expected() {
    let asked = |expected: &str| json!({ "expectedVersion": 1, "expectedTotal": expected });
    Shop { price: "11.000000", ..Shop::default() }.open(confirmable());
    let refusal_of = refusal(call("confirmSalesOrder", ORDER, asked("20")));
    assert_eq!(refusal_of, a_refusal("TOTAL_CHANGED", &["/expectedTotal TOTAL_CHANGED"]));
    Shop { price: "11.000000", ..Shop::default() }.open(confirmable());
    let answer = call("confirmSalesOrder", ORDER, asked("22.0")).unwrap();
    assert_eq!(answer["total"], "22.000000000000");
}

#[test]
fn g13_what_was_archived_since_is_refused_where_it_stands_in_the_record() {
    let (draft, item) = (order(OrderStatus::Draft, "20"), line(0, GONE, Tracking::Quantity, "2"));
    let replies = vec![lock_replies(&draft, &[item], vec![customer(Status::Archived)])];
    Shop { list_is_active: false, warehouse_is_active: false, ..Shop::default() }.open(replies);
    let expected =
        ["/customerId ARCHIVED", "/warehouseId ARCHIVED", "/priceListId ARCHIVED", "/items/0/variantId ARCHIVED"];
    let answer = call("confirmSalesOrder", ORDER, json!({ "expectedVersion": 1 }));
    assert_eq!(refusal(answer), a_refusal("ARCHIVED", &expected));
}

#[test]
fn e244_a_serialized_line_needs_as_many_units_as_its_quantity() {
    let chosen = |count: u64| {
        let units: JsonList<Id> = (1..=count).map(|id| Id(1, id)).collect();
        crate::records::order_item::OrderItemRow { chosen_units: units, ..line(0, PHONE, Tracking::Serialized, "3") }
    };
    for count in [0, 2, 4] {
        let draft = order(OrderStatus::Draft, "30");
        Shop::default().open(vec![lock_replies(&draft, &[chosen(count)], vec![customer(Status::Active)])]);
        let problem = call("confirmSalesOrder", ORDER, json!({ "expectedVersion": 1 })).unwrap_err();
        assert_eq!(problem.code, "UNIT_COUNT_MISMATCH");
        let reported: Vec<_> =
            problem.errors.iter().map(|error| (error.pointer.as_str(), error.required, error.identified)).collect();
        assert_eq!(reported, [("/items/0", Some(3), Some(count as u32))]);
    }
}

#[test]
fn e270_units_of_a_confirmation_are_of_lines_of_the_order() {
    let draft = || order(OrderStatus::Draft, "50");
    let items = || [line(0, GOOD, Tracking::Quantity, "2"), line(1, PHONE, Tracking::Serialized, "1")];
    let asked = |item: Id, unit: Id| json!({ "expectedVersion": 1, "units": [{ "itemId": item, "unitIds": [unit] }] });
    let open = |rest: Vec<Vec<Reply>>| {
        let first = vec![lock_replies(&draft(), &items(), vec![customer(Status::Active)])];
        Shop::default().open([first, rest].concat())
    };
    for (item, unit, expected) in [
        (Id(7, 9), Id(1, 1), a_refusal("NOT_FOUND", &["/units/0/itemId NOT_FOUND"])),
        (
            Id(7, 1),
            Id(1, 1),
            a_refusal(
                "UNIT_COUNT_MISMATCH",
                &["/items/0 UNITS_DIFFER_FROM_QUANTITY", "/items/1 UNITS_DIFFER_FROM_QUANTITY"],
            ),
        ),
        (Id(7, 2), Id(1, 0), a_refusal("REFERENCE_INVALID", &["/units/0/unitIds/0 OTHER_VARIANT"])),
    ] {
        open(Vec::new());
        assert_eq!(refusal(call("confirmSalesOrder", ORDER, asked(item, unit))), expected);
    }
    let log = open(vec![vec![Reply::Done, Reply::Done, Reply::Inserted(vec![true; 2])]]);
    assert!(call("confirmSalesOrder", ORDER, asked(Id(7, 2), Id(1, 1))).is_ok());
    match log.borrow().runs[1].as_slice() {
        [_, _, Call::Insert(allocations)] => assert_eq!(allocations.rows.len(), 2),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_inventory_refuses_points_to_the_line_and_to_who_named_the_unit() {
    let draft = order(OrderStatus::Draft, "40");
    let items = [
        line(0, SERVICE, Tracking::None, "1"),
        line(1, GOOD, Tracking::Quantity, "2"),
        line(2, PHONE, Tracking::Serialized, "1"),
    ];
    let asked = json!({ "expectedVersion": 1, "units": [{ "itemId": Id(7, 3), "unitIds": [Id(1, 1)] }] });
    for (reported, expected) in
        [("/lines/0/quantity", "/items/1/quantity"), ("/lines/1/unitIds/0", "/units/0/unitIds/0")]
    {
        Shop::default().open(vec![lock_replies(&draft, &items, vec![customer(Status::Active)])]);
        stock::service::stand_in::reserve(move |_, _, _| Err(Problem::at("INSUFFICIENT_STOCK", reported)));
        let (_, pointers) = refusal(call("confirmSalesOrder", ORDER, asked.clone()));
        assert_eq!(pointers, [format!("{expected} INSUFFICIENT_STOCK")]);
    }
}

#[test]
fn an_order_of_services_never_calls_inventory() {
    let (draft, item) = (order(OrderStatus::Draft, "10"), line(0, SERVICE, Tracking::None, "1"));
    let log = Shop::default().open(vec![
        lock_replies(&draft, std::slice::from_ref(&item), vec![customer(Status::Active)]),
        vec![Reply::Done, Reply::Done],
    ]);
    stock::service::stand_in::reserve(|_, _, _| panic!("nothing is tracked"));
    assert!(call("confirmSalesOrder", ORDER, json!({ "expectedVersion": 1 })).is_ok());
    assert_eq!(kinds(&log), ["sale.confirmed"]);
    let confirmed = order(OrderStatus::Confirmed, "10");
    let log = Shop::default().open(vec![
        lock_replies(&confirmed, &[item], Vec::new()),
        [hold(), vec![Reply::Done, Reply::Inserted(vec![true])]].concat(),
    ]);
    stock::service::stand_in::deliver(|_, _| panic!("nothing is tracked"));
    assert!(call("completeSalesOrder", ORDER, json!({ "expectedVersion": 1 })).is_ok());
    assert_eq!(kinds(&log), ["sale.completed"]);
}

#[test]
fn a_completion_posts_revenue_and_cost_in_one_entry() {
    let (confirmed, item) = (order(OrderStatus::Confirmed, "20"), line(0, GOOD, Tracking::Quantity, "2"));
    let held = allocation(item.id, 1, "2", AllocationOutcome::Reserved);
    let log = Shop::default().open(vec![
        lock_replies(&confirmed, &[item], vec![whole(&held, 1)]),
        [hold(), vec![Reply::Done, Reply::Done, Reply::Inserted(vec![true])]].concat(),
    ]);
    books::service::stand_in::post(|posting| {
        let legs: Vec<_> = posting
            .legs
            .iter()
            .map(|leg| match &leg.target {
                clients::books::Target::Role(role) => format!("{role} {}", leg.amount),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(
            legs,
            [
                "SALES_CLEARING 20.000000000000",
                "REVENUE 20.000000000000",
                "COST_OF_GOODS_SOLD 4.000000000000",
                "INVENTORY 4.000000000000",
            ]
        );
        assert_eq!((posting.source_kind.as_str(), posting.purpose.as_str()), ("SALES_ORDER", "DELIVERY"));
        Ok(Some((1, 1)))
    });
    let answer = call("completeSalesOrder", ORDER, json!({ "expectedVersion": 1 })).unwrap();
    assert_eq!((answer["status"].as_str(), answer["version"].as_i64()), (Some("COMPLETED"), Some(2)));
    assert_eq!((kinds(&log), log.borrow().runs.len()), (vec!["sale.completed".to_owned()], 2));
}

#[test]
fn e251_e253_states_and_versions_guard_every_transition() {
    let item = || line(0, GOOD, Tracking::Quantity, "2");
    let billed = || crate::records::order_item::OrderItemRow { billed: "1".parse().unwrap(), ..item() };
    let cancel = json!({ "expectedVersion": 1, "reason": "changed my mind" });
    let plain = json!({ "expectedVersion": 1 });
    for (operation, status, line, asked, expected) in [
        ("completeSalesOrder", OrderStatus::Draft, item(), plain.clone(), a_refusal("ILLEGAL_STATE", &[])),
        ("confirmSalesOrder", OrderStatus::Confirmed, item(), plain.clone(), a_refusal("ILLEGAL_STATE", &[])),
        ("refreshSalesOrderPrices", OrderStatus::Confirmed, item(), plain, a_refusal("ILLEGAL_STATE", &[])),
        ("cancelSalesOrder", OrderStatus::Completed, item(), cancel.clone(), a_refusal("ILLEGAL_STATE", &[])),
        (
            "cancelSalesOrder",
            OrderStatus::Confirmed,
            billed(),
            cancel,
            a_refusal("ILLEGAL_STATE", &["/items/0 ORDER_BILLED"]),
        ),
        (
            "completeSalesOrder",
            OrderStatus::Confirmed,
            item(),
            json!({ "expectedVersion": 2 }),
            a_refusal("VERSION_CONFLICT", &[]),
        ),
    ] {
        // Drafts are read with their customer, others with what they hold.
        let reads_customer = operation.starts_with("confirm") || operation.starts_with("refresh");
        let rest = if reads_customer { vec![customer(Status::Active)] } else { Vec::new() };
        Shop::default().open(vec![lock_replies(&order(status, "20"), &[line], rest)]);
        assert_eq!(refusal(call(operation, ORDER, asked)), expected, "{operation} of {status:?}");
    }
}

#[test]
fn e252_a_cancellation_lets_go_of_what_is_held() {
    let (confirmed, item) = (order(OrderStatus::Confirmed, "20"), line(0, GOOD, Tracking::Quantity, "2"));
    let held = allocation(item.id, 1, "2", AllocationOutcome::Reserved);
    let log = Shop::default()
        .open(vec![lock_replies(&confirmed, &[item], vec![whole(&held, 1)]), vec![Reply::Done, Reply::Done]]);
    let released = std::rc::Rc::new(std::cell::RefCell::new(Vec::new()));
    let reported = released.clone();
    stock::service::stand_in::release(move |_, reservations, reason| {
        reported.borrow_mut().push((reservations.to_vec(), reason.to_owned()));
        Ok(())
    });
    let answer = call("cancelSalesOrder", ORDER, json!({ "expectedVersion": 1, "reason": "no" })).unwrap();
    assert_eq!(answer["status"], "CANCELLED");
    assert_eq!(*released.borrow(), [(vec![(8, 1)], "no".to_owned())]);
    assert_eq!(kinds(&log), ["sale.cancelled"]);
}

#[test]
fn e255_a_replacement_keeps_number_entity_and_the_ids_of_lines() {
    let draft = order(OrderStatus::Draft, "20");
    let gone = crate::records::order_item::OrderItemRow { line_no: None, ..line(1, SERVICE, Tracking::None, "1") };
    let items = [line(0, GOOD, Tracking::Quantity, "2"), gone];
    let read = || {
        let mut replies = lock_replies(&draft, &items, vec![customer(Status::Active)]);
        replies.push(rows([]));
        replies
    };
    let stated = |number: &str, items: serde_json::Value| {
        let mut stated = body(items);
        stated["expectedVersion"] = json!(1);
        stated["number"] = json!(number);
        stated
    };
    Shop::default().open(vec![read()]);
    let refused_of = refusal(call("replaceSalesOrder", ORDER, stated("SO-2", one(GOOD))));
    assert_eq!(refused_of, a_refusal("IMMUTABLE_FIELD", &["/number IMMUTABLE_FIELD"]));

    let log = Shop::default().open(vec![read(), vec![Reply::Done; 3]]);
    let answer = call("replaceSalesOrder", ORDER, stated("so-000001", one(SERVICE))).unwrap();
    assert_eq!((answer["version"].as_i64(), answer["total"].as_str()), (Some(2), Some("20.000000000000")));
    assert_eq!(kinds(&log), ["sale.updated"]);
    match log.borrow().runs[1].as_slice() {
        [Call::Update(_), Call::Update(kept), Call::Update(dropped)] => {
            assert_eq!(kept.rows[0].key, vec![stoa_sdk::Field::put(&Id(7, 2))], "the line has its id again");
            assert_eq!(dropped.rows[0].key, vec![stoa_sdk::Field::put(&Id(7, 1))]);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(CUSTOMER, draft.customer_id);
}
