//! Members of groups and the rules of groups: as they are kept, and as they are shown.

use schemars::{JsonSchema, json_schema};
use serde::{Deserialize, Serialize};
use stoa_sdk::{Decimal, Id, collection, text};

/// A part of a hundred, with 6 digits after the point.
pub type Percent = Decimal<6>;

/// Code of a group: a capital letter, then capital letters, digits and `_`, `.`, `-`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GroupCode(pub String);

stoa_sdk::inline_schema!([] GroupCode, |_| json_schema!({ "type": "string", "pattern": text::CODE, "maxLength": 32 }));

stoa_sdk::plain_text!([] GroupCode);

collection! {
    /// The group of a customer. Nothing is deleted: who left a group has none.
    pub projection MemberRow in "member" {
        customer_id: Id,
        group_code: Option<String>,
    }
    unique { customer: [customer_id] }
    index { [group_code] }
}

collection! {
    /// How many percent less a group pays: of a variant, or of all without a rule of their own.
    pub projection RuleRow in "rule" {
        /// The group and the variant: `GOLD:*` without one.
        rule_key: String,
        group_code: String,
        variant_id: Option<Id>,
        percent: Percent,
        active: bool,
    }
    unique { rule: [rule_key] }
    index { [group_code], [variant_id] }
    checks { percent: [percent >= 0, percent <= 100] }
}

/// A customer and its group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupPricesMember {
    /// Id of the customer.
    pub customer_id: Id,
    /// Code of its group; null if it is in none.
    pub group_code: Option<String>,
}

impl GroupPricesMember {
    pub fn from_row(row: MemberRow) -> GroupPricesMember {
        GroupPricesMember { customer_id: row.customer_id, group_code: row.group_code }
    }
}

/// The rules of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupPricesRules {
    /// Code of the group.
    pub group_code: String,
    /// The general rule and those of variants, by the ids of the variants.
    pub rules: Vec<GroupPricesRule>,
}

/// A rule of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupPricesRule {
    /// Id of the variant; null for all variants without a rule of their own.
    pub variant_id: Option<Id>,
    /// Percent that the group pays less.
    pub percent: Percent,
}
