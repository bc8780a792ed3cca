//! Variants of which goods are on hand: the query for them, and the warnings about them.

use stoa_sdk::store::{Aggregate, aggregate};
use stoa_sdk::{Filter, Id, all, totals};
use stoa_trade::limits::WARNINGS;

use crate::records::holding::{Archived, HoldingRow, Warning, WarningCode};

totals! { pub HeldVariant of HoldingRow by [variant_id: Id] { places: i64 = count } }

/// Variants of which goods are on hand, among these holdings.
pub fn find_held(among: Filter) -> Aggregate<HeldVariant> {
    aggregate::<HeldVariant>(all([among, HoldingRow::held.eq(true)]))
}

/// The archived record with a warning for each of these variants.
pub fn warn<T>(record: T, held: &[HeldVariant]) -> Archived<T> {
    let warning = |variant: &HeldVariant| Warning { code: WarningCode::StockOnHand, variant_id: variant.variant_id };
    Archived { record, warnings: held.iter().take(WARNINGS).map(warning).collect(), warning_count: held.len() }
}
