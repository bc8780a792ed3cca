//! Branches of legal entities: an analytic dimension of warehouses, registers and entries.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, collection, new_id, now, view};
use stoa_trade::Status;

use crate::records::head::{Head, below_entity};

/// Name of this record type in the audit log.
pub const BRANCH: &str = "BRANCH";

collection! {
    pub record BranchRow in "branch" {
        legal_entity_id: Id,
        code: String,
        code_key: String,
        name: String,
        address: Option<String>,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [legal_entity_id, code_key] }
    index { [legal_entity_id, status] }
    search { text: [name, code] }
    fixed [legal_entity_id, code]
}
below_entity!(BranchRow as Branch);

view! { pub BranchId of BranchRow { id: Id } }

/// A branch of a legal entity.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    #[serde(flatten)]
    head: Head,
    address: Option<String>,
}

impl From<BranchRow> for Branch {
    fn from(row: BranchRow) -> Branch {
        Branch { head: Head::from_row(&row), address: row.address }
    }
}

/// A branch as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PublicBranch")]
pub struct ApiBranch {
    id: Id,
    /// New records cannot refer to an ARCHIVED record.
    status: Status,
    code: String,
    name: String,
    legal_entity_id: Id,
}

impl From<BranchRow> for ApiBranch {
    fn from(row: BranchRow) -> ApiBranch {
        let BranchRow { id, status, code, name, legal_entity_id, .. } = row;
        ApiBranch { id, status, code, name, legal_entity_id }
    }
}

impl BranchRow {
    pub fn new(entity: Id, code: &str, name: String, address: Option<String>) -> BranchRow {
        let now = now();
        BranchRow {
            id: new_id(),
            version: 1,
            created_at: now,
            updated_at: now,
            legal_entity_id: entity,
            code: code.to_owned(),
            code_key: code.to_ascii_lowercase(),
            name,
            address,
            status: Status::Active,
            archived_at: None,
        }
    }
}
