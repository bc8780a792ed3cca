//! Points of customers: an example of a partner's module that earns by itself, takes payments and works by the clock.
//!
//! A company states how many points a sale brings and how much a point is worth. The module receives `sale.completed` in the
//! transaction that emits it and adds the points of the order. It extends `commerce:extension/payment-acceptance`: a payment by
//! the method `OTHER` with the reference `loyalty` is taken from the customer's points; if the checkout fails later, they are
//! back. A timer lets old points expire. A response that shows a receipt has `extensions.loyalty`.
//!
//! It calls sales for the total of an order. Sales calls no point that this module extends, so there is no circle.

mod operations;
mod records;
mod rules;
mod work;

use stoa_sdk::{Extends, Hints, ListHint, Manifest, Module, Problem, Receives, Shows, Timer, collections};
use stoa_trade::extension::payment_acceptance::{Guest, Order, Payment};
use stoa_trade::points;

use crate::records::{BalanceRow, EntryRow, LoyaltyReceipt, ProgramRow};

/// The module.
pub struct Loyalty;

/// Columns of the list of entries in the console.
const COLUMNS: &[&str] = &["onDate", "kind", "points", "customerId", "receiptId"];

impl Module for Loyalty {
    const MANIFEST: Manifest = Manifest {
        operations: &[operations::OPERATIONS],
        collections: collections![ProgramRow, BalanceRow, EntryRow],
        permissions: &[
            ("loyalty.read", "Read the program and the points of customers."),
            ("loyalty.write", "Change the program."),
        ],
        problems: &[
            (work::NOT_WHOLE, 409, "The amount is no whole number of points."),
            (work::INSUFFICIENT, 409, "The customer has fewer points."),
        ],
        examples: &[("setLoyaltyProgram", include_str!("../examples/setLoyaltyProgram.json"))],
        extends: &[Extends::new(points::PAYMENT_ACCEPTANCE.0).problems(&[work::NOT_WHOLE, work::INSUFFICIENT])],
        receives: &[Receives::in_transaction("sale.completed", work::earn).problems(&["LIMIT_EXCEEDED"])],
        timers: &[Timer {
            code: "expire",
            every_minutes: 1_440,
            description: "Lets points expire that are older than the program says.",
            run: work::expire,
        }],
        shows: &[Shows::new::<LoyaltyReceipt>("pos.receipt", work::show)],
        console: Hints { lists: &[ListHint::new("listLoyaltyEntries").columns(COLUMNS)], references: &[] },
        ..Manifest::new("loyalty", env!("CARGO_PKG_VERSION"), "Points that customers earn and pay with.")
    };
}

impl Guest for Loyalty {
    fn accept(receipt: (u64, u64), order: Order, payments: Vec<Payment>) -> Result<(), Problem> {
        work::redeem(receipt.into(), &order, &payments)
    }
}

stoa_sdk::export_module!(Loyalty);
stoa_sdk::export_listener!(Loyalty);
stoa_sdk::export_timer!(Loyalty);
stoa_sdk::export_views!(Loyalty);
stoa_trade::export_point!(payment_acceptance, crate::Loyalty);

#[cfg(test)]
mod tests {
    #[test]
    fn a_host_would_take_the_descriptor() {
        stoa_sdk::scripted::check::<super::Loyalty>();
    }
}
