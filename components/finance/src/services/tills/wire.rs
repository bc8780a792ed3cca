//! What callers state, read; a text that is none is the caller's fault.

use std::str::FromStr;

use stoa_sdk::Field;
use stoa_sdk::host::fault;
use stoa_sdk::store::Value;

/// A decimal.
pub fn parse<T: FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| fault("a caller stated what is no decimal"))
}

/// A word of an enumeration.
pub fn parse_word<T: Field>(word: &str) -> T {
    T::take(Value::Text(word.to_owned())).unwrap_or_else(|| fault("a caller stated a word that there is not"))
}
