//! What approved orders will bring, and no longer bring.

use stoa_sdk::store::{get_all, lock_all_shared, run};
use stoa_sdk::{Id, Problem, map, set};

use crate::articles::{self, Tracking};
use crate::bindings::exports::commerce::inventory::stock as service;
use crate::cost::service::stated;
use crate::goods::delta::Delta;
use crate::goods::{Goods, Place, Sku};
use crate::terms::{Quantity, Status, gate, unusable};
use crate::warehouse::row::WarehouseRow;

pub fn change(lines: &[service::IncomingLine]) -> Result<(), Problem> {
    let known = articles::by_variant(lines.iter().map(|line| line.variant_id.into()));
    let warehouses = set(lines.iter().map(|line| Id::from(line.warehouse_id)));
    if warehouses.is_empty() {
        return Ok(());
    }
    let (_, rows) = run((
        lock_all_shared(warehouses.iter().copied().map(gate)),
        get_all::<WarehouseRow>(warehouses.iter().copied()),
    ))?;
    let rows = map(rows.into_iter().map(|row| (row.id, row)));
    let mut goods = Goods::default();
    for (nth, line) in lines.iter().enumerate() {
        let article = articles::known(&known, line.variant_id.into(), &format!("/lines/{nth}/variantId"))?;
        let pointer = format!("/lines/{nth}/warehouseId");
        let row = rows.get(&line.warehouse_id.into()).ok_or_else(|| Problem::reference_missing(pointer.as_str()))?;
        if row.status == Status::Archived {
            return Err(unusable(&pointer, "ARCHIVED"));
        }
        let delta: Quantity = stated(&line.delta);
        if article.tracking != Tracking::None && delta != Quantity::ZERO {
            goods.change(&Place::of(row), &Sku::of(article), Delta::incoming(delta.units()), &pointer);
        }
    }
    let (held, ()) = goods.hold(())?;
    held.write(())
}
