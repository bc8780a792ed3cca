//! The operations of stock counts: what people find, against what the system holds.

mod input;
mod list;
mod lock;
mod open;
mod post;
mod record;

use stoa_sdk::{Operation, Page};
use stoa_trade::points;

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
        .problems(&["DUPLICATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]).reaches(&[points::NUMBERING.0]),
    Operation::read(COUNT_AT, "getStockCount", list::read).summary("A stock count")
        .description("Members `unitIds` of the lines are present only for callers with `inventory.serials.read`.")
        .needs(READ).answers::<StockCount>().cache_control("no-store"),
    Operation::transition("/inventory/counts/{id}/lines", "recordStockCount", record::record)
        .summary("Record counted lines")
        .description("The host stores the expected quantity of the variant with each line. A line replaces the earlier line of \
            its variant. For a serialized variant, list every unit that is present, including a unit that was LOST. A count \
            has at most 500 lines and 500 units.")
        .needs(ADJUST).body::<RecordStockCount>().grows_with("/lines/*/unitIds").answers::<StockCountReceipt>().writes(COUNT, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "UNIT_COUNT_MISMATCH", "REFERENCE_INVALID", "CUSTODY_CONFLICT",
            "LIMIT_EXCEEDED"]),
    Operation::transition("/inventory/counts/{id}/post", "postStockCount", post::post)
        .summary("Post a stock count")
        .description("Posts the differences against the current stock, so that sales during the count remain sold. A unit that \
            changed after its line was recorded is not changed.")
        .needs(ADJUST).body::<PostStockCount>().answers::<StockCountReceipt>().writes(COUNT, UPDATED).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "ARCHIVED", "INSUFFICIENT_STOCK", "UNIT_UNAVAILABLE",
            "VALUATION_COST_REQUIRED", "ACCOUNTING_SETUP_REQUIRED", "ACCOUNTING_AMOUNT_PRECISION", "LIMIT_EXCEEDED"])
        .item_codes(&["ROLE_UNMAPPED", "AMOUNT_PRECISION"]),
    Operation::transition("/inventory/counts/{id}/cancel", "cancelStockCount", open::cancel)
        .summary("Cancel a stock count")
        .needs(ADJUST).body::<CancelStockCount>().answers::<StockCountReceipt>().writes(COUNT, &[]).without_if_match()
        .problems(&["VERSION_CONFLICT", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),
];
