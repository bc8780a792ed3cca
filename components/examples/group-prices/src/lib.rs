//! Prices by groups of customers: an example of a partner's module that extends a point of the built-in modules.
//!
//! A company puts customers into groups and states how many percent less a group pays, in general or for a variant. The module
//! extends `commerce:extension/price-adjustment`, so that prices that are resolved for a customer, and lines of quotations and
//! orders, have the group's price; the list's price stays next to it. It calls no other module: pricing calls it and sales calls
//! pricing, so a service of sales would be a circle. Ids of customers and variants are therefore taken as they are stated.

mod operations;
mod records;
mod rules;
mod work;

use stoa_sdk::{Extends, Manifest, Module, collections};
use stoa_trade::extension::price_adjustment::{Adjustment, Guest, Question};
use stoa_trade::points;

use crate::records::{MemberRow, RuleRow};

/// The module.
pub struct GroupPrices;

impl Module for GroupPrices {
    const MANIFEST: Manifest = Manifest {
        operations: &[operations::OPERATIONS],
        collections: collections![MemberRow, RuleRow],
        permissions: &[
            ("group-prices.read", "Read groups of customers and their prices."),
            ("group-prices.write", "Change groups of customers and their prices."),
        ],
        examples: &[
            ("setGroupPricesMember", include_str!("../examples/setGroupPricesMember.json")),
            ("setGroupPricesRules", include_str!("../examples/setGroupPricesRules.json")),
        ],
        extends: &[Extends::new(points::PRICE_ADJUSTMENT.0)],
        ..Manifest::new("group-prices", env!("CARGO_PKG_VERSION"), "Prices by groups of customers.")
    };
}

impl Guest for GroupPrices {
    fn adjust(what: Question, earlier: Vec<Adjustment>) -> Vec<Adjustment> {
        work::adjust(&what, &earlier)
    }
}

stoa_sdk::export_module!(GroupPrices);
stoa_trade::export_point!(price_adjustment, crate::GroupPrices);

#[cfg(test)]
mod tests {
    #[test]
    fn a_host_would_take_the_descriptor() {
        stoa_sdk::scripted::check::<super::GroupPrices>();
    }
}
