//! The service `commerce:pricing/offers`: prices in effect as a buyer gets them.

use std::collections::BTreeMap;

use stoa_sdk::host::reject_argument;
use stoa_sdk::{Id, Instant, map};
use stoa_trade::arguments::parse_positive;
use stoa_trade::goods::PriceAdjustment;
use stoa_trade::quantity::Quantity;

use crate::bindings::exports::commerce::pricing::offers as service;
use crate::bindings::exports::commerce::pricing::offers::Guest;
use crate::records::offer::Offer;
use crate::records::price::PriceRow;
use crate::services::prices::{Prices, list, quote};
use crate::work::offers::adjust;

pub use service::{Offered, Wanted};

/// Variants of one call at most.
const MOST: usize = 1_000;

impl Guest for Prices {
    fn make(price_list: (u64, u64), customer: Option<(u64, u64)>, wanted: Vec<Wanted>, time: i64) -> Option<Offered> {
        if wanted.len() > MOST {
            reject_argument("more than 1,000 variants are wanted");
        }
        let quantities: BTreeMap<Id, Option<Quantity>> =
            map(wanted.iter().map(|wanted| (wanted.variant_id.into(), wanted.quantity.as_deref().map(parse_positive))));
        if quantities.len() != wanted.len() {
            reject_argument("a variant is wanted twice");
        }
        let variants: Vec<Id> = quantities.keys().copied().collect();
        let (row, prices) = quote(price_list.into(), &variants, Instant(time))?;
        let priced = |price: PriceRow| {
            let quantity = quantities.get(&price.variant_id).copied().flatten();
            (price, quantity)
        };
        let offers = adjust(customer.map(Id::from), Instant(time), prices.into_iter().map(priced).collect());
        Some(Offered { price_list: list(row), offers: offers.into_iter().map(offer_to_wire).collect() })
    }
}

fn offer_to_wire(offer: Offer) -> service::Offer {
    let adjustment = |PriceAdjustment { module, amount, reason }: PriceAdjustment| service::Adjustment {
        module,
        amount: amount.to_string(),
        reason,
    };
    service::Offer {
        variant_id: offer.row.variant_id.into(),
        price_id: offer.row.id.into(),
        list_amount: offer.row.amount.to_string(),
        amount: offer.amount.to_string(),
        adjustments: offer.adjustments.into_iter().map(adjustment).collect(),
    }
}
