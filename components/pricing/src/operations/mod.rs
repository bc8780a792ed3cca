//! The operations of people and API clients, a noun a file or a folder.

pub mod price;
pub mod price_list;
pub mod priced_product;

use stoa_sdk::Operation;

/// Every operation of pricing.
pub const TABLES: &[&[Operation]] = &[
    price_list::OPERATIONS,
    price::read::OPERATIONS,
    price::removal::OPERATIONS,
    price::change::OPERATIONS,
    price::schedule::OPERATIONS,
    price::resolve::OPERATIONS,
    priced_product::OPERATIONS,
];
