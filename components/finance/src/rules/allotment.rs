//! How much of what is there an application may take: never more than the invoice's balance, nor than the source has
//! left (rule 4).

use stoa_sdk::{Bounds, Item, Problem, item};
use stoa_trade::quantity::Money;
use stoa_trade::refusal::refuse;

/// Refuses amounts, each with its invoice's balance, that exceed that balance, or together what the source has available.
/// `list_pointer` is the pointer of their list.
///
/// # Errors
/// LIMIT_EXCEEDED with EXCEEDS_INVOICE_BALANCE or EXCEEDS_AVAILABLE at each amount that does not fit.
pub fn check_amounts(amounts: &[(Money, Money)], available: Money, list_pointer: &str) -> Result<(), Problem> {
    let mut left = available;
    let mut faults: Vec<Item> = Vec::new();
    for (nth, (amount, balance)) in amounts.iter().enumerate() {
        let pointer = format!("{list_pointer}/{nth}/amount");
        if amount > balance {
            faults.push(item(pointer, "EXCEEDS_INVOICE_BALANCE").with_bounds(Bounds::maximum(*balance)));
            continue;
        }
        match left.checked_sub(*amount).filter(|left| !left.is_negative()) {
            Some(rest) => left = rest,
            None => faults.push(item(pointer, "EXCEEDS_AVAILABLE").with_bounds(Bounds::maximum(left))),
        }
    }
    refuse("LIMIT_EXCEEDED", faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(amounts: &[(&str, &str)], available: &str) -> Vec<(String, String)> {
        let money = |text: &str| text.parse::<Money>().unwrap();
        let amounts: Vec<(Money, Money)> =
            amounts.iter().map(|(amount, balance)| (money(amount), money(balance))).collect();
        match check_amounts(&amounts, money(available), "/applications") {
            Ok(()) => Vec::new(),
            Err(problem) => {
                assert_eq!(problem.code, "LIMIT_EXCEEDED");
                problem.errors.into_iter().map(|error| (error.pointer, error.code)).collect()
            }
        }
    }

    #[test]
    fn f44_neither_balance_is_exceeded() {
        let reported = |index: usize, code: &str| (format!("/applications/{index}/amount"), code.to_owned());
        assert_eq!(judge(&[("60", "60"), ("40", "50")], "100"), []);
        assert_eq!(judge(&[("60.000001", "60")], "100"), [reported(0, "EXCEEDS_INVOICE_BALANCE")]);
        assert_eq!(judge(&[("60", "60"), ("40.000001", "50")], "100"), [reported(1, "EXCEEDS_AVAILABLE")]);
        assert_eq!(
            judge(&[("60", "10"), ("40", "50"), ("70", "70")], "100"),
            [reported(0, "EXCEEDS_INVOICE_BALANCE"), reported(2, "EXCEEDS_AVAILABLE")]
        );
    }
}
