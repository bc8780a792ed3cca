//! Allocating a charge to goods that came before it was known: inventory raises what they cost, wherever they are now, and the
//! books get one entry (finance-ledger.md A6, P33).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{find, get_all, insert, run, select, update, update_all};
use stoa_sdk::{Bounds, Field, Id, Problem, has, map, new_ids};
use stoa_trade::clients::books::Side;
use stoa_trade::clients::costs::{self, ChargeLine, Part};
use stoa_trade::clients::warehouses;
use stoa_trade::document::lines::Lines;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::posting::EntrySource;
use stoa_trade::quantity::{self, Amount, Money, Positive, Tracking};
use stoa_trade::refusal::{refuse, unusable};
use stoa_trade::{JsonList, new_row};

use crate::records::charge::{AllocatedPart, AllocationRow, ChargeRow, ChargeStatus, Destination};
use crate::records::order::OrderRow;
use crate::records::receipt::ReceiptRow;
use crate::records::receipt_item::{ReceiptBalanceRow, ReceiptItemRow};
use crate::work::order::LockedOrder;
use crate::work::posting::{self, RoleAmount};

/// Share of the charge for one line. The service does not divide the charge.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AllocationInput {
    /// Tracked line of a receipt of this order.
    pub receipt_item_id: Id,
    pub amount: Positive,
}

/// Allocates of a charge; the order as it is after it.
///
/// # Errors
/// NOT_FOUND, VERSION_CONFLICT, ILLEGAL_STATE, REFERENCE_INVALID, LIMIT_EXCEEDED, the codes of accounting.
pub fn allocate_charge(
    order: &LockedOrder,
    charge: &ChargeRow,
    stated: &[AllocationInput],
    expected: ExpectedVersion,
) -> Result<OrderRow, Problem> {
    let balances = judge(order, charge, stated, expected)?;
    let row = &order.row;
    // The other roles follow from where the goods are.
    let keeps_books = posting::admit_to_books(row, &[posting::CHARGES.to_owned()])?;
    let line = |part: &AllocationInput| ChargeLine {
        receipt_item_id: part.receipt_item_id.into(),
        amount: part.amount.0.to_string(),
    };
    let lines: Vec<ChargeLine> = stated.iter().map(line).collect();
    let parts =
        costs::service::charge(charge.id.into(), &lines).map_err(|problem| problem.moved("/lines", "/allocations"))?;
    let allocations = draw_up(charge.id, stated, parts)?;
    let added = sum_of(stated)?;
    let allocated = quantity::sum([charge.allocated, added])?;
    let charge_update = update::<ChargeRow>(charge.id)
        .set(ChargeRow::status, &ChargeRow::status_when(charge.amount, allocated))
        .add(ChargeRow::allocated, added);
    let of_lines = stated.iter().filter_map(|part| Some((balances.get(&part.receipt_item_id)?.id, part.amount.0)));
    let (ids, amounts): (Vec<Id>, Vec<Money>) = of_lines.unzip();
    let balances = update_all::<ReceiptBalanceRow>(ids).add_each(ReceiptBalanceRow::charge_amount, amounts);
    let after = order.write_parts((insert(&allocations), charge_update, balances))?;
    if keeps_books {
        post(row, &allocations)?;
    }
    Ok(after)
}

/// The lines that the allocations name, of this order's receipts; their balances by line.
fn judge(
    order: &LockedOrder,
    charge: &ChargeRow,
    stated: &[AllocationInput],
    expected: ExpectedVersion,
) -> Result<BTreeMap<Id, ReceiptBalanceRow>, Problem> {
    let lines = Lines::at("/allocations", stated);
    let ids = || stated.iter().map(|part| part.receipt_item_id);
    let named = ReceiptItemRow::id.one_of(ids());
    let (items, receipts, balances) = run((
        get_all::<ReceiptItemRow>(ids()),
        select::<ReceiptRow>(has::<ReceiptItemRow, _, _>(ReceiptRow::id, ReceiptItemRow::receipt_id, named)).whole(),
        find::<ReceiptBalanceRow>("item", ids().map(|id| vec![id.put()])),
    ))?;
    let items = map(items.into_iter().map(|item| (item.id, item)));
    let receipts = map(receipts.into_iter().map(|receipt| (receipt.id, receipt)));
    refuse("NOT_FOUND", lines.faults("receiptItemId", "NOT_FOUND", |part| !items.contains_key(&part.receipt_item_id)))?;
    expected.check(order.row.version)?;
    if charge.status == ChargeStatus::Cancelled {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let mut sum = charge.allocated;
    for (line_pointer, part) in lines.iter() {
        let pointer = || line_pointer.member("receiptItemId");
        let Some(item) = items.get(&part.receipt_item_id) else { continue };
        let receipt = receipts.get(&item.receipt_id).filter(|receipt| receipt.order_id == order.row.id);
        let receipt = receipt.ok_or_else(|| unusable(pointer(), "OTHER_ORDER"))?;
        if item.tracking == Tracking::None {
            return Err(unusable(pointer(), "NOT_TRACKED"));
        }
        if charge.shipment_id.is_some() && charge.shipment_id != receipt.shipment_id {
            return Err(unusable(pointer(), "OTHER_SHIPMENT"));
        }
        let beyond = || Problem::beyond(line_pointer.member("amount"), Bounds::maximum(charge.amount));
        sum = sum.checked_add(part.amount.0).ok_or_else(beyond)?;
        if sum > charge.amount {
            return Err(beyond());
        }
    }
    Ok(map(balances.into_iter().map(|balance| (balance.receipt_item_id, balance))))
}

fn sum_of(stated: &[AllocationInput]) -> Result<Money, Problem> {
    quantity::sum(stated.iter().map(|part| part.amount.0))
}

/// The allocations, each with where its goods are.
fn draw_up(charge: Id, stated: &[AllocationInput], parts: Vec<Vec<Part>>) -> Result<Vec<AllocationRow>, Problem> {
    let ids = new_ids(u32::try_from(stated.len()).unwrap_or(u32::MAX));
    let row = |((stated, parts), id): ((&AllocationInput, Vec<Part>), Id)| {
        new_row!(AllocationRow {
            id,
            charge_id: charge,
            receipt_item_id: stated.receipt_item_id,
            amount: stated.amount.0,
            destinations: parts.into_iter().filter_map(read_part).collect::<JsonList<_>>(),
        })
    };
    let rows: Vec<AllocationRow> = stated.iter().zip(parts).zip(ids).map(row).collect();
    for row in &rows {
        let dealt: Amount = quantity::sum(row.destinations.0.iter().map(|part| part.amount))?;
        if dealt != quantity::widen(row.amount) {
            stoa_sdk::host::fault("inventory dealt another amount than it was given");
        }
    }
    Ok(rows)
}

fn read_part(part: Part) -> Option<AllocatedPart> {
    let destination = match part.destination {
        costs::Destination::OnHand => Destination::OnHand,
        costs::Destination::Sold => Destination::Sold,
        costs::Destination::AdjustedOut => Destination::AdjustedOut,
        costs::Destination::Damaged => Destination::Damaged,
        costs::Destination::Lost => Destination::Lost,
        costs::Destination::Returned => Destination::Returned,
    };
    Some(AllocatedPart { destination, amount: part.amount.parse().ok()? })
}

/// The debit role for goods that are on hand, or for the destination to which they went.
fn debit_role(destination: Destination) -> &'static str {
    match destination {
        Destination::OnHand => posting::INVENTORY,
        Destination::Sold => "COST_OF_GOODS_SOLD",
        Destination::AdjustedOut => "INVENTORY_ADJUSTMENT",
        Destination::Damaged => "INVENTORY_DAMAGE",
        Destination::Lost => "INVENTORY_LOSS",
        Destination::Returned => "SUPPLIER_RETURNS",
    }
}

/// Posts P33: source the first allocation.
fn post(order: &OrderRow, allocations: &[AllocationRow]) -> Result<(), Problem> {
    let Some(first) = allocations.first() else { return Ok(()) };
    let parts = allocations.iter().flat_map(|row| &row.destinations.0);
    let mut amounts: Vec<RoleAmount> =
        parts.map(|part| (debit_role(part.destination), Side::Debit, part.amount)).collect();
    let total = quantity::sum(allocations.iter().map(|row| quantity::widen(row.amount)))?;
    amounts.push((posting::CHARGES, Side::Credit, total));
    let branch = warehouses::get([order.warehouse_id]).remove(&order.warehouse_id);
    let branch = branch.and_then(|warehouse| warehouse.branch_id).map(Id::from);
    let (kind, purpose) = posting::ALLOCATION;
    let text = format!("PURCHASE_ORDER {}", order.number);
    posting::post(order, branch, EntrySource { kind, id: first.id, purpose }, &text, amounts)
}
