//! Suppliers: what a replacement keeps, and what it refuses.

use serde_json::{Value as Json, json};
use stoa_sdk::Id;
use stoa_sdk::scripted::{ask, rows, script, whole};
use stoa_sdk::store::{Call, Reply};

use super::shop::{Refusal, SUPPLIER, expect_refusal, refusal, supplier};
use crate::Procurement;

fn replace(operation: &str, body: Json) -> (Result<Json, Refusal>, Vec<String>) {
    let log = script([vec![rows([whole(&supplier(), 1)])], vec![Reply::Done]]);
    let answer = ask::<Procurement>(operation, &[("id", &SUPPLIER.to_string())], &[], Some(body)).map_err(refusal);
    let log = log.borrow();
    let set = match log.runs.get(1).map(Vec::as_slice) {
        Some([Call::Update(update)]) => update.set.clone(),
        _ => Vec::new(),
    };
    (answer, set)
}

#[test]
fn e77_a_profile_is_kept_removed_or_replaced_whole() {
    let body = |profile: Option<Json>| {
        let mut body = json!({ "code": "acme", "name": "Acme", "notes": "Calls on Mondays" });
        body.as_object_mut().expect("an object").extend(profile.map(|profile| ("profile".to_owned(), profile)));
        body
    };
    for (profile, shown, columns) in [
        (None, json!(30), vec!["code"]),
        (Some(json!(null)), Json::Null, vec!["has_profile", "legal_name", "payment_term_days"]),
        (Some(json!({ "paymentTermDays": 14 })), json!(14), vec!["legal_name", "payment_term_days"]),
    ] {
        let (answer, set) = replace("replaceSupplier", body(profile.clone()));
        let answer = answer.unwrap();
        assert_eq!(answer["profile"]["paymentTermDays"], shown, "{profile:?}");
        assert_eq!(answer["code"], "ACME", "kept as it was typed first");
        assert_eq!(set, columns, "{profile:?}");
    }
}

#[test]
fn a_code_is_for_ever_and_a_half_identity_none() {
    for (body, expected) in [
        (json!({ "code": "ACME2", "name": "Acme" }), expect_refusal("IMMUTABLE_FIELD", &["/code IMMUTABLE_FIELD"])),
        (
            json!({ "code": "ACME", "name": "Acme", "profile": { "taxId": "1" } }),
            expect_refusal("VALIDATION_FAILED", &["/profile/taxIdType REQUIRED"]),
        ),
    ] {
        assert_eq!(replace("replaceSupplier", body).0, Err(expected));
    }
}

#[test]
fn a_taken_code_is_a_duplicate_and_clients_get_a_receipt() {
    let body = || json!({ "code": "acme", "name": "Acme" });
    script([vec![Reply::Inserted(vec![false])]]);
    let refusal_of = |answer: Result<Json, stoa_sdk::Problem>| answer.map_err(refusal);
    let answer = refusal_of(ask::<Procurement>("createSupplier", &[], &[], Some(body())));
    assert_eq!(answer, Err(expect_refusal("DUPLICATE", &["/code DUPLICATE"])));
    let log = script([vec![Reply::Inserted(vec![true])]]);
    let answer = ask::<Procurement>("apiCreateSupplier", &[], &[], Some(body())).unwrap();
    let members: Vec<&String> = answer.as_object().unwrap().keys().collect();
    assert_eq!(members, ["id", "status", "createdAt", "updatedAt"]);
    let event = log.borrow().events[0].clone();
    let data: Json = serde_json::from_str(&event.data).unwrap();
    assert_eq!(data, json!({ "supplierId": Id(7, 1), "code": "acme", "status": "ACTIVE" }), "no personal data");
}

#[test]
fn clients_read_neither_notes_nor_tenant() {
    script([vec![rows([whole(&supplier(), 1)])]]);
    let answer = ask::<Procurement>("apiGetSupplier", &[("id", &SUPPLIER.to_string())], &[], None).unwrap();
    assert_eq!(answer["profile"]["legalName"], "Acme Ltd");
    assert!(answer.get("notes").is_none() && answer.get("tenantId").is_none() && answer.get("archivedAt").is_none());
    script([vec![rows([whole(&supplier(), 1)])]]);
    let page = ask::<Procurement>("apiListSuppliers", &[], &[], None).unwrap();
    assert!(page["items"][0].get("profile").is_none(), "{page}");
}
