//! The operations of movements: how goods came, went and moved.

mod adjust;
mod list;
mod transfer;

use stoa_sdk::{Client, Operation, Page};

use crate::operations::movement::adjust::AdjustmentInput;
use crate::operations::movement::list::{ListApiMovements, ListMovements};
use crate::operations::movement::transfer::TransferInput;
use crate::records::movement::{ApiMovement, InventoryMovementReceipt, MOVEMENT, Movement};
use crate::records::permission::{ADJUST, CLIENT_READ, CLIENT_WRITE, READ, TRANSFER};
use crate::records::stock::UPDATED;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/inventory/movements", "listMovements", list::list).summary("Movements")
        .description("`inventoryUnitId` requires `inventory.serials.read`; without it, statuses of units are null.")
        .needs(READ).query::<ListMovements>().answers::<Page<Movement>>()
        .and_client(Client::new(CLIENT_READ).description("")
            .query::<ListApiMovements>().answers::<Page<ApiMovement>>()),
    Operation::read("/inventory/movements/{id}", "getMovement", list::read).summary("A movement")
        .needs(READ).answers::<Movement>()
        .and_client(Client::new(CLIENT_READ).answers::<ApiMovement>()),
    Operation::create("/inventory/adjustments", "createAdjustment", adjust::create).summary("Adjust stock")
        .description("ADJUSTMENT_IN uses only `toWarehouseId`, all other types only `fromWarehouseId`. An increase needs an \
            active variant and product, and a `unitCost` if the legal entity keeps books. A decrease uses the cost of the \
            oldest layers and cannot touch reserved goods. `referenceId` is an id that you choose.")
        .needs(ADJUST).body::<AdjustmentInput>().answers::<InventoryMovementReceipt>().writes(MOVEMENT, UPDATED)
        .problems(&["INSUFFICIENT_STOCK", "REFERENCE_INVALID", "ILLEGAL_STATE", "VALUATION_COST_REQUIRED",
            "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_PERIOD_CLOSED", "ACCOUNTING_AMOUNT_PRECISION", "LIMIT_EXCEEDED"])
        .item_codes(&["ROLE_UNMAPPED", "AMOUNT_PRECISION", "BEFORE_BOOKS", "MONTH_CLOSED"])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::create("/inventory/transfers", "createTransfer", transfer::create).summary("Move stock to another warehouse")
        .description("Moves goods at once between warehouses of one legal entity. Use a transfer order for goods that travel. \
            `referenceId` is an id that you choose.")
        .needs(TRANSFER).body::<TransferInput>().answers::<InventoryMovementReceipt>().writes(MOVEMENT, UPDATED)
        .problems(&["INSUFFICIENT_STOCK", "REFERENCE_INVALID", "ILLEGAL_STATE", "CUSTODY_CONFLICT", "LIMIT_EXCEEDED"])
        .and_client(Client::new(CLIENT_WRITE)),
];
