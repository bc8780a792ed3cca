//! Cash comes in coins: where a register states the smallest one, no amount of cash is finer.

use crate::quantity::Money;
use crate::refusal::refuse;
use stoa_sdk::{Problem, item};

/// # Errors
/// AMOUNT_PRECISION with FINER_THAN_COIN at each amount that no coins make up; none if no coin is stated.
pub fn check_coins(smallest: Option<Money>, amounts: &[(&str, Money)]) -> Result<(), Problem> {
    let coin = smallest.map(Money::units).filter(|coin| *coin > 0);
    let is_finer = |amount: &Money| coin.is_some_and(|coin| amount.units() % coin != 0);
    let finer = amounts.iter().filter(|(_, amount)| is_finer(amount));
    refuse("AMOUNT_PRECISION", finer.map(|(pointer, _)| item(*pointer, "FINER_THAN_COIN")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cash_is_made_up_of_coins() {
        let money = |text: &str| text.parse::<Money>().unwrap();
        for (coin, amount, is_cash) in [
            (None, "548.971500", true),
            (Some("0.01"), "548.97", true),
            (Some("0.01"), "548.9715", false),
            (Some("0.05"), "0.15", true),
            (Some("0.05"), "0.12", false),
            (Some("1"), "0", true),
            (Some("1"), "0.000001", false),
        ] {
            let checked = check_coins(coin.map(money), &[("/amount", money(amount))]);
            assert_eq!(checked.is_ok(), is_cash, "{amount} in coins of {coin:?}");
        }
    }
}
