//! Points of `commerce:extension`, for the modules that call them. Each function asks the host first whether an active
//! module extends the point, and returns at once if none does. A caller that has to build arguments asks by itself
//! before it builds them.

use stoa_sdk::{Id, Problem, is_extended};

use crate::clients::Key;

pub use crate::bindings::commerce::extension::availability::Limit;
pub use crate::bindings::commerce::extension::checkout::Place;
pub use crate::bindings::commerce::extension::numbering::{Document as NewDocument, Numbered};
pub use crate::bindings::commerce::extension::order_types::{Line as OrderLine, Order};
pub use crate::bindings::commerce::extension::payment_acceptance::Payment;
pub use crate::bindings::commerce::extension::price_adjustment::{Adjustment, Line as PricedLine, Question};
pub use crate::bindings::commerce::extension::views::Document as ShownDocument;

/// An interface, and when modules call it: a row of `Manifest::points`. `Operation::reaches` takes the first half.
pub type Point = (&'static str, &'static str);

/// See [`adjust`].
pub const PRICE_ADJUSTMENT: Point =
    ("commerce:extension/price-adjustment", "The price of one unit, before it is shown or written to a line.");
/// See [`check_confirmation`].
pub const ORDER_CONFIRMATION: Point = (
    "commerce:extension/order-confirmation",
    "An order, before it is confirmed: its prices are fixed and nothing is reserved yet.",
);
/// See [`restrict`].
pub const AVAILABILITY: Point = ("commerce:extension/availability", "The goods of an order, before they are reserved.");
/// See [`check_checkout`].
pub const CHECKOUT: Point = ("commerce:extension/checkout", "An order, before a register collects it.");
/// See [`accept_payments`].
pub const PAYMENT_ACCEPTANCE: Point =
    ("commerce:extension/payment-acceptance", "Payments at a register, before goods are delivered.");
/// See [`number`].
pub const NUMBERING: Point = ("commerce:extension/numbering", "A new document for which the request states no number.");
/// See [`places`](crate::places).
pub const VIEWS: Point = ("commerce:extension/views", "A record, before a response shows it.");

stoa_sdk::service! {
    /// The point as it crosses the border.
    pub mod price_adjustment = (crate::bindings::commerce::extension::price_adjustment) {
        fn adjust(what: &Question, earlier: &[Adjustment]) -> Vec<Adjustment>;
    }

    /// The point as it crosses the border.
    pub mod order_confirmation = (crate::bindings::commerce::extension::order_confirmation) {
        fn check(order: &Order) -> Result<(), Problem>;
    }

    /// The point as it crosses the border.
    pub mod availability = (crate::bindings::commerce::extension::availability) {
        fn restrict(order: &Order) -> Vec<Limit>;
    }

    /// The point as it crosses the border.
    pub mod checkout = (crate::bindings::commerce::extension::checkout) {
        fn check(order: &Order, place: Place) -> Result<(), Problem>;
    }

    /// The point as it crosses the border.
    pub mod payment_acceptance = (crate::bindings::commerce::extension::payment_acceptance) {
        fn accept(receipt: Key, order: &Order, payments: &[Payment]) -> Result<(), Problem>;
    }

    /// The point as it crosses the border.
    pub mod numbering = (crate::bindings::commerce::extension::numbering) {
        fn number(document: &NewDocument) -> Result<Option<Numbered>, Problem>;
    }

    /// The point as it crosses the border.
    pub mod views = (crate::bindings::commerce::extension::views) {
        fn show(place: &str, ids: &[Key]) -> Vec<ShownDocument>;
    }
}

/// Returns whether [`adjust`] may return adjustments.
pub fn prices_are_adjusted() -> bool {
    is_extended(PRICE_ADJUSTMENT.0)
}

/// The adjustments of prices, in the sequence of the extensions: the last one of a variant counts.
pub fn adjust(what: &Question) -> Vec<Adjustment> {
    if prices_are_adjusted() { price_adjustment::adjust(what, &[]) } else { Vec::new() }
}

/// Returns whether [`check_confirmation`] may reject an order.
pub fn confirmations_are_checked() -> bool {
    is_extended(ORDER_CONFIRMATION.0)
}

/// Lets extensions check an order before it is confirmed.
///
/// # Errors
/// The problem of the first extension that rejects it. It points into the order.
pub fn check_confirmation(order: &Order) -> Result<(), Problem> {
    if confirmations_are_checked() { order_confirmation::check(order) } else { Ok(()) }
}

/// Returns whether [`restrict`] may limit what is sold.
pub fn availability_is_restricted() -> bool {
    is_extended(AVAILABILITY.0)
}

/// The limits of lines of an order. The lowest of a line counts.
pub fn restrict(order: &Order) -> Vec<Limit> {
    if availability_is_restricted() { availability::restrict(order) } else { Vec::new() }
}

/// Returns whether [`check_checkout`] may reject an order.
pub fn checkouts_are_checked() -> bool {
    is_extended(CHECKOUT.0)
}

/// Lets extensions check an order before a register collects it.
///
/// # Errors
/// The problem of the first extension that rejects it. It points into the order.
pub fn check_checkout(order: &Order, place: Place) -> Result<(), Problem> {
    if checkouts_are_checked() { checkout::check(order, place) } else { Ok(()) }
}

/// Returns whether [`accept_payments`] may reject a payment.
pub fn payments_are_accepted() -> bool {
    is_extended(PAYMENT_ACCEPTANCE.0)
}

/// Lets extensions accept the payments of a receipt. They may write what they take.
///
/// # Errors
/// The problem of the first extension that rejects one. It points to where the request states it.
pub fn accept_payments(receipt: Id, order: &Order, payments: &[Payment]) -> Result<(), Problem> {
    if payments_are_accepted() { payment_acceptance::accept(receipt.into(), order, payments) } else { Ok(()) }
}

/// Returns whether [`number`] may return a number.
pub fn numbers_are_extended() -> bool {
    is_extended(NUMBERING.0)
}

/// The number of a new document by the first extension that has one. `attempt`: from 0; above it the numbers before were taken.
///
/// # Errors
/// The problem of an extension.
pub fn number(prefix: &str, entity: Id, attempt: u32) -> Result<Option<Numbered>, Problem> {
    if !numbers_are_extended() {
        return Ok(None);
    }
    numbering::number(&NewDocument { prefix: prefix.to_owned(), legal_entity_id: entity.into(), attempt })
}

#[cfg(test)]
mod tests {
    use stoa_sdk::stand_in_extended;

    use super::*;

    #[test]
    fn a_point_is_called_only_while_it_is_extended() {
        let document = || number("SO", Id(1, 2), 3).unwrap().map(|numbered| numbered.number);
        assert_eq!(document(), None);
        stand_in_extended(NUMBERING.0);
        numbering::stand_in::number(|document| {
            let number = format!("{}-{}-{}", document.prefix, document.legal_entity_id.1, document.attempt);
            Ok(Some(Numbered { module: "years".to_owned(), number }))
        });
        assert_eq!(document().as_deref(), Some("SO-2-3"));
        assert!(!checkouts_are_checked() && !prices_are_adjusted());
    }
}
