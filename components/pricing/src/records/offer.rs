//! A price in effect as a buyer gets it: that of the list, and what extensions made of it.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::Reply;
use stoa_sdk::descriptor::schemas::never_null;
use stoa_trade::Caller;
use stoa_trade::goods::PriceAdjustment;

use crate::records::price::{Amount, ApiPrice, Price, PriceRow};

/// A price of a list, adjusted for a buyer.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// The price of the list.
    pub row: PriceRow,
    /// The amount of the last adjustment, else of the list.
    pub amount: Amount,
    /// In the sequence of the extensions.
    pub adjustments: Vec<PriceAdjustment>,
}

impl Offer {
    /// The row with the amount that the buyer pays.
    fn shown_row(&self) -> Cow<'_, PriceRow> {
        match self.amount == self.row.amount {
            true => Cow::Borrowed(&self.row),
            false => Cow::Owned(PriceRow { amount: self.amount, ..self.row.clone() }),
        }
    }
}

/// Members of a price that extensions adjusted; a price as its list has it shows none of them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Adjustments {
    /// Amount of the price list; present only if extensions adjusted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(transform = never_null)]
    list_amount: Option<Amount>,
    /// Changes by extensions, in their sequence; `amount` is the amount of the last one. Present only if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = stoa_trade::limits::EXTENSIONS))]
    adjustments: Vec<PriceAdjustment>,
}

impl Adjustments {
    fn from_offer(offer: &Offer) -> Adjustments {
        let list_amount = (!offer.adjustments.is_empty()).then_some(offer.row.amount);
        Adjustments { list_amount, adjustments: offer.adjustments.clone() }
    }
}

/// A price in effect as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ResolvedPrice {
    #[serde(flatten)]
    price: Price,
    #[serde(flatten)]
    adjustments: Adjustments,
}

impl ResolvedPrice {
    /// The offer as users see it.
    pub fn from_offer(offer: &Offer) -> ResolvedPrice {
        let price = Price::from_row(&offer.shown_row());
        ResolvedPrice { price, adjustments: Adjustments::from_offer(offer) }
    }
}

/// A price in effect as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicResolvedPrice")]
pub struct ApiResolvedPrice {
    #[serde(flatten)]
    price: ApiPrice,
    #[serde(flatten)]
    adjustments: Adjustments,
}

impl ApiResolvedPrice {
    /// The offer as API clients see it.
    pub fn from_offer(offer: &Offer) -> ApiResolvedPrice {
        let price = ApiPrice::from_row(&offer.shown_row());
        ApiResolvedPrice { price, adjustments: Adjustments::from_offer(offer) }
    }
}

/// The response with this body. The entity tag names a version of the list's price, so an adjusted price has none.
pub fn tag_reply(offer: &Offer, reply: Reply) -> Reply {
    let row = &offer.row;
    let reply = if offer.adjustments.is_empty() { reply.of(row.id, row.version) } else { reply.resource(row.id) };
    reply.subject(row.list_id)
}

/// The offer as its caller sees it, audited under its list.
pub fn show_offer(offer: &Offer) -> Reply {
    let person = || ResolvedPrice::from_offer(offer);
    tag_reply(offer, Caller::current().show(person, || ApiResolvedPrice::from_offer(offer)))
}
