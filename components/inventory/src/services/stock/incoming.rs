//! Goods that approved orders will bring, or will no longer bring.

use stoa_sdk::store::{get_all, lock_all_shared, run};
use stoa_sdk::{Id, Problem, map, set};
use stoa_trade::arguments::parse;
use stoa_trade::clients::articles;
use stoa_trade::quantity::{Quantity, Tracking};

use crate::bindings::exports::commerce::inventory::stock as service;
use crate::records::warehouse::{WarehouseRow, gate};
use crate::rules::delta::Delta;
use crate::rules::place;
use crate::work::goods::{Goods, Place, Sku};

pub fn change(lines: &[service::IncomingLine]) -> Result<(), Problem> {
    let articles = articles::get(lines.iter().map(|line| line.variant_id.into()));
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
        let article = articles::require(&articles, line.variant_id.into(), &format!("/lines/{nth}/variantId"))?;
        let pointer = format!("/lines/{nth}/warehouseId");
        let row = rows.get(&line.warehouse_id.into()).ok_or_else(|| Problem::reference_missing(pointer.as_str()))?;
        place::check_active(row, &pointer)?;
        let delta: Quantity = parse(&line.delta);
        if articles::tracking(article) != Tracking::None && delta != Quantity::ZERO {
            goods.change(&Place::from_row(row), &Sku::new(article), Delta::of_incoming(delta.units()), &pointer);
        }
    }
    let settled = goods.settle()?;
    settled.write(())
}
