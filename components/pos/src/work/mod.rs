//! Work that several operations share.

pub mod drawer;
pub mod extension;
pub mod figures;
pub mod register;
pub mod session;
