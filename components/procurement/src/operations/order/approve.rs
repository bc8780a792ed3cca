//! Approving a purchase order: a person's act, and where the company's settings require it a second person's.

use stoa_sdk::store::{find, select};
use stoa_sdk::{Answer, Call, Field, Problem, has};
use stoa_trade::document::actor::Actor;
use stoa_trade::document::version::Transition;

use crate::records::order::OrderRow;
use crate::records::settings::{KEY, SettingsRow};
use crate::records::supplier::SupplierRow;
use crate::rules::order_state::OrderVerb;
use crate::work::approval::approve_order;
use crate::work::order::lock_order_with;

pub fn approve(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let body: Transition = call.body()?;
    let its = has::<OrderRow, _, _>(SupplierRow::id, OrderRow::supplier_id, OrderRow::id.eq(id));
    let settings = find::<SettingsRow>("key", [vec![KEY.to_owned().put()]]);
    let (mut order, (supplier, settings)) = lock_order_with(id, (select::<SupplierRow>(its).first(), settings))?;
    let needs_second = settings.first().is_some_and(|settings| settings.require_second_approver);
    if needs_second && has_drafted(&order.row) {
        return Err(Problem::new("PERMISSION_DENIED"));
    }
    order.check(body.expected_version, OrderVerb::Approve)?;
    approve_order(&mut order, supplier.as_ref())?;
    Ok(order.show(&order.row, &["status", "approvedAt", "approvedBy"]))
}

/// Returns whether the caller drafted the order or replaced its draft last.
fn has_drafted(order: &OrderRow) -> bool {
    let caller = Actor::current().actor_id;
    caller == order.created_by || caller == order.edited_by
}
