//! What several operations do together.

pub mod drawer;
pub mod figures;
pub mod register;
pub mod session;
