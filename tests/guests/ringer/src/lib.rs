//! Extends the price of a unit and asks sales for the customer: sales needs pricing, which calls this module, so that
//! no host links the three.

use stoa_sdk::{Extends, Id, Manifest, Module};
use stoa_trade::clients::customers;
use stoa_trade::extension::price_adjustment;
use stoa_trade::points;

/// The module.
pub struct Ringer;

impl price_adjustment::Guest for Ringer {
    /// A known customer gets the goods for nothing.
    fn adjust(
        what: price_adjustment::Question,
        _earlier: Vec<price_adjustment::Adjustment>,
    ) -> Vec<price_adjustment::Adjustment> {
        let customer = what.customer_id.map(Id::from);
        if customers::get(customer).is_empty() {
            return Vec::new();
        }
        let gift = |line: price_adjustment::Line| price_adjustment::Adjustment {
            module: String::new(),
            variant_id: line.variant_id,
            amount: "0".to_owned(),
            reason: "GIFT".to_owned(),
        };
        what.lines.into_iter().map(gift).collect()
    }
}

impl Module for Ringer {
    const MANIFEST: Manifest = Manifest {
        extends: &[Extends::new(points::PRICE_ADJUSTMENT.0)],
        ..Manifest::new("ringer", "1.0.0", "Makes a circle for the suite.")
    };
}

stoa_sdk::export_module!(Ringer);
stoa_trade::export_point!(price_adjustment, crate::Ringer);
