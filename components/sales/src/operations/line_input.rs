//! Lines of quotations and orders as bodies state them; those of orders name units too.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Id, Problem};
use stoa_trade::Caller;
use stoa_trade::quantity::{Money, Positive};
use stoa_trade::text::Line;

use crate::rules::line::{StatedLine, StatedPercent, check_lines};
use crate::rules::price::StatedPrice;

macro_rules! line_input {
    ($(#[$meta:meta])* $name:ident { $($extra:tt)* } units: |$line:ident| $units:expr) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            /// Active variant of an active product, on one line only.
            pub variant_id: Id,
            /// At most the decimal places of its unit of measure; whole for serialized variants.
            pub quantity: Positive,
            /// Agreed price. State at most one of this, `discountPercent` and `discountAmount`; without any of them the line
            /// has the price of the list.
            #[serde(default)]
            pub unit_price: Option<Money>,
            /// Discount on the list price in percent. The service converts it to a price at once, and that price remains.
            #[serde(default)]
            pub discount_percent: Option<StatedPercent>,
            /// Discount on the list price as an amount. The service converts it to a price at once, and that price remains.
            #[serde(default)]
            pub discount_amount: Option<Money>,
            /// Reason for the agreed price or discount; only together with one of the three.
            #[serde(default)]
            pub price_reason: Option<Line<0, 500>>,
            $($extra)*
        }

        impl From<&$name> for StatedLine {
            fn from($line: &$name) -> StatedLine {
                StatedLine {
                    variant: $line.variant_id,
                    quantity: $line.quantity.0,
                    price: StatedPrice {
                        unit_price: $line.unit_price,
                        discount_percent: $line.discount_percent.map(|percent| percent.0),
                        discount_amount: $line.discount_amount,
                    },
                    reason: $line.price_reason.clone().map(String::from),
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
        /// Units for a serialized line. A user chooses them. There may be fewer than the quantity until the order is confirmed.
        /// The confirmation reserves them; a draft does not.
        #[serde(default)]
        #[schemars(length(max = stoa_trade::limits::UNITS), extend("uniqueItems" = true, "default" = []))]
        pub unit_ids: Vec<Id>,
    }
    units: |line| line.unit_ids.clone()
}

/// Reads the lines of a body, and refuses those with faults that a schema cannot tell.
pub fn read_lines<'a, L>(items: &'a [L]) -> Result<Vec<StatedLine>, Problem>
where
    StatedLine: From<&'a L>,
{
    let lines: Vec<StatedLine> = items.iter().map(StatedLine::from).collect();
    check_lines(&lines, Caller::current())?;
    Ok(lines)
}
