//! Prices of lines, exactly: an agreed amount becomes a price when it is stated and stays that price; what a line shows
//! follows from list price, agreed price and quantity (sales-pos.md 3.2).

use stoa_sdk::{Decimal, Id, Problem};
use stoa_trade::goods::PriceAdjustment;
use stoa_trade::quantity::{Money, Quantity, multiply};

use crate::records::price_figures::{Percent, PriceFigures, PriceOrigin};

/// A hundred percent, in ten-thousandths of a point.
const WHOLE: i128 = 1_000_000;

/// A line's price as a body states it; at most one of the three is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatedPrice {
    /// The agreed price itself.
    pub unit_price: Option<Money>,
    /// A share of the list price.
    pub discount_percent: Option<Percent>,
    /// A sum off the list price.
    pub discount_amount: Option<Money>,
}

impl StatedPrice {
    /// Those that are stated, by their members' names.
    pub fn members(&self) -> impl Iterator<Item = &'static str> {
        let members = [
            ("unitPrice", self.unit_price.is_some()),
            ("discountPercent", self.discount_percent.is_some()),
            ("discountAmount", self.discount_amount.is_some()),
        ];
        members.into_iter().filter(|(_, is_stated)| *is_stated).map(|(name, _)| name)
    }

    /// The price that was agreed on this list price; none if the line follows the list.
    ///
    /// # Errors
    /// The member and the code: DISCOUNT_EXCEEDS_PRICE, PRICE_NOT_EXACT.
    pub fn agree(&self, list: Money) -> Result<Option<Money>, (&'static str, &'static str)> {
        if let Some(price) = self.unit_price {
            return Ok(Some(price));
        }
        if let Some(off) = self.discount_amount {
            let agreed = list.checked_sub(off).filter(|price| !price.is_negative());
            return agreed.map(Some).ok_or(("discountAmount", "DISCOUNT_EXCEEDS_PRICE"));
        }
        let Some(percent) = self.discount_percent else { return Ok(None) };
        let product = WHOLE.checked_sub(percent.units()).and_then(|rest| list.units().checked_mul(rest));
        match product {
            Some(product) if product % WHOLE == 0 => Ok(Some(Money::from_units(product / WHOLE))),
            _ => Err(("discountPercent", "PRICE_NOT_EXACT")),
        }
    }
}

/// A line's price as it is kept.
#[derive(Debug, Clone, Copy)]
pub struct LinePrice<'a> {
    pub price_id: Id,
    pub list: Money,
    pub agreed: Option<Money>,
    /// The list's price as extensions adjusted it; none for an agreed one.
    pub adjusted: Option<Money>,
    pub adjustments: &'a [PriceAdjustment],
    pub origin: Option<PriceOrigin>,
    pub reason: Option<&'a str>,
    pub quantity: Quantity,
}

impl LinePrice<'_> {
    /// The figures that the line shows.
    pub fn figures(&self) -> Result<PriceFigures, Problem> {
        let unit_price = self.agreed.or(self.adjusted).unwrap_or(self.list);
        let differs = unit_price != self.list;
        let negotiated = differs && self.agreed.is_some();
        let off = self.list.checked_sub(unit_price).filter(|off| *off > Decimal::ZERO);
        Ok(PriceFigures {
            line_total: multiply(self.quantity, unit_price)?,
            price_id: self.price_id,
            unit_price,
            list_unit_price: differs.then_some(self.list),
            price_negotiated: negotiated,
            discount_percent: off.and_then(|off| share(off, self.list)),
            discount_amount: off,
            price_reason: self.reason.filter(|_| negotiated).map(str::to_owned),
            price_origin: self.origin.filter(|_| negotiated),
            price_adjustments: self.adjustments.to_vec(),
        })
    }
}

/// Which share of a price this is; none if it is not exact with 4 decimals.
fn share(off: Money, price: Money) -> Option<Percent> {
    let product = off.units().checked_mul(WHOLE)?;
    (price.units() != 0 && product % price.units() == 0).then(|| Percent::from_units(product / price.units()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn money(text: &str) -> Money {
        text.parse().unwrap()
    }

    fn figures(list: &str, agreed: Option<Money>) -> PriceFigures {
        let line = LinePrice {
            price_id: Id(1, 1),
            list: money(list),
            agreed,
            adjusted: None,
            adjustments: &[],
            origin: agreed.map(|_| PriceOrigin::SalesOrder),
            reason: Some("why"),
            quantity: money("1"),
        };
        line.figures().unwrap()
    }

    fn state_price(member: &str, value: &str) -> StatedPrice {
        let mut stated = StatedPrice::default();
        match member {
            "unitPrice" => stated.unit_price = Some(money(value)),
            "discountPercent" => stated.discount_percent = Some(value.parse().unwrap()),
            _ => stated.discount_amount = Some(money(value)),
        }
        stated
    }

    #[test]
    fn e214_every_row_of_the_table() {
        for (list, member, value, unit_price, negotiated, list_price, amount, percent) in [
            ("1000", "discountPercent", "12.5", "875.000000", true, "1000.000000", "125.000000", "12.5000"),
            ("80", "unitPrice", "60", "60.000000", true, "80.000000", "20.000000", "25.0000"),
            ("3", "unitPrice", "2", "2.000000", true, "3.000000", "1.000000", ""),
            ("10", "unitPrice", "12", "12.000000", true, "10.000000", "", ""),
            ("10", "unitPrice", "10", "10.000000", false, "", "", ""),
            ("5", "discountPercent", "100", "0.000000", true, "5.000000", "5.000000", "100.0000"),
            ("0", "discountPercent", "50", "0.000000", false, "", "", ""),
            ("0", "unitPrice", "1", "1.000000", true, "0.000000", "", ""),
            ("10", "discountAmount", "10", "0.000000", true, "10.000000", "10.000000", "100.0000"),
        ] {
            let agreed = state_price(member, value).agree(money(list)).unwrap();
            let shown = figures(list, agreed);
            let text = |digits: Option<String>| digits.unwrap_or_default();
            assert_eq!(shown.unit_price.to_string(), unit_price, "{list} {member} {value}");
            assert_eq!(shown.price_negotiated, negotiated, "{list} {member} {value}");
            assert_eq!(
                text(shown.list_unit_price.map(|figure| figure.to_string())),
                list_price,
                "{list} {member} {value}"
            );
            assert_eq!(text(shown.discount_amount.map(|figure| figure.to_string())), amount, "{list} {member} {value}");
            assert_eq!(
                text(shown.discount_percent.map(|figure| figure.to_string())),
                percent,
                "{list} {member} {value}"
            );
            assert_eq!(shown.price_reason.is_some(), negotiated, "{list} {member} {value}");
            assert_eq!(shown.price_origin.is_some(), negotiated, "{list} {member} {value}");
        }
        for (list, member, value, code) in [
            ("999.99", "discountPercent", "33.3333", "PRICE_NOT_EXACT"),
            ("0.000001", "discountPercent", "50", "PRICE_NOT_EXACT"),
            ("10", "discountAmount", "10.000001", "DISCOUNT_EXCEEDS_PRICE"),
        ] {
            assert_eq!(state_price(member, value).agree(money(list)), Err((member, code)), "{list} {member} {value}");
        }
        assert_eq!(StatedPrice::default().agree(money("7")), Ok(None), "the line follows the list");
    }

    #[test]
    fn an_adjusted_price_is_no_agreed_one() {
        let adjustment = |amount: &str| PriceAdjustment {
            module: "group-prices".to_owned(),
            amount: money(amount),
            reason: "GOLD".to_owned(),
        };
        for (adjusted, off, share) in [("9", Some("1.000000"), Some("10.0000")), ("11", None, None), ("10", None, None)]
        {
            let adjustments = [adjustment(adjusted)];
            let line = LinePrice {
                price_id: Id(1, 1),
                list: money("10"),
                agreed: None,
                adjusted: Some(money(adjusted)),
                adjustments: &adjustments,
                origin: None,
                reason: None,
                quantity: money("2"),
            };
            let shown = line.figures().unwrap();
            let text = |figure: Option<Money>| figure.map(|figure| figure.to_string());
            assert_eq!(shown.unit_price, money(adjusted));
            assert_eq!(shown.line_total.units(), 2 * money(adjusted).units() * 1_000_000);
            assert_eq!(shown.list_unit_price, (adjusted != "10").then_some(money("10")), "{adjusted}");
            assert_eq!(text(shown.discount_amount).as_deref(), off, "{adjusted}");
            assert_eq!(shown.discount_percent.map(|share| share.to_string()).as_deref(), share, "{adjusted}");
            assert!(!shown.price_negotiated && shown.price_reason.is_none() && shown.price_origin.is_none());
            assert_eq!(shown.price_adjustments, adjustments);
        }
    }

    #[test]
    fn e216_an_agreed_price_is_compared_with_the_list_as_it_stands() {
        let agreed = Some(money("9"));
        for (list, list_price, amount) in [("10", "10.000000", "1.000000"), ("9", "", ""), ("8", "8.000000", "")] {
            let shown = figures(list, agreed);
            let text = |figure: Option<Money>| figure.map(|figure| figure.to_string()).unwrap_or_default();
            assert_eq!((text(shown.list_unit_price), text(shown.discount_amount)), (list_price.into(), amount.into()));
            assert_eq!(shown.unit_price.to_string(), "9.000000");
        }
    }
}
