//! How goods came, went and moved.

pub mod answer;
pub mod row;
