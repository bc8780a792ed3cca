//! Who may do what in a company: the permissions there are, its roles and memberships, and the commands that change them.

mod commands;
mod memberships;
mod permissions;
mod roles;
mod search;

pub use commands::execute;
pub use memberships::{list as list_memberships, read as read_membership};
pub use permissions::list as list_permissions;
pub use roles::{list as list_roles, read as read_role};

use std::sync::Arc;

use serde_json::{Value as Json, json};
use stoa_descriptor::{Access, Route};

use super::{Operation, PERMISSIONS, routes};
use crate::sandbox::Module;

/// Who holds it manages people: a company always has one that does.
const MANAGE: &str = "users.manage";

pub fn routes(modules: &[Arc<Module>]) -> Vec<(Route, Operation)> {
    let roles = json!({ "status": status(&["ACTIVE", "DISABLED"]), "text": sought("code or name") });
    let memberships = json!({
        "status": status(&["ACTIVE", "SUSPENDED"]),
        "roleId": { "type": "string", "format": "uuid", "description": "Memberships that this role is assigned to." },
        "text": sought("email address"),
    });
    [
        (
            routes::read(
                "/tenants/{tenantId}/iam/permissions",
                "listPermissions",
                "Every permission that a role can hold.",
                routes::reference("Permissions"),
            ),
            Operation::ListPermissions,
        ),
        commands::route(&all_permissions(modules)),
        (
            routes::list("/tenants/{tenantId}/iam/roles", "listRoles", "Roles, of any status.", "Role", roles),
            Operation::ListRoles,
        ),
        (
            routes::read("/tenants/{tenantId}/iam/roles/{id}", "getRole", "A role.", routes::reference("Role")),
            Operation::ReadRole,
        ),
        (
            routes::list(
                "/tenants/{tenantId}/iam/memberships",
                "listMemberships",
                "Memberships, of any status.",
                "Membership",
                memberships,
            ),
            Operation::ListMemberships,
        ),
        (
            routes::read(
                "/tenants/{tenantId}/iam/memberships/{id}",
                "getMembership",
                "A membership.",
                routes::reference("Membership"),
            ),
            Operation::ReadMembership,
        ),
    ]
    .into_iter()
    .map(|(route, operation)| (Route { access: Access::All(vec![MANAGE.into()]), ..route }, operation))
    .collect()
}

pub fn schemas() -> Vec<(&'static str, Json)> {
    vec![("Permissions", permissions::schema()), ("Role", roles::schema()), ("Membership", memberships::schema())]
}

/// The codes of every permission, host's and modules', sorted.
fn all_permissions(modules: &[Arc<Module>]) -> Vec<String> {
    let own = PERMISSIONS.iter().map(|(code, _)| code.to_string());
    let theirs = modules.iter().flat_map(|module| &module.descriptor.permissions).map(|named| named.code.clone());
    own.chain(theirs).collect::<std::collections::BTreeSet<String>>().into_iter().collect()
}

fn status(values: &[&str]) -> Json {
    json!({ "enum": values, "type": "string", "description": "Absent: any." })
}

fn sought(place: &str) -> Json {
    json!({
        "type": "string", "minLength": 1, "maxLength": 200, "x-normalize": ["trim"],
        "description": format!("Text that the {place} contains, in either case."),
    })
}
