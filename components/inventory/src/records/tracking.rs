//! How goods are counted, as documents remember it.

use stoa_sdk::text_enum;

text_enum! {
    /// How a variant is counted, as documents remember it.
    pub enum Tracking { None => "NONE", Quantity => "QUANTITY", Serialized => "SERIALIZED" }
}
