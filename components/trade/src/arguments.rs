//! Reads the texts that callers pass to a service. A text that has not the form which the WIT promises is the caller's
//! failure, not the service's.

use std::str::FromStr;

use stoa_sdk::Field;
use stoa_sdk::host::reject_argument;
use stoa_sdk::store::Value;

use crate::quantity::Quantity;

/// A decimal, a day or an id.
pub fn parse<T: FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| reject_argument("a text is no decimal, day or id"))
}

/// A quantity above zero.
pub fn parse_positive(text: &str) -> Quantity {
    let quantity: Quantity = parse(text);
    if quantity > Quantity::ZERO { quantity } else { reject_argument("a quantity is not above zero") }
}

/// A decimal without sign.
pub fn parse_unsigned<T: FromStr>(text: &str) -> T {
    if text.starts_with('-') { reject_argument("an amount is below zero") } else { parse(text) }
}

/// A word of an enumeration.
pub fn parse_word<T: Field>(word: &str) -> T {
    T::take(Value::Text(word.to_owned())).unwrap_or_else(|| reject_argument("a word is not one of the enumeration"))
}
