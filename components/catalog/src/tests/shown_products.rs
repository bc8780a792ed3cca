//! Products as other modules show them.

use serde_json::{Value as Json, json};
use stoa_sdk::Id;
use stoa_sdk::bindings::commerce::platform::store;
use stoa_sdk::scripted::{rows, script, whole};
use stoa_sdk::store::{Call as StoreCall, Reply as StoreReply};

use super::call;
use crate::bindings::exports::commerce::catalog::products::Guest;
use crate::records::media::MediaRow;
use crate::records::product::{ProductRow, ProductState, PublicationStatus};
use crate::records::variant::VariantRow;
use crate::services::Services;

fn parse(document: &str) -> Json {
    serde_json::from_str(document).expect("a document is JSON")
}

#[test]
fn a_shown_product_is_one_round_trip_and_what_clients_read() {
    let (product, variant, medium) = (ProductRow::example(), VariantRow::example(), MediaRow::example());
    let page = StoreReply::Rows(store::Page { rows: vec![whole(&variant, 1)], more: true, reached: None });
    let log = script(vec![
        vec![rows(vec![whole(&product, 1)]), page, rows(vec![whole(&medium, 1)])],
        vec![rows(vec![whole(&product, 1)])],
    ]);
    let shown = <Services as Guest>::show(product.id.into(), Some(Id(1, 1).into()), 7, true).expect("it is on sale");
    let runs = log.borrow().runs.clone();
    assert_eq!(runs.len(), 1);
    let StoreCall::Select(variants) = &runs[0][1] else { panic!("a select is expected") };
    assert_eq!((variants.limit, variants.after.is_some()), (7, true));
    assert!(shown.more);
    let of_client = call("apiGetProduct", &[("id", &product.id.to_string())], None);
    assert_eq!(Ok(parse(&shown.document)), of_client);
    let [first] = shown.variants.as_slice() else { panic!("one variant is expected") };
    assert_eq!((first.id, parse(&first.document)["sku"].clone()), (variant.id.into(), json!(variant.sku)));
    assert_eq!(shown.media.iter().map(|medium| parse(medium)["url"].clone()).collect::<Vec<_>>(), [json!(medium.url)]);
}

#[test]
fn what_is_not_on_sale_is_not_shown() {
    let example = ProductRow::example;
    for (hidden, what) in [
        (vec![whole(&ProductRow { publication_status: PublicationStatus::Draft, ..example() }, 1)], "a draft"),
        (vec![whole(&ProductRow { status: ProductState::Archived, ..example() }, 1)], "an archived one"),
        (vec![whole(&ProductRow { status: ProductState::Deleted, ..example() }, 1)], "a deleted one"),
        (Vec::new(), "none"),
    ] {
        let log = script(vec![vec![rows(hidden), rows(vec![whole(&VariantRow::example(), 1)])]]);
        assert!(<Services as Guest>::show(example().id.into(), None, 100, false).is_none(), "{what}");
        assert_eq!(log.borrow().runs[0].len(), 2, "media were not asked for");
    }
}
