//! The catalog as API clients see it.

use serde_json::json;
use stoa_sdk::Field;
use stoa_sdk::scripted::{ask, rows, script, whole};
use stoa_sdk::store::{Call as StoreCall, Reply as StoreReply};

use super::{call, members, text, units};
use crate::Catalog;
use crate::records::product::{ProductRow, ProductState, PublicationStatus};
use crate::records::variant::VariantRow;

#[test]
fn clients_read_projections_of_what_is_on_sale() {
    let (id, product) = (VariantRow::example().id, ProductRow::example().id);
    let asked = product.to_string();
    let path = [("id", asked.as_str())];
    script(vec![vec![rows(vec![whole(&ProductRow::example(), 3)])]]);
    let shown = call("apiGetProduct", &path, None).expect("it is on sale");
    assert_eq!(
        members(&shown),
        [
            "brandId",
            "categoryId",
            "createdAt",
            "description",
            "id",
            "manufacturerId",
            "name",
            "productType",
            "publicationStatus",
            "shortDescription",
            "singleSku",
            "slug",
            "status",
            "unitOfMeasure",
            "updatedAt",
            "variantCount",
            "variantMode",
        ]
    );
    let draft = ProductRow { publication_status: PublicationStatus::Draft, ..ProductRow::example() };
    let archived = ProductRow { status: ProductState::Archived, ..ProductRow::example() };
    for hidden in [draft, archived] {
        script(vec![vec![rows(vec![whole(&hidden, 3)])]]);
        assert_eq!(call("apiGetProduct", &path, None), Err(("NOT_FOUND".to_owned(), Vec::new())));
    }
    let head = |status: &str, publication: &str| rows(vec![vec![product.put(), text(status), text(publication)]]);
    let asked = id.to_string();
    let path = [("id", asked.as_str())];
    script(vec![vec![rows(vec![whole(&VariantRow::example(), 1)]), head("ACTIVE", "PUBLISHED")]]);
    let shown = call("apiGetVariant", &path, None).expect("it is on sale");
    assert_eq!(
        members(&shown),
        [
            "barcode",
            "color",
            "condition",
            "createdAt",
            "grade",
            "id",
            "modelNumber",
            "productId",
            "simType",
            "sku",
            "status",
            "storage",
            "updatedAt",
        ]
    );
    for hidden in [("ACTIVE", "DRAFT"), ("ARCHIVED", "PUBLISHED")] {
        script(vec![vec![rows(vec![whole(&VariantRow::example(), 1)]), head(hidden.0, hidden.1)]]);
        assert_eq!(call("apiGetVariant", &path, None), Err(("NOT_FOUND".to_owned(), Vec::new())));
    }
}

#[test]
fn clients_ask_for_active_records_alone() {
    let log = script(vec![vec![rows(Vec::new())]]);
    let query = [("limit", "50"), ("status", "ACTIVE"), ("updatedSince", "2026-01-01T00:00:00Z")];
    ask::<Catalog>("apiListProducts", &[], &query, None).expect("a page");
    let StoreCall::Select(select) = &log.borrow().runs[0][0] else { panic!("a select is expected") };
    let asked = format!("{:?}", select.where_);
    for part in ["ACTIVE", "PUBLISHED", "updated_at"] {
        assert!(asked.contains(part), "{asked}");
    }
}

#[test]
fn a_write_of_a_client_answers_a_receipt() {
    let unit = units(&[("UNIT", "ACTIVE")]);
    let inserted = vec![StoreReply::Inserted(vec![true]), StoreReply::Inserted(vec![true])];
    let log = script(vec![vec![StoreReply::Done, unit, rows(Vec::new())], inserted]);
    let body = json!({ "name": "P", "productType": "GOOD", "unitOfMeasure": "UNIT", "variants": [{ "sku": "A" }] });
    let receipt = call("apiCreateProduct", &[], Some(body)).expect("it is created");
    assert_eq!(members(&receipt), ["createdAt", "id", "status", "updatedAt", "variants"]);
    assert_eq!(log.borrow().events.len(), 2);
}
