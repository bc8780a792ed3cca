//! Costs of goods: layers, valuation, who may read them, and what other modules do with them. [E64], [E66]..[E74]

use serde_json::json;
use stoa_tests::assert_table;
use stoa_tests::goods::{WHY, bookkeeping};
use stoa_tests::services::inventory::{
    Call, ChargeLine, CorrectionLine, CustomerReturn, Delivered, DeliveryLine, Destination, Disposition, FlowPage,
    Goods, IncomingLine, Part, Receipt, ReceiptLine, Received, ReserveLine, Reserved, ReturnLine, Returned, SalesOrder,
    Stated, SupplierReturn, SupplierReturnLine, ValuationPage,
};
use stoa_tests::services::{self, Key, key, read_answer};
use stoa_tests::{Answer, Company, Database, at_once, company, on_both_databases};

on_both_databases![
    e66_a_return_brings_back_what_a_sale_cost,
    e66_the_last_piece_comes_back_once,
    e67_a_correction_is_dealt_over_sold_and_unsold,
    e69_steps_are_those_of_the_unit,
    e71_a_valuation_as_of_a_day,
    e72_currencies_are_never_added,
    e73_books_begin_with_every_cost_known,
    e74_a_correction_races_sales,
    charges_raise_what_goods_cost_wherever_they_are,
    a_line_that_went_in_more_slices_than_a_page_is_recosted,
    goods_of_more_layers_than_a_page_are_sold_and_taken_back,
    books_begin_over_layers_of_any_number,
    flows_add_up,
];

on_both_databases![
    rules:
    e64_the_oldest_goods_go_first,
    e64_many_layers_are_drawn_at_once,
    e68_a_correction_never_exceeds_the_cost,
    costs_are_read_by_who_may,
];

fn e64_the_oldest_goods_go_first(database: Database) {
    let shop = bookkeeping(database);
    let (main, other, variant) = (shop.main(), shop.warehouse("VIRTUAL"), shop.counted(0));
    shop.bring(&variant, &main, "10", Some("1")).is(201);
    shop.bring(&variant, &main, "10", Some("2")).is(201);
    // From another warehouse of the entity, as from the first.
    shop.transfer(&variant, "15", &main, &other).is(201);
    shop.take("ADJUSTMENT_OUT", &variant, &other, "15").is(201);
    assert_table!(shop.stock_table(&[(&variant, "goods"), (&main, "MAIN"), (&other, "OTHER")]), @r"
    article  warehouse  on hand  available
    goods    MAIN             5          5
    goods    OTHER            0          0
    ");
    // All ten of the first, five of the second.
    assert_table!(shop.layers_table(&variant), @r"
    quantity  unit cost  remaining  value  currency
          10          1          0      0  EUR
          10          2          5     10  EUR
    ");
    // 10 x 1 and 10 x 2 came; 10 x 1 and 5 x 2 went; a move within an entity makes no entry.
    assert_table!(shop.journal_table(&shop.entity()), @r"
    entry  account                     debit  credit
        1  1200 Inventory                 10
           5200 Inventory adjustments             10
        2  1200 Inventory                 20
           5200 Inventory adjustments             20
        3  1200 Inventory                         20
           5200 Inventory adjustments     20
    ");
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

/// A company with the porter, and the words of sales and procurement in it. Documents have numbers for ids.
struct Trade {
    shop: Company,
    main: String,
    variant: String,
}

impl Trade {
    fn new(database: Database, places: u8) -> Trade {
        Trade::from_shop(services::host(database).company(), places)
    }

    fn with_books(database: Database, places: u8) -> Trade {
        Trade::from_shop(services::host(database).company_with(json!({ "keepsBooks": true })), places)
    }

    fn from_shop(shop: Company, places: u8) -> Trade {
        let (main, variant) = (shop.main(), shop.counted(places));
        Trade { shop, main, variant }
    }

    fn entity(&self) -> Key {
        key(&self.shop.entity())
    }

    /// Receives goods of a receipt's line, in euro.
    #[track_caller]
    fn receive(&self, item: u64, quantity: &str, unit_cost: &str) {
        self.receive_in("EUR", item, quantity, unit_cost, None);
    }

    #[track_caller]
    fn receive_in(&self, currency: &str, item: u64, quantity: &str, unit_cost: &str, charge: Option<&str>) {
        let (variant_id, warehouse_id) = (key(&self.variant), key(&self.main));
        let incoming = IncomingLine { variant_id, warehouse_id, delta: quantity.to_string() };
        let receipt = Receipt {
            id: (item, 0),
            warehouse_id,
            location_id: None,
            currency_code: currency.to_string(),
            reason: WHY.to_string(),
        };
        let line = ReceiptLine {
            receipt_item_id: (item, item),
            variant_id,
            quantity: quantity.to_string(),
            unit_cost: unit_cost.to_string(),
            charge: charge.map(str::to_string),
            units: Vec::new(),
        };
        let calls = [Call::ChangeIncoming(vec![incoming]), Call::Receive(receipt, vec![line])];
        let received: Vec<Received> = read_answer(&self.shop.try_inventory(&calls).is(201), 1);
        assert_eq!(received[0].receipt_item_id, (item, item));
    }

    /// Sells a quantity for an order: the delivery.
    #[track_caller]
    fn sell(&self, order: u64, quantity: &str) -> Delivered {
        let answer = self.try_sell(order, quantity).is(201);
        read_answer::<Vec<Delivered>>(&answer, 0).remove(0)
    }

    fn try_sell(&self, order: u64, quantity: &str) -> Answer {
        let document = SalesOrder { id: (order, order), number: format!("SO-{order}") };
        let line = ReserveLine {
            line: (order, 1),
            variant_id: key(&self.variant),
            quantity: quantity.to_string(),
            unit_ids: Vec::new(),
        };
        let held = self.shop.try_inventory(&[Call::Reserve(document.clone(), key(&self.main), vec![line])]);
        if held.status != 201 {
            return held;
        }
        let reservation_id = read_answer::<Vec<Reserved>>(&held, 0)[0].reservation_id;
        let line = DeliveryLine { reservation_id, sale_allocation_id: (order, 7) };
        self.shop.try_inventory(&[Call::Deliver(document, vec![line])])
    }

    fn try_take_back(&self, order: u64, sale: &Delivered, quantity: &str) -> Answer {
        let to = CustomerReturn {
            id: (order, 3),
            order_id: (order, order),
            warehouse_id: key(&self.main),
            location_id: None,
            reason: WHY.to_string(),
        };
        let line = ReturnLine {
            movement_id: sale.movement_id,
            sale_allocation_id: (order, 7),
            unit_id: None,
            quantity: quantity.to_string(),
            disposition: Disposition::Restock,
        };
        self.shop.try_inventory(&[Call::ReturnFromCustomer(to, vec![line])])
    }

    /// Takes goods back: what they cost.
    #[track_caller]
    fn take_back(&self, order: u64, sale: &Delivered, quantity: &str) -> Option<String> {
        let answer = self.try_take_back(order, sale, quantity).is(201);
        read_answer::<Vec<Returned>>(&answer, 0).remove(0).cost
    }

    fn try_correct(&self, item: u64, amount: &str) -> Answer {
        self.shop.try_inventory(&[Call::Correct((item, 8), vec![correction(item, amount)])])
    }

    /// Lowers what the goods of a receipt's line cost: where the amount went.
    #[track_caller]
    fn correct(&self, item: u64, amount: &str) -> Vec<(Destination, String)> {
        parts(&self.try_correct(item, amount))
    }

    /// Raises it.
    #[track_caller]
    fn charge(&self, item: u64, amount: &str) -> Vec<(Destination, String)> {
        let line = ChargeLine { receipt_item_id: (item, item), amount: amount.to_string() };
        parts(&self.shop.try_inventory(&[Call::Charge((item, 9), vec![line])]))
    }

    fn worth(&self) -> String {
        self.shop.worth(&self.variant)
    }

    #[track_caller]
    fn layers(&self) -> String {
        self.shop.layers_table(&self.variant)
    }
}

fn correction(item: u64, amount: &str) -> CorrectionLine {
    CorrectionLine { receipt_item_id: (item, item), unit_id: None, amount: amount.to_string() }
}

/// The parts of a correction's or charge's one line, by destination.
#[track_caller]
fn parts(answer: &Answer) -> Vec<(Destination, String)> {
    assert_eq!(answer.status, 201, "{answer}");
    let mut parts = read_answer::<Vec<Vec<Part>>>(answer, 0).remove(0);
    parts.sort_by_key(|part| part.destination as u8);
    parts.into_iter().map(|part| (part.destination, part.amount)).collect()
}

fn to(destination: Destination, amount: &str) -> (Destination, String) {
    (destination, amount.to_string())
}

fn some(amount: &str) -> Option<String> {
    Some(amount.to_string())
}

fn e66_a_return_brings_back_what_a_sale_cost(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "2", "5");
    trade.receive(2, "2", "7");
    let sale = trade.sell(1, "3");
    assert_eq!((sale.cost.as_deref(), sale.currency_code.as_deref()), (Some("17.000000000000"), Some("EUR")));
    // 2 x 5 and 1 x 7 went.
    assert_table!(trade.layers(), @r"
    quantity  unit cost  remaining  value  currency
           2          5          0      0  EUR
           2          7          1      7  EUR
    ");
    // The dearest first.
    assert_eq!(trade.take_back(1, &sale, "1"), some("7.000000000000"));
    assert_eq!(trade.take_back(1, &sale, "2"), some("10.000000000000"));
    assert_table!(trade.layers(), @r"
    quantity  unit cost  remaining  value  currency
           2          5          0      0  EUR
           2          7          1      7  EUR
           1          7          1      7  EUR
           2          5          2     10  EUR
    ");
    trade.try_take_back(1, &sale, "1").refused(409, "LIMIT_EXCEEDED").at("/lines/0/quantity");
    let movements = trade.shop.all("inventory/movements", &[("documentType", "CUSTOMER_RETURN")]);
    assert!(
        movements.iter().all(|row| row["movementType"] == "ADJUSTMENT_IN" && row["referenceType"] == "SALES_ORDER")
    );
    assert_eq!(movements.len(), 2);
    let sold = trade.shop.all("inventory/movements", &[("movementType", "SALE")]);
    assert_eq!(sold[0]["reason"], "SALES_ORDER SO-1");

    // A correction between sale and return: less by it.
    let sale = trade.sell(2, "4");
    assert_eq!(trade.correct(2, "2"), [to(Destination::Sold, "2.000000000000")]);
    assert_eq!(trade.take_back(2, &sale, "4"), some("22.000000000000"));
    assert_eq!(trade.worth(), "22.000000000000");
    trade.shop.verified();
}

fn e66_the_last_piece_comes_back_once(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "1", "5");
    let sale = trade.sell(1, "1");
    let mut statuses = at_once(2, |_| trade.try_take_back(1, &sale, "1").status);
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    assert_eq!(trade.shop.figure(&trade.variant, &trade.main, "onHand"), "1.000000");
    trade.shop.verified();
}

fn e67_a_correction_is_dealt_over_sold_and_unsold(database: Database) {
    let trade = Trade::with_books(database, 0);
    trade.receive(1, "3", "33.333333");
    trade.sell(1, "1");
    // A third of ten is 3.333333; the rest, a millionth, goes to the goods that are gone.
    assert_eq!(
        trade.correct(1, "10"),
        [to(Destination::OnHand, "6.666666000000"), to(Destination::Sold, "3.333334000000")]
    );
    assert_table!(trade.layers(), @r"
    quantity  unit cost  remaining  value  currency
           3  33.333333          0      0  EUR
           2         30          2     60  EUR
    ");
    assert_eq!(trade.sell(2, "2").cost, some("60.000000000000"));
}

fn e68_a_correction_never_exceeds_the_cost(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "3", "1");
    let refused = trade.try_correct(1, "3.000001").refused(409, "LIMIT_EXCEEDED");
    refused.fault("/lines/0/amount", "EXCEEDS_COST");
    for left in ["2.000000000000", "1.000000000000", "0.000000000000"] {
        trade.try_correct(1, "1").is(201);
        assert_eq!(trade.worth(), left);
    }
    trade.try_correct(1, "0.000001").refused(409, "LIMIT_EXCEEDED");
    trade.try_correct(7, "1").refused(409, "REFERENCE_INVALID").at("/lines/0/receiptItemId");
    let twice = vec![correction(1, "0"), correction(1, "0")];
    trade.shop.try_inventory(&[Call::Correct((1, 8), twice)]).refused(409, "REFERENCE_INVALID");
    trade.shop.verified();
}

fn e69_steps_are_those_of_the_unit(database: Database) {
    let trade = Trade::new(database, 1);
    trade.receive(1, "2.5", "10");
    assert_eq!(trade.correct(1, "10"), [to(Destination::OnHand, "10.000000000000")]);
    // 25 steps of 0.1 gave 0.4 each: 4 less for a whole one.
    assert_table!(trade.layers(), @r"
    quantity  unit cost  remaining  value  currency
         2.5         10          0      0  EUR
         2.5          6        2.5     15  EUR
    ");
    trade.shop.verified();
}

/// [E122] and [E123]: charges known in time, and charges known later. Without books they are dealt to the twelfth digit.
fn charges_raise_what_goods_cost_wherever_they_are(database: Database) {
    for (books, first, rest) in
        [(true, "4.333334000000", "5.333333000000"), (false, "4.333333333334", "5.333333333333")]
    {
        let trade = if books { Trade::with_books(database, 0) } else { Trade::new(database, 0) };
        trade.receive_in("EUR", 1, "3", "1", Some("10"));
        assert_eq!(trade.worth(), "13.000000000000");
        assert_eq!(trade.sell(1, "1").cost, some(first));
        trade.shop.take("LOSS", &trade.variant, &trade.main, "1").is(201);
        assert_eq!(
            trade.charge(1, "3"),
            [
                to(Destination::OnHand, "1.000000000000"),
                to(Destination::Sold, "1.000000000000"),
                to(Destination::Lost, "1.000000000000"),
            ]
        );
        assert_eq!(trade.worth(), rest);
        if !books {
            trade.shop.verified();
        }
    }
}

/// No ceiling: 2,101 of a line of 2,102 pieces went one by one, which is more than one reply of the store holds. The second
/// amount meets the rows of the first as well.
fn a_line_that_went_in_more_slices_than_a_page_is_recosted(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "2102", "2");
    let send = |nth: u64, pieces: usize| {
        let to = SupplierReturn { id: (nth, 4), warehouse_id: key(&trade.main), reason: WHY.to_string() };
        let line = SupplierReturnLine {
            receipt_item_id: (1, 1),
            receipt_id: (1, 0),
            variant_id: key(&trade.variant),
            quantity: "1".to_string(),
            unit_ids: Vec::new(),
        };
        Call::ReturnToSupplier(to, vec![line; pieces])
    };
    for nth in 0..3 {
        let calls: Vec<Call> = (0..7).map(|part| send(nth * 7 + part, 100)).collect();
        trade.shop.try_inventory(&calls).is(201);
    }
    trade.shop.try_inventory(&[send(21, 1)]).is(201);
    // 2,102 steps: each takes 499524262, the first 1276 of them one more; all of these are gone.
    assert_eq!(
        trade.correct(1, "1.05"),
        [to(Destination::OnHand, "0.000499524262"), to(Destination::Returned, "1.049500475738")]
    );
    assert_eq!(trade.worth(), "1.999500475738");
    // Now at two costs; each step takes a thousandth.
    assert_eq!(
        trade.charge(1, "2.102"),
        [to(Destination::OnHand, "0.001000000000"), to(Destination::Returned, "2.101000000000")]
    );
    assert_eq!(trade.worth(), "2.000500475738");
    let gone = trade.shop.rows(
        "select count(*) from inventory_cost_entry where {tenant} and kind in ('CORRECTION', 'CHARGE') \
         and source_entry_id is not null",
    );
    assert_eq!(gone, [["4202"]]);
    trade.shop.verified();
}

/// Makes of the pieces of a layer with one piece, and another with the rest, as many layers of one piece each.
fn part_layers(trade: &Trade, pieces: u32, changes: &[(&str, &str)]) {
    let shop = &trade.shop;
    let first = "seq = (select min(seq) from inventory_cost_layer where {tenant})";
    shop.change(&format!("delete from inventory_cost_layer where {{tenant}} and not ({first})"));
    let changes: Vec<(&str, &str)> = [("seq", "t.seq + s.n")].into_iter().chain(changes.iter().copied()).collect();
    shop.copy_rows("inventory_cost_layer", first, pieces - 1, &changes);
    shop.change(&format!("update inventory_cost_pool set next_seq = next_seq + {pieces} where {{tenant}}"));
    shop.verified();
}

/// No ceiling: each of five lines draws 500 layers, so that the order has more slices than one reply of the store holds, and than
/// one call writes. Each of the slices but one has cost more since.
fn goods_of_more_layers_than_a_page_are_sold_and_taken_back(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "1", "2");
    trade.receive(2, "2499", "2");
    let item = trade.shop.literal(&services::id((2, 2)));
    part_layers(&trade, 2_500, &[("receipt_item_id", &item)]);
    let order = SalesOrder { id: (1, 1), number: "SO-1".to_string() };
    let line = |nth: u64| ReserveLine {
        line: (1, nth),
        variant_id: key(&trade.variant),
        quantity: "500".to_string(),
        unit_ids: Vec::new(),
    };
    let held = Call::Reserve(order.clone(), key(&trade.main), (1..=5).map(line).collect());
    let held: Vec<Reserved> = trade.shop.call_inventory(held);
    let lines = held.iter().zip(1..);
    let lines =
        lines.map(|(held, nth)| DeliveryLine { reservation_id: held.reservation_id, sale_allocation_id: (2, nth) });
    let deliver = Call::Deliver(order, lines.collect());
    let delivered = trade.shop.try_inventory_with_ordinary_limits(&[deliver]).is(201);
    let delivered: Vec<Delivered> = read_answer(&delivered, 0);
    assert!(delivered.iter().all(|sale| sale.cost.as_deref() == Some("1000.000000000000")), "{delivered:?}");
    assert_eq!(trade.charge(2, "2499"), [to(Destination::Sold, "2499.000000000000")]);
    let back = CustomerReturn {
        id: (1, 3),
        order_id: (1, 1),
        warehouse_id: key(&trade.main),
        location_id: None,
        reason: WHY.to_string(),
    };
    let lines = delivered.iter().zip(1..);
    let lines = lines.map(|(sale, nth)| ReturnLine {
        movement_id: sale.movement_id,
        sale_allocation_id: (2, nth),
        unit_id: None,
        quantity: "500".to_string(),
        disposition: Disposition::Restock,
    });
    let back = Call::ReturnFromCustomer(back, lines.collect());
    let back = trade.shop.try_inventory_with_ordinary_limits(&[back]).is(201);
    let mut costs: Vec<Option<String>> =
        read_answer::<Vec<Returned>>(&back, 0).into_iter().map(|line| line.cost).collect();
    costs.sort();
    // 499 x 3 and 1 x 2 in one of them, 500 x 3 in the others.
    let expected = ["1499.000000000000", "1500.000000000000", "1500.000000000000"];
    assert_eq!(costs[..3], expected.map(some));
    assert_eq!(trade.worth(), "7499.000000000000");
    assert_eq!(trade.shop.count("inventory_cost_layer", "spent = (1 = 0)"), 2_500);
    trade.shop.verified();
}

/// No ceiling: more layers than four replies of the store hold.
fn books_begin_over_layers_of_any_number(database: Database) {
    let trade = Trade::new(database, 0);
    trade.shop.bring(&trade.variant, &trade.main, "1", None).is(201);
    trade.shop.bring(&trade.variant, &trade.main, "8000", None).is(201);
    part_layers(&trade, 8_001, &[]);
    let stated = Stated { goods: Goods::OfVariant(key(&trade.variant)), unit_cost: "1.5".to_string() };
    let open = Call::Open(trade.entity(), "EUR".to_string(), vec![stated]);
    let opened = trade.shop.try_inventory_with_ordinary_limits(&[open]).is(201);
    assert_eq!(read_answer::<String>(&opened, 0), "12001.500000000000");
    assert_eq!(trade.worth(), "12001.500000000000");
    assert_eq!(trade.shop.count("inventory_cost_layer", "spent = (1 = 0) and currency_code = 'EUR'"), 8_001);
    trade.shop.verified();
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
    trade.receive(1, "1", "5");
    trade.receive_in("USD", 2, "2", "6", None);
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
    let asked = Call::Valuation { entity: trade.entity(), as_of: None, variant: None, cursor: None, limit: 10 };
    let page: ValuationPage = trade.shop.call_inventory(asked);
    assert_eq!(page.totals.len(), 2, "{page:?}");
    // A sale over both has no cost that could be reported.
    let sale = trade.sell(1, "2");
    assert_eq!((sale.cost, sale.currency_code), (None, None));
    trade.shop.verified();
}

fn e73_books_begin_with_every_cost_known(database: Database) {
    let trade = Trade::new(database, 0);
    trade.shop.bring(&trade.variant, &trade.main, "3", None).is(201);
    trade.shop.bring(&trade.variant, &trade.main, "2", Some("4")).is(201);
    trade.receive(1, "1", "5");
    let open = |currency: &str, costs: &[&str]| {
        let stated =
            |cost: &&str| Stated { goods: Goods::OfVariant(key(&trade.variant)), unit_cost: (*cost).to_string() };
        Call::Open(trade.entity(), currency.to_string(), costs.iter().map(stated).collect())
    };
    trade.shop.try_inventory(&[open("EUR", &[])]).refused(409, "VALUATION_COST_REQUIRED");
    let uncosted = |yes: &str| trade.shop.list("inventory/cost-layers", &[("uncosted", yes)]).is(200).items().len();
    assert_eq!((uncosted("true"), uncosted("false")), (1, 2));
    trade.shop.try_inventory(&[open("USD", &["1"])]).refused(409, "VALUATION_COST_REQUIRED");
    // 3 x 1.5 stated now, 2 x 4 and 1 x 5 known before.
    let value: String = trade.shop.call_inventory(open("EUR", &["1.5"]));
    assert_eq!(value, "17.500000000000");
    assert_eq!((uncosted("true"), uncosted("false")), (0, 3));
    assert_eq!(trade.worth(), "17.500000000000");
    trade.shop.verified();
}

/// A correction against twenty sales at once: in every order, layers and ledger agree to the last digit.
fn e74_a_correction_races_sales(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "30", "1.234567");
    let statuses = at_once(21, |n| match n {
        0 => trade.try_correct(1, "7.654321").status,
        n => trade.try_sell(n as u64, "1").status,
    });
    assert_eq!(statuses, [201; 21]);
    assert_eq!(trade.shop.figure(&trade.variant, &trade.main, "onHand"), "10.000000");
    trade.shop.verified();
}

fn flows_add_up(database: Database) {
    let trade = Trade::new(database, 0);
    trade.receive(1, "10", "2");
    trade.shop.bring(&trade.variant, &trade.main, "2", Some("3")).is(201);
    let sale = trade.sell(1, "4");
    trade.take_back(1, &sale, "1");
    for (kind, quantity) in [("ADJUSTMENT_OUT", "1"), ("DAMAGE", "1"), ("LOSS", "1")] {
        trade.shop.take(kind, &trade.variant, &trade.main, quantity).is(201);
    }
    trade.correct(1, "1");
    let flows = |until: &str| -> FlowPage {
        let (since, until) = ("2020-01-01".to_string(), until.to_string());
        let (entity, limit) = (trade.entity(), 10);
        trade.shop.call_inventory(Call::Flows { entity, since, until, variant: None, cursor: None, limit })
    };
    // The receipt's currency, and what was brought without books and so without one.
    let page = flows("2999-12-31");
    for row in &page.rows {
        let units = |amount: &str| -> i128 { amount.replace('.', "").parse().expect("an amount") };
        let moved = [
            &row.received,
            &row.adjusted_in,
            &row.sold,
            &row.adjusted_out,
            &row.damaged,
            &row.lost,
            &row.returned,
            &row.corrected,
        ];
        let sum: i128 = moved.into_iter().map(|amount| units(amount)).sum();
        assert_eq!(units(&row.opening) + sum, units(&row.closing), "{row:?}");
    }
    let euro = page.rows.iter().find(|row| row.currency_code.as_deref() == Some("EUR")).expect("a row in euro");
    assert_eq!((euro.received.as_str(), euro.sold.as_str()), ("20.000000000000", "-6.000000000000"));
    assert!(flows("2020-12-31").rows.is_empty());
    trade.shop.verified();
}

/// Costs need reports.cost.read, and in no answer besides.
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
            assert!(!text.contains(word), "{path} shows {word}: {text}");
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
