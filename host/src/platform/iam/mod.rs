//! Access in a company: the permissions there are, its roles and memberships, and the commands that change them.

pub mod commands;
pub mod directory;
pub mod memberships;
pub mod permissions;
pub mod roles;
mod search;

pub use memberships::MembershipStatus;
pub use roles::{AssignedRole, RoleStatus};

/// The permission to manage people: a company always has a member with it.
const MANAGE: &str = "users.manage";
