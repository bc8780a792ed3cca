//! Reading goods receipts: lists of headers, and one receipt with its lines and, for readers of serial numbers, its units.

use std::collections::BTreeMap;

use stoa_sdk::store::{Failure, Rows, find, get, run, select};
use stoa_sdk::{Answer, Call, Field, Filter, Id, Instant, Problem, Reply, all, fit_page, has, holds, map, view};
use stoa_trade::clients::keys;
use stoa_trade::clients::units::{self, SERIALS_READ, Unit, UnitsOf};
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::made_since;
use stoa_trade::quantity::Tracking;
use stoa_trade::{Caller, list_query};

use crate::records::order::OrderRow;
use crate::records::permission::COST_READ;
use crate::records::receipt::{ApiGoodsReceipt, ApiGoodsReceiptHeader, GoodsReceipt, GoodsReceiptHeader, ReceiptRow};
use crate::records::receipt_item::{GoodsReceiptItem, GoodsReceiptUnit, ReceiptBalanceRow, ReceiptItemRow};

list_query! {
    pub struct ListGoodsReceipts of ReceiptRow {
        /// Only these receipts, at most 100, separated by commas.
        ids: Option<Ids> = among(ReceiptRow::id, ids.as_ref()),
        order_id: Option<Id>,
        supplier_id: Option<Id>,
        warehouse_id: Option<Id>,
        legal_entity_id: Option<Id>,
        /// Only documents with a line of this variant.
        variant_id: Option<Id> = variant_id.map(has_variant).unwrap_or_default(),
    } by creation {
        /// Only receipts written at or after this instant. A receipt never changes.
        updated_since: Option<Instant> = made_since(ReceiptRow::id, updated_since),
    }
}

list_query! {
    pub struct ListOrderReceipts {
        /// Only receipts written at or after this instant. A receipt never changes.
        updated_since: Option<Instant>,
    }
}

view! { OrderId of OrderRow { id: Id } }

/// Receipts of which a line is of the variant.
fn has_variant(id: Id) -> Filter {
    has::<ReceiptItemRow, _, _>(ReceiptRow::id, ReceiptItemRow::receipt_id, ReceiptItemRow::variant_id.eq(id))
}

pub fn list(call: &Call) -> Answer {
    answer_headers(call.query::<ListGoodsReceipts>()?.page([])?)
}

pub fn list_of_order(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let query: ListOrderReceipts = call.query()?;
    let of_order = all([ReceiptRow::order_id.eq(id), made_since(ReceiptRow::id, query.updated_since)]);
    let page = |limit| -> Result<(Option<OrderId>, Rows<ReceiptRow>), Failure> {
        run((get(id), select::<ReceiptRow>(of_order.clone()).page(query.cursor).limit(limit)))
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
        Caller::Person => Reply::json(&GoodsReceipt::from_row(&row, show_items(&items)?)),
        Caller::Client => Reply::json(&ApiGoodsReceipt::from_row(&row, &items)),
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
fn read_units(items: &[ReceiptItemRow]) -> BTreeMap<Id, Vec<Unit>> {
    let serialized = items.iter().filter(|item| item.tracking == Tracking::Serialized).map(|item| item.id);
    let serialized: Vec<Id> = serialized.collect();
    if serialized.is_empty() {
        return BTreeMap::new();
    }
    let of_items: Vec<UnitsOf> = units::service::of_receipt_items(&keys(serialized));
    let ids: Vec<Id> = of_items.iter().flat_map(|entry| entry.unit_ids.iter().map(|id| Id::from(*id))).collect();
    let mut of_line: BTreeMap<Id, Vec<Unit>> = BTreeMap::new();
    for unit in units::get(&ids) {
        let line = of_items.iter().find(|entry| entry.unit_ids.contains(&unit.id));
        if let Some(line) = line {
            of_line.entry(line.id.into()).or_default().push(unit);
        }
    }
    of_line
}

fn show_units(units: &BTreeMap<Id, Vec<Unit>>, item: Id) -> Vec<GoodsReceiptUnit> {
    let mut of_line: Vec<&Unit> = units.get(&item).into_iter().flatten().collect();
    of_line.sort_by_key(|unit| unit.id);
    of_line.into_iter().map(GoodsReceiptUnit::from_row).collect()
}
