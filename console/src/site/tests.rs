//! The rules R1 to R13 on a small contract.

use serde_json::{Value, json};

use super::*;

/// Operations by path, method and id; the schema of a success and of the body by name.
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
    let text = json!({"type": "string"});
    let id = json!({"type": "string", "format": "uuid"});
    let page = |name: &str| {
        let items = json!({"type": "array", "items": {"$ref": format!("#/components/schemas/{name}")}});
        json!({"type": "object", "properties": {"items": items, "nextCursor": {"type": ["string", "null"]}}})
    };
    let record = |members: Value| {
        let mut properties = json!({"id": id, "tenantId": id});
        for (name, schema) in members.as_object().expect("members") {
            properties[name] = schema.clone();
        }
        json!({"type": "object", "properties": properties})
    };
    let schemas = json!({
        "Kind": {"type": "string", "enum": ["brands", "categories"]},
        "Lookup": record(json!({"name": text, "code": text, "parentId": id})), "LookupPage": page("Lookup"),
        "Product": record(json!({
            "slug": text, "name": text, "brandId": id, "items": {"type": "array", "items": {"type": "object", "properties": {}}},
            "notes": {"type": "string", "maxLength": 4000}, "status": text, "price": {"anyOf": [text, {"type": "null"}]},
            "updatedAt": text,
        })),
        "ProductPage": page("Product"), "Variant": record(json!({"sku": text, "productId": id})), "VariantPage": page("Variant"),
        "Stock": {"type": "object", "properties": {"onHand": text}}, "StockPage": page("Stock"),
        "Report": {"type": "object", "properties": {"worth": text}},
        "ItemCode": {"enum": ["USED", "OLD"], "x-enum-descriptions": ["It is in use.", ""]},
    });
    let mut paths = json!({});
    for (method, path, operation, schema) in OPERATIONS {
        let names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        let parameters = names.map(|name| {
            let schema = if name == "kind" { json!({"$ref": "#/components/schemas/Kind"}) } else { id.clone() };
            json!({"name": name, "in": "path", "required": true, "schema": schema})
        });
        let parameters: Vec<Value> =
            [json!({"$ref": "#/components/parameters/Key"})].into_iter().chain(parameters).collect();
        let content = json!({"application/json": {"schema": {"$ref": format!("#/components/schemas/{schema}")}}});
        paths[format!("/tenants/{{tenantId}}{path}")][*method] = json!({
            "operationId": operation, "tags": [path.split('/').nth(1)], "summary": format!("The summary of {operation}"),
            "security": [{"UserBearer": []}], "parameters": parameters, "responses": {"200": {"content": content}},
            "x-stoa-access": {"all": ["goods.read"]}, "x-stoa-item-codes": {"OLD": "It is too old."},
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

fn ids<'a>(site: &'a Site, numbers: &[usize]) -> Vec<&'a str> {
    numbers.iter().map(|number| site.operations[*number].id.as_str()).collect()
}

#[test]
fn lists_are_collections_and_an_enumeration_splits_them() {
    let site = site();
    let shown = site.collections.iter().map(|one| {
        let parent = one.parent.map(|parent| site.collections[parent].label.as_str());
        (one.label.as_str(), one.noun.as_str(), parent, ids(&site, one.record.as_slice()))
    });
    // R1 and R2 with R7: the stock of a variant is on the variant's page.
    assert_eq!(
        shown.collect::<Vec<_>>(),
        [
            ("Brands", "brand", None, vec!["getLookup"]),
            ("Categories", "category", None, vec!["getLookup"]),
            ("Products", "product", None, vec!["getProduct"]),
            ("Product variants", "variant", Some("Products"), vec!["getVariant"]),
            ("Variants", "variant", None, vec!["getVariant"]),
            ("Variant stock", "stock", Some("Variants"), vec![]),
        ]
    );
    let products = site.collection_of("listProducts", None).expect("a collection");
    assert_eq!(ids(&site, products.create.as_slice()), ["createProduct"]);
    assert_eq!(ids(&site, &products.actions), ["importProducts"]);
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
    let product = record("getProduct");
    assert_eq!(ids(&site, &product.edits), ["replaceProduct"]);
    assert_eq!(ids(&site, product.delete.as_slice()), ["deleteProduct"]);
    let transitions = product.transitions.iter().map(|one| {
        let part = one.part.as_ref().map(|part| (part.parameter.as_str(), part.member.as_deref()));
        (site.operations[one.operation].id.as_str(), part)
    });
    let expected = [("addPart", None), ("movePart", Some(("partId", Some("parts"))))];
    assert_eq!(transitions.collect::<Vec<_>>(), expected);
    let reads = |record: &Record| {
        let reads = record.reads.iter().map(|one| (site.operations[one.operation].id.clone(), one.asked.clone()));
        reads.collect::<Vec<_>>()
    };
    assert_eq!(reads(product), [("getDayPrice".to_owned(), Some("day".to_owned()))]);
    assert_eq!(reads(record("getVariant")), [("getVariantWorth".to_owned(), None)]);
    assert_eq!(record("getVariant").children.len(), 1);
}

#[test]
fn a_name_refers_to_a_collection() {
    let site = site();
    let label = |id: &str, member: &str| {
        let operation = site.operation(id).expect(id);
        site.refers_to(operation, member).map(|collection| collection.label.as_str())
    };
    for (operation, member, expected) in [
        ("createProduct", "brandId", Some("Brands")),
        ("createProduct", "variantIds", Some("Variants")),
        ("moveStock", "fromVariantId", Some("Variants")),
        ("moveStock", "warehouseId", None),
        ("moveStock", "id", None),
        ("moveStock", "makerId", None),
        ("listVariants", "makerId", Some("Variants")),
        ("addPart", "makerId", Some("Products")),
        ("createProduct", "parentId", Some("Products")),
    ] {
        assert_eq!(label(operation, member), expected, "{operation} {member}");
    }
    let kind = |value: &str| [("kind".to_owned(), value.to_owned())];
    let create = site.operation("createLookup").expect("one");
    let parent = |value: &str| site.refers_at(create, &kind(value), "parentId").map(|one| one.label.as_str());
    assert_eq!([parent("brands"), parent("categories"), parent("others")], [Some("Brands"), Some("Categories"), None]);
}

#[test]
fn the_navigation_has_lists_reads_and_actions() {
    let site = site();
    let groups = site.groups.iter().map(|group| {
        let paths = group.entries.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>();
        (group.label.as_str(), paths)
    });
    assert_eq!(
        groups.collect::<Vec<_>>(),
        [
            (
                "Articles",
                vec!["/goods/lookups/brands", "/goods/lookups/categories", "/goods/products", "/goods/variants"]
            ),
            ("Stock", vec!["/stock/settings", "/stock/moves?_form=moveStock"]),
        ]
    );
}

#[test]
fn an_address_leads_to_its_operations() {
    let site = site();
    let (numbers, values) = site.at("/goods/lookups/brands/7").expect("an address");
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!((ids(&site, &numbers), values), (vec!["getLookup"], vec![pair("kind", "brands"), pair("id", "7")]));
    let (numbers, values) = site.at("/goods/products/7/variants").expect("an address");
    assert_eq!((ids(&site, &numbers).len(), values), (2, vec![pair("productId", "7")]));
    assert!(site.at("/goods").is_none() && site.read_at("/stock/moves").is_none());
    let form = |id: &str, path: &str| site.form_at(id, path).map(|(_, values)| values);
    assert_eq!(form("movePart", "/goods/products/7"), Some(vec![pair("id", "7")]));
    assert_eq!(form("moveStock", "/stock/moves"), Some(vec![]));
    assert_eq!([form("movePart", "/goods/variants/7"), form("movePart", "/goods/products//parts")], [None, None]);
    let own = site.operation("getLookup").expect("one");
    let of = site.collection_of_record(own, &[pair("kind", "categories")]);
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
    let price = site.schemas["Product"].pointer("/properties/price").expect("a schema");
    let resolved = site.resolve(price);
    assert_eq!((resolved.kind(), resolved.nullable), ("string", true));
}
