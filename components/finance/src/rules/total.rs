//! Totals of invoices: exact sums that can be paid, or refused; never rounded.

use stoa_sdk::{Item, Problem, item};
use stoa_trade::quantity::{Amount, Money, narrow, sum};
use stoa_trade::refusal::refuse;

/// The exact sum of lines, each with its pointer, as money.
///
/// # Errors
/// AMOUNT_PRECISION at the lines that have more than 6 digits after the point, or at all of them where the sum has more than 12
/// before it.
pub fn invoice_total(lines: &[(String, Amount)]) -> Result<Money, Problem> {
    let total = sum(lines.iter().map(|(_, total)| *total)).ok().and_then(narrow);
    if let Some(total) = total {
        return Ok(total);
    }
    let fault = |(pointer, _): &(String, Amount)| item(pointer.clone(), "AMOUNT_PRECISION");
    let unfit: Vec<Item> = lines.iter().filter(|(_, total)| narrow(*total).is_none()).map(fault).collect();
    let faults = if unfit.is_empty() { lines.iter().map(fault).collect() } else { unfit };
    refuse("AMOUNT_PRECISION", faults)?;
    Err(Problem::new("AMOUNT_PRECISION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total(lines: &[&str]) -> Result<String, Vec<String>> {
        let lines: Vec<(String, Amount)> =
            lines.iter().enumerate().map(|(nth, text)| (format!("/lines/{nth}"), text.parse().unwrap())).collect();
        invoice_total(&lines)
            .map(|total| total.to_string())
            .map_err(|problem| problem.errors.into_iter().map(|error| error.pointer).collect())
    }

    #[test]
    fn f3_the_sum_alone_must_fit() {
        assert_eq!(total(&[]), Ok("0.000000".to_owned()));
        assert_eq!(total(&["1", "0.0000001"]), Err(vec!["/lines/1".to_owned()]));
        assert_eq!(total(&["0.0000005", "0.0000005"]), Ok("0.000001".to_owned()));
        let largest = "999999999999.999999";
        assert_eq!(total(&[largest]), Ok(largest.to_owned()));
        assert_eq!(total(&[largest, "1"]), Err(vec!["/lines/0".to_owned(), "/lines/1".to_owned()]));
    }
}
