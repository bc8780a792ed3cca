//! A company that buys: its rows, and stand-ins for the catalog, the ledger and inventory.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{NOW, ask, whole};
use stoa_sdk::store::Row;
use stoa_sdk::{Id, Instant, Problem};
use stoa_trade::clients::articles::{self, Article, ArticleTracking};
use stoa_trade::clients::books::{self, Posting, Side, Target, Terms};
use stoa_trade::clients::stock::{self, IncomingLine, ReceiptLine, Received};
use stoa_trade::clients::warehouses::{self, Location, Warehouse, WarehouseKind};
use stoa_trade::quantity::{Amount, Money, Quantity, Tracking};
use stoa_trade::{JsonList, Status};

use crate::Procurement;
use crate::records::order::{OrderKind, OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;
use crate::records::supplier::SupplierRow;

pub const ENTITY: Id = Id(3, 1);
pub const WAREHOUSE: Id = Id(3, 2);
pub const SUPPLIER: Id = Id(3, 3);
pub const ORDER: Id = Id(3, 4);
pub const BRANCH: Id = Id(3, 5);

/// The variant of the line at this place; how it is counted follows from its id: see [`article`].
pub const QUANTITY: Id = Id(8, 1);
pub const SERIALIZED: Id = Id(8, 2);
pub const SERVICE: Id = Id(8, 3);
/// Its variant is archived.
pub const ARCHIVED: Id = Id(8, 90);
/// Its product is.
pub const GONE: Id = Id(8, 91);

pub fn supplier() -> SupplierRow {
    let now = Instant(NOW);
    SupplierRow {
        id: SUPPLIER,
        version: 1,
        created_at: now,
        updated_at: now,
        code: "ACME".to_owned(),
        code_key: "acme".to_owned(),
        name: "Acme".to_owned(),
        email: None,
        phone: None,
        notes: Some("Calls on Mondays".to_owned()),
        has_profile: true,
        profile_kind: None,
        legal_name: Some("Acme Ltd".to_owned()),
        tax_id_type: None,
        tax_id: None,
        language: None,
        payment_term_days: Some(30),
        contacts: JsonList::default(),
        addresses: JsonList::default(),
        tags: JsonList::default(),
        website: None,
        default_currency_code: None,
        lead_time_days: None,
        status: Status::Active,
        archived_at: None,
    }
}

pub fn order(status: OrderStatus) -> OrderRow {
    let now = Instant(NOW);
    OrderRow {
        id: ORDER,
        version: 1,
        created_at: now,
        updated_at: now,
        kind: OrderKind::Standard,
        number: "PO-000001".to_owned(),
        number_key: "po-000001".to_owned(),
        legal_entity_id: ENTITY,
        warehouse_id: WAREHOUSE,
        supplier_id: SUPPLIER,
        currency_code: "EUR".to_owned(),
        notes: None,
        expected_on: None,
        status,
        item_count: 3,
        total: amount("242"),
        created_by: "bob".to_owned(),
        edited_by: "bob".to_owned(),
        approved_at: (status != OrderStatus::Draft).then_some(now),
        approved_by: None,
        cancelled_at: None,
        cancel_reason: None,
        incoterm: None,
        transport_mode: None,
        origin_country: None,
        origin_port: None,
        destination_port: None,
        customs_reference: None,
    }
}

/// Ten pieces at 3.5, two units at 100 and a service of 7: 242 in all.
pub fn items(status: OrderStatus) -> Vec<OrderItemRow> {
    let lines = [(QUANTITY, "10", "3.5"), (SERIALIZED, "2", "100"), (SERVICE, "1", "7")];
    let item = |(nth, (variant, quantity, cost)): (usize, (Id, &str, &str))| item(status, nth, variant, quantity, cost);
    lines.into_iter().enumerate().map(item).collect()
}

/// The line at this place, whose id is `(4, place)`.
pub fn item(status: OrderStatus, nth: usize, variant: Id, quantity: &str, cost: &str) -> OrderItemRow {
    let (quantity, unit_cost): (Quantity, Money) = (parse(quantity), parse(cost));
    let tracking = articles::tracking(&article(variant));
    OrderItemRow {
        id: Id(4, nth as u64),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        order_id: ORDER,
        line_no: i64::try_from(nth).ok(),
        variant_id: variant,
        tracking,
        quantity,
        unit_cost,
        line_total: stoa_trade::quantity::multiply(quantity, unit_cost).expect("in range"),
        received: Quantity::ZERO,
        billed: Quantity::ZERO,
        received_value: Amount::ZERO,
        billed_value: Amount::ZERO,
        legal_entity_id: ENTITY,
        warehouse_id: WAREHOUSE,
        currency_code: "EUR".to_owned(),
        open: status.is_open() && tracking != Tracking::None,
        settled: true,
    }
}

pub fn parse<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text} is none"))
}

pub fn amount(text: &str) -> Amount {
    parse(text)
}

/// Orders and lines as the store answers them.
pub fn order_rows(order: &OrderRow) -> Row {
    whole(order, order.version)
}

pub fn item_rows(items: &[OrderItemRow]) -> Vec<Row> {
    items.iter().map(|item| whole(item, item.version)).collect()
}

fn article(variant: Id) -> Article {
    let tracking = match variant {
        SERIALIZED => ArticleTracking::Serialized,
        SERVICE => ArticleTracking::None,
        _ => ArticleTracking::Quantity,
    };
    Article {
        tracking,
        product_id: (9, variant.1),
        variant_active: variant != ARCHIVED,
        product_active: variant != GONE,
        ..articles::example(variant)
    }
}

/// Calls to the other modules.
#[derive(Default)]
pub struct ShopCalls {
    pub incoming: Vec<IncomingLine>,
    pub receipts: Vec<Vec<ReceiptLine>>,
    pub entries: Vec<Posting>,
    /// The roles for which the books were asked early.
    pub roles: Vec<String>,
}

impl ShopCalls {
    /// An entry's legs in words: `Debit INVENTORY 1.000000000000`.
    pub fn legs(&self, nth: usize) -> Vec<String> {
        let leg = |leg: &books::Leg| {
            let Target::Role(role) = &leg.target else { panic!("a role") };
            let side = if leg.side == Side::Debit { "Debit" } else { "Credit" };
            assert_eq!(leg.branch, Some(BRANCH.into()), "on the warehouse's branch");
            format!("{side} {role} {}", leg.amount)
        };
        self.entries[nth].legs.iter().map(leg).collect()
    }
}

/// Puts stand-ins in the place of the other modules, on this thread: the catalog sells everything but what is archived, the entity
/// keeps books where `with_books`, inventory takes in whatever comes.
pub fn open_shop(with_books: bool) -> Rc<RefCell<ShopCalls>> {
    let reported = Rc::new(RefCell::new(ShopCalls::default()));
    books::stand_in_without_books();
    articles::service::stand_in::get_variants(|variants| {
        let known = variants.iter().filter(|variant| variant.0 == 8);
        known.map(|variant| article(Id::from(*variant))).collect()
    });
    warehouses::service::stand_in::get_many(|ids| {
        let warehouse = |id: &(u64, u64)| Warehouse {
            id: *id,
            code: "MAIN".to_owned(),
            name: "Main".to_owned(),
            kind: WarehouseKind::Physical,
            legal_entity_id: ENTITY.into(),
            branch_id: Some(BRANCH.into()),
            active: id.1 < 90,
            normal: true,
        };
        ids.iter().filter(|id| id.0 == 3).map(warehouse).collect()
    });
    warehouses::service::stand_in::locations(|ids| {
        let location = |id: &(u64, u64)| {
            let warehouse = if id.1 == 8 { Id(3, 8) } else { WAREHOUSE };
            Location { id: *id, warehouse_id: warehouse.into(), active: id.1 != 9 }
        };
        ids.iter().filter(|id| id.0 == 6).map(location).collect()
    });
    let log = reported.clone();
    stock::service::stand_in::change_incoming(move |lines| {
        log.borrow_mut().incoming.extend_from_slice(lines);
        Ok(())
    });
    let log = reported.clone();
    stock::service::stand_in::receive(move |_, lines| {
        log.borrow_mut().receipts.push(lines.to_vec());
        let received = |line: &ReceiptLine| Received {
            receipt_item_id: line.receipt_item_id,
            movement_ids: Vec::new(),
            unit_ids: (0..line.units.len() as u64).map(|unit| (5, unit)).collect(),
        };
        Ok(lines.iter().map(received).collect())
    });
    if with_books {
        let log = reported.clone();
        books::service::stand_in::admit(move |_, currency, pointer, roles, _| {
            if currency.is_some_and(|code| code != "EUR") {
                return Err(Problem::at("ACCOUNTING_CURRENCY_UNSUPPORTED", pointer.unwrap_or_default()));
            }
            log.borrow_mut().roles = roles.to_vec();
            Ok(Some(Terms { currency_code: "EUR".to_owned(), amount_scale: 12 }))
        });
        let log = reported.clone();
        books::service::stand_in::post(move |posting| {
            log.borrow_mut().entries.push(posting.clone());
            Ok(Some((1, 1)))
        });
    }
    reported
}

/// An operation's rejection: a code, and each place with the word there.
pub type Refusal = (String, Vec<String>);

/// Calls an operation of the order.
pub fn call(operation: &str, body: Json) -> Result<Json, Refusal> {
    let path = [("id", ORDER.to_string()), ("chargeId", Id(7, 70).to_string())];
    let path: Vec<(&str, &str)> = path.iter().map(|(name, id)| (*name, id.as_str())).collect();
    ask::<Procurement>(operation, &path, &[], Some(body)).map_err(refusal)
}

pub fn refusal(problem: Problem) -> Refusal {
    let errors = problem.errors.into_iter().map(|item| format!("{} {}", item.pointer, item.code));
    (problem.code, errors.collect())
}

pub fn expect_refusal(code: &str, errors: &[&str]) -> Refusal {
    (code.to_owned(), errors.iter().map(|&error| error.to_owned()).collect())
}

/// The body of an order of these lines: variant, quantity, cost.
pub fn order_body(lines: &[(Id, &str, &str)]) -> Json {
    let line = |(variant, quantity, cost): &(Id, &str, &str)| json!({ "variantId": variant, "quantity": quantity, "unitCost": cost });
    json!({
        "legalEntityId": ENTITY, "warehouseId": WAREHOUSE, "supplierId": SUPPLIER, "currencyCode": "EUR",
        "items": lines.iter().map(line).collect::<Vec<_>>(),
    })
}
