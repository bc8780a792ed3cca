//! Approving a transfer order: its goods are held at the source. From then on no warehouse that it names can be archived.

use stoa_sdk::store::run;
use stoa_sdk::{Answer, Call, Problem};
use stoa_trade::document::version::Transition;

use crate::records::transfer_order::{TransferStatus, receipt};
use crate::work::transfers::order;
use crate::work::transfers::reserve::reserve_goods;

pub fn approve(call: &Call) -> Answer {
    let body: Transition = call.body()?;
    let mut order = order::lock_order(call.path_id("id")?)?;
    body.expected_version.check(order.row.version)?;
    if order.row.status != TransferStatus::Draft {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let before = order.row.transit_warehouse_id;
    reserve_goods(&mut order, false)?;
    let change = order.change(order.after(TransferStatus::Approved))?;
    run(change.update())?;
    let mut changed = vec!["status"];
    changed.extend((before != change.after().transit_warehouse_id).then_some("transitWarehouseId"));
    Ok(receipt(change.after()).subjects(order.products()).changed(changed))
}
