//! Request bodies of supplier returns.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Id, Problem};
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::document::lines::Lines;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::Positive;
use stoa_trade::refusal::refuse_invalid;
use stoa_trade::text::Prose;

use crate::records::receipt::StatedNumber;

/// Goods of a receipt line.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SupplierReturnLineInput {
    /// Tracked line of a goods receipt from this supplier for this legal entity.
    pub receipt_item_id: Id,
    pub quantity: Positive,
    /// Units of a serialized line: as many as its quantity when the return is shipped.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::UNITS), extend("uniqueItems" = true, "default" = []))]
    pub unit_ids: Vec<Id>,
}

/// A return as either body states it.
#[derive(Debug, Clone)]
pub struct StatedReturn {
    pub number: String,
    pub entity: Id,
    pub party: Id,
    pub warehouse: Id,
    pub reason: String,
    pub notes: Option<String>,
    pub lines: Vec<SupplierReturnLineInput>,
}

/// Both bodies of a return: a replacement states the version too.
macro_rules! return_body {
    ($(#[$meta:meta])* $name:ident { $($extra:tt)* }) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($extra)*
            /// Unique in the legal entity, ignoring case. Immutable.
            pub number: StatedNumber,
            /// Immutable.
            pub legal_entity_id: Id,
            /// The supplier.
            pub party_id: Id,
            /// Warehouse of the legal entity that the goods leave.
            pub warehouse_id: Id,
            pub reason: Prose<1, 1000>,
            #[serde(default)]
            pub notes: Option<Prose<0, 2000>>,
            #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
            pub lines: Vec<SupplierReturnLineInput>,
        }

        impl $name {
            /// The return as the body states it.
            ///
            /// # Errors
            /// VALIDATION_FAILED: a line of a receipt or a unit twice.
            pub fn state(self) -> Result<StatedReturn, Problem> {
                let stated = StatedReturn {
                    number: self.number.0,
                    entity: self.legal_entity_id,
                    party: self.party_id,
                    warehouse: self.warehouse_id,
                    reason: self.reason.into(),
                    notes: self.notes.map(String::from),
                    lines: self.lines,
                };
                stated.check()?;
                Ok(stated)
            }
        }
    };
}

return_body! {
    /// A draft of a supplier return.
    SupplierReturnInput {}
}

return_body! {
    /// Full replacement of a draft.
    SupplierReturnUpdate {
        pub expected_version: ExpectedVersion,
    }
}

impl StatedReturn {
    fn check(&self) -> Result<(), Problem> {
        refuse_card_numbers(&[
            ("/number", Some(&self.number)),
            ("/reason", Some(&self.reason)),
            ("/notes", self.notes.as_deref()),
        ])?;
        let lines = Lines::at("/lines", &self.lines);
        let mut faults = lines.find_repeats("receiptItemId", |line| line.receipt_item_id);
        faults.extend(lines.repeated_ids("unitIds", |line| &line.unit_ids));
        refuse_invalid(faults)
    }
}
