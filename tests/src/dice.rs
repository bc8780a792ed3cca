//! Seeded randomness (SplitMix64): the same seed gives the same test on every machine and with every crate version.

/// A sequence of random numbers; prints its seed so that a failure can be repeated with `STOA_TEST_SEED`.
pub struct Dice(u64);

impl Dice {
    /// The seed of `STOA_TEST_SEED`, else one of the clock; either is printed.
    pub fn new(what: &str) -> Dice {
        let seed = std::env::var("STOA_TEST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or_else(|| {
            let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
            now.as_nanos() as u64
        });
        println!("{what}: STOA_TEST_SEED={seed}");
        Dice(seed)
    }

    /// Dice of a known seed.
    pub fn seeded(seed: u64) -> Dice {
        Dice(seed)
    }

    /// Independent dice for one of several threads.
    pub fn fork(&mut self) -> Dice {
        Dice(self.roll())
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of `low..high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.roll() % (high - low)
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.roll().is_multiple_of(n)
    }

    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[(self.roll() % choices.len() as u64) as usize]
    }
}
