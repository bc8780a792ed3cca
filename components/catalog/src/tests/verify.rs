//! Findings of `verify`.

use stoa_sdk::scripted::{rows, script};
use stoa_sdk::store::{Row, Value};
use stoa_sdk::{Field, Id, Module};

use super::text;
use crate::Catalog;
use crate::records::lookup::Kind;

#[test]
fn verify_finds_wrong_counts_and_missing_references() {
    let (right, wrong) = (Id(9, 1), Id(9, 2));
    let facts = |id: Id, active: i64, category: Value| {
        let counts = [Value::Integer(active), Value::Integer(1), (active == 1).then_some(Id(8, 1)).put(), text("UNIT")];
        [id.put()].into_iter().chain(counts).chain([category, Value::Null, Value::Null]).collect::<Row>()
    };
    let page = rows(vec![facts(right, 1, Value::Null), facts(wrong, 0, Id(5, 5).put())]);
    let single = [Id(8, 1).put(), right.put(), text("ACTIVE"), text("GOOD"), text("UNIT"), text("NONE")];
    script(vec![
        vec![page],
        vec![
            rows(vec![vec![right.put(), Value::Integer(1), Value::Integer(1)]]),
            rows(vec![vec![Id(5, 5).put(), Kind::Brands.put(), text("ACTIVE")]]),
            rows(vec![vec![text("UNIT"), text("ACTIVE"), Value::Integer(0)]]),
            rows(vec![single.to_vec()]),
        ],
    ]);
    let findings = (Catalog::MANIFEST.verify)(None);
    let found: Vec<_> =
        findings.findings.iter().map(|finding| (finding.invariant.as_str(), finding.resource)).collect();
    let wrong = Some(wrong.into());
    assert_eq!(found, [("product-variants-counted", wrong), ("product-references", wrong)]);
    assert_eq!(findings.next.as_deref(), Some("variants:"));
}

#[test]
fn verify_finds_media_of_others() {
    let (right, wrong, product) = (Id(6, 1), Id(6, 2), Id(9, 9));
    let page = rows(vec![
        vec![right.put(), product.put(), Value::Null, text("ACTIVE")],
        vec![wrong.put(), product.put(), Id(8, 1).put(), text("ACTIVE")],
    ]);
    let variant = rows(vec![vec![Id(8, 1).put(), Id(9, 8).put()]]);
    let counts = rows(vec![vec![product.put(), Value::Integer(101)]]);
    script(vec![vec![page], vec![rows(vec![vec![product.put(), text("ACTIVE")]]), variant, counts]]);
    let findings = (Catalog::MANIFEST.verify)(Some("media:".to_owned()));
    let found: Vec<_> =
        findings.findings.iter().map(|finding| (finding.invariant.as_str(), finding.resource)).collect();
    assert_eq!(found, [("media-product", Some(wrong.into())), ("media-count", Some(product.into()))]);
    assert_eq!(findings.next.as_deref(), Some("categories:"));
}
