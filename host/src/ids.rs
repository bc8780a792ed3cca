//! UUIDv7s of one request: its instant, then a number that starts at random and only rises. They ascend in the order they were
//! made, and requests of one millisecond still differ.

use uuid::Uuid;

/// Bits of a UUIDv7 below its milliseconds that are neither version nor variant.
const LOW_BITS: u32 = 74;

#[derive(Debug)]
pub struct Ids {
    millis: u64,
    next: u128,
}

impl Ids {
    /// `now_ms`: the request's instant, milliseconds since 1970.
    pub fn new(now_ms: i64) -> Ids {
        // The top bit stays free, so that counting up never leaves the millisecond.
        let start = rand::random::<u128>() & ((1 << (LOW_BITS - 1)) - 1);
        Ids { millis: u64::try_from(now_ms).unwrap_or(0), next: start }
    }

    pub fn make(&mut self) -> Uuid {
        self.next += 1 + u128::from(rand::random::<u32>());
        let low = self.next & ((1 << LOW_BITS) - 1);
        let millis = u128::from(self.millis) & ((1 << 48) - 1);
        let (rand_a, rand_b) = (low >> 62, low & ((1 << 62) - 1));
        Uuid::from_u128(millis << 80 | 0x7 << 76 | rand_a << 64 | 0b10 << 62 | rand_b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_ascend_and_are_version_7() {
        let mut ids = Ids::new(1_700_000_000_000);
        let made: Vec<Uuid> = (0..100_000).map(|_| ids.make()).collect();
        assert!(made.is_sorted_by(|one, next| one < next));
        assert!(made.iter().all(|id| id.get_version_num() == 7 && id.get_variant() == uuid::Variant::RFC4122));
    }
}
