//! Goods leave for their supplier: quantities at the cost of the oldest, whichever receipt they name.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Id, Problem};
use stoa_trade::clients::articles;
use stoa_trade::quantity::{Amount, Quantity, Tracking};

use crate::bindings::exports::commerce::inventory::stock as service;
use crate::records::cost::CostKind;
use crate::records::movement::{DocumentType, MovementRow, MovementType, ReferenceType};
use crate::records::warehouse::WarehouseRow;
use crate::rules::delta::Delta;
use crate::rules::draw::add_costs;
use crate::rules::place;
use crate::services::stock::lines::{check_count, read_goods};
use crate::work::goods::{Goods, Outflow, Place, Sku};
use crate::work::units::changes::Changes;
use crate::work::units::effects::{self, Known};
use crate::work::units::returns;

pub fn send_back(
    to: &service::SupplierReturn,
    lines: &[service::SupplierReturnLine],
) -> Result<Vec<service::SentBack>, Problem> {
    check_count(lines.len())?;
    let articles = articles::get(lines.iter().map(|line| line.variant_id.into()));
    let row: Option<WarehouseRow> = run(get(Id::from(to.warehouse_id)))?;
    let row = row.ok_or_else(|| Problem::reference_missing("/warehouseId"))?;
    place::check_active(&row, "/warehouseId")?;
    let place = Place::from_row(&row);
    let (mut goods, mut changes) = (Goods::default(), Changes::new(0));
    let mut sent: Vec<Sent> = Vec::new();
    let mut serialized = Vec::new();
    for (nth, line) in lines.iter().enumerate() {
        let (article, quantity) =
            read_goods(&articles, nth, line.variant_id.into(), &line.quantity, line.unit_ids.len())?;
        if articles::tracking(article) == Tracking::None {
            return Err(Problem::illegal_state(format!("/lines/{nth}/variantId")));
        }
        if articles::tracking(article) == Tracking::Serialized {
            serialized.push((nth, line));
            sent.push(Sent::default());
            continue;
        }
        let sku = Sku::new(article);
        goods.change(&place, &sku, Delta::on_hand(-quantity.units()), &format!("/lines/{nth}/quantity"));
        sent.push(send_quantity(&mut goods, to, line, (place, sku), quantity));
    }
    let moved = returns::send_back(to, &serialized, &mut changes)?;
    let costs = effects::collect(&changes.all, &mut goods, &Known::with([&row], &articles))?;
    for ((nth, _), units) in serialized.iter().zip(moved) {
        let Some(line) = sent.get_mut(*nth) else { continue };
        for (movement, index) in units {
            line.movements.push(movement);
            line.costs.extend(costs.get(index).copied().flatten());
        }
    }
    let settled = goods.settle()?;
    settled.write(effects::rows(&changes.all, None))?;
    let to_wire = |line: Sent| {
        let costs = line.costs.iter().filter_map(|cost| settled.costs.get(*cost));
        let cost = add_costs(costs.map(|cost| (cost.amount, &cost.currency_code)));
        let cost = cost.ok_or_else(Amount::limit_exceeded)?;
        Ok(service::SentBack {
            movement_ids: line.movements.into_iter().map(Into::into).collect(),
            cost: cost.amount.map(|amount| amount.to_string()),
            currency_code: cost.currency_code,
        })
    };
    sent.into_iter().map(to_wire).collect()
}

/// Takes a quantity of a line, at the cost of the oldest layers.
fn send_quantity(
    goods: &mut Goods,
    to: &service::SupplierReturn,
    line: &service::SupplierReturnLine,
    (place, sku): (Place, Sku),
    quantity: Quantity,
) -> Sent {
    let document = (DocumentType::SupplierReturn, Id::from(to.id));
    let movement = MovementRow {
        from_warehouse_id: Some(place.warehouse),
        reference_type: ReferenceType::GoodsReceipt,
        reference_id: Some(line.receipt_id.into()),
        document_type: Some(document.0),
        document_id: Some(document.1),
        purchase_receipt_item_id: Some(line.receipt_item_id.into()),
        ..goods.movement(MovementType::AdjustmentOut, &sku, quantity, &to.reason)
    };
    let outflow = Outflow::new(movement.id, place, sku, quantity, CostKind::Returned);
    let cost = goods.draw(Outflow { document: Some(document), ..outflow });
    let sent = Sent { costs: vec![cost], movements: vec![movement.id] };
    goods.record(movement);
    sent
}

/// A line as it left: its movements, and the place of its costs.
#[derive(Default)]
struct Sent {
    movements: Vec<Id>,
    costs: Vec<usize>,
}
