//! Records of pricing: the collections, and what people, API clients and events see of them.

pub mod offer;
pub mod permission;
pub mod price;
pub mod price_list;
pub mod priced_product;
pub mod removal;

use stoa_sdk::collections;
use stoa_sdk::descriptor::Collection;

/// Every collection of pricing.
pub const COLLECTIONS: &[fn() -> Collection] = collections! { price_list::ListRow, price::PriceRow };
