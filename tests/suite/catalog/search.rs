//! The text filter: literal, case-insensitive containment over what a person would type.

use serde_json::json;
use stoa_tests::company::{product, with};
use stoa_tests::{Database, company, on_both_databases};

on_both_databases![
    finds_by_every_searchable_member,
    c16_wildcards_match_themselves,
    case_is_folded_beyond_ascii,
    does_not_join_fields,
    follows_changes,
    text_is_clean,
];

fn finds_by_every_searchable_member(database: Database) {
    let shop = company(database);
    let variant = json!({
        "sku": "SKU-77", "barcode": "9780201379624", "modelNumber": "SM-G991", "searchAliases": ["galaxie", "Händi"],
        "color": "phantomgrau", "attributes": { "hidden": "attributevalue" },
    });
    let body = json!({ "slug": "the-slug-of-it", "description": "descriptiontext", "variants": [variant] });
    let id = shop.post("catalog/products", with(&product("Samsung Telefon"), body)).is(201).id();
    shop.product("Something else");
    let found = |text: &str| shop.list("catalog/products", &[("text", text)]).is(200).ids();
    for text in ["samsung", "TELEFON", "ung Tel", "slug-of", "sku-77", "0201379", "g991", "GALAXIE", "händi"] {
        assert_eq!(found(text), [id.as_str()], "{text}");
    }
    assert!(found("attributevalue").is_empty(), "arbitrary attributes are never indexed");
}

fn c16_wildcards_match_themselves(database: Database) {
    let shop = company(database);
    let names =
        ["100% cotton", "100x cotton", "snake_case", "snakeXcase", "back\\slash", "backslash", "a'b\"c", "star*?[x]"];
    let ids: Vec<String> = names.iter().map(|name| shop.product(name)).collect();
    let found = |text: &str| shop.list("catalog/products", &[("text", text)]).is(200).ids();
    let cases: [(&str, &[usize]); 12] = [
        ("%", &[0]),
        ("0% c", &[0]),
        ("_", &[2]),
        ("snake_", &[2]),
        ("\\", &[4]),
        ("k\\s", &[4]),
        ("'", &[6]),
        ("\"", &[6]),
        ("*", &[7]),
        ("[x]", &[7]),
        ("%%", &[]),
        ("' or '1'='1", &[]),
    ];
    for (text, expected) in cases {
        let expected: Vec<&String> = expected.iter().map(|n| &ids[*n]).collect();
        assert_eq!(found(text).iter().collect::<Vec<_>>(), expected, "{text}");
    }
    // The same in lookups and in the variants' search.
    for (n, name) in names.iter().enumerate() {
        let body = json!({ "name": name, "code": format!("B{n}") });
        shop.post("catalog/lookups/brands", body).is(201);
    }
    for (text, expected) in [("%", 1), ("_", 1), ("\\", 1), ("'", 1)] {
        let brands = shop.list("catalog/lookups/brands", &[("text", text)]).is(200);
        assert_eq!(brands.items().len(), expected, "{text}");
    }
}

fn case_is_folded_beyond_ascii(database: Database) {
    let shop = company(database);
    let id = shop.product("ÄPFEL und ΣΊΣΥΦΟΣ Ещё");
    let found = |text: &str| shop.list("catalog/products", &[("text", text)]).is(200).ids();
    for text in ["äpfel", "Äpfel", "ещё", "ЕЩЁ", "σίσυφ"] {
        assert_eq!(found(text), [id.as_str()], "{text}");
    }
}

fn does_not_join_fields(database: Database) {
    let shop = company(database);
    let body = json!({ "slug": "end", "variants": [{ "sku": "START" }] });
    shop.post("catalog/products", with(&product("Name"), body)).is(201);
    for text in ["nameend", "name end", "endstart", "end start"] {
        assert!(shop.list("catalog/products", &[("text", text)]).is(200).items().is_empty(), "{text}");
    }
    let answer = shop.list("catalog/products", &[("text", "\u{1f}")]).is(200);
    assert!(answer.items().is_empty(), "the field separator finds nothing: {answer}");
}

fn follows_changes(database: Database) {
    let shop = company(database);
    let (id, variant) = shop.article("BEFORE");
    let found = |text: &str| shop.list("catalog/products", &[("text", text)]).is(200).ids();
    let changed = json!({ "sku": "BEFORE", "modelNumber": "AFTERWARDS" });
    shop.put(&format!("catalog/variants/{variant}"), changed).is(200);
    assert_eq!(found("afterwards"), [id.as_str()]);
    shop.put(&format!("catalog/products/{id}"), product("Renamed entirely")).is(200);
    assert_eq!(found("renamed"), [id.as_str()]);
    assert_eq!(found("afterwards"), [id.as_str()], "a product's change keeps its variants findable");
    assert!(found("product before").is_empty());
}

fn text_is_clean(database: Database) {
    let shop = company(database);
    let raw = shop.request("GET", "catalog/products?text=%00").send();
    raw.refused(400, "VALIDATION_FAILED").at("/query/text");
    let invalid = shop.request("GET", "catalog/products?text=%ff%fe").send();
    invalid.refused(400, "VALIDATION_FAILED").fault("/query/text", "FORMAT");
    let found = |length: usize| shop.list("catalog/products", &[("text", &"x".repeat(length))]);
    assert!(found(200).is(200).items().is_empty());
    for long in [201, 5_000] {
        found(long).refused(400, "VALIDATION_FAILED").fault("/query/text", "RANGE");
    }
}
