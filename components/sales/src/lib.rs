//! Sales: customers, quotations, sales orders and what comes back of them.

mod bindings;
mod examples;
mod item_codes;
mod operations;
mod records;
mod rules;
mod services;
#[cfg(test)]
mod tests;
mod upkeep;
mod verify;
mod work;

use stoa_sdk::{Manifest, Module, Problem};
use stoa_trade::points;

/// The module.
pub struct Sales;

impl Module for Sales {
    const MANIFEST: Manifest = Manifest {
        operations: operations::TABLES,
        collections: records::COLLECTIONS,
        permissions: &[
            ("customers.read", "Read customers."),
            ("customers.write", "Create, change and archive customers."),
            ("sales.read", "Read quotations, sales orders and customer returns."),
            ("sales.create", "Write, confirm and deliver sales orders; write quotations and customer returns."),
            ("sales.cancel", "Cancel sales orders."),
        ],
        scopes: &[
            ("customers.read", "Read customers."),
            ("customers.write", "Create, change and archive customers."),
            ("sales.read", "Read quotations, sales orders and customer returns."),
            ("sales.write", "Write, confirm, deliver and cancel sales orders; write quotations and customer returns."),
        ],
        events: records::EVENTS,
        problems: &[
            (
                "PRICE_NOT_EXACT",
                409,
                "The percentage of this list price has more than 6 decimals. State the price instead.",
            ),
            ("DISCOUNT_EXCEEDS_PRICE", 409, "The discount is above the list price. State a lower one."),
            (
                "TOTAL_CHANGED",
                409,
                "The total differs from the expected total. Read the order again and confirm its new total.",
            ),
            ("QUOTATION_EXPIRED", 409, "The validity of the quotation has ended. Revise the quotation."),
        ],
        provision: upkeep::provision,
        checklist: upkeep::checklist,
        verify: verify::verify,
        services: services::ACCESS,
        points: &[points::ORDER_CONFIRMATION, points::AVAILABILITY, points::NUMBERING, points::VIEWS],
        words: stoa_trade::WORDS,
        item_codes: item_codes::ITEM_CODES,
        examples: examples::EXAMPLES,
        ..Manifest::new("sales", env!("CARGO_PKG_VERSION"), "Customers, quotations, sales orders and customer returns.")
    };

    fn upgrade(_from_version: &str, cursor: Option<String>) -> Result<Option<String>, Problem> {
        work::month_totals::upgrade(cursor)
    }
}

stoa_sdk::export_module!(Sales);
