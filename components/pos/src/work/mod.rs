//! Work that several operations share.

pub mod drawer;
pub mod figures;
pub mod register;
pub mod session;
