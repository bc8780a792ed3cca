//! Price figures of a line, which follow from list price, agreed or adjusted price and quantity (sales-pos.md 3.2).

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Decimal, Id, text_enum};
use stoa_trade::goods::PriceAdjustment;
use stoa_trade::quantity::{Amount, Money};

/// A percentage in ten-thousandths of a point.
pub type Percent = Decimal<4>;

text_enum! {
    /// Kind of the document in which the price was agreed.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum PriceOrigin {
        Quotation => "QUOTATION", SalesOrder => "SALES_ORDER", SalesInvoice => "SALES_INVOICE",
    }
}

/// The price of a line. The members from `listUnitPrice` on are null unless the unit price differs from the list's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceFigures {
    /// Exact product of quantity and unit price.
    pub line_total: Amount,
    /// Price of the list.
    pub price_id: Id,
    /// Agreed price, else the price of the list, which extensions may adjust.
    pub unit_price: Money,
    /// Price of the list.
    pub list_unit_price: Option<Money>,
    /// True if the price differs from the list by agreement.
    pub price_negotiated: bool,
    /// Discount in percent of the list price; null if it has more than 4 decimals, or without a discount.
    pub discount_percent: Option<Percent>,
    /// List price minus unit price; null unless the unit price is lower.
    pub discount_amount: Option<Money>,
    pub price_reason: Option<String>,
    pub price_origin: Option<PriceOrigin>,
    /// Changes of the list price by extensions, in their sequence; `unitPrice` is the amount of the last one. Present
    /// only if there are any. An agreed price is not adjusted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = stoa_trade::limits::EXTENSIONS))]
    pub price_adjustments: Vec<PriceAdjustment>,
}
