//! The operations of stock counts: what people find, against what the system holds.

mod input;
mod list;
mod lock;
mod open;
mod post;
mod record;

use stoa_sdk::{Operation, Page};

use crate::operations::stock_count::input::{CancelStockCount, PostStockCount, RecordStockCount, StockCountInput};
use crate::operations::stock_count::list::ListStockCounts;
use crate::records::permission::{ADJUST, READ};
use crate::records::stock::UPDATED;
use crate::records::stock_count::{COUNT, StockCount, StockCountHeader, StockCountReceipt};

const COUNTS_AT: &str = "/inventory/counts";
const COUNT_AT: &str = "/inventory/counts/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(COUNTS_AT, "listStockCounts", list::list).summary("Stock counts")
        .needs(READ).query::<ListStockCounts>().answers::<Page<StockCountHeader>>(),
    Operation::create(COUNTS_AT, "createStockCount", open::create).summary("Open a stock count")
        .needs(ADJUST).body::<StockCountInput>().answers::<StockCountReceipt>().writes(COUNT, &[])
        .problems(&["DUPLICATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    Operation::read(COUNT_AT, "getStockCount", list::read).summary("A stock count")
        .description("`unitIds` of its lines only to readers of serial numbers.")
        .needs(READ).answers::<StockCount>().cache_control("no-store"),
    Operation::transition("/inventory/counts/{id}/lines", "recordStockCount", record::record)
        .summary("Record counted lines")
        .description("With each line the system keeps what it holds of the variant at this instant. A variant's line takes the \
            place of its earlier one. Of a serialized variant every unit that is there is named, also one that was LOST. At \
            most 500 lines and 500 units in a count.")
        .needs(ADJUST).body::<RecordStockCount>().grows_with("/lines/*/unitIds").answers::<StockCountReceipt>().writes(COUNT, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "UNIT_COUNT_MISMATCH", "REFERENCE_INVALID", "CUSTODY_CONFLICT",
            "LIMIT_EXCEEDED"]),
    Operation::transition("/inventory/counts/{id}/post", "postStockCount", post::post)
        .summary("Post a stock count")
        .description("The differences are applied to what is there now, so that sales during the count stay sold. A unit that \
            changed since its line was recorded is left alone.")
        .needs(ADJUST).body::<PostStockCount>().answers::<StockCountReceipt>().writes(COUNT, UPDATED).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "INSUFFICIENT_STOCK", "UNIT_UNAVAILABLE",
            "VALUATION_COST_REQUIRED", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_AMOUNT_PRECISION", "LIMIT_EXCEEDED"]),
    Operation::transition("/inventory/counts/{id}/cancel", "cancelStockCount", open::cancel)
        .summary("Cancel a stock count")
        .needs(ADJUST).body::<CancelStockCount>().answers::<StockCountReceipt>().writes(COUNT, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),
];
