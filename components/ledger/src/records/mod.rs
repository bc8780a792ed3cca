//! What is kept, and what people, clients and services see of it: the ground that everything else stands on.

pub mod account;
pub mod branch;
pub mod entity;
pub mod entry;
pub mod hold;
pub mod mapping;
pub mod money_account;
pub mod month;
pub mod period;
pub mod role;
pub mod status;
