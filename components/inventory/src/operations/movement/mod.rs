//! The operations of movements: how goods came, went and moved.

mod adjust;
mod list;
mod transfer;

use stoa_sdk::{Operation, Page};

use crate::operations::movement::adjust::AdjustmentInput;
use crate::operations::movement::list::{ListMovements, ListPublicMovements};
use crate::operations::movement::transfer::TransferInput;
use crate::records::caller::{ADJUST, CLIENT_READ, CLIENT_WRITE, READ, TRANSFER};
use crate::records::movement::{InventoryMovementReceipt, MOVEMENT, Movement, PublicMovement};
use crate::records::stock::UPDATED;

const ADJUSTMENT_PROBLEMS: &[&str] = &[
    "INSUFFICIENT_STOCK",
    "REFERENCE_INVALID",
    "ILLEGAL_STATE",
    "VALUATION_COST_REQUIRED",
    "ACCOUNTING_SETUP_REQUIRED",
    "ACCOUNTING_PERIOD_CLOSED",
    "ACCOUNTING_AMOUNT_PRECISION",
    "LIMIT_EXCEEDED",
];

const TRANSFER_PROBLEMS: &[&str] =
    &["INSUFFICIENT_STOCK", "REFERENCE_INVALID", "ILLEGAL_STATE", "CUSTODY_CONFLICT", "LIMIT_EXCEEDED"];

const ABOUT_ADJUSTMENTS: &str = "ADJUSTMENT_IN uses only `toWarehouseId`, the other types only `fromWarehouseId`. Goods come in \
    only of an active variant and product, at `unitCost`, which is required where the legal entity keeps books; goods that go \
    out are drawn at the cost of the oldest. Nothing goes out that is reserved. `referenceId` is the caller's own.";

const ABOUT_TRANSFERS: &str = "At once, between warehouses of one legal entity; goods that travel use a transfer order. \
    `referenceId` is the caller's own.";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/tenants/{tenantId}/inventory/movements", "listMovements", list::list).summary("Movements")
        .description("`inventoryUnitId` needs inventory.serials.read; without it statuses of units are null.")
        .needs(READ).query::<ListMovements>().answers::<Page<Movement>>(),
    Operation::read("/tenants/{tenantId}/inventory/movements/{id}", "getMovement", list::read).summary("A movement")
        .needs(READ).answers::<Movement>(),
    Operation::create("/tenants/{tenantId}/inventory/adjustments", "createAdjustment", adjust::create)
        .summary("Adjust stock").description(ABOUT_ADJUSTMENTS)
        .needs(ADJUST).body::<AdjustmentInput>().answers::<InventoryMovementReceipt>()
        .writes(MOVEMENT, UPDATED).problems(ADJUSTMENT_PROBLEMS),
    Operation::create("/tenants/{tenantId}/inventory/transfers", "createTransfer", transfer::create)
        .summary("Move stock to another warehouse").description(ABOUT_TRANSFERS)
        .needs(TRANSFER).body::<TransferInput>().answers::<InventoryMovementReceipt>()
        .writes(MOVEMENT, UPDATED).problems(TRANSFER_PROBLEMS),

    Operation::read("/api-client/inventory/movements", "apiListMovements", list::list_public).summary("Movements")
        .machine(CLIENT_READ).query::<ListPublicMovements>().answers::<Page<PublicMovement>>(),
    Operation::read("/api-client/inventory/movements/{id}", "apiGetMovement", list::read_public).summary("A movement")
        .machine(CLIENT_READ).answers::<PublicMovement>(),
    Operation::create("/api-client/inventory/adjustments", "apiCreateAdjustment", adjust::create)
        .summary("Adjust stock").description(ABOUT_ADJUSTMENTS)
        .machine(CLIENT_WRITE).body::<AdjustmentInput>().answers::<InventoryMovementReceipt>()
        .writes(MOVEMENT, UPDATED).problems(ADJUSTMENT_PROBLEMS),
    Operation::create("/api-client/inventory/transfers", "apiCreateTransfer", transfer::create)
        .summary("Move stock to another warehouse").description(ABOUT_TRANSFERS)
        .machine(CLIENT_WRITE).body::<TransferInput>().answers::<InventoryMovementReceipt>()
        .writes(MOVEMENT, UPDATED).problems(TRANSFER_PROBLEMS),
];
