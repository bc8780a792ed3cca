//! All that events say of records that are not public.

use serde::Serialize;
use stoa_sdk::Id;

/// A lookup or product.
#[derive(Serialize)]
pub struct Identity {
    pub id: Id,
}

/// A variant or medium.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartIdentity {
    pub id: Id,
    pub product_id: Id,
}
