//! The operations of movements: how goods came, went and moved.

mod adjust;
mod input;
mod list;
mod transfer;

use stoa_sdk::{Client, Operation, Page};

use crate::operations::movement::adjust::{AdjustmentBatch, AdjustmentReceipts};
use crate::operations::movement::input::AdjustmentInput;
use crate::operations::movement::list::{ListApiMovements, ListMovements};
use crate::operations::movement::transfer::TransferInput;
use crate::records::movement::{ApiMovement, InventoryMovementReceipt, MOVEMENT, Movement};
use crate::records::permission::{ADJUST, CLIENT_READ, CLIENT_WRITE, READ, TRANSFER};
use crate::records::stock::UPDATED;

const ADJUST_PROBLEMS: &[&str] = &[
    "INSUFFICIENT_STOCK",
    "REFERENCE_INVALID",
    "ILLEGAL_STATE",
    "VALUATION_COST_REQUIRED",
    "ACCOUNTING_SETUP_REQUIRED",
    "ACCOUNTING_PERIOD_CLOSED",
    "ACCOUNTING_AMOUNT_PRECISION",
    "LIMIT_EXCEEDED",
];

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
            oldest layers and cannot touch reserved goods. `referenceId` is an id that you choose. `counterAccountId` needs \
            books: state an equity account for opening stock.")
        .needs(ADJUST).body::<AdjustmentInput>().answers::<InventoryMovementReceipt>().writes(MOVEMENT, UPDATED)
        .problems(ADJUST_PROBLEMS)
        .item_codes(&["ROLE_UNMAPPED", "AMOUNT_PRECISION", "BEFORE_BOOKS", "MONTH_CLOSED", "BOOKS_NOT_KEPT", "ACCOUNT_UNUSABLE"])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::create("/inventory/adjustments/batch", "createAdjustments", adjust::create_all)
        .summary("Adjust stock up to 500 times")
        .description("All or nothing, in order, with the rules of a single adjustment; an error lists every adjustment that \
            breaks a rule. All warehouses belong to one legal entity, and the books have one entry for all adjustments with the \
            first `reason`. A variant either comes into a warehouse or leaves it. Decreases use the cost of goods that were \
            there before the request.")
        .needs(ADJUST).body::<AdjustmentBatch>().grows_with("/adjustments").answers::<AdjustmentReceipts>()
        .writes(MOVEMENT, UPDATED).problems(ADJUST_PROBLEMS)
        .item_codes(&["ROLE_UNMAPPED", "AMOUNT_PRECISION", "BEFORE_BOOKS", "MONTH_CLOSED", "BOOKS_NOT_KEPT", "ACCOUNT_UNUSABLE",
            "OTHER_ENTITY"])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::create("/inventory/transfers", "createTransfer", transfer::create).summary("Move stock to another warehouse")
        .description("Moves goods at once between warehouses of one legal entity. Use a transfer order for goods that travel. \
            `referenceId` is an id that you choose.")
        .needs(TRANSFER).body::<TransferInput>().answers::<InventoryMovementReceipt>().writes(MOVEMENT, UPDATED)
        .problems(&["INSUFFICIENT_STOCK", "REFERENCE_INVALID", "ILLEGAL_STATE", "CUSTODY_CONFLICT", "LIMIT_EXCEEDED"])
        .and_client(Client::new(CLIENT_WRITE)),
];
