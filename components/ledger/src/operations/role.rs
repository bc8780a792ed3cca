//! The posting roles, for users who map them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Answer, Call, Operation, Reply};

use crate::rules::roles::{PostingRole, ROLES};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/ledger/posting-roles", "listPostingRoles", list)
        .summary("Posting roles").description("Roles that operations post to, and the requirements of each role for its \
            account.")
        .for_members().answers::<PostingRoles>(),
];

/// All posting roles.
#[derive(Serialize, JsonSchema)]
pub struct PostingRoles {
    items: &'static [PostingRole],
}

pub fn list(_: &Call) -> Answer {
    Ok(Reply::json(&PostingRoles { items: &ROLES }))
}
