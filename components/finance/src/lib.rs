//! Finance: invoices, payments, credits and refunds of both sides, what goes back to suppliers, and the money of tills.

mod bindings;
mod examples;
mod item_codes;
mod operations;
mod records;
mod rules;
mod services;
#[cfg(test)]
mod tests;
mod verify;
mod work;

use stoa_sdk::{Manifest, Module, Problem};

/// The module.
pub struct Finance;

impl Module for Finance {
    const MANIFEST: Manifest = Manifest {
        operations: operations::TABLES,
        collections: records::COLLECTIONS,
        problems: &[
            (
                "AMOUNT_PRECISION",
                409,
                "A total has more than 6 decimals or more than 12 integer digits. Change quantities or prices.",
            ),
            (
                "FULFILMENT_REQUIRED",
                409,
                "A serialized line has no order: confirm the invoice together with its goods.",
            ),
            (
                "FULFILMENT_INCOMPLETE",
                409,
                "A serialized line bills units that are not available, or a different number of units. Correct its units.",
            ),
            (
                "CASH_SESSION_REQUIRED",
                409,
                "Cash of a till leaves through an open session of that till only. Open a session and state it.",
            ),
        ],
        verify: verify::verify,
        services: services::ACCESS,
        words: stoa_trade::WORDS,
        item_codes: item_codes::ITEM_CODES,
        examples: examples::EXAMPLES,
        ..Manifest::new(
            "finance",
            env!("CARGO_PKG_VERSION"),
            "Invoices, payments, credits, refunds and supplier returns.",
        )
    };

    fn upgrade(_from_version: &str, cursor: Option<String>) -> Result<Option<String>, Problem> {
        work::month_totals::upgrade(cursor)
    }
}

stoa_sdk::export_module!(Finance);
