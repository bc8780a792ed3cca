//! Request bodies of a transfer order, and the faults that a schema cannot find.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Bounds, Date, Id, Item, Problem, Text, item};
use stoa_trade::Caller;
use stoa_trade::document::lines::{Lines, find_repeated_ids};
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::document::replacement::Replaceable;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::limits::UNITS;
use stoa_trade::quantity::{self, Positive, Quantity};
use stoa_trade::refusal::refuse_invalid;

/// A transfer order to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TransferOrderInput {
    /// Unique in the legal entity, ignoring case. Immutable. Omitted or null on create: `TO-` and the next number.
    pub number: Option<DocumentNumber>,
    /// Warehouse of type PHYSICAL, VIRTUAL or THIRD_PARTY. The order belongs to its legal entity. Immutable.
    pub from_warehouse_id: Id,
    /// Warehouse of the same legal entity, of any type except IN_TRANSIT.
    pub to_warehouse_id: Id,
    /// Warehouse of type IN_TRANSIT. Omitted or null: the only one of the legal entity, set at the approval.
    pub transit_warehouse_id: Option<Id>,
    pub expected_on: Option<Date>,
    pub notes: Option<Text<0, 2000>>,
    /// At most one line for each variant.
    #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
    pub items: Vec<TransferItemInput>,
}

impl Replaceable for TransferOrderInput {
    const UPDATE: &'static str = "TransferOrderUpdate";
}

impl TransferOrderInput {
    /// The number of lines, as the order keeps it.
    pub fn item_count(&self) -> i64 {
        i64::try_from(self.items.len()).unwrap_or(i64::MAX)
    }

    pub fn variants(&self) -> impl Iterator<Item = Id> {
        self.items.iter().map(|line| line.variant_id)
    }

    /// # Errors
    /// VALIDATION_FAILED: one warehouse twice, a variant or unit twice, units named by an API client.
    pub fn check(&self, caller: Caller) -> Result<(), Problem> {
        let mut faults: Vec<Item> = Vec::new();
        if self.from_warehouse_id == self.to_warehouse_id {
            faults.push(item("/toWarehouseId", "REPEATED"));
        }
        let (mut variants, mut units) = (BTreeSet::new(), BTreeSet::new());
        for (pointer, line) in Lines::at("/items", &self.items).iter() {
            if !variants.insert(line.variant_id) {
                faults.push(item(pointer.member("variantId"), "REPEATED"));
            }
            if caller.is_client() && !line.unit_ids.is_empty() {
                faults.push(item(pointer.member("unitIds"), "NOT_ALLOWED"));
            }
            faults.extend(find_repeated_ids(&pointer.member("unitIds"), &line.unit_ids, &mut units));
        }
        if units.len() > UNITS {
            faults.push(item("/items", "TOO_MANY"));
        }
        refuse_invalid(faults)
    }
}

/// Quantity of one variant to transfer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TransferItemInput {
    pub variant_id: Id,
    /// Whole for serialized variants.
    pub quantity: Positive,
    /// Units of a serialized variant. A user chooses them; the order can be approved once there are as many as the quantity.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::UNITS), extend("uniqueItems" = true, "default" = []))]
    pub unit_ids: Vec<Id>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelTransferOrder {
    pub expected_version: ExpectedVersion,
    pub reason: Text<1, 1000>,
}

/// Quantities and units that arrived, were lost or came back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReceiveTransferOrder {
    pub expected_version: ExpectedVersion,
    /// Location in the destination warehouse.
    pub to_location_id: Option<Id>,
    /// Reason for a loss; required if anything is lost.
    pub reason: Option<Text<1, 1000>>,
    #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
    pub items: Vec<ReceiveItem>,
}

/// On a serialized line, the three unit lists may be empty if one of the three quantities is the whole outstanding quantity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReceiveItem {
    pub item_id: Id,
    pub quantity: Quantity,
    #[serde(default)]
    #[schemars(extend("default" = "0"))]
    pub lost_quantity: Quantity,
    #[serde(default)]
    #[schemars(extend("default" = "0"))]
    pub returned_quantity: Quantity,
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::UNITS), extend("uniqueItems" = true, "default" = []))]
    pub unit_ids: Vec<Id>,
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::UNITS), extend("uniqueItems" = true, "default" = []))]
    pub lost_unit_ids: Vec<Id>,
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::UNITS), extend("uniqueItems" = true, "default" = []))]
    pub returned_unit_ids: Vec<Id>,
}

/// # Errors
/// VALIDATION_FAILED: a line or unit twice, lines that settle nothing, a loss without a reason, units named by an API client.
pub fn check_receipt(input: &ReceiveTransferOrder, caller: Caller) -> Result<(), Problem> {
    let mut faults: Vec<Item> = Vec::new();
    let (mut lines, mut units) = (BTreeSet::new(), BTreeSet::new());
    let mut is_lost = false;
    for (index, line) in input.items.iter().enumerate() {
        if !lines.insert(line.item_id) {
            faults.push(item(format!("/items/{index}/itemId"), "REPEATED"));
        }
        if [line.quantity, line.lost_quantity, line.returned_quantity].iter().all(|part| *part == Quantity::ZERO) {
            faults.push(item(format!("/items/{index}"), "RANGE").with_bounds(Bounds::minimum(quantity::SMALLEST)));
        }
        is_lost |= line.lost_quantity > Quantity::ZERO;
        let lists = [
            ("unitIds", &line.unit_ids),
            ("lostUnitIds", &line.lost_unit_ids),
            ("returnedUnitIds", &line.returned_unit_ids),
        ];
        for (member, ids) in lists {
            let pointer = format!("/items/{index}/{member}");
            faults.extend((caller.is_client() && !ids.is_empty()).then(|| item(pointer.as_str(), "NOT_ALLOWED")));
            faults.extend(find_repeated_ids(&pointer, ids, &mut units));
        }
    }
    if is_lost && input.reason.is_none() {
        faults.push(item("/reason", "REQUIRED"));
    }
    refuse_invalid(faults)
}
