//! How goods came, went and moved.

pub mod row;
