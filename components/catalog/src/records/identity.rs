//! All that events carry of variants and media that are not public.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, Id, Instant};

/// Event data of a variant or media record that is not public: ids only.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartIdentity {
    pub id: Id,
    pub product_id: Id,
}

impl EventData for PartIdentity {
    fn example() -> PartIdentity {
        PartIdentity { id: example_id(2), product_id: example_id(1) }
    }
}

/// The ids of the records that the contract shows: 1 is a product, 2 a variant of it.
pub const fn example_id(nth: u64) -> Id {
    Id(0x0198_2f0a_51c0_7000, 0x8000_0000_0000_0000 + nth)
}

/// When they were made.
pub const EXAMPLE_TIME: Instant = Instant(1_767_225_600_000);
