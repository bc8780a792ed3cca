//! Drafting transfer orders: creating and replacing them. A draft holds nothing.

use stoa_sdk::store::{insert, run};
use stoa_sdk::{Answer, Call, Id, Problem, new_id, view};
use stoa_trade::clients::articles;
use stoa_trade::document::number::{NumberRange, assign_number, insert_unless_taken};
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::text::key;
use stoa_trade::{Caller, Change, new_record};

use crate::operations::transfer_order::input::TransferOrderInput;
use crate::operations::transfer_order::redraft::Draft;
use crate::operations::transfer_order::references::References;
use crate::records::transfer_order::{TransferOrderRow, TransferStatus, receipt};
use crate::work::documents::name_owner;

view! { OrderId of TransferOrderRow { id: Id } }

pub fn create(call: &Call) -> Answer {
    let body: TransferOrderInput = call.body()?;
    let caller = Caller::current();
    body.check(caller)?;
    let known = References::read(&body)?;
    known.check(&body)?;
    let entity = known.entity(&body)?;
    let mut order = new_record!(TransferOrderRow {
        id: new_id(),
        number: String::new(),
        number_key: String::new(),
        legal_entity_id: entity,
        from_warehouse_id: body.from_warehouse_id,
        to_warehouse_id: body.to_warehouse_id,
        transit_warehouse_id: body.transit_warehouse_id,
        expected_on: body.expected_on,
        item_count: body.item_count(),
        notes: body.notes.map(String::from),
        status: TransferStatus::Draft,
        shipped_at: None,
        closed_at: None,
        cancel_reason: None,
    });
    let range = NumberRange { prefix: "TO", entity, pointer: "/number" };
    assign_number(range, body.number, |number| {
        order.number = number.to_owned();
        order.number_key = key(number);
        insert_unless_taken(&order)
    })
    .or_else(|refusal| Err(name_owner::<OrderId>(refusal, entity, &order.number_key, |other| other.id)?))?;
    let lines = Draft::new(order.clone()).redraw(&body.items, &known, caller);
    run((insert(&lines.items), insert(&lines.units)))?;
    Ok(receipt(&order).subjects(articles::products_of(body.items.iter().map(|line| line.variant_id))))
}

pub fn replace(call: &Call) -> Answer {
    let FullReplacement { expected_version, body }: FullReplacement<TransferOrderInput> = call.body()?;
    let caller = Caller::current();
    body.check(caller)?;
    let draft = Draft::lock(call.path_id("id")?)?;
    let known = References::read(&body)?;
    expected_version.check(draft.order.version)?;
    if draft.order.status != TransferStatus::Draft {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let after = TransferOrderRow {
        number: body.number.as_ref().map_or_else(|| draft.order.number.clone(), |number| number.0.clone()),
        from_warehouse_id: body.from_warehouse_id,
        to_warehouse_id: body.to_warehouse_id,
        transit_warehouse_id: body.transit_warehouse_id,
        expected_on: body.expected_on,
        notes: body.notes.clone().map(String::from),
        item_count: body.item_count(),
        ..draft.order.clone()
    };
    let change = Change::new(&draft.order, after)?;
    known.check(&body)?;
    draft.redraw(&body.items, &known, caller).write(change.update())?;
    // Lines are named as one, whatever changed in them.
    let mut members = change.members();
    members.push("items".to_owned());
    members.dedup();
    // Also those of the lines that are gone now.
    let before = draft.live_items().map(|item| item.variant_id);
    let products = articles::products_of(before.chain(body.variants()));
    Ok(receipt(change.after()).subjects(products).changed(members))
}
