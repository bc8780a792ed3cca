//! Suppliers: identity, the optional profile, archive, and what people and keys see of them. [E76]..[E81]

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, with};
use stoa_tests::purchases::{Buyer, line};
use stoa_tests::{Company, Database, company, on_both_databases};

on_both_databases![
    e79_an_archive_asks_the_scope_of_suppliers,
    e81_faults_of_a_profile,
    suppliers_are_listed_by_what_they_are,
    keys_read_profiles_one_by_one_and_never_notes,
];

on_both_databases![
    rules:
    e76_a_code_is_taken_for_ever_in_any_case,
    e77_a_profile_stays_until_it_is_named,
    e78_an_archived_supplier_stays_as_it_is,
    e80_an_archive_has_an_empty_body,
    a_code_is_immutable_and_the_rest_is_replaced,
    d7_numbers_are_kept_as_people_write_them,
    events_name_a_supplier_and_nothing_personal,
    a_stale_etag_is_refused,
    of_another_company_is_missing,
    an_archived_supplier_gets_no_new_order,
];

const PATH: &str = "purchases/suppliers";

fn supplier(code: &str) -> Json {
    json!({ "code": code, "name": format!("Supplier {code}") })
}

/// A profile with something in every member.
fn profile() -> Json {
    json!({
        "kind": "COMPANY", "legalName": "Acme Wholesale GmbH", "taxIdType": "VAT", "taxId": "DE123456789",
        "language": "de-DE", "website": "https://acme.example.test/shop", "defaultCurrencyCode": "EUR",
        "paymentTermDays": 30, "leadTimeDays": 14,
        "contacts": [{ "name": "Ada", "role": "Sales", "email": "ada@acme.example.test", "phone": "+49 30 123", "phoneNormalized": "+4930123" }],
        "addresses": [{
            "label": "Hall 2", "use": "SHIPPING", "line1": "Ring 1", "line2": null, "city": "Berlin", "region": null,
            "postalCode": "10115", "countryCode": "DE",
        }],
        "tags": ["phones", "import"],
    })
}

fn at(id: &str) -> String {
    format!("{PATH}/{id}")
}

fn e76_a_code_is_taken_for_ever_in_any_case(database: Database) {
    let shop = company(database);
    let id = shop.post(PATH, supplier("ACME")).is(201).id();
    let taken = shop.post(PATH, supplier("acme")).refused(409, "DUPLICATE").at("/code");
    assert_eq!(taken.errors()[0]["conflictsWith"], json!(id), "{taken}");
    let writer = shop.machine(&["suppliers.write"]).post(PATH, supplier("acme")).refused(409, "DUPLICATE");
    assert!(writer.errors()[0]["conflictsWith"].is_null(), "a user who may not read suppliers sees none: {writer}");
    shop.archive(&at(&id)).is(200);
    shop.post(PATH, supplier("acme")).refused(409, "DUPLICATE").at("/code");
    let kept = shop.post(PATH, supplier("Acme.Two-b_3")).is(201);
    assert_eq!(kept["code"], "Acme.Two-b_3", "kept as typed");
    for code in ["", "1A", "A B", "Ä", &"A".repeat(65)] {
        shop.post(PATH, supplier(code)).refused(400, "VALIDATION_FAILED").at("/code");
    }
}

fn e77_a_profile_stays_until_it_is_named(database: Database) {
    let shop = company(database);
    let made = shop.post(PATH, with(&supplier("ACME"), json!({ "profile": profile() }))).is(201);
    assert_eq!(made["profile"], profile());
    let path = at(&made.id());
    let kept = shop.put(&path, supplier("ACME")).is(200);
    assert_eq!(kept["profile"], profile(), "an older client erases nothing that it cannot see");
    assert_eq!(shop.get(&path).is(200)["profile"], profile());
    let empty = shop.put(&path, with(&supplier("ACME"), json!({ "profile": {} }))).is(200);
    let members = empty["profile"].as_object().expect("an object").clone();
    assert_eq!(members.len(), profile().as_object().map_or(0, serde_json::Map::len));
    for (name, value) in &members {
        let list = ["contacts", "addresses", "tags"].contains(&name.as_str());
        assert_eq!(*value, if list { json!([]) } else { Json::Null }, "{name}");
    }
    let removed = shop.put(&path, with(&supplier("ACME"), json!({ "profile": null }))).is(200);
    assert_eq!(removed["profile"], Json::Null);
    assert_eq!(shop.put(&path, supplier("ACME")).is(200)["profile"], Json::Null);
}

fn e78_an_archived_supplier_stays_as_it_is(database: Database) {
    let shop = company(database);
    let id = shop.post(PATH, supplier("ACME")).is(201).id();
    let archived = shop.archive(&at(&id)).is(200);
    assert_eq!(archived["status"], "ARCHIVED");
    assert!(archived["archivedAt"].is_string());
    shop.put(&at(&id), supplier("ACME")).refused(409, "ARCHIVED");
    shop.archive(&at(&id)).refused(409, "ARCHIVED");
    assert_eq!(shop.get(&at(&id)).is(200).body, archived.body, "readable for ever");
}

fn e79_an_archive_asks_the_scope_of_suppliers(database: Database) {
    let shop = company(database);
    let id = shop.new_supplier();
    let buying = shop.machine(&["purchases.write", "purchases.read", "suppliers.read"]);
    let path = format!("{}/archive", at(&id));
    buying.post(&path, json!({})).refused(403, "SCOPE_DENIED");
    buying.post(PATH, supplier("X")).refused(403, "SCOPE_DENIED");
    assert_eq!(shop.get(&at(&id)).is(200)["status"], "ACTIVE");
    let archived = shop.machine(&["suppliers.write"]).post(&path, json!({})).is(200);
    let mut members: Vec<&String> = archived.body.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    members.sort();
    assert_eq!(members, ["createdAt", "id", "status", "updatedAt"]);
    assert_eq!(archived["status"], "ARCHIVED");
}

fn e80_an_archive_has_an_empty_body(database: Database) {
    let shop = company(database);
    let id = shop.new_supplier();
    let machine = shop.machine(&["suppliers.write"]);
    let path = format!("{}/archive", at(&id));
    for body in [json!({ "reason": "old" }), json!([]), json!(null), json!("x")] {
        shop.post(&path, body.clone()).refused(400, "VALIDATION_FAILED");
        machine.post(&path, body).refused(400, "VALIDATION_FAILED");
    }
    assert_eq!(shop.get(&at(&id)).is(200)["status"], "ACTIVE");
}

fn e81_faults_of_a_profile(database: Database) {
    let shop = company(database);
    let refuse = |members: Json, pointer: &str| {
        let body = with(&supplier("ACME"), json!({ "profile": members }));
        shop.post(PATH, body).refused(400, "VALIDATION_FAILED").at(pointer);
    };
    refuse(json!({ "taxId": "DE1" }), "/profile/taxIdType");
    refuse(json!({ "taxIdType": "VAT" }), "/profile/taxId");
    refuse(json!({ "contacts": vec![json!({ "name": "A" }); 21] }), "/profile/contacts");
    refuse(
        json!({ "addresses": vec![json!({ "use": "OTHER", "line1": "A", "countryCode": "DE" }); 21] }),
        "/profile/addresses",
    );
    refuse(json!({ "tags": (0..21).map(|n| n.to_string()).collect::<Vec<_>>() }), "/profile/tags");
    refuse(json!({ "tags": ["a", "A"] }), "/profile/tags/1");
    refuse(json!({ "defaultCurrencyCode": "EUX" }), "/profile/defaultCurrencyCode");
    refuse(json!({ "website": "ftp://acme.example.test" }), "/profile/website");
    refuse(json!({ "leadTimeDays": 366 }), "/profile/leadTimeDays");
    refuse(json!({ "paymentTermDays": -1 }), "/profile/paymentTermDays");
    refuse(
        json!({ "addresses": [{ "use": "OTHER", "line1": "A", "countryCode": "XX" }] }),
        "/profile/addresses/0/countryCode",
    );
    // A hint of customers', and no member of a supplier's.
    refuse(json!({ "defaultPriceListId": null }), "/profile");
    for (member, wrong) in [
        ("email", "x"),
        ("phone", &"5".repeat(51)),
        ("name", " "),
        ("name", &"n".repeat(201)),
        ("notes", &"n".repeat(2001)),
    ] {
        let body = with(&supplier("ACME"), json!({ (member): wrong }));
        shop.post(PATH, body).refused(400, "VALIDATION_FAILED").at(&format!("/{member}"));
    }
    assert_eq!(shop.count("procurement_supplier", "1 = 1"), 0);
}

fn a_code_is_immutable_and_the_rest_is_replaced(database: Database) {
    let shop = company(database);
    let all = json!({ "email": "orders@acme.example.test", "phone": "+49 (30) 1-2.3", "notes": "Pays late" });
    let made = shop.post(PATH, with(&supplier("ACME"), all.clone())).is(201);
    for (member, value) in all.as_object().into_iter().flatten() {
        assert_eq!(made[member.as_str()], *value, "{member}");
    }
    let path = at(&made.id());
    shop.put(&path, supplier("OTHER")).refused(409, "IMMUTABLE_FIELD").at("/code");
    let replaced = shop.put(&path, json!({ "code": "ACME", "name": "Acme again" })).is(200);
    assert_eq!(replaced["name"], "Acme again");
    for member in ["email", "phone", "notes"] {
        assert_eq!(replaced[member], Json::Null, "{member}");
    }
    assert_eq!(shop.get(&path).is(200).body, replaced.body);
}

fn d7_numbers_are_kept_as_people_write_them(database: Database) {
    let shop = company(database);
    let made = shop.post(PATH, with(&supplier("ACME"), json!({ "phone": "(5) 555-4729" }))).is(201);
    assert_eq!((&made["phone"], &made["phoneNormalized"]), (&json!("(5) 555-4729"), &json!("55554729")));
    for (phone, digits) in [("+49 (30) 1-2.3", json!("+4930123")), ("ask for Ada", Json::Null)] {
        let body =
            with(&supplier("ACME"), json!({ "phone": phone, "profile": { "website": "http://acme.example.test" } }));
        let replaced = shop.put(&at(&made.id()), body).is(200);
        assert_eq!((&replaced["phone"], &replaced["phoneNormalized"]), (&json!(phone), &digits));
        assert_eq!(replaced["profile"]["website"], "http://acme.example.test");
    }
    for wrong in ["", "5\n5", &"5".repeat(51)] {
        let body = with(&supplier("OTHER"), json!({ "phone": wrong }));
        shop.post(PATH, body).refused(400, "VALIDATION_FAILED").at("/phone");
    }
    let stated = with(&supplier("OTHER"), json!({ "phoneNormalized": "5" }));
    shop.post(PATH, stated).refused(400, "VALIDATION_FAILED");
}

fn suppliers_are_listed_by_what_they_are(database: Database) {
    let shop = company(database);
    let make = |code: &str, members: Json| shop.post(PATH, with(&supplier(code), members)).is(201).id();
    let acme = make("ACME", json!({ "email": "orders@acme.example.test", "profile": profile() }));
    let percent = make("PERCENT", json!({ "name": "100% Parts_Ltd" }));
    let gone = make("GONE", json!({}));
    shop.archive(&at(&gone)).is(200);
    let found = |query: &[(&str, &str)]| shop.list(PATH, query).is(200).ids();
    assert_eq!(found(&[]), [acme.clone(), percent.clone()]);
    assert_eq!(found(&[("status", "ARCHIVED")]), std::slice::from_ref(&gone));
    for text in ["acm", "orders@", "wholesale gmbh", "Supplier AC"] {
        assert_eq!(found(&[("text", text)]), std::slice::from_ref(&acme), "{text}");
    }
    for literal in ["%", "s_L"] {
        assert_eq!(found(&[("text", literal)]), std::slice::from_ref(&percent), "{literal}");
    }
    assert_eq!(found(&[("code", "acme")]), std::slice::from_ref(&acme), "exact, ignoring case");
    assert!(found(&[("code", "acm")]).is_empty());
    assert_eq!(found(&[("ids", &format!("{percent},{acme}"))]), [acme.clone(), percent.clone()]);
    assert!(found(&[("ids", &gone)]).is_empty(), "archived");
    assert_eq!(found(&[("taxId", "DE123456789")]), std::slice::from_ref(&acme));
    assert!(found(&[("taxId", "DE12345678")]).is_empty());
    let since = shop.get(&at(&percent)).is(200).text("updatedAt");
    assert_eq!(found(&[("updatedSince", &since), ("text", "parts")]), [percent]);
    assert_eq!(found(&[("limit", "1")]), [acme]);
    shop.list(PATH, &[("name", "x")]).refused(400, "UNKNOWN_QUERY_PARAMETER");
}

fn keys_read_profiles_one_by_one_and_never_notes(database: Database) {
    let shop = company(database);
    let machine = shop.machine(&["suppliers.read", "suppliers.write"]);
    let body = with(&supplier("ACME"), json!({ "notes": "Pays late", "profile": profile() }));
    let made = machine.post(PATH, body).is(201);
    let mut members: Vec<&String> = made.body.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    members.sort();
    assert_eq!(members, ["createdAt", "id", "status", "updatedAt"], "the supplier receipt");
    let read = machine.get(&at(&made.id())).is(200);
    assert_eq!(read["profile"], profile());
    for hidden in ["notes", "tenantId", "archivedAt"] {
        assert!(read.body.get(hidden).is_none(), "{hidden}: {read}");
    }
    let page = machine.get(PATH).is(200);
    assert_eq!(page.ids(), [made.id()]);
    for hidden in ["notes", "tenantId", "archivedAt", "profile"] {
        assert!(page.items()[0].get(hidden).is_none(), "{hidden}: {page}");
    }
    let renamed = machine.put(&at(&made.id()), json!({ "code": "ACME", "name": "Renamed" })).is(200);
    assert!(renamed.body.get("name").is_none(), "{renamed}");
    let seen = shop.get(&at(&made.id())).is(200);
    assert_eq!((&seen["name"], &seen["notes"]), (&json!("Renamed"), &Json::Null));
    machine.request("GET", PATH).query(&[("status", "ARCHIVED")]).send().refused(400, "VALIDATION_FAILED");
    shop.machine(&["purchases.read", "purchases.write"]).get(PATH).refused(403, "SCOPE_DENIED");
}

fn events_name_a_supplier_and_nothing_personal(database: Database) {
    let shop = company(database);
    let id = shop.post(PATH, with(&supplier("ACME"), json!({ "profile": profile() }))).is(201).id();
    shop.put(&at(&id), supplier("ACME")).is(200);
    shop.archive(&at(&id)).is(200);
    let events = shop.events_like("procurement.%");
    let kinds: Vec<&str> = events.iter().map(|(kind, ..)| kind.as_str()).collect();
    let suffixes = ["created", "updated", "archived"].map(|verb| format!("procurement.supplier.{verb}"));
    assert_eq!(kinds, suffixes);
    for (index, (_, resource, data)) in events.iter().enumerate() {
        let status = if index == 2 { "ARCHIVED" } else { "ACTIVE" };
        assert_eq!((resource, data), (&id, &json!({ "supplierId": id, "code": "ACME", "status": status })));
    }
}

fn a_stale_etag_is_refused(database: Database) {
    let shop = company(database);
    let path = at(&shop.post(PATH, supplier("ACME")).is(201).id());
    let first = shop.get(&path).is(200).etag();
    let put = |etag: &str| shop.request("PUT", &path).if_match(etag).json(&supplier("ACME")).send();
    let second = put(&first).is(200).etag();
    put(&first).refused(412, "PRECONDITION_FAILED");
    put(&second).is(200);
}

fn of_another_company_is_missing(database: Database) {
    let (shop, other) = (company(database), company(database));
    let id = other.new_supplier();
    let missing = |shop: &Company, id: &str| shop.get(&at(id)).refused(404, "NOT_FOUND").masked();
    assert_eq!(missing(&shop, &id), missing(&shop, &uuid::Uuid::now_v7().to_string()));
    shop.put(&at(&id), supplier("ACME")).refused(404, "NOT_FOUND");
    shop.archive(&at(&id)).refused(404, "NOT_FOUND");
    let buyer = Buyer::from_shop(shop);
    let items = json!([line(&buyer.shop.counted(0), "1", "1")]);
    buyer.try_draft(items, json!({ "supplierId": id })).refused(404, "NOT_FOUND").at("/supplierId");
}

fn an_archived_supplier_gets_no_new_order(database: Database) {
    let buyer = Buyer::new(database);
    let items = json!([line(&buyer.shop.counted(0), "2", "1")]);
    let order = buyer.place(items.clone());
    buyer.shop.archive(&at(&buyer.supplier)).is(200);
    buyer
        .try_draft(items, json!({ "number": fresh("N") }))
        .refused(409, "REFERENCE_INVALID")
        .fault("/supplierId", "ARCHIVED");
    // Ordered goods are still received.
    order.receive(json!([order.goods(0, "2")])).is(201);
    assert_eq!(order.status(), "RECEIVED");
}
