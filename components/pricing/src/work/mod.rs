//! What several operations do together.

pub mod articles;
pub mod price_list;
