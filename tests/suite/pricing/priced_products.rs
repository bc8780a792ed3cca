//! The page of a shop in one call: a product, its variants and their prices in effect, for people and API clients.

use serde_json::{Value as Json, json};
use stoa_tests::company::{fresh, price, product, with};
use stoa_tests::{Answer, Company, Database, Machine, company, on_both_databases};

on_both_databases![
    is_what_the_single_reads_answer,
    at_another_instant,
    archived_lists,
    c21_internal_lists,
    unknown_and_foreign_lists,
    parameters,
    pages_of_many_variants,
    pages_of_large_variants,
];

on_both_databases![
    rules:
    c12_c27_only_what_is_on_sale,
    r09_variants_that_are_archived,
    r10_variants_without_a_price,
    c20_expanded_by_media,
    both_permissions,
    both_scopes,
    published_as_the_catalog_publishes,
];

const SCOPES: &[&str] = &["catalog.read", "pricing.read"];

/// A published product with these variants: its id and theirs.
fn on_sale(shop: &Company, variants: &[Json]) -> (String, Vec<String>) {
    let name = fresh("Product ");
    let members = json!({ "publicationStatus": "PUBLISHED", "variants": variants });
    let made = shop.post("catalog/products", with(&product(&name), members)).is(201);
    let ids = made["variants"].as_array().into_iter().flatten().filter_map(|variant| variant["id"].as_str());
    (made.id(), ids.map(String::from).collect())
}

/// A published product with one variant that costs 9.99 in a public list: list, product, variant.
fn shelf(shop: &Company) -> (String, String, String) {
    let list = shop.price_list(&fresh("SHELF"));
    let (product, variants) = on_sale(shop, &[json!({ "sku": fresh("SKU") })]);
    shop.price(&list, &variants[0], None, None).is(201);
    (list, product, variants[0].clone())
}

fn path(list: &str, product: &str) -> String {
    format!("pricing/price-lists/{list}/products/{product}")
}

/// The same question of a person and of a client.
fn both(shop: &Company, machine: &Machine, path: &str) -> [Answer; 2] {
    [shop.get(path), machine.get(path)]
}

/// The amounts of the variants, null where there is no price.
fn amounts(answer: &Answer) -> Vec<Json> {
    variants(answer).iter().map(|variant| variant["price"]["amount"].clone()).collect()
}

fn ids(answer: &Answer) -> Vec<String> {
    variants(answer).iter().filter_map(|variant| variant["variant"]["id"].as_str().map(String::from)).collect()
}

fn variants(answer: &Answer) -> &[Json] {
    answer["variants"].as_array().unwrap_or_else(|| panic!("no variants: {answer}"))
}

fn is_what_the_single_reads_answer(database: Database) {
    let shop = company(database);
    let machine = shop.machine(SCOPES);
    let list = shop.price_list("SHELF");
    let black = json!({ "sku": "BLACK", "barcode": "4006381333931", "condition": "NEW", "attributes": { "a": 1 } });
    let (product, made) = on_sale(&shop, &[black, json!({ "sku": "WHITE", "grade": "B", "simType": "ESIM" })]);
    shop.price(&list, &made[0], None, Some("2020-01-01T00:00:00Z")).is(201);
    shop.price(&list, &made[0], Some("2020-01-01T00:00:00Z"), None).is(201);
    let path = path(&list, &product);
    let page = shop.get(&path).is(200);
    assert_eq!(page["product"], machine.get(&format!("catalog/products/{product}")).is(200).body);
    assert_eq!(page["priceList"], machine.get(&format!("pricing/price-lists/{list}")).is(200).body);
    assert_eq!(page["priceList"]["currencyCode"], "EUR");
    let listed = machine.get(&format!("catalog/products/{product}/variants")).is(200);
    let shown: Vec<&Json> = variants(&page).iter().map(|variant| &variant["variant"]).collect();
    assert_eq!(shown, listed.items().iter().collect::<Vec<_>>());
    let resolved = machine.get(&format!("pricing/price-lists/{list}/resolve/{}", made[0])).is(200);
    assert_eq!(variants(&page)[0]["price"], resolved.body);
    assert_eq!(variants(&page)[1]["price"], Json::Null);
    let mut members: Vec<&str> = page.body.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    members.sort_unstable();
    assert_eq!((members, &page["nextCursor"]), (vec!["nextCursor", "priceList", "product", "variants"], &Json::Null));
    assert_eq!(machine.get(&path).is(200).body, page.body, "people and API clients see the same");
}

fn c12_c27_only_what_is_on_sale(database: Database) {
    let shop = company(database);
    let machine = shop.machine(SCOPES);
    let (list, shown, variant) = shelf(&shop);
    let (draft, _) = shop.article("DRAFT");
    let bare = shop.product("No variants");
    let (archived, _) = on_sale(&shop, &[json!({ "sku": "GONE" })]);
    shop.archive(&format!("catalog/products/{archived}")).is(200);
    let deleted = shop.product("Deleted");
    shop.delete(&format!("catalog/products/{deleted}")).is(200);
    for answer in both(&shop, &machine, &path(&list, &shown)) {
        answer.is(200);
    }
    for hidden in [&draft, &bare, &archived, &deleted, &variant, &uuid::Uuid::now_v7().to_string()] {
        for answer in both(&shop, &machine, &path(&list, hidden)) {
            answer.refused(404, "NOT_FOUND");
        }
    }
}

fn r09_variants_that_are_archived(database: Database) {
    let shop = company(database);
    let machine = shop.machine(SCOPES);
    let list = shop.price_list("SHELF");
    let (product, made) = on_sale(&shop, &[json!({ "sku": "A" }), json!({ "sku": "B" })]);
    for variant in &made {
        shop.price(&list, variant, None, None).is(201);
    }
    shop.archive(&format!("catalog/variants/{}", made[0])).is(200);
    for answer in both(&shop, &machine, &path(&list, &product)) {
        assert_eq!(ids(&answer.is(200)), made[1..]);
    }
    // The last active variant takes the product off sale.
    shop.archive(&format!("catalog/variants/{}", made[1])).is(200);
    for answer in both(&shop, &machine, &path(&list, &product)) {
        answer.refused(404, "NOT_FOUND");
    }
}

fn r10_variants_without_a_price(database: Database) {
    let shop = company(database);
    let machine = shop.machine(SCOPES);
    let (list, other) = (shop.price_list("SHELF"), shop.price_list("OTHER"));
    let skus = ["NONE", "PAST", "FUTURE", "ARCHIVED", "ELSEWHERE", "NOW"];
    let (product, made) = on_sale(&shop, &skus.map(|sku| json!({ "sku": sku })));
    shop.price(&list, &made[1], None, Some("2020-01-01T00:00:00Z")).is(201);
    shop.price(&list, &made[2], Some("2990-01-01T00:00:00Z"), None).is(201);
    let archived = shop.price(&list, &made[3], None, None).is(201).id();
    shop.archive(&format!("pricing/price-lists/{list}/prices/{archived}")).is(200);
    shop.price(&other, &made[4], None, None).is(201);
    shop.price(&list, &made[5], None, None).is(201);
    for answer in both(&shop, &machine, &path(&list, &product)) {
        let answer = answer.is(200);
        let none = Json::Null;
        assert_eq!(amounts(&answer), [&none, &none, &none, &none, &none, &json!("9.990000")].map(Json::clone));
        assert_eq!(ids(&answer), made);
    }
}

fn at_another_instant(database: Database) {
    let shop = company(database);
    let machine = shop.machine(SCOPES);
    let list = shop.price_list("SHELF");
    let (product, made) = on_sale(&shop, &[json!({ "sku": "A" })]);
    let border = "2030-01-01T00:00:00Z";
    let prices = format!("pricing/price-lists/{list}/prices");
    shop.post(&prices, price(&made[0], "1", None, Some(border))).is(201);
    shop.post(&prices, price(&made[0], "2", Some(border), None)).is(201);
    let path = path(&list, &product);
    let priced = |instant: &str| amounts(&shop.list(&path, &[("at", instant)]).is(200));
    assert_eq!(priced("2029-12-31T23:59:59.999Z"), [json!("1.000000")]);
    assert_eq!(priced(border), [json!("2.000000")]);
    for wrong in ["", "2026", "2026-01-01T00:00:00+01:00", "2026-02-30T00:00:00Z"] {
        shop.list(&path, &[("at", wrong)]).refused(400, "VALIDATION_FAILED").at("/query/at");
    }
    machine.get(&format!("{path}?at={border}")).refused(400, "UNKNOWN_QUERY_PARAMETER");
}

fn archived_lists(database: Database) {
    let shop = company(database);
    let machine = shop.machine(SCOPES);
    let (list, product, _) = shelf(&shop);
    let path = path(&list, &product);
    machine.get(&path).is(200);
    shop.archive(&format!("pricing/price-lists/{list}")).is(200);
    let page = shop.get(&path).is(200);
    assert_eq!((amounts(&page), &page["priceList"]["status"]), (vec![Json::Null], &json!("ARCHIVED")));
    machine.get(&path).refused(404, "NOT_FOUND");
}

fn c21_internal_lists(database: Database) {
    let shop = company(database);
    let machine = shop.machine(SCOPES);
    let (_, product, variant) = shelf(&shop);
    let body = json!({ "code": "INSIDE", "name": "Inside", "currencyCode": "EUR", "visibility": "INTERNAL" });
    let list = shop.post("pricing/price-lists", body).is(201).id();
    shop.price(&list, &variant, None, None).is(201);
    let page = shop.get(&path(&list, &product)).is(200);
    assert_eq!(amounts(&page), [json!("9.990000")]);
    let hidden = machine.get(&path(&list, &product)).refused(404, "NOT_FOUND");
    let absent = machine.get(&path(&uuid::Uuid::now_v7().to_string(), &product));
    assert_eq!(hidden.masked(), absent.masked());
}

fn unknown_and_foreign_lists(database: Database) {
    let (shop, other) = (company(database), company(database));
    let machine = shop.machine(SCOPES);
    let (list, product, _) = shelf(&shop);
    let (foreign_list, foreign_product, _) = shelf(&other);
    let absent = uuid::Uuid::now_v7().to_string();
    for (list, product) in
        [(&foreign_list, &product), (&absent, &product), (&list, &foreign_product), (&foreign_list, &foreign_product)]
    {
        for answer in both(&shop, &machine, &path(list, product)) {
            answer.refused(404, "NOT_FOUND");
        }
    }
}

fn c20_expanded_by_media(database: Database) {
    let shop = company(database);
    let machine = shop.machine(SCOPES);
    let list = shop.price_list("SHELF");
    let (product, made) = on_sale(&shop, &[json!({ "sku": "A" }), json!({ "sku": "B" })]);
    let add = |name: &str, variant: Option<&String>| {
        let body = json!({ "url": format!("https://cdn.example.test/{name}.jpg"), "variantId": variant });
        shop.post(&format!("catalog/products/{product}/media"), body).is(201).id()
    };
    let (_, of_first, archived) = (add("whole", None), add("first", Some(&made[0])), add("archived", None));
    add("second", Some(&made[1]));
    shop.archive(&format!("catalog/media/{archived}")).is(200);
    shop.archive(&format!("catalog/variants/{}", made[1])).is(200);
    let path = path(&list, &product);
    let listed = machine.get(&format!("catalog/products/{product}/media")).is(200);
    assert_eq!(listed.items().len(), 2);
    assert_eq!(listed.items()[1]["id"], of_first.as_str());
    for answer in both(&shop, &machine, &format!("{path}?expand=media")) {
        assert_eq!(answer.is(200)["media"].as_array().map(Vec::as_slice), Some(listed.items()));
    }
    for answer in both(&shop, &machine, &path) {
        assert!(answer.is(200).body.get("media").is_none());
    }
}

fn parameters(database: Database) {
    let shop = company(database);
    let machine = shop.machine(SCOPES);
    let (list, product, _) = shelf(&shop);
    let path = path(&list, &product);
    for (name, value) in [
        ("expand", "prices"),
        ("expand", ""),
        ("expand", "media,media"),
        ("limit", "0"),
        ("limit", "101"),
        ("cursor", "x"),
    ] {
        for answer in both(&shop, &machine, &format!("{path}?{name}={value}")) {
            answer.refused(400, "VALIDATION_FAILED").at(&format!("/query/{name}"));
        }
    }
    for answer in both(&shop, &machine, &format!("{path}?include=media")) {
        answer.refused(400, "UNKNOWN_QUERY_PARAMETER");
    }
    for answer in both(&shop, &machine, "pricing/price-lists/x/products/y") {
        answer.refused(400, "VALIDATION_FAILED").at("/path/listId").at("/path/productId");
    }
}

/// The pages of the variants of a product, each with this limit.
fn pages(ask: impl Fn(&[(&str, &str)]) -> Answer, limit: Option<&str>) -> Vec<Vec<String>> {
    let (mut pages, mut cursor) = (Vec::new(), None::<String>);
    loop {
        assert!(pages.len() < 200, "no end of pages");
        let query: Vec<(&str, &str)> = limit
            .map(|limit| ("limit", limit))
            .into_iter()
            .chain(cursor.as_deref().map(|cursor| ("cursor", cursor)))
            .collect();
        let page = ask(&query).is(200);
        pages.push(ids(&page));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_string()),
            None => return pages,
        }
    }
}

fn pages_of_many_variants(database: Database) {
    let shop = company(database);
    let machine = shop.machine(SCOPES);
    let list = shop.price_list("SHELF");
    let hundred: Vec<Json> = (0..100).map(|n| json!({ "sku": format!("V{n}") })).collect();
    let (product, mut made) = on_sale(&shop, &hundred);
    let path = path(&list, &product);
    // One call creates them, one call shows them.
    assert_eq!(pages(|query| shop.list(&path, query), None), [made.clone()]);
    made.extend((0..20).map(|n| shop.variant(&product, &format!("MORE{n}"))));
    let last = made.last().expect("a variant");
    shop.price(&list, last, None, None).is(201);
    let by_person = |limit| pages(|query| shop.list(&path, query), limit);
    assert_eq!(by_person(None), [made[..100].to_vec(), made[100..].to_vec()]);
    assert_eq!(by_person(Some("50")).concat(), made);
    let by_client = pages(|query| machine.request("GET", &path).query(query).send(), Some("7"));
    assert_eq!((by_client.len(), by_client.concat()), (18, made.clone()));
    let rest = shop.list(&path, &[("cursor", &made[118])]).is(200);
    assert_eq!((ids(&rest), amounts(&rest)), (vec![last.clone()], vec![json!("9.990000")]));
    let beyond = shop.list(&path, &[("cursor", last)]).is(200);
    assert_eq!((ids(&beyond).len(), &beyond["nextCursor"]), (0, &Json::Null));
}

/// Attributes are not shown, but they are read: beyond what the store answers at once a page is shorter, and leads on.
fn pages_of_large_variants(database: Database) {
    let shop = company(database);
    let list = shop.price_list("SHELF");
    let text = "\u{4e2d}".repeat(15_900);
    let large = |n: usize| json!({ "sku": format!("V{n}"), "attributes": { "a": text } });
    let (product, mut made) = on_sale(&shop, &[large(0)]);
    let variants = format!("catalog/products/{product}/variants");
    made.extend((1..100).map(|n| shop.post(&variants, large(n)).is(201).id()));
    let pages = pages(|query| shop.list(&path(&list, &product), query), None);
    assert_eq!(pages.concat(), made);
    assert!((2..=10).contains(&pages.len()), "{} pages", pages.len());
}

fn both_permissions(database: Database) {
    let shop = company(database);
    let (list, product, _) = shelf(&shop);
    let path = path(&list, &product);
    let staff = |permissions: &[&str]| shop.member("staff", &[&shop.role(&fresh("ROLE"), permissions)]).1;
    staff(SCOPES).get(&path).is(200);
    for lacking in [&["catalog.read"], &["pricing.read"]] {
        let person = staff(lacking);
        person.get(&path).refused(403, "PERMISSION_DENIED");
    }
}

fn both_scopes(database: Database) {
    let shop = company(database);
    let (list, product, _) = shelf(&shop);
    let path = path(&list, &product);
    shop.machine(SCOPES).get(&path).is(200);
    for lacking in [&["catalog.read"], &["pricing.read"]] {
        shop.machine(lacking).get(&path).refused(403, "SCOPE_DENIED");
    }
}

/// Both modules name the schemas of product, variant and media; they are one, or the page would have types of its own.
fn published_as_the_catalog_publishes(database: Database) {
    let shop = company(database);
    let contract = shop.host.contract();
    let schemas = &contract.document["components"]["schemas"];
    let refers = |schema: &Json, to: &str| assert_eq!(schema["$ref"], format!("#/components/schemas/{to}"), "{schema}");
    let answer = |id: &str| {
        let found = contract.operations.iter().find(|operation| operation.id == id).expect("the operation");
        found.document["responses"]["200"]["content"]["application/json"]["schema"].clone()
    };
    for page in ["getPricedProduct", "apiGetPricedProduct"] {
        refers(&answer(page), "PricedProduct");
    }
    refers(&schemas["PricedProduct"]["properties"]["product"], "PublicProduct");
    refers(&answer("apiGetProduct"), "PublicProduct");
    refers(&schemas["PricedVariant"]["properties"]["variant"], "PublicVariant");
    refers(&answer("apiGetVariant"), "PublicVariant");
    refers(&schemas["PricedProduct"]["properties"]["media"]["items"], "PublicMedia");
    refers(&schemas["PublicMediaPage"]["properties"]["items"]["items"], "PublicMedia");
}
