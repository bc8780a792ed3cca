//! Request bodies of supplier returns.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Id, Problem};
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::document::lines::Lines;
use stoa_trade::document::replacement::Replaceable;
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

/// A draft of a supplier return.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SupplierReturnInput {
    /// Unique in the legal entity, ignoring case. Immutable.
    pub number: StatedNumber,
    /// Immutable.
    pub legal_entity_id: Id,
    /// The supplier.
    pub party_id: Id,
    /// Warehouse of the legal entity that the goods leave.
    pub warehouse_id: Id,
    pub reason: Prose<1, 1000>,
    pub notes: Option<Prose<0, 2000>>,
    #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
    pub lines: Vec<SupplierReturnLineInput>,
}

impl Replaceable for SupplierReturnInput {
    const UPDATE: &'static str = "SupplierReturnUpdate";
}

impl SupplierReturnInput {
    /// Judges what the schema cannot: card numbers, and a line of a receipt or a unit that is stated twice.
    ///
    /// # Errors
    /// VALIDATION_FAILED.
    pub fn check(&self) -> Result<(), Problem> {
        refuse_card_numbers(&[
            ("/number", Some(&self.number.0)),
            ("/reason", Some(&self.reason)),
            ("/notes", self.notes.as_deref()),
        ])?;
        let lines = Lines::at("/lines", &self.lines);
        let mut faults = lines.find_repeats("receiptItemId", |line| line.receipt_item_id);
        faults.extend(lines.repeated_ids("unitIds", |line| &line.unit_ids));
        refuse_invalid(faults)
    }
}
