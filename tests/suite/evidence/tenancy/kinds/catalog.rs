//! Records of catalog and pricing.

use serde_json::json;
use stoa_tests::company::{price, product, with};

use super::{Kind, Part, PutAway};

const FOR_EXTENSIONS: &str = "an extension receives it, and no record is looked up";

pub const PART: Part = Part {
    kinds: KINDS,
    special: &[("deleteProduct", "id", "product without variants")],
    exempt: &[
        ("createLookup kind=brands", "parentId", "only categories have parents"),
        ("createLookup kind=manufacturers", "parentId", "only categories have parents"),
        ("createLookup kind=units", "parentId", "only categories have parents"),
        ("resolvePrice", "customerId", FOR_EXTENSIONS),
        ("apiResolvePrice", "customerId", FOR_EXTENSIONS),
        ("resolvePrices", "customerId", FOR_EXTENSIONS),
        ("apiResolvePrices", "customerId", FOR_EXTENSIONS),
        ("getPricedProduct", "customerId", FOR_EXTENSIONS),
        ("apiGetPricedProduct", "customerId", FOR_EXTENSIONS),
    ],
    needs: &[
        ("listPrices", "price"),
        ("apiListPrices", "price"),
        ("resolvePrice", "price"),
        ("apiResolvePrice", "price"),
    ],
    values: &[("unitOfMeasure", "UNIT"), ("currencyCode", "EUR"), ("defaultCurrencyCode", "EUR")],
    amends: &[],
};

const KINDS: &[Kind] = &[
    Kind {
        name: "brand",
        collection: "catalog/lookups/brands",
        names: &["brandId"],
        make: |records| records.lookup("brands"),
        put_away: PutAway::Archive,
    },
    Kind {
        name: "category",
        collection: "catalog/lookups/categories",
        names: &["categoryId"],
        make: |records| records.lookup("categories"),
        put_away: PutAway::Archive,
    },
    Kind {
        // Not the one that is changed itself.
        name: "parent category",
        collection: "",
        names: &["parentId"],
        make: |records| records.lookup("categories"),
        put_away: PutAway::Other(|records, id| records.company.archive(&format!("catalog/lookups/categories/{id}"))),
    },
    Kind {
        name: "manufacturer",
        collection: "catalog/lookups/manufacturers",
        names: &["manufacturerId"],
        make: |records| records.lookup("manufacturers"),
        put_away: PutAway::Archive,
    },
    Kind {
        name: "unit",
        collection: "catalog/lookups/units",
        names: &[],
        make: |records| records.lookup("units"),
        put_away: PutAway::Archive,
    },
    Kind {
        name: "product",
        collection: "catalog/products",
        names: &["productId", "resourceId"],
        make: |records| {
            // Published, so that API clients see it; with everything that a filter finds it by; and goods of it can be counted.
            let members = json!({
                "brandId": records.id_of("brand"),
                "categoryId": records.id_of("category"),
                "manufacturerId": records.id_of("manufacturer"),
                "publicationStatus": "PUBLISHED",
                "trackInventory": true,
                "variants": [{ "sku": records.word() }],
            });
            records.company.post("catalog/products", with(&product(&records.word()), members))
        },
        put_away: PutAway::Archive,
    },
    Kind {
        name: "product without variants",
        collection: "",
        names: &[],
        make: |records| records.company.post("catalog/products", product(&records.word())),
        put_away: PutAway::Other(|records, id| records.company.archive(&format!("catalog/products/{id}"))),
    },
    Kind {
        name: "variant",
        collection: "catalog/variants",
        names: &["variantId"],
        make: |records| {
            let product = records.id_of("product");
            let read = records.company.get(&format!("catalog/products/{product}/variants")).is(200);
            let variant = read.items()[0]["id"].as_str().unwrap_or_default();
            records.company.get(&format!("catalog/variants/{variant}"))
        },
        put_away: PutAway::Archive,
    },
    Kind {
        name: "medium",
        collection: "catalog/media",
        names: &["mediaId"],
        make: |records| {
            let url = format!("https://example.test/{}", records.word());
            records.company.post(&format!("catalog/products/{}/media", records.id_of("product")), json!({ "url": url }))
        },
        put_away: PutAway::Archive,
    },
    Kind {
        name: "price list",
        collection: "pricing/price-lists",
        names: &["listId", "priceListId"],
        make: |records| {
            let word = records.word();
            let body = json!({ "code": word, "name": word, "currencyCode": "EUR", "visibility": "PUBLIC" });
            records.company.post("pricing/price-lists", body)
        },
        put_away: PutAway::Archive,
    },
    Kind {
        name: "price",
        collection: "",
        names: &["priceId"],
        make: |records| {
            let path = format!("pricing/price-lists/{}/prices", records.id_of("price list"));
            records.company.post(&path, price(&records.id_of("variant"), "9.99", None, None))
        },
        put_away: PutAway::Other(|records, id| {
            records.company.archive(&format!("pricing/price-lists/{}/prices/{id}", records.id_of("price list")))
        }),
    },
];
