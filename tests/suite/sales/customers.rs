//! Customers. [E201]..[E213]

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, with};
use stoa_tests::selling::counter;
use stoa_tests::{Answer, Company, Database, at_once, company, on_both_databases};

on_both_databases![
    e202_one_code_is_created_once,
    e208_a_text_is_literal,
    e211_a_proposed_list_is_active,
    a_taken_code_names_the_customer_to_its_readers,
    ids_find_customers,
    lists_find_customers_by_what_is_asked,
];

on_both_databases![
    rules:
    e201_a_code_is_taken_in_any_case_for_ever,
    e203_a_code_is_immutable_but_for_its_case,
    e204_a_profile_left_out_stays,
    e205_an_archived_customer_is_immutable,
    e206_every_fault_of_a_body_is_reported_at_once,
    e207_half_a_tax_identity_is_none,
    e209_a_machine_sees_neither_notes_nor_tenant,
    e210_customers_of_another_company_are_none,
    e212_a_stale_if_match_is_refused,
    e213_the_walk_in_customer_is_like_any_other,
];

fn body(code: &str) -> Json {
    json!({ "code": code, "name": "Acme" })
}

#[track_caller]
fn create(shop: &Company, code: &str) -> Answer {
    shop.post("sales/customers", body(code))
}

fn e201_a_code_is_taken_in_any_case_for_ever(database: Database) {
    let shop = company(database);
    let first = create(&shop, "ACME").is(201).id();
    create(&shop, "acme").refused(409, "DUPLICATE").at("/code");
    shop.archive(&format!("sales/customers/{first}")).is(200);
    create(&shop, "Acme").refused(409, "DUPLICATE").at("/code");
}

fn e202_one_code_is_created_once(database: Database) {
    let shop = company(database);
    let answers = at_once(32, |_| create(&shop, "ONE"));
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
    answers.iter().filter(|answer| answer.status != 201).for_each(|answer| {
        answer.clone().refused(409, "DUPLICATE");
    });
    assert_eq!(shop.list("sales/customers", &[("code", "one")]).is(200).items().len(), 1);
}

fn e203_a_code_is_immutable_but_for_its_case(database: Database) {
    let shop = company(database);
    let path = format!("sales/customers/{}", create(&shop, "Acme").is(201).id());
    shop.put(&path, body("OTHER")).refused(409, "IMMUTABLE_FIELD").at("/code");
    let renamed = shop.put(&path, with(&body("ACME"), json!({ "name": "New" }))).is(200);
    assert_eq!((renamed.text("code"), renamed.text("name")), ("Acme".to_string(), "New".to_string()));
}

fn e204_a_profile_left_out_stays(database: Database) {
    let shop = company(database);
    let profile = json!({ "kind": "COMPANY", "taxIdType": "VAT", "taxId": "X1", "paymentTermDays": 30 });
    let created = shop.post("sales/customers", with(&body("P"), json!({ "profile": profile }))).is(201);
    assert_eq!(created["profile"]["paymentTermDays"], 30);
    let path = format!("sales/customers/{}", created.id());
    let kept = shop.put(&path, body("P")).is(200);
    assert_eq!(kept["profile"], created["profile"]);
    let empty = shop.put(&path, with(&body("P"), json!({ "profile": {} }))).is(200);
    assert_eq!((&empty["profile"]["taxId"], &empty["profile"]["contacts"]), (&Json::Null, &json!([])));
    let removed = shop.put(&path, with(&body("P"), json!({ "profile": null }))).is(200);
    assert_eq!(removed["profile"], Json::Null);
    let kept = shop.put(&path, body("P")).is(200);
    assert_eq!(kept["profile"], Json::Null);
}

fn e205_an_archived_customer_is_immutable(database: Database) {
    let shop = company(database);
    let path = format!("sales/customers/{}", create(&shop, "A").is(201).id());
    let archived = shop.archive(&path).is(200);
    assert!(archived["status"] == "ARCHIVED" && archived["archivedAt"].is_string());
    shop.archive(&path).refused(409, "ARCHIVED");
    shop.put(&path, body("A")).refused(409, "ARCHIVED");
    assert_eq!(shop.get(&path).is(200)["status"], "ARCHIVED");
}

fn e206_every_fault_of_a_body_is_reported_at_once(database: Database) {
    let shop = company(database);
    let contact = json!({ "name": "Ann" });
    let wrong = json!({
        "code": "A", "name": " ", "email": "no",
        "profile": { "contacts": vec![contact; 21], "nickname": "x", "legalName": "x".repeat(201) },
    });
    let refused = shop.post("sales/customers", wrong).refused(400, "VALIDATION_FAILED");
    // A name that is in no schema is reported at its parent; the e-mail has two faults.
    let expected = ["/email", "/email", "/name", "/profile", "/profile/contacts", "/profile/legalName"];
    assert_eq!(refused.pointers(), expected);
}

fn e207_half_a_tax_identity_is_none(database: Database) {
    let shop = company(database);
    let half = with(&body("A"), json!({ "profile": { "taxId": "X1" } }));
    shop.post("sales/customers", half).refused(400, "VALIDATION_FAILED").fault("/profile/taxIdType", "REQUIRED");
}

fn e208_a_text_is_literal(database: Database) {
    let shop = company(database);
    let named = with(&body("A"), json!({ "name": "100% Acme" }));
    let id = shop.post("sales/customers", named).is(201).id();
    let found = |text: &str| shop.list("sales/customers", &[("text", text)]).is(200).ids();
    assert_eq!(found("0% a"), [id]);
    assert!(found("_").is_empty());
}

fn e209_a_machine_sees_neither_notes_nor_tenant(database: Database) {
    let shop = company(database);
    let key = shop.machine(&["customers.read", "customers.write"]);
    let noted = with(&body("A"), json!({ "notes": "pays late", "email": "a@b.test", "phone": "(5) 555-4729" }));
    let id = shop.post("sales/customers", noted.clone()).is(201).id();
    let path = format!("sales/customers/{id}");
    let seen = key.get(&path).is(200);
    assert_eq!((&seen["phone"], &seen["phoneNormalized"]), (&json!("(5) 555-4729"), &json!("55554729")));
    let members: Vec<&String> = seen.body.as_object().unwrap().keys().collect();
    assert_eq!(
        members,
        ["id", "status", "createdAt", "updatedAt", "code", "name", "email", "phone", "phoneNormalized", "profile"]
    );
    key.put(&path, noted).refused(400, "VALIDATION_FAILED").fault("/notes", "NOT_ALLOWED");
    let receipt = key.put(&path, body("A")).is(200);
    let members: Vec<&String> = receipt.body.as_object().unwrap().keys().collect();
    assert_eq!(members, ["id", "status", "createdAt", "updatedAt"]);
    let kept = shop.get(&path).is(200);
    assert_eq!((&kept["notes"], &kept["email"]), (&json!("pays late"), &Json::Null));
}

fn e210_customers_of_another_company_are_none(database: Database) {
    let (counter, other) = (counter(database), company(database));
    let id = create(&other, "A").is(201).id();
    counter.shop.get(&format!("sales/customers/{id}")).refused(404, "NOT_FOUND");
    let items = json!([{ "variantId": counter.good("10", "0"), "quantity": "1" }]);
    let body = with(&counter.order(items), json!({ "customerId": id }));
    for path in ["sales/orders", "sales/quotations"] {
        counter.shop.post(path, body.clone()).refused(404, "NOT_FOUND").at("/customerId");
    }
}

fn e211_a_proposed_list_is_active(database: Database) {
    let shop = company(database);
    let list = shop.price_list("PROPOSED");
    let proposes = |id: &str| with(&body(&fresh("C")), json!({ "profile": { "defaultPriceListId": id } }));
    shop.post("sales/customers", proposes(&list)).is(201);
    let unknown = shop.post("sales/customers", proposes(&shop.tenant)).refused(404, "NOT_FOUND");
    unknown.at("/profile/defaultPriceListId");
    shop.archive(&format!("pricing/price-lists/{list}")).is(200);
    let archived = shop.post("sales/customers", proposes(&list)).refused(409, "REFERENCE_INVALID");
    archived.fault("/profile/defaultPriceListId", "ARCHIVED");
}

fn e212_a_stale_if_match_is_refused(database: Database) {
    let shop = company(database);
    let created = create(&shop, "A").is(201);
    let path = format!("sales/customers/{}", created.id());
    let replace = |tag: &str| shop.request("PUT", &path).json(&body("A")).if_match(tag).send();
    replace(&created.etag()).is(200);
    replace(&created.etag()).refused(412, "PRECONDITION_FAILED");
}

fn e213_the_walk_in_customer_is_like_any_other(database: Database) {
    let shop = company(database);
    let id = shop.made("CUSTOMER").expect("onboarding made no customer");
    let path = format!("sales/customers/{id}");
    assert_eq!(shop.get(&path).is(200).text("code"), "WALK-IN");
    shop.put(&path, with(&body("WALK-IN"), json!({ "name": "Somebody" }))).is(200);
    shop.archive(&path).is(200);
}

fn a_taken_code_names_the_customer_to_its_readers(database: Database) {
    let shop = company(database);
    let taken = create(&shop, "ACME").is(201).id();
    shop.archive(&format!("sales/customers/{taken}")).is(200);
    let named = |refused: Answer| refused.refused(409, "DUPLICATE").at("/code").errors()[0]["conflictsWith"].clone();
    assert_eq!(named(create(&shop, "acme")), json!(taken));
    assert_eq!(named(create(&shop.colleague(&["customers.write"]), "acme")), Json::Null);
    let key = |scopes: &[&str]| shop.machine(scopes).post("sales/customers", body("acme"));
    assert_eq!(named(key(&["customers.read", "customers.write"])), json!(taken));
    assert_eq!(named(key(&["customers.write"])), Json::Null);
}

fn ids_find_customers(database: Database) {
    let shop = company(database);
    let [one, two, gone, _] = ["ONE", "TWO", "GONE", "OTHER"].map(|code| create(&shop, code).is(201).id());
    shop.archive(&format!("sales/customers/{gone}")).is(200);
    let asked = [two.as_str(), &gone, &one].join(",");
    let query = [("ids", asked.as_str())];
    let expected = [one, two];
    assert_eq!(shop.list("sales/customers", &query).is(200).ids(), expected);
    let key = shop.machine(&["customers.read"]);
    assert_eq!(key.request("GET", "sales/customers").query(&query).send().is(200).ids(), expected);
    assert_eq!(shop.list("sales/customers", &[query[0], ("status", "ARCHIVED")]).is(200).ids(), [gone]);
}

fn lists_find_customers_by_what_is_asked(database: Database) {
    let shop = company(database);
    let profile = json!({ "kind": "PERSON", "taxIdType": "VAT", "taxId": "T-77", "legalName": "Ann Other Ltd" });
    let person = shop.post("sales/customers", with(&body("PERSON"), json!({ "profile": profile }))).is(201);
    let archived = create(&shop, "GONE").is(201).id();
    shop.archive(&format!("sales/customers/{archived}")).is(200);
    let found = |query: &[(&str, &str)]| shop.list("sales/customers", query).is(200).ids();
    assert_eq!(found(&[("taxId", "T-77")]), [person.id()]);
    assert_eq!(found(&[("kind", "PERSON")]), [person.id()]);
    assert_eq!(found(&[("text", "other ltd")]), [person.id()]);
    assert_eq!(found(&[("status", "ARCHIVED")]), [archived]);
    assert_eq!(found(&[("updatedSince", "2999-01-01T00:00:00Z")]), Vec::<String>::new());
    assert_eq!(found(&[]).len(), 2, "with the walk-in customer");
}
