//! The tiers of a price, and which of them counts.

use pricing::records::price::Amount;
use stoa_sdk::{Bounds, Item, Problem, item, set};
use stoa_trade::quantity::{self, Quantity};
use stoa_trade::refusal::refuse_invalid;

use crate::records::tier::{Tier, TierInput, TierRow};

/// Rows as tiers, the lowest quantity first.
pub fn sort(rows: impl IntoIterator<Item = TierRow>) -> Vec<Tier> {
    let tier = |row: TierRow| Tier { from_quantity: row.from_quantity, amount: row.amount };
    let mut tiers: Vec<Tier> = rows.into_iter().filter(|row| row.active).map(tier).collect();
    tiers.sort_unstable_by_key(|tier| tier.from_quantity);
    tiers
}

/// The price of a unit at this quantity: the amount of the highest tier that it reaches, else the price's own.
pub fn amount_at(quantity: Quantity, base: Amount, tiers: &[Tier]) -> Amount {
    tiers.iter().rev().find(|tier| tier.from_quantity <= quantity).map_or(base, |tier| tier.amount)
}

/// The tiers in order, or every fault that the schema cannot find.
pub fn check(input: &[TierInput]) -> Result<Vec<Tier>, Problem> {
    let mut faults: Vec<Item> = Vec::new();
    let mut seen = set([]);
    for (index, tier) in input.iter().enumerate() {
        let pointer = || format!("/tiers/{index}/fromQuantity");
        if tier.from_quantity.is_zero() {
            faults.push(item(pointer(), "RANGE").with_bounds(Bounds::minimum(quantity::SMALLEST)));
        } else if !seen.insert(tier.from_quantity) {
            faults.push(item(pointer(), "REPEATED"));
        }
    }
    refuse_invalid(faults)?;
    let tier = |tier: &TierInput| Tier { from_quantity: tier.from_quantity, amount: tier.amount };
    let mut tiers: Vec<Tier> = input.iter().map(tier).collect();
    tiers.sort_unstable_by_key(|tier| tier.from_quantity);
    Ok(tiers)
}
