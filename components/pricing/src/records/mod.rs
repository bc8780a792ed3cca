//! Records of pricing: the collections, and what people, API clients and events see of them.

pub mod price;
pub mod price_list;
pub mod priced_product;
