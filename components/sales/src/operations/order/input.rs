//! What bodies say of a sales order.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Id, Item, Problem};
use stoa_trade::document::lines::Lines;
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::StatedTotal;
use stoa_trade::refusal::{invalid, refuse_invalid};
use stoa_trade::text::Prose;

use crate::operations::line_input::{SalesOrderItemInput, read_lines};
use crate::rules::line::{StatedLine, check_lines};

/// What a body says of an order, in either body.
pub struct StatedOrder {
    pub number: Option<DocumentNumber>,
    pub entity: Id,
    pub warehouse: Id,
    pub customer: Id,
    pub price_list: Id,
    pub notes: Option<String>,
    pub lines: Vec<StatedLine>,
}

/// Both bodies of an order: a replacement states the version too.
macro_rules! order_body {
    ($(#[$meta:meta])* $name:ident { $($extra:tt)* }) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($extra)*
            /// Unique in the legal entity, ignoring case; immutable. Omitted or null on create: `SO-` and the next figure.
            #[serde(default)]
            pub number: Option<DocumentNumber>,
            /// Who sells; immutable.
            pub legal_entity_id: Id,
            /// Where goods leave: active, of type PHYSICAL, VIRTUAL or THIRD_PARTY, of the legal entity.
            pub warehouse_id: Id,
            /// An active customer.
            pub customer_id: Id,
            /// An active list; its currency is the order's.
            pub price_list_id: Id,
            #[serde(default)]
            pub notes: Option<Prose<0, 2000>>,
            /// One line per variant.
            #[schemars(length(min = 1, max = 100))]
            pub items: Vec<SalesOrderItemInput>,
        }

        impl $name {
            /// What it says of the order.
            ///
            /// # Errors
            /// VALIDATION_FAILED: what a schema cannot tell of its lines.
            pub fn state(self, by_client: bool) -> Result<StatedOrder, Problem> {
                let lines = read_lines(self.items);
                check_lines(&lines, by_client)?;
                Ok(StatedOrder {
                    number: self.number,
                    entity: self.legal_entity_id,
                    warehouse: self.warehouse_id,
                    customer: self.customer_id,
                    price_list: self.price_list_id,
                    notes: self.notes.map(String::from),
                    lines,
                })
            }
        }
    };
}

order_body! {
    /// A sales order to create.
    SalesOrderInput {}
}

order_body! {
    /// The full replacement of a draft.
    SalesOrderUpdate {
        pub expected_version: ExpectedVersion,
    }
}

/// A confirmation by a person.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmSalesOrder {
    pub expected_version: ExpectedVersion,
    /// Another total, after prices are refreshed, is refused.
    #[serde(default)]
    pub expected_total: Option<StatedTotal>,
    /// In place of the units that the draft names for these lines.
    #[serde(default)]
    #[schemars(length(max = 100), extend("default" = []))]
    pub units: Vec<ChosenUnits>,
}

/// A confirmation by an API client.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmSalesOrderAsClient {
    pub expected_version: ExpectedVersion,
    /// Another total, after prices are refreshed, is refused.
    #[serde(default)]
    pub expected_total: Option<StatedTotal>,
}

/// The units of a line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChosenUnits {
    pub item_id: Id,
    #[schemars(length(min = 1, max = 100), extend("uniqueItems" = true))]
    pub unit_ids: Vec<Id>,
}

impl ConfirmSalesOrder {
    /// # Errors
    /// VALIDATION_FAILED: a line or a unit twice.
    pub fn check(&self) -> Result<(), Problem> {
        let units = Lines::at("/units", &self.units);
        let mut faults: Vec<Item> = units.find_repeats("itemId", |chosen| chosen.item_id);
        faults.extend(units.repeated_ids("unitIds", |chosen| &chosen.unit_ids));
        refuse_invalid(faults)
    }

    /// The ids of the units that it names.
    pub fn unit_ids(&self) -> BTreeSet<Id> {
        stoa_sdk::set(self.units.iter().flat_map(|chosen| chosen.unit_ids.iter().copied()))
    }
}

/// One unit of a line for another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExchangeUnit {
    pub expected_version: ExpectedVersion,
    pub item_id: Id,
    /// Held by the line.
    pub release_unit_id: Id,
    /// AVAILABLE, of the same variant and in the order's warehouse.
    pub choose_unit_id: Id,
    /// Why, for people.
    pub reason: Prose<1, 1000>,
}

impl ExchangeUnit {
    /// # Errors
    /// VALIDATION_FAILED: a unit for itself.
    pub fn check(&self) -> Result<(), Problem> {
        match self.release_unit_id == self.choose_unit_id {
            true => Err(invalid("/chooseUnitId", "REPEATED")),
            false => Ok(()),
        }
    }
}
