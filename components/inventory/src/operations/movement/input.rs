//! The body of an adjustment. Its members depend on its type, so its schema is a union with one branch for each type. A
//! member that a type does not use may be null.

use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use stoa_sdk::{Id, Text, text_enum};
use stoa_trade::quantity::{Positive, Quantity};

use crate::records::movement::MovementType;

text_enum! {
    pub enum AdjustmentType { In => "ADJUSTMENT_IN", Out => "ADJUSTMENT_OUT", Damage => "DAMAGE", Loss => "LOSS" }
}

impl AdjustmentType {
    /// The type of the movement that records it.
    pub fn movement(self) -> MovementType {
        match self {
            AdjustmentType::In => MovementType::AdjustmentIn,
            AdjustmentType::Out => MovementType::AdjustmentOut,
            AdjustmentType::Damage => MovementType::Damage,
            AdjustmentType::Loss => MovementType::Loss,
        }
    }
}

/// An adjustment of stock; `movementType` decides which members it has.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(transform = split_by_type)]
pub struct AdjustmentInput {
    /// Tracked variant without serial numbers.
    pub variant_id: Id,
    /// At most the decimal places of the variant's unit of measure.
    pub quantity: Positive,
    pub reason: Text<1, 1000>,
    /// Id that the caller chooses. The service never looks it up.
    pub reference_id: Option<Id>,
    pub movement_type: AdjustmentType,
    pub from_warehouse_id: Option<Id>,
    pub to_warehouse_id: Option<Id>,
    /// Required if the legal entity keeps books. Zero is a valid cost.
    pub unit_cost: Option<Quantity>,
    /// Account to post the value against, such as an equity account for opening stock. It is an active postable account of the
    /// warehouse's legal entity that is not a control account. Omitted: the account of the posting role of the movement type.
    pub counter_account_id: Option<Id>,
}

/// A type, the name of its branch and what its goods do.
type Branch = (AdjustmentType, &'static str, &'static str);

const BRANCHES: [Branch; 4] = [
    (AdjustmentType::In, "AdjustmentIn", "Goods that come in."),
    (AdjustmentType::Out, "AdjustmentOut", "Goods that go out."),
    (AdjustmentType::Damage, "AdjustmentDamage", "Goods that go out because they are damaged."),
    (AdjustmentType::Loss, "AdjustmentLoss", "Goods that go out because they are lost."),
];

/// Splits the schema with all members into one branch for each type.
fn split_by_type(schema: &mut Schema) {
    let union = schema.ensure_object();
    let mut all = Map::new();
    for keyword in ["type", "properties", "required", "additionalProperties"] {
        all.extend(union.shift_remove(keyword).map(|value| (keyword.to_owned(), value)));
    }
    let branches: Vec<Value> = BRANCHES.iter().map(|branch| draw_branch(all.clone(), branch)).collect();
    union.insert("oneOf".to_owned(), branches.into());
}

/// The branch of one type: its warehouse is required, and members that it does not use are null.
fn draw_branch(mut branch: Map<String, Value>, (kind, title, description): &Branch) -> Value {
    let (used, unused): (&str, &[&str]) = match kind {
        AdjustmentType::In => ("toWarehouseId", &["fromWarehouseId"]),
        _ => ("fromWarehouseId", &["toWarehouseId", "unitCost"]),
    };
    if let Some(Value::Object(members)) = branch.get_mut("properties") {
        members.insert("movementType".to_owned(), json!({ "type": "string", "const": kind.as_str() }));
        for name in unused {
            let null = json!({ "type": "null", "description": "Not used: omitted or null.", "default": null });
            members.insert((*name).to_owned(), null);
        }
        if let Some(Value::Object(warehouse)) = members.get_mut(used) {
            warehouse.insert("type".to_owned(), "string".into());
        }
    }
    if let Some(Value::Array(required)) = branch.get_mut("required") {
        required.push(used.into());
    }
    branch.insert("title".to_owned(), (*title).into());
    branch.insert("description".to_owned(), (*description).into());
    branch.into()
}

#[cfg(test)]
mod tests {
    use stoa_sdk::Schemas;

    use super::*;

    #[test]
    fn each_type_has_a_branch_with_its_warehouse() {
        let mut schemas = Schemas::default();
        schemas.read::<AdjustmentInput>();
        let named = schemas.finish().unwrap();
        let branches = named["AdjustmentInput"]["oneOf"].as_array().unwrap();
        assert_eq!(branches.len(), 4);
        for branch in branches {
            let members = &branch["properties"];
            let (used, unused) = match members["movementType"]["const"].as_str() {
                Some("ADJUSTMENT_IN") => ("toWarehouseId", "fromWarehouseId"),
                _ => ("fromWarehouseId", "toWarehouseId"),
            };
            let required = ["variantId", "quantity", "reason", "movementType", used];
            assert_eq!(branch["required"], json!(required));
            assert_eq!(members[used]["type"], "string");
            assert_eq!(
                (&members[unused]["type"], members[unused].get("default")),
                (&json!("null"), Some(&Value::Null))
            );
            assert_eq!(branch["additionalProperties"], false);
        }
        assert_eq!(named["AdjustmentInput"].get("properties"), None);
    }
}
