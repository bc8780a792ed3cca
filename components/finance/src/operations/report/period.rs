//! Periods that reports are of.

use stoa_sdk::{Bounds, Date, Problem};
use stoa_trade::refusal::out_of_range;

/// Days of a report at most.
const MOST_DAYS: i64 = 366;

/// # Errors
/// VALIDATION_FAILED with RANGE at `/query/to`.
pub fn check_period(from: Date, to: Date) -> Result<(), Problem> {
    let days = to.days() - from.days() + 1;
    if (1..=MOST_DAYS).contains(&days) {
        return Ok(());
    }
    Err(out_of_range("/query/to", Bounds::between(1_i64, MOST_DAYS).of_counted("DAYS")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows::day;

    #[test]
    fn f77_a_report_is_of_366_days_at_most() {
        for (from, to, is_lawful) in [
            ("2026-01-01", "2026-01-01", true),
            ("2026-01-02", "2026-01-01", false),
            ("2024-01-01", "2024-12-31", true),
            ("2025-01-01", "2026-01-01", true),
            ("2025-01-01", "2026-01-02", false),
        ] {
            assert_eq!(check_period(day(from), day(to)).is_ok(), is_lawful, "{from} {to}");
        }
    }
}
