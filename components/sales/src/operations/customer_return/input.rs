//! Request bodies of a customer return.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Id, Item, Problem, item};
use stoa_trade::Caller;
use stoa_trade::document::lines::Lines;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::Positive;
use stoa_trade::refusal::refuse_invalid;
use stoa_trade::text::Prose;

use crate::records::customer_return::ReturnDisposition;

/// A return as either body states it.
pub struct StatedReturn {
    pub order: Id,
    pub warehouse: Option<Id>,
    pub location: Option<Id>,
    pub reason: String,
    pub lines: Vec<SalesReturnItemInput>,
}

/// Both bodies of a return: a replacement states the version too.
macro_rules! return_body {
    ($(#[$meta:meta])* $name:ident { $($extra:tt)* }) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($extra)*
            /// Id of a COMPLETED order. Immutable.
            pub order_id: Id,
            /// Active warehouse of the order's legal entity that receives the goods. Omitted or null: the warehouse of the
            /// order.
            #[serde(default)]
            pub warehouse_id: Option<Id>,
            /// Location in the warehouse.
            #[serde(default)]
            pub warehouse_location_id: Option<Id>,
            pub reason: Prose<1, 1000>,
            #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
            pub items: Vec<SalesReturnItemInput>,
        }

        impl $name {
            /// The return as the body states it.
            ///
            /// # Errors
            /// VALIDATION_FAILED: a unit twice, units named by an API client.
            pub fn state(self) -> Result<StatedReturn, Problem> {
                check_units(&self.items)?;
                Ok(StatedReturn {
                    order: self.order_id,
                    warehouse: self.warehouse_id,
                    location: self.warehouse_location_id,
                    reason: self.reason.into(),
                    lines: self.items,
                })
            }
        }
    };
}

return_body! {
    /// A customer return in a request.
    SalesReturnInput {}
}

return_body! {
    /// Full replacement of a draft.
    SalesReturnUpdate {
        pub expected_version: ExpectedVersion,
    }
}

/// Goods of an order line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SalesReturnItemInput {
    /// Tracked line of the order.
    pub item_id: Id,
    pub quantity: Positive,
    /// Units of a serialized line that came back: as many as the quantity when they are received.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::UNITS), extend("uniqueItems" = true, "default" = []))]
    pub unit_ids: Vec<Id>,
    /// Omitted or null: RESTOCK for quantities, which allow no other value, and INSPECT for units.
    #[serde(default)]
    pub disposition: Option<ReturnDisposition>,
}

fn check_units(lines: &[SalesReturnItemInput]) -> Result<(), Problem> {
    let lines = Lines::at("/items", lines);
    let mut faults: Vec<Item> = lines.repeated_ids("unitIds", |line| &line.unit_ids);
    let by_client = Caller::current().is_client();
    let named = lines.iter().filter(|(_, line)| by_client && !line.unit_ids.is_empty());
    faults.extend(named.map(|(pointer, _)| item(pointer.member("unitIds"), "NOT_ALLOWED")));
    refuse_invalid(faults)
}
