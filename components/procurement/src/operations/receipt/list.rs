//! Reading goods receipts: lists of headers, and one receipt with its lines and, for readers of serial numbers, its units.

use std::collections::BTreeMap;

use stoa_sdk::store::{Failure, Rows, find, get, run, select};
use stoa_sdk::{Answer, Call, Field, Filter, Id, Instant, Problem, Reply, all, fit_page, has, holds, map, view};
use stoa_trade::clients::keys;
use stoa_trade::clients::units::{self, UnitsOf};
use stoa_trade::lists::{between, equals, read_page};
use stoa_trade::quantity::Tracking;
use stoa_trade::{Caller, list_query};

use crate::records::order::OrderRow;
use crate::records::permission::{COST_READ, SERIALS_READ};
use crate::records::receipt::{ApiGoodsReceipt, ApiGoodsReceiptHeader, GoodsReceipt, GoodsReceiptHeader, ReceiptRow};
use crate::records::receipt_item::{
    ApiGoodsReceiptItem, GoodsReceiptItem, GoodsReceiptUnit, ReceiptBalanceRow, ReceiptItemRow,
};

list_query! {
    pub struct ListGoodsReceipts {
        order_id: Option<Id>,
        supplier_id: Option<Id>,
        warehouse_id: Option<Id>,
        legal_entity_id: Option<Id>,
        /// Only documents with a line of this variant.
        variant_id: Option<Id>,
        /// Only records created at or after this instant.
        from: Option<Instant>,
        /// Only records created at or before this instant.
        to: Option<Instant>,
    }
}

list_query! {
    pub struct ListOrderReceipts {}
}

view! { OrderId of OrderRow { id: Id } }

impl ListGoodsReceipts {
    fn filter(&self) -> Filter {
        let of_variant = |id: Id| {
            let lines = ReceiptItemRow::variant_id.eq(id);
            has::<ReceiptItemRow, _, _>(ReceiptRow::id, ReceiptItemRow::receipt_id, lines)
        };
        all([
            equals(ReceiptRow::order_id, self.order_id),
            equals(ReceiptRow::supplier_id, self.supplier_id),
            equals(ReceiptRow::warehouse_id, self.warehouse_id),
            equals(ReceiptRow::legal_entity_id, self.legal_entity_id),
            self.variant_id.map(of_variant).unwrap_or_default(),
            between(ReceiptRow::created_at, self.from, self.to),
        ])
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListGoodsReceipts = call.query()?;
    answer_headers(read_page(&query.filter(), query.cursor, query.limit)?)
}

pub fn list_of_order(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let query: ListOrderReceipts = call.query()?;
    let page = |limit| -> Result<(Option<OrderId>, Rows<ReceiptRow>), Failure> {
        run((get(id), select::<ReceiptRow>(ReceiptRow::order_id.eq(id)).page(query.cursor).limit(limit)))
    };
    let (order, rows) = fit_page(query.limit, page)?;
    order.ok_or_else(Problem::not_found)?;
    answer_headers(rows)
}

fn answer_headers(rows: Rows<ReceiptRow>) -> Answer {
    Caller::current().answer_page(rows, GoodsReceiptHeader::from_row, ApiGoodsReceiptHeader::from_row)
}

/// The lines are in the order of what came.
pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let lines = select::<ReceiptItemRow>(ReceiptItemRow::receipt_id.eq(id)).whole();
    let (row, items) = run((get::<ReceiptRow>(id), lines))?;
    let row = row.ok_or_else(Problem::not_found)?;
    let reply = match Caller::current() {
        Caller::Person => {
            let items = show_items(&items)?;
            Reply::json(&GoodsReceipt { header: GoodsReceiptHeader::from_row(&row), items })
        }
        Caller::Client => {
            let items = items.iter().map(ApiGoodsReceiptItem::from_row).collect();
            Reply::json(&ApiGoodsReceipt { header: ApiGoodsReceiptHeader::from_row(&row), items })
        }
    };
    Ok(reply.resource(id))
}

fn show_items(items: &[ReceiptItemRow]) -> Result<Vec<GoodsReceiptItem>, Problem> {
    let keys = items.iter().map(|item| vec![item.id.put()]);
    let balances = run((!items.is_empty()).then(|| find::<ReceiptBalanceRow>("item", keys)))?.unwrap_or_default();
    let balances = map(balances.into_iter().map(|balance| (balance.receipt_item_id, balance)));
    let units = holds(SERIALS_READ).then(|| read_units(items));
    let with_costs = holds(COST_READ);
    let show = |item: &ReceiptItemRow| {
        let units = units.as_ref().map(|units| show_units(units, item.id));
        GoodsReceiptItem::from_row(item, balances.get(&item.id), with_costs, units)
    };
    Ok(items.iter().map(show).collect())
}

/// The units of the lines as they are now, by line.
fn read_units(items: &[ReceiptItemRow]) -> BTreeMap<Id, Vec<units::Unit>> {
    let serialized = items.iter().filter(|item| item.tracking == Tracking::Serialized).map(|item| item.id);
    let serialized: Vec<Id> = serialized.collect();
    if serialized.is_empty() {
        return BTreeMap::new();
    }
    let of_items: Vec<UnitsOf> = units::service::of_receipt_items(&keys(serialized));
    let ids: Vec<Id> = of_items.iter().flat_map(|entry| entry.unit_ids.iter().map(|id| Id::from(*id))).collect();
    let mut of_line: BTreeMap<Id, Vec<units::Unit>> = BTreeMap::new();
    for unit in units::get(&ids) {
        let line = of_items.iter().find(|entry| entry.unit_ids.contains(&unit.id));
        if let Some(line) = line {
            of_line.entry(line.id.into()).or_default().push(unit);
        }
    }
    of_line
}

fn show_units(units: &BTreeMap<Id, Vec<units::Unit>>, item: Id) -> Vec<GoodsReceiptUnit> {
    let mut of_line: Vec<&units::Unit> = units.get(&item).into_iter().flatten().collect();
    of_line.sort_by_key(|unit| unit.id);
    let show = |unit: &units::Unit| GoodsReceiptUnit {
        unit_id: unit.id.into(),
        serial_number: unit.serial_number.clone(),
        imei1: unit.imei1.clone(),
        imei2: unit.imei2.clone(),
        status: unit.status.clone(),
    };
    of_line.into_iter().map(show).collect()
}
