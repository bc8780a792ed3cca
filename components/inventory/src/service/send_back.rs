//! Goods leave for their supplier: quantities at the cost of the oldest, whichever receipt they name.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Id, Problem};

use super::orders::{bounded, named};
use crate::articles::{self, Tracking};
use crate::bindings::exports::commerce::inventory::stock as service;
use crate::cost::row::CostKind;
use crate::cost::service::positive;
use crate::goods::delta::Delta;
use crate::goods::{Cost, Goods, Outflow, Place, Sku};
use crate::movement::row::{DocumentType, MovementRow, MovementType, ReferenceType};
use crate::terms::{Amount, Status, unusable};
use crate::unit::apply::{self, Known};
use crate::unit::change::Changes;
use crate::unit::parts;
use crate::warehouse::row::WarehouseRow;

pub fn send_back(
    to: &service::SupplierReturn,
    lines: &[service::SupplierReturnLine],
) -> Result<Vec<service::SentBack>, Problem> {
    bounded(lines.len())?;
    let known = articles::by_variant(lines.iter().map(|line| line.variant_id.into()));
    let row: Option<WarehouseRow> = run(get(Id::from(to.warehouse_id)))?;
    let row = row.ok_or_else(|| Problem::reference_missing("/warehouseId"))?;
    if row.status == Status::Archived {
        return Err(unusable("/warehouseId", "ARCHIVED"));
    }
    let place = Place::of(&row);
    let document = (DocumentType::SupplierReturn, Id::from(to.id));
    let (mut goods, mut changes) = (Goods::default(), Changes::of(0));
    let mut sent: Vec<Sent> = Vec::new();
    let mut serialized = Vec::new();
    for (nth, line) in lines.iter().enumerate() {
        let pointer = format!("/lines/{nth}/variantId");
        let article = articles::known(&known, line.variant_id.into(), &pointer)?;
        let quantity = positive(&line.quantity);
        articles::measured(article, quantity, &format!("/lines/{nth}/quantity"))?;
        named(article, quantity, line.unit_ids.len(), nth)?;
        if article.tracking == Tracking::None {
            return Err(Problem::illegal_state(pointer));
        }
        if article.tracking == Tracking::Serialized {
            serialized.push(parts::SendBack {
                line: nth,
                receipt_item: line.receipt_item_id.into(),
                receipt: line.receipt_id.into(),
                variant: line.variant_id.into(),
                units: line.unit_ids.iter().copied().map(Id::from).collect(),
                pointer: format!("/lines/{nth}/unitIds"),
            });
            sent.push(Sent::default());
            continue;
        }
        let sku = Sku::of(article);
        let movement = MovementRow {
            from_warehouse_id: Some(place.warehouse),
            reference_type: ReferenceType::GoodsReceipt,
            reference_id: Some(line.receipt_id.into()),
            document_type: Some(document.0),
            document_id: Some(document.1),
            purchase_receipt_item_id: Some(line.receipt_item_id.into()),
            ..goods.movement(MovementType::AdjustmentOut, &sku, quantity, &to.reason)
        };
        goods.change(&place, &sku, Delta::on_hand(-quantity.units()), &format!("/lines/{nth}/quantity"));
        let kind = CostKind::Returned;
        let outflow =
            Outflow { movement: movement.id, place, sku, unit: None, quantity, kind, document: Some(document) };
        sent.push(Sent { costs: vec![goods.take(outflow)], movements: vec![movement.id] });
        goods.moved(movement);
    }
    let moved = parts::send_back(document.1, place.warehouse, &to.reason, &serialized, &mut changes)?;
    let costs = apply::put(&changes.all, &mut goods, &Known::with([&row], &known))?;
    for (line, units) in serialized.iter().zip(moved) {
        let Some(line) = sent.get_mut(line.line) else { continue };
        for (movement, at) in units {
            line.movements.push(movement);
            line.costs.extend(costs.get(at).copied().flatten());
        }
    }
    let (held, ()) = goods.hold(())?;
    held.write(apply::rows(&changes.all, None))?;
    let told = |line: Sent| {
        let costs: Vec<Cost> = line.costs.iter().filter_map(|cost| held.costs.get(*cost)).cloned().collect();
        let cost = together(&costs).ok_or_else(Problem::limit_exceeded)?;
        Ok(service::SentBack {
            movement_ids: line.movements.into_iter().map(Into::into).collect(),
            cost: cost.amount.map(|amount| amount.to_string()),
            currency_code: cost.currency_code,
        })
    };
    sent.into_iter().map(told).collect()
}

/// A line as it left: its movements, and where its costs stand.
#[derive(Default)]
struct Sent {
    movements: Vec<Id>,
    costs: Vec<usize>,
}

/// Costs together: not known where one is not, or where they are in several currencies. Nothing costs nothing, such as damaged
/// units. None where the sum leaves the range.
fn together(costs: &[Cost]) -> Option<Cost> {
    let Some(first) = costs.first() else { return Some(Cost { amount: Some(Amount::ZERO), currency_code: None }) };
    let mut total = Amount::ZERO;
    for cost in costs {
        match cost.amount {
            Some(amount) if cost.currency_code == first.currency_code => total = total.checked_add(amount)?,
            _ => return Some(Cost::default()),
        }
    }
    Some(Cost { amount: Some(total), currency_code: first.currency_code.clone() })
}
