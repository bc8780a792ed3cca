//! The point of sale: registers, cash sessions, and receipts of orders that are delivered and collected at once. It
//! uses all other modules, and no other module uses it.

mod examples;
mod item_codes;
mod operations;
mod records;
mod rules;
#[cfg(test)]
mod tests;
mod upkeep;
mod verify;
mod work;

use stoa_sdk::{Hints, ListHint, Manifest, Module, ReferenceHint};
use stoa_trade::points;

/// The module.
pub struct Pos;

impl Module for Pos {
    const MANIFEST: Manifest = Manifest {
        operations: operations::TABLES,
        collections: records::COLLECTIONS,
        events: records::EVENTS,
        problems: &[
            (
                "REGISTER_MISMATCH",
                409,
                "The legal entity, warehouse, price list or currency of the order differs from the \
                session. Use a session of a register that fits the order.",
            ),
            ("SESSION_OPEN", 409, "The register has an open session. Close it first."),
            ("TENDER_INSUFFICIENT", 409, "The tendered cash is below the total. Tender at least the total."),
            ("PAYMENT_TOTAL_MISMATCH", 409, "The payments do not add up to the total. Correct their amounts."),
        ],
        provision: upkeep::provision,
        checklist: upkeep::checklist,
        verify: verify::verify,
        words: stoa_trade::WORDS,
        points: &[points::CHECKOUT, points::PAYMENT_ACCEPTANCE, points::VIEWS],
        item_codes: item_codes::ITEM_CODES,
        examples: examples::EXAMPLES,
        console: HINTS,
        ..Manifest::new("pos", env!("CARGO_PKG_VERSION"), "Registers, cash sessions and receipts.")
    };
}

/// How the console names, groups and links the records.
const HINTS: Hints = Hints {
    lists: &[
        ListHint::new("listPosSessions")
            .title(&["sessionNo"])
            .columns(&["sessionNo", "status", "registerId", "expectedCash", "currencyCode", "openedAt", "closedAt"])
            .group("Till")
            .position(60),
        ListHint::new("listPosReceipts")
            .title(&["createdAt", "total"])
            .columns(&["createdAt", "total", "currencyCode", "cashAmount", "orderId", "sessionId"])
            .group("Till")
            .position(61),
        ListHint::new("listPosRegisters")
            .title(&["code", "name"])
            .columns(&["code", "name", "status", "currencyCode", "warehouseId", "priceListId"])
            .group("Till")
            .position(62),
    ],
    references: &[
        ReferenceHint::new("cashAccountId", "listMoneyAccounts"),
        ReferenceHint::new("accountId", "listMoneyAccounts"),
        ReferenceHint::new("orderId", "listSalesOrders"),
        ReferenceHint::new("counterAccountId", "listAccounts"),
    ],
};

stoa_sdk::export_module!(Pos);
