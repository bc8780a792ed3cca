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
use crate::records::permission::{ADJUST, ADJUST_OR_TRANSFER, READ_UNITS};
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
        .description("For opening stock and found goods. The rules of a receipt apply: all or nothing, new identities only. A \
            serial number or IMEI belongs to one unit of the company for ever. If two manufacturers use the same serial \
            number, add a prefix: `ACME:00003`.")
        .needs(ADJUST).body::<AdmitUnits>().grows_with("/units").answers::<AdmittedUnits>().writes(UNIT, UPDATED)
        .problems(&["DUPLICATE", "ILLEGAL_STATE", "REFERENCE_INVALID", "UNIT_CONDITION_REQUIRED", "UNIT_CONDITION_MISMATCH",
            "VALUATION_COST_REQUIRED", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_AMOUNT_PRECISION", "LIMIT_EXCEEDED"])
        .item_codes(&["OTHER_WAREHOUSE", "ROLE_UNMAPPED", "AMOUNT_PRECISION"])
        .cache_control("no-store"),
    Operation::read(UNIT_AT, "getUnit", list::read).summary("A serial unit")
        .needs(READ_UNITS).answers::<InventoryUnit>().discloses_identifiers().cache_control("no-store"),
    Operation::read(MOVEMENTS_AT, "listUnitMovements", list::movements).summary("Physical movements of a unit")
        .needs(READ_UNITS).query::<PageOf>().answers::<Page<Movement>>().cache_control("no-store"),
    Operation::read("/inventory/units/{id}/history", "listUnitHistory", list::history)
        .summary("Versions of a unit").description("One entry for each version from 1 on, without gaps.")
        .needs(READ_UNITS).query::<PageOf>().answers::<Page<InventoryUnitEntry>>().cache_control("no-store"),
    Operation::create(MOVEMENTS_AT, "moveUnit", move_unit::move_unit).summary("Move a unit")
        .description("TRANSFER needs `inventory.transfer`, all other types need `inventory.adjust`. TRANSFER stays in the \
            legal entity; the type of the warehouse decides the new status, and a DAMAGED unit stays DAMAGED. DAMAGE and LOSS \
            write the value off. ADJUSTMENT_IN returns a LOST unit to stock.")
        .needs_any(ADJUST_OR_TRANSFER).body::<UnitMovementInput>().answers::<InventoryUnitReceipt>()
        .writes(UNIT, UPDATED)
        .problems(&["PERMISSION_DENIED", "VERSION_CONFLICT", "UNIT_UNAVAILABLE", "CUSTODY_CONFLICT", "REFERENCE_INVALID",
            "VALUATION_COST_REQUIRED", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_AMOUNT_PRECISION", "LIMIT_EXCEEDED"])
        .item_codes(&["OTHER_WAREHOUSE", "ROLE_UNMAPPED", "AMOUNT_PRECISION"])
        .cache_control("no-store"),
    Operation::create("/inventory/units/{id}/reservations", "reserveUnit", reserve::reserve)
        .summary("Hold a unit").description("Holds the unit until it is released. A unit held by hand is never sold.")
        .needs(ADJUST).body::<ReserveUnit>().answers::<InventoryUnitReservationReceipt>()
        .writes("INVENTORY_RESERVATION", UPDATED)
        .problems(&["VERSION_CONFLICT", "UNIT_UNAVAILABLE", "CUSTODY_CONFLICT", "ARCHIVED", "LIMIT_EXCEEDED"])
        .cache_control("no-store"),
    Operation::transition("/inventory/units/{id}/regrade", "regradeUnit", regrade::regrade)
        .summary("Replace condition and grade")
        .description("Replaces both. Status, warehouse and identity remain. If the variant has a condition, the unit must have \
            the same.")
        .needs(ADJUST).body::<RegradeUnit>().answers::<InventoryUnitReceipt>().writes(UNIT, UPDATED).without_if_match()
        .problems(&["VERSION_CONFLICT", "UNIT_UNAVAILABLE", "UNIT_CONDITION_REQUIRED", "UNIT_CONDITION_MISMATCH",
            "LIMIT_EXCEEDED"])
        .cache_control("no-store"),
    Operation::create("/inventory/units/{id}/readmissions", "readmitUnit", readmit::readmit)
        .summary("Readmit a known unit")
        .description("A DAMAGED unit was repaired and stays in its warehouse. A SOLD unit was bought back: it enters any \
            active warehouse and belongs to that warehouse's legal entity; you may assign another serialized variant of its \
            product, such as the used one. An RMA unit came back from the supplier to the same legal entity.")
        .needs(ADJUST).body::<ReadmitUnit>().answers::<InventoryUnitReceipt>().writes(UNIT, UPDATED)
        .problems(&["VERSION_CONFLICT", "UNIT_UNAVAILABLE", "CUSTODY_CONFLICT", "REFERENCE_INVALID", "VALUATION_COST_REQUIRED",
            "UNIT_CONDITION_REQUIRED", "UNIT_CONDITION_MISMATCH", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_AMOUNT_PRECISION",
            "LIMIT_EXCEEDED"])
        .item_codes(&["OTHER_WAREHOUSE", "NOT_SOLD", "OTHER_PRODUCT", "NOT_SERIALIZED", "ROLE_UNMAPPED", "AMOUNT_PRECISION"])
        .cache_control("no-store"),
];
