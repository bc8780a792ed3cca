//! The operations of transfer orders: goods that travel between warehouses of an entity.

mod approve;
mod cancel;
mod draft;
mod input;
mod list;
mod receive;
mod redraft;
mod references;
mod ship;

use stoa_sdk::{Client, Operation, Page};
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::document::version::Transition;
use stoa_trade::points;

use crate::operations::transfer_order::input::{CancelTransferOrder, ReceiveTransferOrder, TransferOrderInput};
use crate::operations::transfer_order::list::ListTransferOrders;
use crate::records::permission::{CLIENT_READ, CLIENT_WRITE, READ, TRANSFER};
use crate::records::stock::UPDATED;
use crate::records::transfer_order::{ORDER, TransferOrder, TransferOrderHeader, TransferOrderReceipt};

/// Error codes of holding the goods, and so of sending them.
#[rustfmt::skip]
const LEAVING: &[&str] = &["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "REFERENCE_INVALID", "UNIT_COUNT_MISMATCH",
    "UNIT_UNAVAILABLE", "INSUFFICIENT_STOCK", "LIMIT_EXCEEDED"];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/inventory/transfer-orders", "listTransferOrders", list::list).summary("Transfer orders")
        .needs(READ).query::<ListTransferOrders>().answers::<Page<TransferOrderHeader>>()
        .and_client(Client::new(CLIENT_READ)),
    Operation::create("/inventory/transfer-orders", "createTransferOrder", draft::create).summary("Draft a transfer order")
        .description("A draft reserves nothing. Source and destination belong to one legal entity; goods travel through a \
            warehouse of type IN_TRANSIT.")
        .needs(TRANSFER).body::<TransferOrderInput>().grows_with("/items").answers::<TransferOrderReceipt>().writes(ORDER, &[])
        .problems(&["DUPLICATE", "ILLEGAL_STATE", "REFERENCE_INVALID", "CUSTODY_CONFLICT", "UNIT_COUNT_MISMATCH",
            "LIMIT_EXCEEDED"])
        .item_codes(&["OTHER_VARIANT", "NOT_IN_TRANSIT", "OTHER_ENTITY"]).reaches(&[points::NUMBERING.0])
        .and_client(Client::new(CLIENT_WRITE)
            .description("API clients cannot choose units: a user does.")),
    Operation::read("/inventory/transfer-orders/{id}", "getTransferOrder", list::read).summary("A transfer order")
        .description("Members `units` of the lines are present only for callers with `inventory.serials.read`.")
        .needs(READ).answers::<TransferOrder>().discloses_identifiers().cache_control("no-store")
        .and_client(Client::new(CLIENT_READ).description("")),
    Operation::replace("/inventory/transfer-orders/{id}", "replaceTransferOrder", draft::replace)
        .summary("Replace a draft of a transfer order")
        .description("Full replacement. Number and source must be the current ones.")
        .needs(TRANSFER).body::<FullReplacement<TransferOrderInput>>().grows_with("/items")
        .answers::<TransferOrderReceipt>().writes(ORDER, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "CUSTODY_CONFLICT",
            "UNIT_COUNT_MISMATCH", "LIMIT_EXCEEDED"])
        .item_codes(&["OTHER_VARIANT", "NOT_IN_TRANSIT", "OTHER_ENTITY"])
        .and_client(Client::new(CLIENT_WRITE)
            .description("Units that a user chose for a variant that remains on the document are kept, up to the new quantity.")),
    Operation::transition("/inventory/transfer-orders/{id}/approve", "approveTransferOrder", approve::approve)
        .summary("Approve a transfer order")
        .description("Reserves all lines at the source. A serialized line needs as many units as its quantity.")
        .needs(TRANSFER).body::<Transition>().answers::<TransferOrderReceipt>()
        .writes(ORDER, UPDATED).without_if_match().problems(LEAVING)
        .item_codes(&["NONE", "SEVERAL"])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::transition("/inventory/transfer-orders/{id}/ship", "shipTransferOrder", ship::ship)
        .summary("Ship a transfer order")
        .description("Always ships the whole order. A draft is approved first, in the same transaction.")
        .needs(TRANSFER).body::<Transition>().answers::<TransferOrderReceipt>()
        .writes(ORDER, UPDATED).without_if_match().problems(LEAVING)
        .item_codes(&["NONE", "SEVERAL"])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::transition("/inventory/transfer-orders/{id}/receive", "receiveTransferOrder", receive::receive)
        .summary("Receive goods of a transfer order")
        .description("Each quantity and each unit ends once: received, lost or returned to the source. On a serialized line \
            you may omit the units if one of the three quantities is the whole outstanding quantity.")
        .needs(TRANSFER).body::<ReceiveTransferOrder>().grows_with("/items").answers::<TransferOrderReceipt>()
        .writes(ORDER, UPDATED).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "REFERENCE_INVALID", "UNIT_COUNT_MISMATCH", "LIMIT_EXCEEDED", "ARCHIVED",
            "UNIT_UNAVAILABLE", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_AMOUNT_PRECISION"])
        .item_codes(&["OTHER_ORDER", "OTHER_WAREHOUSE", "NOT_OUTSTANDING", "ROLE_UNMAPPED", "AMOUNT_PRECISION"])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::transition("/inventory/transfer-orders/{id}/cancel", "cancelTransferOrder", cancel::cancel)
        .summary("Cancel a transfer order")
        .description("Cancels a draft; an approved order, whose reservations are released; or an order in transit without any \
            receipt, whose goods return to the source.")
        .needs(TRANSFER).body::<CancelTransferOrder>().answers::<TransferOrderReceipt>()
        .writes(ORDER, UPDATED).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "UNIT_UNAVAILABLE", "LIMIT_EXCEEDED"])
        .and_client(Client::new(CLIENT_WRITE)),
];
