//! Pricing: lists, prices and the one that is in effect, for people and API clients.

mod batch;
mod lists;
mod machine;
mod model;
mod priced_products;
mod prices;
mod resolve;
