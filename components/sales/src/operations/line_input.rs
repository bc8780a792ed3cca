//! Lines of quotations and orders as bodies state them; those of orders name units too.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::Id;
use stoa_trade::quantity::{Money, Positive};
use stoa_trade::text::Line;

use crate::rules::line::{StatedLine, StatedPercent};
use crate::rules::price::StatedPrice;

macro_rules! line_input {
    ($(#[$meta:meta])* $name:ident { $($extra:tt)* } units: |$line:ident| $units:expr) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            /// An active variant of an active product; each variant once.
            pub variant_id: Id,
            /// With no more decimals than its unit of measure; whole for serialized variants.
            pub quantity: Positive,
            /// The agreed price. Of this, `discountPercent` and `discountAmount` at most one is stated; of none the line follows the
            /// price list.
            #[serde(default)]
            pub unit_price: Option<Money>,
            /// The agreed price as a share of the list price: it becomes a price when it is stated, and stays that price.
            #[serde(default)]
            pub discount_percent: Option<StatedPercent>,
            /// The agreed price as a sum off the list price, likewise.
            #[serde(default)]
            pub discount_amount: Option<Money>,
            /// Why; only beside one of the three.
            #[serde(default)]
            pub price_reason: Option<Line<0, 500>>,
            $($extra)*
        }

        impl From<$name> for StatedLine {
            fn from($line: $name) -> StatedLine {
                StatedLine {
                    variant: $line.variant_id,
                    quantity: $line.quantity.0,
                    price: StatedPrice {
                        unit_price: $line.unit_price,
                        discount_percent: $line.discount_percent.map(|percent| percent.0),
                        discount_amount: $line.discount_amount,
                    },
                    reason: $line.price_reason.map(String::from),
                    units: $units,
                }
            }
        }
    };
}

line_input! {
    /// A line of a quotation.
    QuotationItemInput {}
    units: |line| Vec::new()
}

line_input! {
    /// A line of an order.
    SalesOrderItemInput {
        /// Units meant for a serialized line; people choose them, and there may be fewer than the quantity until the order is
        /// confirmed. They are held then, not before.
        #[serde(default)]
        #[schemars(length(max = 100), extend("uniqueItems" = true, "default" = []))]
        pub unit_ids: Vec<Id>,
    }
    units: |line| line.unit_ids
}

/// The lines of a body.
pub fn read_lines(lines: Vec<impl Into<StatedLine>>) -> Vec<StatedLine> {
    lines.into_iter().map(Into::into).collect()
}
