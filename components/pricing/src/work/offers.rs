//! Prices as buyers get them: those of a list, adjusted by the extensions of `commerce:extension/price-adjustment`. Without an
//! extension nothing is built and nothing is asked.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Instant, map, reject_extension};
use stoa_trade::goods::PriceAdjustment;
use stoa_trade::points::{self, Adjustment, PricedLine, Question};
use stoa_trade::quantity::{Quantity, sum};

use crate::records::offer::Offer;
use crate::records::price::{Amount, PriceRow};

/// Characters of a reason at most.
const MOST_REASON: usize = 200;

/// The adjustments of each variant, in the sequence of the extensions.
type Adjusted = BTreeMap<Id, Vec<PriceAdjustment>>;

/// Prices of one list in effect at an instant, each with the quantity that is wanted of it, as this customer gets them:
/// in the order given. Each variant is in them once, and there are at most 1,000.
pub fn adjust(customer: Option<Id>, at: Instant, priced: Vec<(PriceRow, Option<Quantity>)>) -> Vec<Offer> {
    let mut adjusted = ask_extensions(customer, at, &priced);
    priced.into_iter().map(|(row, _)| make_offer(row, &mut adjusted)).collect()
}

/// As [`adjust`], of one price.
pub fn adjust_one(customer: Option<Id>, at: Instant, row: PriceRow, quantity: Option<Quantity>) -> Offer {
    let priced = [(row, quantity)];
    let mut adjusted = ask_extensions(customer, at, &priced);
    let [(row, _)] = priced;
    make_offer(row, &mut adjusted)
}

fn make_offer(row: PriceRow, adjusted: &mut Adjusted) -> Offer {
    let adjustments = adjusted.remove(&row.variant_id).unwrap_or_default();
    let amount = adjustments.last().map_or(row.amount, |last| last.amount);
    Offer { row, amount, adjustments }
}

/// The adjustments of these prices. A value that the interface does not promise is the failure of the extension that returned it.
fn ask_extensions(customer: Option<Id>, at: Instant, priced: &[(PriceRow, Option<Quantity>)]) -> Adjusted {
    let Some((first, _)) = priced.first().filter(|_| points::prices_are_adjusted()) else { return Adjusted::new() };
    let line = |(row, quantity): &(PriceRow, Option<Quantity>)| PricedLine {
        variant_id: row.variant_id.into(),
        price_id: row.id.into(),
        amount: row.amount.to_string(),
        quantity: quantity.map(|quantity| quantity.to_string()),
    };
    let question = Question {
        price_list_id: first.list_id.into(),
        currency_code: first.currency_code.clone(),
        customer_id: customer.map(Into::into),
        at: at.0,
        lines: priced.iter().map(line).collect(),
    };
    let mut adjusted: Adjusted = map(priced.iter().map(|(row, _)| (row.variant_id, Vec::new())));
    for adjustment in points::adjust(&question) {
        let module = adjustment.module.clone();
        if let Err(reason) = add(&mut adjusted, adjustment) {
            reject_extension(&module, reason);
        }
    }
    adjusted
}

/// Adds an adjustment to those of its variant.
///
/// # Errors
/// The rule of the extension point that the adjustment violates, for the problem of the extension.
fn add(adjusted: &mut Adjusted, adjustment: Adjustment) -> Result<(), &'static str> {
    let Adjustment { module, variant_id, amount, reason } = adjustment;
    let earlier = adjusted.get_mut(&Id::from(variant_id)).ok_or("an adjustment of a variant that was not asked for")?;
    if earlier.iter().any(|other| other.module == module) {
        return Err("two adjustments of one variant");
    }
    let amount: Option<Amount> = amount.parse().ok();
    // A sum of one has an error where a column does not hold it.
    let amount = amount.filter(|amount| !amount.is_negative()).and_then(|amount| sum([amount]).ok());
    let amount = amount.ok_or("an amount that is no price")?;
    let is_line = (1..=MOST_REASON).contains(&reason.chars().count()) && !reason.chars().any(char::is_control);
    if !is_line {
        return Err("a reason that is not one line of 1 to 200 characters");
    }
    earlier.push(PriceAdjustment { module, amount, reason });
    Ok(())
}

#[cfg(test)]
mod tests {
    use stoa_sdk::stand_in_extended;

    use super::*;

    const VARIANT: Id = Id(1, 1);

    fn adjustment(variant: Id, amount: &str, reason: &str) -> Adjustment {
        Adjustment {
            module: "group-prices".to_owned(),
            variant_id: variant.into(),
            amount: amount.to_owned(),
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn a_price_is_asked_for_only_while_an_extension_adjusts_it() {
        let row = PriceRow::example();
        let adjust = || adjust_one(Some(Id(2, 1)), Instant(5), row.clone(), Some(Quantity::from_units(3_000_000)));
        assert_eq!(adjust(), Offer { row: row.clone(), amount: row.amount, adjustments: Vec::new() });
        stand_in_extended(points::PRICE_ADJUSTMENT.0);
        points::price_adjustment::stand_in::adjust(|what, earlier| {
            assert!(earlier.is_empty());
            assert_eq!((what.customer_id, what.at, what.currency_code.as_str()), (Some((2, 1)), 5, "EUR"));
            let [line] = what.lines.as_slice() else { panic!("{what:?}") };
            assert_eq!((line.amount.as_str(), line.quantity.as_deref()), ("12.500000", Some("3.000000")));
            vec![
                adjustment(line.variant_id.into(), "12", "TEN"),
                Adjustment { module: "week".to_owned(), ..adjustment(line.variant_id.into(), "11.5", "ONE") },
            ]
        });
        let offer = adjust();
        assert_eq!((offer.amount.to_string().as_str(), offer.row.amount), ("11.500000", row.amount));
        let modules: Vec<&str> = offer.adjustments.iter().map(|adjustment| adjustment.module.as_str()).collect();
        assert_eq!(modules, ["group-prices", "week"]);
    }

    #[test]
    fn what_an_extension_may_not_return() {
        let long = "x".repeat(201);
        for (adjustment, why) in [
            (adjustment(Id(1, 2), "9", "GOLD"), "variant"),
            (adjustment(VARIANT, "-0.01", "GOLD"), "price"),
            (adjustment(VARIANT, "9.0000001", "GOLD"), "price"),
            (adjustment(VARIANT, "1000000000000", "GOLD"), "price"),
            (adjustment(VARIANT, "nine", "GOLD"), "price"),
            (adjustment(VARIANT, "9", ""), "reason"),
            (adjustment(VARIANT, "9", &long), "reason"),
            (adjustment(VARIANT, "9", "GO\nLD"), "reason"),
        ] {
            let mut adjusted = map([(VARIANT, Vec::new())]);
            let fault = add(&mut adjusted, adjustment.clone()).unwrap_err();
            assert!(fault.contains(why), "{adjustment:?}: {fault}");
        }
    }

    #[test]
    fn extensions_adjust_a_variant_once_each_and_in_sequence() {
        let mut adjusted = map([(VARIANT, Vec::new())]);
        assert_eq!(add(&mut adjusted, adjustment(VARIANT, "9", "GOLD")), Ok(()));
        assert_eq!(add(&mut adjusted, adjustment(VARIANT, "8", "GOLD")), Err("two adjustments of one variant"));
        let other = Adjustment { module: "week".to_owned(), ..adjustment(VARIANT, "0", &"x".repeat(200)) };
        assert_eq!(add(&mut adjusted, other), Ok(()));
        let amounts: Vec<String> = adjusted[&VARIANT].iter().map(|adjustment| adjustment.amount.to_string()).collect();
        assert_eq!(amounts, ["9.000000", "0.000000"]);
    }
}
