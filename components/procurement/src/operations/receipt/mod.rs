//! The operations of goods receipts. A receipt is never changed: supplier returns, moves of units and adjustments correct it.

mod create;
mod list;

use stoa_sdk::{Client, Operation, Page};

use crate::operations::receipt::list::{ListGoodsReceipts, ListOrderReceipts};
use crate::records::permission::{CLIENT_READ, CLIENT_RECEIVE, READ, RECEIVE};
use crate::records::receipt::{
    ApiGoodsReceipt, ApiGoodsReceiptHeader, GoodsReceipt, GoodsReceiptHeader, GoodsReceiptWrite, RECEIPT,
    RECEIPT_CREATED,
};
use crate::rules::arrival::GoodsReceiptInput;

const OF_ORDER: &str = "/purchases/orders/{id}/receipts";

/// Item codes of a receipt, those of stock and of the books with them.
const RECEIVING: &[&str] = &[
    "OTHER_ORDER",
    "OTHER_SHIPMENT",
    "OTHER_WAREHOUSE",
    "NOT_RECEIVED",
    "NOT_TRACKED",
    "UNITS_DIFFER_FROM_QUANTITY",
    "ROLE_UNMAPPED",
    "AMOUNT_PRECISION",
    "BEFORE_BOOKS",
    "MONTH_CLOSED",
];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create(OF_ORDER, "createGoodsReceipt", create::create).summary("Receive goods of a purchase order")
        .description("All or nothing. A serialized line needs as many new units as its quantity, at most 100 in one receipt; \
            state the condition of a unit if its variant has none. Services and untracked goods do not change stock. Goods of \
            an import order need a cleared shipment; its charges may be allocated to them.")
        .needs(RECEIVE).body::<GoodsReceiptInput>().grows_with("/items").answers::<GoodsReceiptWrite>()
        .writes(RECEIPT, &[RECEIPT_CREATED.code]).cache_control("no-store")
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "REFERENCE_INVALID", "LIMIT_EXCEEDED", "DUPLICATE",
            "UNIT_COUNT_MISMATCH", "UNIT_CONDITION_REQUIRED", "UNIT_CONDITION_MISMATCH", "ACCOUNTING_CURRENCY_UNSUPPORTED",
            "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_PERIOD_CLOSED", "ACCOUNTING_AMOUNT_PRECISION"])
        .item_codes(RECEIVING).reaches(&["inventory.updated"])
        .and_client(Client::new(CLIENT_RECEIVE)),
    Operation::read(OF_ORDER, "listOrderReceipts", list::list_of_order).summary("Receipts of a purchase order")
        .needs(READ).query::<ListOrderReceipts>().answers::<Page<GoodsReceiptHeader>>()
        .and_client(Client::new(CLIENT_READ).answers::<Page<ApiGoodsReceiptHeader>>()),
    Operation::read("/purchases/receipts", "listGoodsReceipts", list::list).summary("Goods receipts")
        .needs(READ).query::<ListGoodsReceipts>().answers::<Page<GoodsReceiptHeader>>()
        .and_client(Client::new(CLIENT_READ).answers::<Page<ApiGoodsReceiptHeader>>()),
    Operation::read("/purchases/receipts/{id}", "getGoodsReceipt", list::read).summary("A goods receipt")
        .description("Members `units` of the lines are present only for callers with `inventory.serials.read`, `chargeAmount` \
            only for callers who may read costs.")
        .needs(READ).answers::<GoodsReceipt>().discloses_identifiers().cache_control("no-store")
        .and_client(Client::new(CLIENT_READ).answers::<ApiGoodsReceipt>()
            .description("The response contains the number of units, not their serial numbers.")),
];
