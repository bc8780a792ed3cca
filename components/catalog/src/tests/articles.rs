//! Calls of other modules to the catalog.

use stoa_sdk::scripted::{rows, script};
use stoa_sdk::store::Value;
use stoa_sdk::{Field, Id};

use super::text;
use crate::bindings::exports::commerce::catalog::articles::Guest;
use crate::services::Services;

#[test]
fn articles_are_one_round_trip() {
    let (id, product) = (Id(8, 1), Id(9, 9));
    let asked = vec![id.put(), product.put(), text("A-1"), Value::Null, text("B"), text("ACTIVE"), text("GOOD")];
    let asked = asked.into_iter().chain([text("UNIT"), text("QUANTITY")]).collect();
    let log = script(vec![vec![
        rows(vec![asked]),
        rows(vec![vec![product.put(), text("Phone"), text("ARCHIVED"), text("PUBLISHED")]]),
        rows(vec![vec![text("UNIT"), Value::Integer(3)]]),
    ]]);
    let articles = <Services as Guest>::get_variants(vec![id.into()]);
    assert_eq!(log.borrow().runs.len(), 1);
    let [article] = articles.as_slice() else { panic!("one article is expected") };
    assert_eq!((article.decimal_places, article.grade.as_deref()), (3, Some("B")));
    assert!(article.variant_active && !article.product_active && article.published);
    assert!(<Services as Guest>::get_variants(Vec::new()).is_empty());
}
