//! The operations of serial units.

mod admit;
mod list;
mod move_unit;
mod readmit;
mod regrade;
mod reserve;
mod stated_place;

use stoa_sdk::{Operation, Page};

use crate::operations::unit::admit::AdmitUnits;
use crate::operations::unit::list::{ListUnits, PageOf};
use crate::operations::unit::move_unit::UnitMovementInput;
use crate::operations::unit::readmit::ReadmitUnit;
use crate::operations::unit::regrade::RegradeUnit;
use crate::operations::unit::reserve::ReserveUnit;
use crate::records::movement::Movement;
use crate::records::permission::{ADJUST, READ_UNITS};
use crate::records::reservation::InventoryUnitReservationReceipt;
use crate::records::stock::UPDATED;
use crate::records::unit::{AdmittedUnits, InventoryUnit, InventoryUnitEntry, InventoryUnitReceipt, UNIT};

const UNITS_AT: &str = "/inventory/units";
const UNIT_AT: &str = "/inventory/units/{id}";
const MOVEMENTS_AT: &str = "/inventory/units/{id}/movements";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(UNITS_AT, "listUnits", list::list).summary("Serial units")
        .needs(READ_UNITS).query::<ListUnits>().answers::<Page<InventoryUnit>>()
        .discloses_identifiers().cache_control("no-store"),
    Operation::create(UNITS_AT, "admitUnits", admit::admit).summary("Admit units without a supplier")
        .description("Opening stock and found goods, by the rules of a receipt: all or nothing, new identities only. A serial \
            number and an IMEI belong to one unit of the company for ever, whatever becomes of it; makers' serial numbers can \
            collide, and `ACME:00003` tells them apart.")
        .needs(ADJUST).body::<AdmitUnits>().grows_with("/units").answers::<AdmittedUnits>().writes(UNIT, UPDATED)
        .problems(&["DUPLICATE", "ILLEGAL_STATE", "REFERENCE_INVALID", "UNIT_CONDITION_REQUIRED", "UNIT_CONDITION_MISMATCH",
            "VALUATION_COST_REQUIRED", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_AMOUNT_PRECISION", "LIMIT_EXCEEDED"])
        .cache_control("no-store"),
    Operation::read(UNIT_AT, "getUnit", list::read).summary("A serial unit")
        .needs(READ_UNITS).answers::<InventoryUnit>().discloses_identifiers().cache_control("no-store"),
    Operation::read(MOVEMENTS_AT, "listUnitMovements", list::movements).summary("Physical movements of a unit")
        .needs(READ_UNITS).query::<PageOf>().answers::<Page<Movement>>().cache_control("no-store"),
    Operation::read("/inventory/units/{id}/history", "listUnitHistory", list::history)
        .summary("Versions of a unit").description("One entry for each version from 1 on, without a gap.")
        .needs(READ_UNITS).query::<PageOf>().answers::<Page<InventoryUnitEntry>>().cache_control("no-store"),
    Operation::create(MOVEMENTS_AT, "moveUnit", move_unit::move_unit).summary("Move a unit")
        .description("TRANSFER needs inventory.transfer, everything else inventory.adjust. TRANSFER stays in the legal entity; \
            what the unit becomes follows from the type of the warehouse, but damage stays. DAMAGE and LOSS write its value \
            off. ADJUSTMENT_IN brings a LOST unit back.")
        .needs_any(&["inventory.transfer", "inventory.adjust"]).body::<UnitMovementInput>().answers::<InventoryUnitReceipt>()
        .writes(UNIT, UPDATED)
        .problems(&["PERMISSION_DENIED", "VERSION_CONFLICT", "UNIT_UNAVAILABLE", "CUSTODY_CONFLICT", "REFERENCE_INVALID",
            "VALUATION_COST_REQUIRED", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_AMOUNT_PRECISION", "LIMIT_EXCEEDED"])
        .cache_control("no-store"),
    Operation::create("/inventory/units/{id}/reservations", "reserveUnit", reserve::reserve)
        .summary("Hold a unit").description("Until it is released; a unit held by hand is never sold.")
        .needs(ADJUST).body::<ReserveUnit>().answers::<InventoryUnitReservationReceipt>()
        .writes("INVENTORY_RESERVATION", UPDATED)
        .problems(&["VERSION_CONFLICT", "UNIT_UNAVAILABLE", "CUSTODY_CONFLICT", "ARCHIVED", "LIMIT_EXCEEDED"])
        .cache_control("no-store"),
    Operation::transition("/inventory/units/{id}/regrade", "regradeUnit", regrade::regrade)
        .summary("State condition and grade anew")
        .description("Both are replaced. Status, place and identity stay; the variant's condition, where it states one, binds.")
        .needs(ADJUST).body::<RegradeUnit>().answers::<InventoryUnitReceipt>().writes(UNIT, UPDATED).without_if_match()
        .problems(&["VERSION_CONFLICT", "UNIT_UNAVAILABLE", "UNIT_CONDITION_REQUIRED", "UNIT_CONDITION_MISMATCH",
            "LIMIT_EXCEEDED"])
        .cache_control("no-store"),
    Operation::create("/inventory/units/{id}/readmissions", "readmitUnit", readmit::readmit)
        .summary("Readmit a known unit")
        .description("DAMAGED: repaired, where it stands. SOLD: bought back, into any active warehouse, whose legal entity \
            becomes the unit's; another serialized variant of its product may be named, because what was used is no longer \
            new. RMA: back from the supplier, same legal entity.")
        .needs(ADJUST).body::<ReadmitUnit>().answers::<InventoryUnitReceipt>().writes(UNIT, UPDATED)
        .problems(&["VERSION_CONFLICT", "UNIT_UNAVAILABLE", "CUSTODY_CONFLICT", "REFERENCE_INVALID", "VALUATION_COST_REQUIRED",
            "UNIT_CONDITION_REQUIRED", "UNIT_CONDITION_MISMATCH", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_AMOUNT_PRECISION",
            "LIMIT_EXCEEDED"])
        .cache_control("no-store"),
];
