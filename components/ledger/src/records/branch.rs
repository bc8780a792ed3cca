//! Branches of legal entities: an analytic dimension of warehouses, registers and entries.

use stoa_sdk::{Id, Instant, collection, new_id, view};
use stoa_trade::{Status, new_record, resource};

use crate::records::head::below_entity;

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

view! { pub BranchId of BranchRow { id: Id } }

below_entity! {
    /// A branch of a legal entity.
    pub struct Branch of row: BranchRow {
        address: Option<String>,
    }
}

resource! {
    /// A branch as returned to API clients.
    #[schemars(rename = "PublicBranch")]
    pub struct ApiBranch of row: BranchRow {
        id: Id,
        /// New records cannot refer to an ARCHIVED record.
        status: Status,
        code: String,
        name: String,
        legal_entity_id: Id,
    }
}

impl BranchRow {
    pub fn new(entity: Id, code: &str, name: String, address: Option<String>) -> BranchRow {
        new_record!(BranchRow {
            id: new_id(),
            legal_entity_id: entity,
            code: code.to_owned(),
            code_key: code.to_ascii_lowercase(),
            name,
            address,
            status: Status::Active,
            archived_at: None,
        })
    }
}
