//! Amounts that raise or lower what goods cost, dealt over goods of one line: over what is there of a receipt, and over a line
//! that arrives with its charges.

use stoa_sdk::{Problem, item};
use stoa_trade::quantity::{self, Amount, Quantity, UnitCost};
use stoa_trade::refusal::unusable;

use crate::records::cost::CostKind;
use crate::rules::deal::{self, Group, Refused, Share};
use crate::rules::fragments::Fragment;

/// Which way an amount goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// A supplier's credit lowers the cost.
    Correction,
    /// An import charge raises it.
    Charge,
}

impl Way {
    pub fn kind(self) -> CostKind {
        match self {
            Way::Correction => CostKind::Correction,
            Way::Charge => CostKind::Charge,
        }
    }
}

/// Why a line cannot be dealt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undealt {
    ExceedsCost,
    /// A share of a cost finer than costs are kept.
    Inexact,
    OutOfRange,
    /// Goods whose cost is not known.
    Uncosted,
}

impl Undealt {
    pub fn at(self, line: usize) -> Problem {
        let pointer = format!("/lines/{line}/amount");
        match self {
            Undealt::ExceedsCost => {
                Problem { code: "LIMIT_EXCEEDED".to_owned(), errors: vec![item(pointer, "EXCEEDS_COST")] }
            }
            Undealt::Inexact => Problem::at("ACCOUNTING_AMOUNT_PRECISION", pointer),
            Undealt::OutOfRange => Amount::limit_exceeded().moved("", &pointer),
            Undealt::Uncosted => unusable(&pointer, "UNCOSTED"),
        }
    }
}

/// One part of a fragment after the deal.
#[derive(Debug, Clone, PartialEq)]
pub struct Dealt {
    pub fragment: usize,
    pub quantity: Quantity,
    pub unit_cost: UnitCost,
    /// Amount for the whole quantity, never below zero.
    pub amount: Amount,
}

/// Deals an amount over fragments in their order; `places`: digits after the point of their unit.
pub fn deal_over(
    way: Way,
    goods: &[Fragment],
    amount: Quantity,
    places: u32,
    grain: i128,
) -> Result<Vec<Dealt>, Undealt> {
    let (step, per_step) = (10_i128.pow(6_u32.saturating_sub(places)), 10_i128.pow(places));
    let mut groups = Vec::new();
    for fragment in goods {
        let quantity = fragment.quantity.units();
        let cost = fragment.unit_cost.ok_or(Undealt::Uncosted)?.units();
        if quantity % step != 0 || cost % per_step != 0 {
            return Err(Undealt::Inexact);
        }
        groups.push(Group { steps: quantity / step, step_cost: cost / per_step });
    }
    let amount = quantity::widen(amount).units();
    let shares = match way {
        Way::Correction => deal::lower(&groups, amount, grain),
        Way::Charge => deal::raise(&groups, amount, grain),
    };
    let shares = shares.map_err(|refused| match refused {
        Refused::ExceedsCost => Undealt::ExceedsCost,
        Refused::OutOfRange => Undealt::OutOfRange,
    })?;
    let part = |share: Share| {
        let fragment = goods.get(share.group).ok_or(Undealt::OutOfRange)?;
        let per_unit = share.amount.checked_mul(per_step).ok_or(Undealt::OutOfRange)?;
        let per_unit = if way == Way::Correction { -per_unit } else { per_unit };
        let before = fragment.unit_cost.ok_or(Undealt::Uncosted)?.units();
        let cost = before.checked_add(per_unit).ok_or(Undealt::OutOfRange)?;
        let amount = share.steps.checked_mul(share.amount).ok_or(Undealt::OutOfRange)?;
        Ok(Dealt {
            fragment: share.group,
            quantity: Quantity::from_units(share.steps * step),
            unit_cost: UnitCost::from_units(cost),
            amount: Amount::from_units(amount),
        })
    };
    shares.into_iter().map(part).collect()
}

/// The quantities of a line with what one of them costs, charges dealt over it. None where a share has no exact cost.
pub fn spread_charge(
    quantity: Quantity,
    unit_cost: Quantity,
    charge: Quantity,
    places: u32,
    grain: i128,
) -> Option<Vec<(Quantity, UnitCost)>> {
    let unit_cost = quantity::widen(unit_cost);
    if charge == Quantity::ZERO {
        return Some(vec![(quantity, unit_cost)]);
    }
    let (step, per_step) = (10_i128.pow(6_u32.checked_sub(places)?), 10_i128.pow(places));
    let line = [Group { steps: quantity.units() / step, step_cost: 0 }];
    let shares = deal::raise(&line, quantity::widen(charge).units(), grain).ok()?;
    let part = |share: deal::Share| {
        let extra = share.amount.checked_mul(per_step)?;
        let cost = UnitCost::from_units(unit_cost.units().checked_add(extra)?);
        Some((Quantity::from_units(share.steps.checked_mul(step)?), cost))
    };
    shares.into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_are_dealt_exactly() {
        let texts = |quantity: &str, cost: &str, charge: &str, places: u32| -> Vec<(String, String)> {
            let [quantity, cost, charge] = [quantity, cost, charge].map(|text| text.parse().unwrap());
            let parts = spread_charge(quantity, cost, charge, places, 1_000_000).unwrap();
            parts.into_iter().map(|(quantity, cost)| (quantity.to_string(), cost.to_string())).collect()
        };
        let pair = |quantity: &str, cost: &str| (quantity.to_owned(), cost.to_owned());
        assert_eq!(texts("3", "1", "0", 0), [pair("3.000000", "1.000000000000")]);
        // [E122]
        let expected = [pair("1.000000", "4.333334000000"), pair("2.000000", "4.333333000000")];
        assert_eq!(texts("3", "1", "10", 0), expected);
        assert_eq!(texts("2.5", "0", "10", 1), [pair("2.500000", "4.000000000000")]);
    }
}
