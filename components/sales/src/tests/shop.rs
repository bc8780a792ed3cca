//! A shop in which everything that a document may name is there and usable: what stands in for the other modules, and rows.

use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value as Json, json};
use stoa_sdk::scripted::{self, Log, NOW, ask, rows, whole};
use stoa_sdk::store::{Reply, Row};
use stoa_sdk::{Id, Instant, Problem};
use stoa_trade::clients::articles::{self, Article, ArticleTracking};
use stoa_trade::clients::prices::{self, Price, PriceList, Quotation, Visibility};
use stoa_trade::clients::stock::{self, Delivered, Reserved};
use stoa_trade::clients::units::{self, Unit};
use stoa_trade::clients::warehouses::{self, Warehouse, WarehouseKind};
use stoa_trade::clients::{Key, books};
use stoa_trade::quantity::Tracking;
use stoa_trade::{JsonList, Status};

use crate::Sales;
use crate::records::allocation::{AllocationOutcome, AllocationRow};
use crate::records::customer::CustomerRow;
use crate::records::order::{OrderRow, OrderStatus};
use crate::records::order_item::OrderItemRow;

pub const ENTITY: Id = Id(3, 1);
pub const WAREHOUSE: Id = Id(3, 2);
pub const LIST: Id = Id(3, 3);
pub const CUSTOMER: Id = Id(3, 4);
pub const ORDER: Id = Id(4, 1);
/// Counted in quantities.
pub const GOOD: Id = Id(5, 1);
/// Counted in units.
pub const PHONE: Id = Id(5, 2);
/// Not counted.
pub const SERVICE: Id = Id(5, 3);
/// Archived.
pub const GONE: Id = Id(5, 4);
/// A variant of an unpublished product.
pub const SECRET: Id = Id(5, 5);
/// Without a price.
pub const UNPRICED: Id = Id(5, 6);

/// Differences from a shop where all is well.
#[derive(Clone, Copy)]
pub struct Shop {
    pub list_is_active: bool,
    pub list_is_public: bool,
    pub warehouse_is_active: bool,
    /// Price of every variant.
    pub price: &'static str,
}

impl Default for Shop {
    fn default() -> Shop {
        Shop { list_is_active: true, list_is_public: true, warehouse_is_active: true, price: "10.000000" }
    }
}

impl Shop {
    /// Opens the shop, with these replies of the store.
    pub fn open(self, replies: Vec<Vec<Reply>>) -> Rc<RefCell<Log>> {
        books::stand_in_without_books();
        articles::service::stand_in::get_variants(|ids| ids.iter().filter_map(|id| article((*id).into())).collect());
        let list = move |id: Key| PriceList {
            id,
            code: "BASE".to_owned(),
            currency_code: "EUR".to_owned(),
            visibility: if self.list_is_public { Visibility::Public } else { Visibility::Internal },
            active: self.list_is_active,
        };
        prices::service::stand_in::get_list(move |id| (Id::from(id) == LIST).then(|| list(id)));
        prices::service::stand_in::quote(move |id, variants, _| {
            let priced = variants.iter().filter(|variant| Id::from(**variant) != UNPRICED && self.list_is_active);
            let price =
                |variant: &Key| Price { variant_id: *variant, price_id: (6, variant.1), amount: self.price.to_owned() };
            (Id::from(id) == LIST).then(|| Quotation { price_list: list(id), prices: priced.map(price).collect() })
        });
        warehouses::service::stand_in::get_many(move |ids| {
            ids.iter().filter(|id| Id::from(**id) == WAREHOUSE).map(|id| self.warehouse(*id)).collect()
        });
        units::service::stand_in::get_many(|ids| ids.iter().map(|id| unit(*id)).collect());
        stock::service::stand_in::reserve(|_, _, lines| {
            let held = |line: &stock::ReserveLine, unit: Option<Key>, nth: u64| Reserved {
                line: line.line,
                reservation_id: (8, line.line.1 * 100 + nth),
                quantity: if unit.is_some() { "1.000000".to_owned() } else { line.quantity.clone() },
                unit_id: unit,
            };
            let hold_line = |line: &stock::ReserveLine| match line.unit_ids.as_slice() {
                [] => vec![held(line, None, 0)],
                units => (1..).zip(units).map(|(nth, unit)| held(line, Some(*unit), nth)).collect(),
            };
            Ok(lines.iter().flat_map(hold_line).collect())
        });
        stock::service::stand_in::release(|_, _, _| Ok(()));
        stock::service::stand_in::deliver(|_, lines| {
            let gone = |line: &stock::DeliveryLine| Delivered {
                reservation_id: line.reservation_id,
                movement_id: (9, line.reservation_id.1),
                variant_id: GOOD.into(),
                quantity: "1.000000".to_owned(),
                unit_id: None,
                cost: Some("4.000000000000".to_owned()),
                currency_code: Some("EUR".to_owned()),
            };
            Ok(lines.iter().map(gone).collect())
        });
        scripted::script(replies)
    }

    fn warehouse(self, id: Key) -> Warehouse {
        Warehouse {
            id,
            code: "MAIN".to_owned(),
            name: "Main".to_owned(),
            kind: WarehouseKind::Physical,
            legal_entity_id: ENTITY.into(),
            branch_id: None,
            active: self.warehouse_is_active,
            normal: self.warehouse_is_active,
        }
    }
}

fn article(variant: Id) -> Option<Article> {
    let tracking = match variant {
        GOOD | GONE | SECRET | UNPRICED => ArticleTracking::Quantity,
        PHONE => ArticleTracking::Serialized,
        SERVICE => ArticleTracking::None,
        _ => return None,
    };
    let (variant_active, published) = (variant != GONE, variant != SECRET);
    Some(Article { tracking, variant_active, published, ..articles::example(variant) })
}

/// Every unit is a phone, but for those of 0.
fn unit(id: Key) -> Unit {
    Unit {
        id,
        variant_id: if id.1 == 0 { GOOD.into() } else { PHONE.into() },
        status: "AVAILABLE".to_owned(),
        version: 1,
        warehouse_id: Some(WAREHOUSE.into()),
        legal_entity_id: ENTITY.into(),
        condition: None,
        grade: None,
        receipt_item_id: None,
        sale_allocation_id: None,
        serial_number: None,
        imei1: None,
        imei2: None,
    }
}

pub fn customer(status: Status) -> Row {
    let row = CustomerRow {
        id: CUSTOMER,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        code: "ACME".to_owned(),
        code_key: "acme".to_owned(),
        name: "Acme".to_owned(),
        email: None,
        phone: None,
        notes: None,
        status,
        archived_at: None,
        has_profile: false,
        profile_kind: None,
        legal_name: None,
        tax_id_type: None,
        tax_id: None,
        language: None,
        payment_term_days: None,
        default_price_list_id: None,
        contacts: JsonList::default(),
        addresses: JsonList::default(),
        tags: JsonList::default(),
    };
    whole(&row, 1)
}

pub fn order(status: OrderStatus, total: &str) -> OrderRow {
    OrderRow {
        id: ORDER,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        number: "SO-000001".to_owned(),
        number_key: "so-000001".to_owned(),
        legal_entity_id: ENTITY,
        branch_id: None,
        warehouse_id: WAREHOUSE,
        customer_id: CUSTOMER,
        price_list_id: LIST,
        currency_code: "EUR".to_owned(),
        status,
        notes: None,
        total: total.parse().unwrap(),
        collectable: true,
        prices_as_of: Instant(NOW),
        item_count: 1,
        unit_count: 0,
        quotation_id: None,
        invoice_id: None,
        pos_receipt_id: None,
        confirmed_at: None,
        completed_at: None,
        cancelled_at: None,
        cancel_reason: None,
    }
}

/// A line of an order at the list's price of 10.
pub fn line(line_no: i64, variant: Id, tracking: Tracking, quantity: &str) -> OrderItemRow {
    let quantity: stoa_trade::quantity::Quantity = quantity.parse().unwrap();
    OrderItemRow {
        id: Id(7, line_no as u64 + 1),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        order_id: ORDER,
        variant_id: variant,
        product_id: Id(9, 9),
        line_no: Some(line_no),
        sku: "A-1".to_owned(),
        description: "Phone".to_owned(),
        tracking,
        quantity,
        price_id: Id(6, variant.1),
        list_price: "10".parse().unwrap(),
        agreed_price: None,
        agreed_origin: None,
        reason: None,
        unit_price: "10".parse().unwrap(),
        line_total: quantity.checked_mul("10".parse::<stoa_trade::quantity::Money>().unwrap()).unwrap(),
        chosen_units: JsonList::default(),
        billed: Default::default(),
    }
}

/// The replies to what goes before lines of the ledger of deliveries: the lock of the minute, and how far lines are summed.
pub fn hold() -> Vec<Reply> {
    vec![Reply::Done, rows([])]
}

/// The stock that a line holds, or has taken.
pub fn allocation(item: Id, nth: u64, quantity: &str, outcome: AllocationOutcome) -> AllocationRow {
    let is_delivered = outcome == AllocationOutcome::Delivered;
    AllocationRow {
        id: Id(10, nth),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        order_id: ORDER,
        item_id: item,
        reservation_id: Id(8, nth),
        quantity: quantity.parse().unwrap(),
        returned: Default::default(),
        unit_id: None,
        outcome,
        live_slot: (outcome == AllocationOutcome::Reserved).then_some(1),
        movement_id: is_delivered.then_some(Id(9, nth)),
    }
}

/// Replies of an order with its lines, and a third of what else is read of it.
pub fn lock_replies(order: &OrderRow, items: &[OrderItemRow], rest: Vec<Row>) -> Vec<Reply> {
    vec![rows([whole(order, order.version)]), rows(items.iter().map(|item| whole(item, item.version))), rows(rest)]
}

pub fn body(items: Json) -> Json {
    json!({
        "legalEntityId": ENTITY, "warehouseId": WAREHOUSE, "customerId": CUSTOMER, "priceListId": LIST, "items": items
    })
}

/// Calls an operation; `id` is the one in the path.
pub fn call(operation: &str, id: Id, body: Json) -> Result<Json, Problem> {
    ask::<Sales>(operation, &[("id", id.to_string().as_str())], &[], Some(body))
}

/// A refusal as its code and its items.
pub fn refusal<T: std::fmt::Debug>(answer: Result<T, Problem>) -> (String, Vec<String>) {
    let problem = answer.unwrap_err();
    let items = problem.errors.into_iter().map(|error| format!("{} {}", error.pointer, error.code));
    (problem.code, items.collect())
}

/// The refusal that is expected.
pub fn a_refusal(code: &str, items: &[&str]) -> (String, Vec<String>) {
    (code.to_owned(), items.iter().map(|&item| item.to_owned()).collect())
}

/// The kinds of the events that were told.
pub fn kinds(log: &Rc<RefCell<Log>>) -> Vec<String> {
    log.borrow().events.iter().map(|event| event.kind.clone()).collect()
}
