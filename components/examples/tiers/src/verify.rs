//! The invariants of prices, then those of tiers: each belongs to a price, and no two begin at one quantity.

use std::collections::BTreeMap;

use pricing::Pricing;
use pricing::records::price::PriceId;
use stoa_sdk::store::{get_all, read, select};
use stoa_sdk::{Finding, Findings, Id, Module, all, set};

use crate::records::tier::TierRow;

/// Begins the cursor of the second part: the rest is the last tier's id, or nothing.
const TIERS: &str = "tier:";
/// Tiers of a batch; the others of their prices are read with them.
const BATCH: u32 = 30;

pub fn verify(cursor: Option<String>) -> Findings {
    if let Some(after) = cursor.as_deref().and_then(|cursor| cursor.strip_prefix(TIERS)) {
        return tiers(after.parse().ok());
    }
    let prices = (Pricing::MANIFEST.verify)(cursor);
    Findings { next: prices.next.or_else(|| Some(TIERS.to_owned())), ..prices }
}

fn tiers(after: Option<Id>) -> Findings {
    let active = || TierRow::active.eq(true);
    let page = read(select::<TierRow>(active()).after(after).limit(BATCH));
    let next = page.items.last().filter(|_| page.more).map(|row| format!("{TIERS}{}", row.id));
    if page.items.is_empty() {
        return Findings { findings: Vec::new(), next };
    }
    let prices = set(page.items.iter().map(|row| row.price_id));
    let others = select::<TierRow>(all([active(), TierRow::price_id.one_of(prices.iter().copied())])).whole();
    let (known, others) = read((get_all::<PriceId>(prices), others));
    let known = set(known.into_iter().map(|price| price.id));
    let mut begins: BTreeMap<_, Id> = BTreeMap::new();
    for row in &others {
        begins.entry((row.price_id, row.from_quantity)).or_insert(row.id);
    }
    let mut findings = Vec::new();
    for row in &page.items {
        let mut finding = |invariant: &str, message: &str| {
            findings.push(Finding {
                invariant: invariant.to_owned(),
                resource: Some(row.id.into()),
                message: message.to_owned(),
            });
        };
        if !known.contains(&row.price_id) {
            finding("tier-price", "The tier's price is missing.");
        }
        if begins.get(&(row.price_id, row.from_quantity)).is_some_and(|first| *first != row.id) {
            finding("tier-quantity", "Another tier of the price begins at the same quantity.");
        }
    }
    Findings { findings, next }
}
