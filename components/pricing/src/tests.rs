//! Findings of `verify`.

use stoa_sdk::scripted::{rows, script, whole};
use stoa_sdk::store::{Row, Value};
use stoa_sdk::{Id, Instant, Module};
use stoa_trade::clients::articles;

use crate::Pricing;
use crate::records::price::PriceRow;
use crate::records::price_list::ListRow;

fn price(id: Id, from: Option<i64>, to: Option<i64>) -> Row {
    let (valid_from, valid_to) = (from.map(Instant), to.map(Instant));
    whole(&PriceRow { id, valid_from, valid_to, ..PriceRow::example() }, 1)
}

#[test]
fn verify_finds_overlaps_and_lists_of_another_currency() {
    let (first, second) = (price(Id(6, 1), Some(0), Some(10)), price(Id(6, 2), Some(5), None));
    let mut dollars = whole(&ListRow::example(), 1);
    dollars[7] = Value::Text("USD".to_owned());
    let both = || rows(vec![first.clone(), second.clone()]);
    articles::service::stand_in::get_variants(|variants| {
        variants.iter().map(|variant| articles::example((*variant).into())).collect()
    });
    script(vec![vec![both()], vec![rows(vec![dollars])], vec![both()]]);
    let findings = (Pricing::MANIFEST.verify)(None);
    let found: Vec<_> =
        findings.findings.iter().map(|finding| (finding.invariant.as_str(), finding.resource)).collect();
    let (first, second) = (Some((6, 1)), Some((6, 2)));
    assert_eq!(found, [("price-list", first), ("price-list", second), ("price-overlap", second)]);
    assert_eq!(findings.next, None);
}
