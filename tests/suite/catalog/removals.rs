//! An API client reads which records were removed, next to those that changed: a copy of the catalog needs no events.

use serde_json::{Value as Json, json};
use stoa_tests::company::{product, with};
use stoa_tests::{Answer, Company, Database, Machine, company, eventually, on_both_databases};

on_both_databases![
    products_that_went_away,
    c12_a_removal_tells_ids_alone,
    archived_variants,
    archived_media,
    lookups_that_were_archived,
    a_record_on_sale_again_is_no_removal,
    only_what_went_away_since,
    pages,
    a_kind_is_required,
    scopes,
];

stoa_tests::tests![c17_a_removal_under_way_holds_back_what_came_after_it];

fn reader(shop: &Company) -> Machine {
    shop.machine(&["catalog.read"])
}

/// A published product with two variants.
fn on_sale(shop: &Company, name: &str) -> Answer {
    let variants = ["1", "2"].map(|nth| json!({ "sku": format!("{}-{nth}", name.to_uppercase()) }));
    let members = json!({ "publicationStatus": "PUBLISHED", "variants": variants });
    shop.post("catalog/products", with(&product(name), members)).is(201)
}

fn variant(made: &Answer, nth: usize) -> String {
    made["variants"][nth]["id"].as_str().unwrap_or_else(|| panic!("no variant: {made}")).to_string()
}

fn medium(shop: &Company, product: &str) -> String {
    let body = json!({ "url": "https://example.test/a" });
    shop.post(&format!("catalog/products/{product}/media"), body).is(201).id()
}

fn unpublish(shop: &Company, id: &str, name: &str) -> Answer {
    shop.put(&format!("catalog/products/{id}"), product(name)).is(200)
}

fn removals(machine: &Machine, kind: &str, query: &[(&str, &str)]) -> Answer {
    let kind = [("resourceType", kind)];
    machine.request("GET", "catalog/removals").query(&kind).query(query).send().is(200)
}

/// Ids and states of what went away.
fn list_removed(machine: &Machine, kind: &str, query: &[(&str, &str)]) -> Vec<(String, String)> {
    let text = |item: &Json, member: &str| item[member].as_str().unwrap_or_default().to_string();
    let found = removals(machine, kind, query);
    found.items().iter().map(|item| (text(item, "id"), text(item, "status"))).collect()
}

fn state(id: &str, status: &str) -> (String, String) {
    (id.to_string(), status.to_string())
}

fn products_that_went_away(database: Database) {
    let shop = company(database);
    let machine = reader(&shop);
    let [kept, archived, withdrawn] = ["Kept", "Archived", "Withdrawn"].map(|name| on_sale(&shop, name).id());
    shop.archive(&format!("catalog/products/{archived}")).is(200);
    unpublish(&shop, &withdrawn, "Withdrawn");
    let deleted = shop.product("Deleted");
    shop.delete(&format!("catalog/products/{deleted}")).is(200);
    let expected = [state(&archived, "ARCHIVED"), state(&withdrawn, "UNPUBLISHED"), state(&deleted, "DELETED")];
    assert_eq!(list_removed(&machine, "PRODUCT", &[]), expected);
    assert_eq!(machine.get("catalog/products").is(200).ids(), [kept]);
}

fn c12_a_removal_tells_ids_alone(database: Database) {
    let shop = company(database);
    let machine = reader(&shop);
    let draft = shop.product("Secret");
    let removals = removals(&machine, "PRODUCT", &[]);
    let expected = json!([{ "resourceType": "PRODUCT", "id": draft, "productId": null, "status": "UNPUBLISHED",
        "updatedAt": removals.items()[0]["updatedAt"] }]);
    assert_eq!(removals["items"], expected);
}

/// An archived product has archived its variants. One that is not published keeps them as they are: its own removal removes them.
fn archived_variants(database: Database) {
    let shop = company(database);
    let machine = reader(&shop);
    let (kept, archived, withdrawn) = (on_sale(&shop, "Kept"), on_sale(&shop, "Archived"), on_sale(&shop, "Withdrawn"));
    shop.archive(&format!("catalog/variants/{}", variant(&kept, 0))).is(200);
    shop.archive(&format!("catalog/products/{}", archived.id())).is(200);
    unpublish(&shop, &withdrawn.id(), "Withdrawn");
    let expected = [variant(&kept, 0), variant(&archived, 0), variant(&archived, 1)].map(|id| state(&id, "ARCHIVED"));
    assert_eq!(list_removed(&machine, "VARIANT", &[]), expected);
}

fn archived_media(database: Database) {
    let shop = company(database);
    let machine = reader(&shop);
    let kept = on_sale(&shop, "Kept");
    medium(&shop, &kept.id());
    let archived = medium(&shop, &kept.id());
    shop.archive(&format!("catalog/media/{archived}")).is(200);
    assert_eq!(list_removed(&machine, "MEDIA", &[]), [state(&archived, "ARCHIVED")]);
}

fn lookups_that_were_archived(database: Database) {
    let shop = company(database);
    let machine = reader(&shop);
    let (kept, gone) = (shop.brand("KEPT"), shop.brand("GONE"));
    shop.archive(&format!("catalog/lookups/brands/{gone}")).is(200);
    assert_eq!(list_removed(&machine, "LOOKUP", &[]), [state(&gone, "ARCHIVED")]);
    assert_eq!(machine.get("catalog/lookups/brands").is(200).ids(), [kept]);
}

fn a_record_on_sale_again_is_no_removal(database: Database) {
    let shop = company(database);
    let machine = reader(&shop);
    let made = on_sale(&shop, "Back");
    unpublish(&shop, &made.id(), "Back");
    assert_eq!(list_removed(&machine, "PRODUCT", &[]).len(), 1);
    let published = with(&product("Back"), json!({ "publicationStatus": "PUBLISHED" }));
    shop.put(&format!("catalog/products/{}", made.id()), published).is(200);
    for kind in ["PRODUCT", "VARIANT", "MEDIA"] {
        assert!(list_removed(&machine, kind, &[]).is_empty(), "{kind}");
    }
}

fn only_what_went_away_since(database: Database) {
    let shop = company(database);
    let machine = reader(&shop);
    let (early, late) = (on_sale(&shop, "Early").id(), on_sale(&shop, "Late").id());
    let archived = shop.archive(&format!("catalog/products/{early}")).is(200).text("updatedAt");
    // Two changes may fall into one millisecond: the second is made once the clock has gone on.
    let since = eventually(|| {
        let changed = shop.put(&format!("catalog/products/{late}"), product("Late")).is(200).text("updatedAt");
        (changed > archived).then_some(changed)
    });
    let found = |since: &str| list_removed(&machine, "PRODUCT", &[("updatedSince", since)]);
    assert_eq!(found(&since), [state(&late, "UNPUBLISHED")]);
    assert_eq!(found(&archived), [state(&early, "ARCHIVED"), state(&late, "UNPUBLISHED")]);
    assert!(found("9999-12-31T23:59:59.999Z").is_empty());
}

fn pages(database: Database) {
    let shop = company(database);
    let machine = reader(&shop);
    let drafts: Vec<String> = (0..5).map(|n| shop.product(&format!("Draft {n}"))).collect();
    let (mut listed, mut cursor) = (Vec::new(), "00000000-0000-0000-0000-000000000000".to_string());
    loop {
        let page = removals(&machine, "PRODUCT", &[("limit", "2"), ("cursor", &cursor)]);
        assert!(page.items().len() <= 2);
        listed.extend(page.ids());
        match page["nextCursor"].as_str() {
            Some(next) => cursor = next.to_string(),
            None => break,
        }
    }
    assert_eq!(listed, drafts);
}

fn a_kind_is_required(database: Database) {
    let machine = reader(&company(database));
    machine.get("catalog/removals").refused(400, "VALIDATION_FAILED").fault("/query/resourceType", "REQUIRED");
    let unknown = machine.get("catalog/removals?resourceType=PRICE").refused(400, "VALIDATION_FAILED");
    unknown.fault("/query/resourceType", "FORMAT");
}

fn scopes(database: Database) {
    let shop = company(database);
    let writer = shop.machine(&["catalog.write"]);
    writer.get("catalog/removals?resourceType=PRODUCT").refused(403, "SCOPE_DENIED");
}

/// [C17] An archive waits for a row that another transaction holds: products removed after it began are held back.
fn c17_a_removal_under_way_holds_back_what_came_after_it() {
    let shop = company(Database::Postgres);
    let machine = reader(&shop);
    let (first, second) = (shop.brand("FIRST"), shop.brand("SECOND"));
    let everything = [("updatedSince", "2000-01-01T00:00:00.000Z")];
    let held = shop.hold(&format!("select 1 from catalog_lookup where {{tenant}} and id = '{first}' for update"));
    std::thread::scope(|scope| {
        let under_way = scope.spawn(|| shop.archive(&format!("catalog/lookups/brands/{first}")).is(200));
        eventually(|| shop.is_writing().then_some(()));
        shop.archive(&format!("catalog/lookups/brands/{second}")).is(200);
        assert!(list_removed(&machine, "LOOKUP", &everything).is_empty(), "a later removal waits");
        drop(held);
        under_way.join().expect("the archive panicked");
    });
    let expected = [state(&first, "ARCHIVED"), state(&second, "ARCHIVED")];
    assert_eq!(list_removed(&machine, "LOOKUP", &everything), expected);
}
