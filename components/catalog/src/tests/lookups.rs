//! Lookups and the tree of categories.

use serde_json::json;
use stoa_sdk::scripted::{ask, rows, script, whole};
use stoa_sdk::store::Reply as StoreReply;
use stoa_sdk::{Field, Id};

use super::text;
use crate::Catalog;
use crate::records::lookup::{Kind, LookupRow};

#[test]
fn a_branch_of_any_size_moves() {
    let (above, below) = (Id(5, 5), 2_001);
    let example = LookupRow::example();
    let lineage = format!("{above} {}", example.id);
    let row = LookupRow {
        kind: Kind::Categories,
        parent_id: Some(above),
        lineage: Some(lineage.clone()),
        decimal_places: None,
        ..example
    };
    let category = |nth: u64| vec![Id(7, nth).put(), text(&format!("{lineage} {}", Id(7, nth)))];
    let mut first = rows((1..=2_000).map(category));
    if let StoreReply::Rows(page) = &mut first {
        page.more = true;
    }
    let log = script(vec![
        vec![StoreReply::Done, rows([whole(&row, 1)])],
        vec![first],
        vec![rows([category(below)])],
        vec![StoreReply::Done],
        vec![StoreReply::Done],
        vec![StoreReply::Done],
        vec![StoreReply::Done],
    ]);
    let id = row.id.to_string();
    let body = json!({ "name": "Phones", "code": row.code, "parentId": null });
    let path = [("kind", "categories"), ("id", id.as_str())];
    let moved = ask::<Catalog>("replaceLookup", &path, &[], Some(body)).expect("it moves");
    assert!(moved["parentId"].is_null());
    // Its own change, and those of the 2,001 below in three steps.
    assert_eq!(log.borrow().runs.len(), 7);
}
