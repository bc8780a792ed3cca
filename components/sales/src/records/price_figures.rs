//! What a line says of its price: the figures that follow from list price, agreed price and quantity (sales-pos.md 3.2).

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Decimal, Id, text_enum};
use stoa_trade::quantity::{Amount, Money};

/// A percentage in ten-thousandths of a point.
pub type Percent = Decimal<4>;

text_enum! {
    /// Where the price of a line was agreed.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum PriceOrigin {
        Quotation => "QUOTATION", SalesOrder => "SALES_ORDER", SalesInvoice => "SALES_INVOICE",
    }
}

/// The price of a line. The members from `listUnitPrice` on are null unless the agreed price differs from the list's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceFigures {
    /// Exactly quantity times unit price.
    pub line_total: Amount,
    /// The price of the list.
    pub price_id: Id,
    /// The agreed price, or the list's.
    pub unit_price: Money,
    /// What the list asks.
    pub list_unit_price: Option<Money>,
    /// Whether another price was agreed than the list's.
    pub price_negotiated: bool,
    /// Null where it is not exact with 4 decimals, or nothing is taken off.
    pub discount_percent: Option<Percent>,
    /// List minus agreed; null unless below the list.
    pub discount_amount: Option<Money>,
    pub price_reason: Option<String>,
    pub price_origin: Option<PriceOrigin>,
}
