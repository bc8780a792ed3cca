//! The rules R1 to R13 on a small contract.

use serde_json::{Value, json};

use super::*;

/// Method, path, id and the schema of a success.
const OPERATIONS: &[(&str, &str, &str, &str)] = &[
    ("get", "/goods/lookups/{kind}", "listLookups", "LookupPage"),
    ("post", "/goods/lookups/{kind}", "createLookup", "Lookup"),
    ("get", "/goods/lookups/{kind}/{id}", "getLookup", "Lookup"),
    ("post", "/goods/lookups/{kind}/{id}/archive", "archiveLookup", "Lookup"),
    ("get", "/goods/products", "listProducts", "ProductPage"),
    ("post", "/goods/products", "createProduct", "Product"),
    ("post", "/goods/products/import", "importProducts", "Product"),
    ("get", "/goods/products/{id}", "getProduct", "Product"),
    ("put", "/goods/products/{id}", "replaceProduct", "Product"),
    ("delete", "/goods/products/{id}", "deleteProduct", "Product"),
    ("post", "/goods/products/{id}/parts", "addPart", "Product"),
    ("post", "/goods/products/{id}/parts/{partId}/move", "movePart", "Product"),
    ("get", "/goods/products/{id}/prices/{day}", "getDayPrice", "Report"),
    ("get", "/goods/products/{productId}/variants", "listProductVariants", "VariantPage"),
    ("post", "/goods/products/{productId}/variants", "createVariant", "Variant"),
    ("get", "/goods/variants", "listVariants", "VariantPage"),
    ("get", "/goods/variants/{id}", "getVariant", "Variant"),
    ("get", "/stock/variants/{variantId}/stock", "getVariantStock", "StockPage"),
    ("get", "/stock/variants/{variantId}/worth", "getVariantWorth", "Report"),
    ("get", "/stock/settings", "getStockSettings", "Report"),
    ("put", "/stock/settings", "replaceStockSettings", "Report"),
    ("post", "/stock/moves", "moveStock", "Report"),
];

fn site() -> Site {
    let (text, id) = (json!({"type": "string"}), json!({"type": "string", "format": "uuid"}));
    let list = json!({"type": "array", "items": {"type": "object", "properties": {}}});
    let notes = json!({"type": "string", "maxLength": 4000});
    let price = json!({"anyOf": [text, {"type": "null"}]});
    let mut schemas = json!({
        "Kind": {"type": "string", "enum": ["brands", "categories"]},
        "Lookup": {"properties": {"id": id, "name": text, "code": text, "parentId": id}},
        "Product": {"properties": {"id": id, "tenantId": id, "slug": text, "name": text, "brandId": id, "items": list,
            "notes": notes, "status": text, "price": price, "updatedAt": text}},
        "Variant": {"properties": {"id": id, "sku": text, "productId": id}},
        "Stock": {"properties": {"onHand": text}},
        "Report": {"properties": {"worth": text}},
        "ItemCode": {"enum": ["USED", "OLD"], "x-enum-descriptions": ["It is in use.", ""]},
    });
    for name in ["Lookup", "Product", "Variant", "Stock"] {
        let items = json!({"type": "array", "items": {"$ref": format!("#/components/schemas/{name}")}});
        schemas[format!("{name}Page")] = json!({"properties": {"items": items}});
    }
    let mut paths = json!({});
    for (method, path, operation, schema) in OPERATIONS {
        let names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        let parameters = names.map(|name| {
            let schema = if name == "kind" { json!({"$ref": "#/components/schemas/Kind"}) } else { id.clone() };
            json!({"name": name, "in": "path", "required": true, "schema": schema})
        });
        let key = json!({"$ref": "#/components/parameters/Key"});
        let parameters: Vec<Value> = [key].into_iter().chain(parameters).collect();
        let content = json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}}});
        paths[format!("/tenants/{{tenantId}}{path}")][*method] = json!({
            "operationId": operation, "tags": [path.split('/').nth(1)], "summary": format!("The summary of {operation}"),
            "security": [{"UserBearer": []}], "parameters": parameters,
            "responses": {"200": {"content": content}}, "x-stoa-access": {"all": ["goods.read"]},
            "x-stoa-item-codes": {"OLD": "It is too old."},
        });
    }
    let hints = json!({
        "lists": [{"list": "listVariants", "title": ["sku"], "columns": ["sku"], "group": "Articles", "position": 5}],
        "references": [{"member": "makerId", "list": "listVariants"}, {"member": "makerId", "list": "listProducts", "below": "/goods/products/"}],
    });
    let key = json!({"name": "Idempotency-Key", "in": "header", "required": true, "schema": text});
    let contract = json!({
        "tags": [{"name": "goods", "x-stoa-console": hints}, {"name": "stock"}], "paths": paths,
        "components": {"schemas": schemas, "parameters": {"Key": key}},
    });
    Site::read(&Contract { etag: "1".to_owned(), bytes: contract.to_string().into() }).expect("a site")
}

fn ids<'a>(site: &'a Site, numbers: impl IntoIterator<Item = &'a usize>) -> Vec<&'a str> {
    numbers.into_iter().map(|number| site.operations[*number].id.as_str()).collect()
}

#[test]
fn lists_are_collections_and_an_enumeration_splits_them() {
    let site = site();
    let shown = site.collections.iter().map(|one| {
        let parent = one.parent.map(|parent| site.collections[parent].label.as_str());
        (one.label.as_str(), one.noun.as_str(), parent, ids(&site, &one.record).pop())
    });
    // R1 and R2 with R7: the stock of a variant is on the variant's page.
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            ("Brands", "brand", None, Some("getLookup")),
            ("Categories", "category", None, Some("getLookup")),
            ("Products", "product", None, Some("getProduct")),
            ("Product variants", "variant", Some("Products"), Some("getVariant")),
            ("Variants", "variant", None, Some("getVariant")),
            ("Variant stock", "stock", Some("Variants"), None),
        ]
    );
    let products = site.collection_of("listProducts", None).expect("a collection");
    assert_eq!(ids(&site, products.create.iter().chain(&products.actions)), ["createProduct", "importProducts"]);
    // R10 and R11.
    assert_eq!(products.columns, ["name", "status", "slug", "brandId", "price", "updatedAt"]);
    let brands = site.collection_of("listLookups", Some("brands")).expect("a collection");
    assert_eq!(site.title_of(brands, &json!({"name": "Acme", "code": "A"})), "A Acme");
    assert_eq!(site.title_of(brands, &json!({"id": "0199af00-1"})), "0199af00");
    assert_eq!(site.record_path(brands, &[], "7").as_deref(), Some("/goods/lookups/brands/7"));
    assert_eq!(site.list_path(brands, &[]).as_deref(), Some("/goods/lookups/brands"));
}

#[test]
fn a_record_has_its_writes_and_reads() {
    let site = site();
    let record = |id: &str| site.record_at(site.operation(id).expect(id)).expect(id);
    let (product, variant) = (record("getProduct"), record("getVariant"));
    assert_eq!(ids(&site, product.edits.iter().chain(&product.delete)), ["replaceProduct", "deleteProduct"]);
    let [add, change] = product.transitions.as_slice() else { panic!("no two transitions") };
    assert_eq!(ids(&site, [&add.operation, &change.operation]), ["addPart", "movePart"]);
    let part = change.part.as_ref().map(|part| (part.parameter.as_str(), part.member.as_deref()));
    assert!(add.part.is_none() && part == Some(("partId", Some("parts"))));
    let reads = |record: &Record| record.reads.iter().map(|one| one.asked.clone()).collect::<Vec<_>>();
    assert_eq!((reads(product), reads(variant)), (vec![Some("day".to_owned())], vec![None]));
    assert_eq!(ids(&site, variant.reads.iter().map(|one| &one.operation)), ["getVariantWorth"]);
    assert_eq!(variant.children.len(), 1);
}

#[test]
fn a_name_refers_to_a_collection() {
    let site = site();
    let pair = |value: &str| [("kind".to_owned(), value.to_owned())];
    for (id, member, kind, expected) in [
        ("createProduct", "brandId", "", Some("Brands")),
        ("createProduct", "variantIds", "", Some("Variants")),
        ("moveStock", "fromVariantId", "", Some("Variants")),
        ("moveStock", "warehouseId", "", None),
        ("moveStock", "id", "", None),
        ("moveStock", "makerId", "", None),
        ("listVariants", "makerId", "", Some("Variants")),
        ("addPart", "makerId", "", Some("Products")),
        ("createProduct", "parentId", "", Some("Products")),
        ("createLookup", "parentId", "categories", Some("Categories")),
        ("createLookup", "parentId", "others", None),
    ] {
        let found = site.refers_at(site.operation(id).expect(id), &pair(kind), member);
        assert_eq!(found.map(|one| one.label.as_str()), expected, "{id} {member}");
    }
}

#[test]
fn the_navigation_has_lists_reads_and_actions() {
    let site = site();
    let entries = |label: &str| {
        let group = site.groups.iter().find(|group| group.label == label).expect(label);
        group.entries.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>()
    };
    let lists = ["/goods/lookups/brands", "/goods/lookups/categories", "/goods/products", "/goods/variants"];
    assert_eq!(entries("Articles"), lists);
    assert_eq!(entries("Stock"), ["/stock/settings", "/stock/moves?_form=moveStock"]);
}

#[test]
fn an_address_leads_to_its_operations() {
    let site = site();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    for (path, expected) in [
        ("/goods/lookups/brands/7", Some(("getLookup", vec![pair("kind", "brands"), pair("id", "7")]))),
        ("/goods/products/7/variants", Some(("listProductVariants", vec![pair("productId", "7")]))),
        ("/goods/products/import", None),
        ("/goods/products/", None),
        ("/goods", None),
        ("/stock/moves", None),
    ] {
        assert_eq!(site.read_at(path).map(|(read, values)| (read.id.as_str(), values)), expected, "{path}");
    }
    let form = |id: &str, path: &str| site.form_at(id, path).map(|(_, values)| values);
    assert_eq!(form("movePart", "/goods/products/7"), Some(vec![pair("id", "7")]));
    assert_eq!(form("moveStock", "/stock/moves"), Some(vec![]));
    assert_eq!([form("movePart", "/goods/variants/7"), form("movePart", "/goods/products//parts")], [None, None]);
    let of = site.collection_of_record(site.operation("getLookup").expect("one"), &[pair("kind", "categories")]);
    assert_eq!(of.map(|one| one.label.as_str()), Some("Categories"));
}

#[test]
fn an_operation_is_read_with_its_words() {
    let site = site();
    let create = site.operation("createProduct").expect("one");
    assert!(create.key && !create.if_match && !create.csv && create.of_company);
    assert!(create.access.permits(&["goods.read".to_owned()]) && !create.access.permits(&[]));
    let sentences = ["OLD", "USED", "NOT_NORMAL"].map(|code| site.sentence(create, code));
    assert_eq!(sentences, ["It is too old.", "It is in use.", "Not normal"]);
    let price = site.resolve(&site.schemas["Product"]["properties"]["price"]);
    assert_eq!((price.kind(), price.nullable), ("string", true));
}
