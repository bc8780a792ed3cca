//! Ids and instants of rows that no request wrote. SQL makes them from the number of a row, and so does this program: a page
//! at any depth of a list can be asked for, since a cursor is the id of a row.

use uuid::Uuid;

/// Days over which the rows of a table are spread.
const DAYS: u64 = 500;
/// In milliseconds.
const DAY: u64 = 86_400_000;

/// The rows of a table from number 1 on, evenly spread in time. Their ids are UUIDv7, as the host makes them, in the order of
/// their numbers.
#[derive(Debug, Clone, Copy)]
pub struct Ids {
    /// Milliseconds since 1970.
    begin: u64,
    /// Milliseconds from one row to the next.
    step: u64,
}

impl Ids {
    /// So many rows, all of them before `now`, in milliseconds since 1970.
    pub fn before(now: u64, rows: u64) -> Ids {
        let span = DAYS * DAY;
        Ids { begin: now.saturating_sub(span), step: span / (rows + 1) }
    }

    /// Rows that are made together with these, so many milliseconds later.
    pub fn later(self, milliseconds: u64) -> Ids {
        Ids { begin: self.begin + milliseconds, ..self }
    }

    /// The id of a row.
    pub fn nth(&self, number: u64) -> Uuid {
        let instant = u128::from(self.begin + self.step * number);
        Uuid::from_u128(instant << 80 | 0x7000_8000_0000_0000_0000 | u128::from(number))
    }

    /// The SQL of the same, by the SQL of a number, a bigint.
    pub fn sql(&self, number: &str) -> String {
        let Ids { begin, step } = self;
        format!(
            "(lpad(to_hex({begin} + {step} * ({number})), 12, '0') || '70008' || lpad(to_hex({number}), 15, '0'))::uuid"
        )
    }

    /// The SQL of the instant of a row.
    pub fn instant_sql(&self, number: &str) -> String {
        let Ids { begin, step } = self;
        format!("to_timestamp(({begin} + {step} * ({number})) / 1000.0)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_that_sql_makes_in_the_order_of_their_numbers() {
        let now = 1_800_000_000_000;
        let ids = Ids::before(now, 10_000_000);
        let all: Vec<Uuid> = [1, 2, 255, 9_999_999, 10_000_000].map(|number| ids.nth(number)).to_vec();
        assert!(all.is_sorted(), "{all:?}");
        assert!(all.iter().all(|id| id.get_version_num() == 7 && id.get_variant() == uuid::Variant::RFC4122));
        // As `lpad` and `to_hex` spell it.
        let instant = now - DAYS * DAY + 255 * (DAYS * DAY / 10_000_001);
        assert_eq!(all[2].simple().to_string(), format!("{instant:012x}70008{:015x}", 255));
        assert!(all[4] < Ids { begin: now, step: 0 }.nth(0));
    }
}
