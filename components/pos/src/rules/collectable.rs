//! Which totals can be collected: money that is paid has 6 decimals, an order's total 12 (decisions.md 0.2). Nothing is rounded.

use stoa_sdk::{Item, Problem, item};
use stoa_trade::quantity::{Amount, Money, fraction_digits, narrow};

/// Digits after the point that can be paid.
const DIGITS: u32 = 6;

/// The total as money, where it is money; `lines` are the totals of the order's lines.
///
/// # Errors
/// AMOUNT_PRECISION at each line that has more digits, or at the total where none has.
pub fn require_collectable(total: Amount, lines: &[Amount]) -> Result<Money, Problem> {
    if let Some(money) = narrow(total) {
        return Ok(money);
    }
    let finer = lines.iter().enumerate().filter(|(_, line)| fraction_digits(**line) > DIGITS);
    let mut faults: Vec<Item> = finer.map(|(nth, _)| item(format!("/items/{nth}"), "AMOUNT_PRECISION")).collect();
    if faults.is_empty() {
        faults.push(item("/total", "AMOUNT_PRECISION"));
    }
    Err(Problem { code: "AMOUNT_PRECISION".to_owned(), errors: faults })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(total: &str, lines: &[&str]) -> Result<String, Vec<String>> {
        let lines: Vec<Amount> = lines.iter().map(|line| line.parse().unwrap()).collect();
        let judged = require_collectable(total.parse().unwrap(), &lines);
        judged.map(|money| money.to_string()).map_err(|problem| {
            assert_eq!(problem.code, "AMOUNT_PRECISION");
            problem.errors.into_iter().map(|error| error.pointer).collect()
        })
    }

    #[test]
    fn e321_a_total_finer_than_money_names_its_lines() {
        let refused = |pointers: &[&str]| Err(pointers.iter().map(|&pointer| pointer.to_owned()).collect::<Vec<_>>());
        assert_eq!(judge("3.5", &["1", "2.5"]), Ok("3.500000".to_owned()));
        assert_eq!(judge("1.1111111", &["1", "0.1111111"]), refused(&["/items/1"]));
        assert_eq!(judge("0.0000003", &["0.0000001", "0.0000002"]), refused(&["/items/0", "/items/1"]));
        // [E259]: finer amounts of the lines may add up to money.
        assert_eq!(judge("0.000001", &["0.0000005", "0.0000005"]), Ok("0.000001".to_owned()));
        assert_eq!(judge("1000000000000", &["1000000000000"]), refused(&["/total"]));
        assert_eq!(judge("0", &[]), Ok("0.000000".to_owned()));
    }
}
