//! The permissions there are: the host's own and those that the active modules bring.

use schemars::JsonSchema;
use serde::Serialize;

use super::super::operation::{PlatformOperation, on_session};
use super::super::reply::answer;
use super::super::{Call, Performed};
use super::MANAGE;
use crate::database::Session;

pub const OPERATIONS: &[PlatformOperation] =
    &[PlatformOperation::read("/tenants/{tenantId}/iam/permissions", "listPermissions", on_session!(list))
        .summary("Permissions that a role can have")
        .needs(&[MANAGE])
        .answers::<Permissions>()];

#[derive(Serialize, JsonSchema)]
struct Permissions {
    items: Vec<KnownPermission>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct KnownPermission {
    code: String,
    description: String,
    module: String,
}

async fn list(_: &mut Session, call: &Call<'_>) -> Performed {
    let permissions = call.request.generation.permissions.iter().map(|(code, permission)| KnownPermission {
        code: code.clone(),
        description: permission.description.clone(),
        module: permission.module.clone(),
    });
    answer(&Permissions { items: permissions.collect() })
}
