//! Goods leave for their supplier: quantities at the cost of the oldest, whichever receipt they name.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Id, Problem};

use super::orders::{bounded, no_units};
use crate::articles::{self, Tracking};
use crate::bindings::exports::commerce::inventory::stock as service;
use crate::cost::row::CostKind;
use crate::cost::service::positive;
use crate::goods::delta::Delta;
use crate::goods::{Goods, Outflow, Place, Sku};
use crate::movement::row::{DocumentType, MovementRow, MovementType, ReferenceType};
use crate::terms::{Status, unusable};
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
    let mut goods = Goods::default();
    let mut sent = Vec::new();
    for (nth, line) in lines.iter().enumerate() {
        let pointer = format!("/lines/{nth}/variantId");
        let article = articles::known(&known, line.variant_id.into(), &pointer)?;
        let quantity = positive(&line.quantity);
        articles::measured(article, quantity, &format!("/lines/{nth}/quantity"))?;
        no_units(article, quantity, line.unit_ids.len(), nth)?;
        if article.tracking == Tracking::None {
            return Err(Problem::illegal_state(pointer));
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
        sent.push((goods.take(outflow), movement.id));
        goods.moved(movement);
    }
    let (held, ()) = goods.hold(())?;
    held.write(())?;
    let told = |(cost, movement): (usize, Id)| {
        let cost = held.costs.get(cost).cloned().unwrap_or_default();
        service::SentBack {
            movement_ids: vec![movement.into()],
            cost: cost.amount.map(|amount| amount.to_string()),
            currency_code: cost.currency_code,
        }
    };
    Ok(sent.into_iter().map(told).collect())
}
