//! Credit limits of customers: an example of a partner's module that rejects what a built-in module is about to do.
//!
//! A company states how much a customer may owe in a currency. The module extends `commerce:extension/order-confirmation`: an
//! order that would pass the limit is rejected, another one is held against it in the same transaction. A cancelled order and one
//! that a register collected no longer count: the module receives those events in the transaction that emits them. An order that
//! is paid by invoice counts until `releaseCreditLimitOrder` is called, because finance emits no event of a payment. A response
//! that shows an order has what it holds as `extensions.credit-limit`.

mod operations;
mod records;
mod work;

use stoa_sdk::{Extends, Manifest, Module, Problem, Receives, Shows, collections};
use stoa_trade::extension::order_confirmation::{Guest, Order};
use stoa_trade::points;

use crate::records::{CreditLimitExposure, ExposureRow, LimitRow};

/// The module.
pub struct CreditLimit;

impl Module for CreditLimit {
    const MANIFEST: Manifest = Manifest {
        operations: &[operations::OPERATIONS],
        collections: collections![LimitRow, ExposureRow],
        permissions: &[
            ("credit-limit.read", "Read credit limits of customers."),
            ("credit-limit.write", "Change credit limits of customers and release orders."),
        ],
        problems: &[(work::EXCEEDED, 409, "The order passes the credit limit of its customer.")],
        examples: &[("setCreditLimitCustomer", include_str!("../examples/setCreditLimitCustomer.json"))],
        extends: &[Extends::new(points::ORDER_CONFIRMATION.0).problems(&[work::EXCEEDED, "LIMIT_EXCEEDED"])],
        receives: &[
            Receives::in_transaction("sale.cancelled", work::release_received),
            Receives::in_transaction("pos.receipt.created", work::release_received),
        ],
        shows: &[Shows::new::<CreditLimitExposure>("sales.order", work::show)],
        ..Manifest::new("credit-limit", env!("CARGO_PKG_VERSION"), "Credit limits of customers.")
    };
}

impl Guest for CreditLimit {
    fn check(order: Order) -> Result<(), Problem> {
        work::hold(&order)
    }
}

stoa_sdk::export_module!(CreditLimit);
stoa_sdk::export_listener!(CreditLimit);
stoa_sdk::export_views!(CreditLimit);
stoa_trade::export_point!(order_confirmation, crate::CreditLimit);

#[cfg(test)]
mod tests {
    #[test]
    fn a_host_would_take_the_descriptor() {
        stoa_sdk::scripted::check::<super::CreditLimit>();
    }
}
