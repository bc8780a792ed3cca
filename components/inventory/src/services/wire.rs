//! Values as callers of a service state them, in text.

use std::str::FromStr;

use stoa_sdk::host::fault;
use stoa_trade::quantity::Quantity;

/// What a caller states; a text that is none is the caller's fault.
pub fn parse<T: FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| fault("a caller stated what is no decimal or day"))
}

/// As `stated`, above zero.
pub fn parse_positive(text: &str) -> Quantity {
    let quantity: Quantity = parse(text);
    if quantity > Quantity::ZERO { quantity } else { fault("a caller stated no quantity") }
}
