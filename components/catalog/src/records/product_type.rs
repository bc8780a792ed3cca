//! A product's type and how it is counted: each of its variants keeps a copy of these, since they cannot change any more.

use stoa_sdk::text_enum;

pub use stoa_trade::goods::ProductType;

text_enum! {
    /// How stock of the product is counted.
    pub enum Tracking { None => "NONE", Quantity => "QUANTITY", Serialized => "SERIALIZED" }
}
