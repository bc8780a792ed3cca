//! Effects of a unit's change, against a host that only gives facts and ids.

use stoa_sdk::scripted::script;
use stoa_sdk::{Id, Instant};

use crate::records::cost::CostKind;
use crate::records::movement::{DocumentType, MovementType};
use crate::records::unit::{UnitEvent, UnitRow, UnitStatus};
use crate::rules::delta::Delta;
use crate::work::units::changes::{Changes, Why, WorthChange};
use crate::work::units::worth::Worth;

fn unit(status: UnitStatus) -> UnitRow {
    UnitRow {
        id: Id(3, 1),
        version: 4,
        created_at: Instant(0),
        updated_at: Instant(0),
        variant_id: Id(8, 1),
        product_id: Id(9, 1),
        serial_number: Some("A-1".to_owned()),
        imei1: None,
        imei2: None,
        status,
        condition: None,
        grade: None,
        legal_entity_id: Id(5, 1),
        warehouse_id: status.in_custody().then_some(Id(6, 1)),
        location_id: None,
        reservation_id: None,
        transfer_order_id: None,
        receipt_item_id: None,
        sale_allocation_id: None,
        sale_movement_id: None,
    }
}

#[test]
fn worth_follows_from_the_states() {
    script([]);
    use UnitStatus::{Available, Damaged, InTransit, Lost, Quarantined, Rma, Sold};
    let draws = |kind| WorthChange::Draws { kind };
    let opens = |kind| WorthChange::Opens { kind, worth: Worth::default() };
    let returned = (DocumentType::SupplierReturn, Id(4, 4));
    for (from, to, movement, document, value) in [
        (Available, Sold, MovementType::Sale, None, draws(CostKind::Sold)),
        (Available, Damaged, MovementType::Damage, None, draws(CostKind::Damaged)),
        (InTransit, Lost, MovementType::Loss, None, draws(CostKind::Lost)),
        (Damaged, Lost, MovementType::Loss, None, WorthChange::Same),
        (Available, Rma, MovementType::AdjustmentOut, Some(returned), draws(CostKind::Returned)),
        (Damaged, Rma, MovementType::AdjustmentOut, Some(returned), WorthChange::Same),
        (Lost, Available, MovementType::AdjustmentIn, None, opens(CostKind::AdjustedIn)),
        (Damaged, Available, MovementType::AdjustmentIn, None, opens(CostKind::AdjustedIn)),
        (Available, Quarantined, MovementType::Transfer, None, WorthChange::Same),
    ] {
        let mut why = Why::manual(movement, "Because", None);
        why.document = document;
        let before = unit(from);
        let after = if to.in_custody() { before.in_place(to, Id(6, 2), None) } else { before.without_place(to) };
        let mut changes = Changes::new(1);
        let id = changes.record_move(before, after, &why, Worth::default());
        let changed = &changes.all[0];
        assert_eq!(changed.value, value, "{from:?} to {to:?}");
        assert_eq!((changed.after.version, changed.entry.unit_version), (5, 5));
        let movement = changed.movement.as_ref().unwrap();
        assert_eq!((movement.id, changed.entry.movement_id), (id, Some(id)));
        assert_eq!((movement.from_status, movement.to_status), (Some(from), Some(to)));
        assert_eq!(movement.from_warehouse_id.is_some(), from.in_custody());
        assert_eq!(movement.to_warehouse_id.is_some(), to.in_custody());
    }
}

#[test]
fn holds_write_no_movement() {
    script([]);
    let before = unit(UnitStatus::Available);
    let after = UnitRow { status: UnitStatus::Reserved, reservation_id: Some(Id(2, 9)), ..before.clone() };
    let mut changes = Changes::new(1);
    changes.record_hold(before, after, Some("For a friend"));
    let held = &changes.all[0];
    assert_eq!((held.entry.event, held.entry.reservation_id), (UnitEvent::Reserved, Some(Id(2, 9))));
    assert!(held.movement.is_none() && held.value == WorthChange::Same);
}

#[test]
fn figures_of_states_cancel_out() {
    for status in [UnitStatus::Available, UnitStatus::Reserved, UnitStatus::Damaged, UnitStatus::Sold] {
        assert_eq!(Delta::of_unit(status).and(Delta::of_unit(status).negate()), Delta::default());
        assert_eq!(Delta::of_unit(status) == Delta::default(), !status.in_custody());
    }
    assert_eq!(Delta::of_unit(UnitStatus::Reserved).figures(), [1_000_000, 1_000_000, 0, 0, 0, 0, 0]);
}
