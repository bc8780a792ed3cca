//! Pricing's invariants, checked in bounded batches of active prices: no overlaps, and nothing that is named is missing.

use stoa_sdk::store::{get_all, read, select};
use stoa_sdk::{Findings, all, map, set};
use stoa_trade::Status;
use stoa_trade::clients::articles;
use stoa_trade::pages::read_every;
use stoa_trade::stages::finding;

use crate::records::price::PriceRow;
use crate::records::price_list::ListRow;
use crate::rules::period::period_of;

/// Prices of a batch; those of their variants are read with them.
const BATCH: u32 = 50;

/// The cursor is the last id.
pub fn verify(cursor: Option<String>) -> Findings {
    let after = cursor.and_then(|cursor| cursor.parse().ok());
    let active = || PriceRow::status.eq(Status::Active);
    let page = read(select::<PriceRow>(active()).after(after).limit(BATCH));
    let next = page.items.last().filter(|_| page.more).map(|row| row.id.to_string());
    if page.items.is_empty() {
        return Findings { findings: Vec::new(), next };
    }
    let lists = set(page.items.iter().map(|row| row.list_id));
    let variants = set(page.items.iter().map(|row| row.variant_id));
    let others = all([active(), PriceRow::variant_id.one_of(variants.iter().copied())]);
    let lists = read(get_all::<ListRow>(lists));
    // A variant may have very many prices.
    let others: Vec<PriceRow> = read_every(&others, |row: &PriceRow| row.id);
    let lists = map(lists.into_iter().map(|row| (row.id, row)));
    let articles = articles::get(variants);

    let mut findings = Vec::new();
    for row in &page.items {
        if lists.get(&row.list_id).is_none_or(|list| list.currency_code != row.currency_code) {
            findings.push(finding("price-list", row.id, "The price's list is missing or has another currency."));
        }
        if !articles.contains_key(&row.variant_id) {
            findings.push(finding("price-variant", row.id, "The price's variant is missing."));
        }
        if row.valid_from.zip(row.valid_to).is_some_and(|(from, to)| from >= to) {
            findings.push(finding("price-period", row.id, "The price ends before it begins."));
        }
        // Each pair once: with the later of the two.
        let overlaps = others.iter().any(|other| {
            other.id < row.id
                && other.list_id == row.list_id
                && other.variant_id == row.variant_id
                && period_of(other).overlaps(period_of(row))
        });
        if overlaps {
            let message = "An earlier price of the list and variant covers part of the period.";
            findings.push(finding("price-overlap", row.id, message));
        }
    }
    Findings { findings, next }
}
