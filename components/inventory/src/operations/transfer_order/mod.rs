//! The operations of transfer orders: goods that travel between warehouses of an entity.

mod approve;
mod cancel;
mod draft;
mod input;
mod list;
mod receive;
mod references;
mod ship;

use stoa_sdk::{Operation, Page};

use crate::operations::transfer_order::input::{
    CancelTransferOrder, ReceiveTransferOrder, TransferOrderInput, TransferOrderUpdate, Transition,
};
use crate::operations::transfer_order::list::ListTransferOrders;
use crate::records::caller::{CLIENT_READ, CLIENT_WRITE, READ, TRANSFER};
use crate::records::stock::UPDATED;
use crate::records::transfer_order::{ORDER, TransferOrder, TransferOrderHeader, TransferOrderReceipt};

const ORDERS_AT: &str = "/tenants/{tenantId}/inventory/transfer-orders";
const ORDER_AT: &str = "/tenants/{tenantId}/inventory/transfer-orders/{id}";
const CLIENT_ORDERS_AT: &str = "/api-client/inventory/transfer-orders";
const CLIENT_ORDER_AT: &str = "/api-client/inventory/transfer-orders/{id}";

const DRAFT: &[&str] =
    &["DUPLICATE", "ILLEGAL_STATE", "REFERENCE_INVALID", "CUSTODY_CONFLICT", "UNIT_COUNT_MISMATCH", "LIMIT_EXCEEDED"];

const REDRAFT: &[&str] = &[
    "VERSION_CONFLICT",
    "ILLEGAL_STATE",
    "IMMUTABLE_FIELD",
    "REFERENCE_INVALID",
    "CUSTODY_CONFLICT",
    "UNIT_COUNT_MISMATCH",
    "LIMIT_EXCEEDED",
];

const APPROVE: &[&str] = &[
    "VERSION_CONFLICT",
    "ILLEGAL_STATE",
    "ARCHIVED",
    "REFERENCE_INVALID",
    "UNIT_COUNT_MISMATCH",
    "UNIT_UNAVAILABLE",
    "INSUFFICIENT_STOCK",
    "LIMIT_EXCEEDED",
];

const RECEIVE: &[&str] = &[
    "VERSION_CONFLICT",
    "ILLEGAL_STATE",
    "REFERENCE_INVALID",
    "UNIT_COUNT_MISMATCH",
    "LIMIT_EXCEEDED",
    "ARCHIVED",
    "UNIT_UNAVAILABLE",
    "ACCOUNTING_SETUP_REQUIRED",
    "ACCOUNTING_AMOUNT_PRECISION",
];

const CANCEL: &[&str] = &["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "UNIT_UNAVAILABLE", "LIMIT_EXCEEDED"];

const OF_DRAFTS: &str = "A draft holds nothing. Both ends are of one legal entity; goods travel through a warehouse of type \
    IN_TRANSIT.";

const OF_APPROVAL: &str = "Holds all lines at the source. A serialized line needs as many units as its quantity.";
const OF_SHIPPING: &str = "Always the whole order; a draft is approved first, in the same transaction.";

const OF_RECEIPTS: &str = "Each quantity and each unit ends once: received, lost or returned to the source. Units of a serialized \
    line need not be named where one of the three takes all that is outstanding.";

const OF_CANCELS: &str = "A draft, an approved order, whose goods are let go, or one in transit of which nothing is settled, \
    whose goods go back to the source.";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(ORDERS_AT, "listTransferOrders", list::list).summary("Transfer orders")
        .needs(READ).query::<ListTransferOrders>().answers::<Page<TransferOrderHeader>>(),
    Operation::create(ORDERS_AT, "createTransferOrder", draft::create).summary("Draft a transfer order")
        .description(OF_DRAFTS).needs(TRANSFER).body::<TransferOrderInput>().answers::<TransferOrderReceipt>()
        .writes(ORDER, &[]).problems(DRAFT),
    Operation::read(ORDER_AT, "getTransferOrder", list::read).summary("A transfer order")
        .description("`units` of its lines only to readers of serial numbers.")
        .needs(READ).answers::<TransferOrder>().discloses_identifiers().cache_control("no-store"),
    Operation::replace(ORDER_AT, "replaceTransferOrder", draft::replace).summary("Replace a draft")
        .description("Full replacement; number and source must be the stored ones.")
        .needs(TRANSFER).body::<TransferOrderUpdate>().answers::<TransferOrderReceipt>()
        .writes(ORDER, &[]).without_if_match().problems(REDRAFT),
    Operation::transition("/tenants/{tenantId}/inventory/transfer-orders/{id}/approve", "approveTransferOrder",
        approve::approve).summary("Approve a transfer order").description(OF_APPROVAL)
        .needs(TRANSFER).body::<Transition>().answers::<TransferOrderReceipt>()
        .writes(ORDER, UPDATED).without_if_match().problems(APPROVE),
    Operation::transition("/tenants/{tenantId}/inventory/transfer-orders/{id}/ship", "shipTransferOrder", ship::ship)
        .summary("Ship a transfer order").description(OF_SHIPPING)
        .needs(TRANSFER).body::<Transition>().answers::<TransferOrderReceipt>()
        .writes(ORDER, UPDATED).without_if_match().problems(APPROVE),
    Operation::transition("/tenants/{tenantId}/inventory/transfer-orders/{id}/receive", "receiveTransferOrder",
        receive::receive).summary("Receive goods of a transfer order").description(OF_RECEIPTS)
        .needs(TRANSFER).body::<ReceiveTransferOrder>().answers::<TransferOrderReceipt>()
        .writes(ORDER, UPDATED).without_if_match().problems(RECEIVE),
    Operation::transition("/tenants/{tenantId}/inventory/transfer-orders/{id}/cancel", "cancelTransferOrder", cancel::cancel)
        .summary("Cancel a transfer order").description(OF_CANCELS)
        .needs(TRANSFER).body::<CancelTransferOrder>().answers::<TransferOrderReceipt>()
        .writes(ORDER, UPDATED).without_if_match().problems(CANCEL),

    Operation::read(CLIENT_ORDERS_AT, "apiListTransferOrders", list::list_as_client).summary("Transfer orders")
        .machine(CLIENT_READ).query::<ListTransferOrders>().answers::<Page<TransferOrderHeader>>(),
    Operation::create(CLIENT_ORDERS_AT, "apiCreateTransferOrder", draft::create_as_client).summary("Draft a transfer order")
        .description("API clients name no units: a person chooses them.")
        .machine(CLIENT_WRITE).body::<TransferOrderInput>().answers::<TransferOrderReceipt>()
        .writes(ORDER, &[]).problems(DRAFT),
    Operation::read(CLIENT_ORDER_AT, "apiGetTransferOrder", list::read_as_client).summary("A transfer order")
        .machine(CLIENT_READ).answers::<TransferOrder>().cache_control("no-store"),
    Operation::replace(CLIENT_ORDER_AT, "apiReplaceTransferOrder", draft::replace_as_client).summary("Replace a draft")
        .description("Units that people chose for a variant that stays are kept, as far as they fit.")
        .machine(CLIENT_WRITE).body::<TransferOrderUpdate>().answers::<TransferOrderReceipt>()
        .writes(ORDER, &[]).without_if_match().problems(REDRAFT),
    Operation::transition("/api-client/inventory/transfer-orders/{id}/approve", "apiApproveTransferOrder", approve::approve)
        .summary("Approve a transfer order").description(OF_APPROVAL)
        .machine(CLIENT_WRITE).body::<Transition>().answers::<TransferOrderReceipt>()
        .writes(ORDER, UPDATED).without_if_match().problems(APPROVE),
    Operation::transition("/api-client/inventory/transfer-orders/{id}/ship", "apiShipTransferOrder", ship::ship)
        .summary("Ship a transfer order").description(OF_SHIPPING)
        .machine(CLIENT_WRITE).body::<Transition>().answers::<TransferOrderReceipt>()
        .writes(ORDER, UPDATED).without_if_match().problems(APPROVE),
    Operation::transition("/api-client/inventory/transfer-orders/{id}/receive", "apiReceiveTransferOrder",
        receive::receive_as_client).summary("Receive goods of a transfer order").description(OF_RECEIPTS)
        .machine(CLIENT_WRITE).body::<ReceiveTransferOrder>().answers::<TransferOrderReceipt>()
        .writes(ORDER, UPDATED).without_if_match().problems(RECEIVE),
    Operation::transition("/api-client/inventory/transfer-orders/{id}/cancel", "apiCancelTransferOrder", cancel::cancel)
        .summary("Cancel a transfer order").description(OF_CANCELS)
        .machine(CLIENT_WRITE).body::<CancelTransferOrder>().answers::<TransferOrderReceipt>()
        .writes(ORDER, UPDATED).without_if_match().problems(CANCEL),
];
