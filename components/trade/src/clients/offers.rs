//! Pricing: the prices in effect as a buyer gets them, adjusted by extensions.

use std::collections::BTreeMap;

use stoa_sdk::host::fault;
use stoa_sdk::{Id, Instant, map};

use super::{Key, MOST};
use crate::goods::PriceAdjustment;
use crate::quantity::{Money, Quantity};

pub use super::prices::{PriceList, Visibility};
pub use crate::bindings::commerce::pricing::offers::{Adjustment, Offer, Offered, Wanted};

stoa_sdk::service! {
    /// The service as it crosses the border.
    pub mod service = (crate::bindings::commerce::pricing::offers) {
        fn make(price_list: Key, customer: Option<Key>, wanted: &[Wanted], time: i64) -> Option<Offered>;
    }
}

/// A price in effect, and what extensions made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priced {
    /// The id of the list's price.
    pub price: Id,
    /// The amount of the list for one unit.
    pub list_amount: Money,
    /// The amount of the last adjustment, else of the list.
    pub amount: Money,
    /// In the sequence of the extensions.
    pub adjustments: Vec<PriceAdjustment>,
}

/// The list, archived or not, and the prices in effect in it for this customer by variant: none if it is archived,
/// and a variant without one is absent. None where there is no such list. At most 1,000 variants, each once.
pub fn make(
    list: Id,
    customer: Option<Id>,
    wanted: impl IntoIterator<Item = (Id, Option<Quantity>)>,
    instant: Instant,
) -> Option<(PriceList, BTreeMap<Id, Priced>)> {
    let want = |(variant, quantity): (Id, Option<Quantity>)| Wanted {
        variant_id: variant.into(),
        quantity: quantity.map(|quantity| quantity.to_string()),
    };
    let wanted: Vec<Wanted> = wanted.into_iter().map(want).collect();
    if wanted.len() > MOST {
        fault("more variants than pricing offers at once");
    }
    let Offered { price_list, offers } = service::make(list.into(), customer.map(Key::from), &wanted, instant.0)?;
    Some((price_list, map(offers.into_iter().map(|offer| (offer.variant_id.into(), read(offer))))))
}

fn read(offer: Offer) -> Priced {
    let money = |text: &str| text.parse::<Money>().unwrap_or_else(|_| fault("a price is no decimal"));
    let adjustment = |Adjustment { module, amount, reason }: Adjustment| {
        let amount = money(&amount);
        PriceAdjustment { module, amount, reason }
    };
    Priced {
        price: offer.price_id.into(),
        list_amount: money(&offer.list_amount),
        amount: money(&offer.amount),
        adjustments: offer.adjustments.into_iter().map(adjustment).collect(),
    }
}
