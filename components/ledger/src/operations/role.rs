//! The posting roles, for whoever maps them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Answer, Call, Operation, Reply};

use crate::rules::roles::{PostingRole, ROLES};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/ledger/posting-roles", "listPostingRoles", list)
        .summary("Posting roles").description("What operations post to, and what each role demands of its account.")
        .for_members().answers::<PostingRoles>(),
];

/// Every posting role.
#[derive(Serialize, JsonSchema)]
pub struct PostingRoles {
    items: &'static [PostingRole],
}

pub fn list(_: &Call) -> Answer {
    Ok(Reply::json(&PostingRoles { items: &ROLES }))
}
