//! Who may do what in a company: the permissions there are, its roles and memberships, and the commands that change them.

pub mod commands;
pub mod directory;
pub mod memberships;
pub mod permissions;
pub mod roles;
mod search;

pub use memberships::MembershipStatus;
pub use roles::{AssignedRole, RoleStatus};

/// Who holds it manages people: a company always has one that does.
const MANAGE: &str = "users.manage";
