//! Request bodies of a customer return.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Id, Item, Problem};
use stoa_trade::Caller;
use stoa_trade::document::lines::Lines;
use stoa_trade::document::replacement::Replaceable;
use stoa_trade::quantity::Positive;
use stoa_trade::refusal::refuse_invalid;
use stoa_trade::text::Prose;

use crate::records::customer_return::ReturnDisposition;

/// A customer return in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SalesReturnInput {
    /// Id of a COMPLETED order. Immutable.
    pub order_id: Id,
    /// Active warehouse of the order's legal entity that receives the goods. Omitted or null: the warehouse of the
    /// order.
    pub warehouse_id: Option<Id>,
    /// Location in the warehouse.
    pub warehouse_location_id: Option<Id>,
    pub reason: Prose<1, 1000>,
    #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
    pub items: Vec<SalesReturnItemInput>,
}

impl Replaceable for SalesReturnInput {
    const UPDATE: &'static str = "SalesReturnUpdate";
}

impl SalesReturnInput {
    /// The lines with their pointers.
    pub fn lines(&self) -> Lines<'_, SalesReturnItemInput> {
        Lines::at("/items", &self.items)
    }

    /// Refuses a unit that is stated twice, and units that an API client names.
    pub fn check(&self) -> Result<(), Problem> {
        let mut faults: Vec<Item> = self.lines().repeated_ids("unitIds", |line| &line.unit_ids);
        let by_client = Caller::current().is_client();
        faults.extend(self.lines().faults("unitIds", "NOT_ALLOWED", |line| by_client && !line.unit_ids.is_empty()));
        refuse_invalid(faults)
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
    pub disposition: Option<ReturnDisposition>,
}
