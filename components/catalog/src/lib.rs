//! Catalog: products, their variants, and the lookups and units they name. The table below is the whole module.

pub mod aliases;
pub mod articles;
pub mod attributes;
pub mod bindings;
pub mod category;
pub mod lookup;
pub mod product;
mod product_change;
mod product_create;
mod public;
pub mod slug;
#[cfg(test)]
mod tests;
mod upkeep;
pub mod variant;
mod variant_change;
mod variant_find;
mod verify;

use stoa_sdk::descriptor::{Descriptor, Named};
use stoa_sdk::{Created, Entity, Findings, Module, Operation, Page, Problem, ProvisionOptions, Step};

use crate::lookup::{CatalogLookup, CatalogLookupInput, ListLookups, LookupPath, LookupRow};
use crate::product::{DeletedProduct, ListProducts, Product, ProductRow, ReadProduct};
use crate::product_create::{ProductInput, ProductUpdate};
use crate::variant::{ListVariants, Variant, VariantInput, VariantRow};
use crate::variant_find::FindVariants;

/// Audit and event names of the records.
const LOOKUP: &str = "CATALOG_LOOKUP";
const PRODUCT: &str = "CATALOG_PRODUCT";
const VARIANT: &str = "CATALOG_VARIANT";

const LOOKUPS_AT: &str = "/tenants/{tenantId}/catalog/lookups/{kind}";
const LOOKUP_AT: &str = "/tenants/{tenantId}/catalog/lookups/{kind}/{id}";
const PRODUCTS_AT: &str = "/tenants/{tenantId}/catalog/products";
const PRODUCT_AT: &str = "/tenants/{tenantId}/catalog/products/{id}";
const PRODUCT_VARIANTS_AT: &str = "/tenants/{tenantId}/catalog/products/{productId}/variants";
const VARIANTS_AT: &str = "/tenants/{tenantId}/catalog/variants";
const VARIANT_AT: &str = "/tenants/{tenantId}/catalog/variants/{id}";

const READ: &[&str] = &["catalog.read"];
const WRITE: &[&str] = &["catalog.write"];

/// A request body that says nothing: archiving.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyBody {}

#[rustfmt::skip]
const OPERATIONS: &[Operation] = &[
    Operation::read(LOOKUPS_AT, "listLookups", lookup::list).summary("Brands, categories, manufacturers or units of measure")
        .needs(READ).path::<LookupPath>().query::<ListLookups>().answers::<Page<CatalogLookup>>(),
    Operation::create(LOOKUPS_AT, "createLookup", lookup::create).summary("Create a lookup or a unit of measure")
        .description("`parentId` belongs to categories, `decimalPlaces` to units. A code stays reserved after archive.")
        .needs(WRITE).path::<LookupPath>().body::<CatalogLookupInput>().answers::<CatalogLookup>()
        .writes(LOOKUP, &["catalog.lookup.created"]).problems(&["DUPLICATE", "REFERENCE_INVALID", "ILLEGAL_STATE"]),
    Operation::read(LOOKUP_AT, "getLookup", lookup::read).summary("A lookup or a unit of measure")
        .needs(READ).path::<LookupPath>().answers::<CatalogLookup>(),
    Operation::replace(LOOKUP_AT, "updateLookup", lookup::replace).summary("Replace a lookup or a unit of measure")
        .description("Full replacement: an omitted `parentId` makes a root, an omitted `decimalPlaces` is 0. `code` must be the \
            stored one. Decimal places may not shrink while a product names the unit.")
        .needs(WRITE).path::<LookupPath>().body::<CatalogLookupInput>().answers::<CatalogLookup>()
        .writes(LOOKUP, &["catalog.lookup.updated"])
        .problems(&["ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),
    Operation::transition("/tenants/{tenantId}/catalog/lookups/{kind}/{id}/archive", "archiveLookup", lookup::archive)
        .summary("Archive a lookup or a unit of measure")
        .description("Products that name it keep it. A category with active children cannot be archived.")
        .needs(WRITE).path::<LookupPath>().body::<EmptyBody>().answers::<CatalogLookup>()
        .writes(LOOKUP, &["catalog.lookup.archived"]).problems(&["ARCHIVED", "ILLEGAL_STATE"]),

    Operation::read(PRODUCTS_AT, "listProducts", product::list).summary("Products")
        .needs(READ).query::<ListProducts>().answers::<Page<Product>>(),
    Operation::create(PRODUCTS_AT, "createProduct", product_create::create).summary("Create a product, with up to 100 variants")
        .description("All or nothing. Attributes are bounded (500 values, depth 5, 16,000 characters) and may not hold names or \
            values shaped like credentials: see the schema of `attributes`.")
        .needs(WRITE).body::<ProductInput>().body_limit(16 << 20).answers::<Product>()
        .writes(PRODUCT, &["catalog.product.created", "catalog.variant.created"])
        .problems(&["DUPLICATE", "REFERENCE_INVALID", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),
    Operation::read(PRODUCT_AT, "getProduct", product::read).summary("A product")
        .needs(READ).query::<ReadProduct>().answers::<Product>(),
    Operation::replace(PRODUCT_AT, "updateProduct", product_change::replace).summary("Replace a product")
        .description("Full replacement: what is omitted returns to its default or null. A PUT WITHOUT `publicationStatus` TAKES \
            THE PRODUCT OFF SALE (DRAFT). An omitted or null `slug` keeps the slug. Type, unit and tracking cannot change \
            once a variant exists.")
        .needs(WRITE).body::<ProductUpdate>().answers::<Product>().writes(PRODUCT, &["catalog.product.updated"])
        .problems(&["DUPLICATE", "ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE"]),
    Operation::transition("/tenants/{tenantId}/catalog/products/{id}/archive", "archiveProduct", product_change::archive)
        .summary("Archive a product and its active variants")
        .needs(WRITE).body::<EmptyBody>().answers::<Product>()
        .writes(PRODUCT, &["catalog.product.archived", "catalog.variant.archived"]).problems(&["ARCHIVED"]),
    Operation::delete(PRODUCT_AT, "deleteProduct", product_change::delete).summary("Delete a product that was never used")
        .description("Only a product that never had a variant. Its slug is free again.")
        .needs(WRITE).answers::<DeletedProduct>()
        .writes(PRODUCT, &["catalog.product.deleted"]).problems(&["ARCHIVED", "ILLEGAL_STATE"]),

    Operation::read(PRODUCT_VARIANTS_AT, "listProductVariants", variant::list).summary("Variants of a product")
        .needs(READ).query::<ListVariants>().answers::<Page<Variant>>(),
    Operation::create(PRODUCT_VARIANTS_AT, "createVariant", variant_change::create).summary("Create a variant of a product")
        .description("The second active variant of a SINGLE product makes it MULTIPLE. A product has at most 2,000 variants, \
            archived ones included. A SKU stays reserved after archive.")
        .needs(WRITE).body::<VariantInput>().answers::<Variant>()
        .writes(VARIANT, &["catalog.variant.created", "catalog.product.updated"])
        .problems(&["DUPLICATE", "ARCHIVED", "LIMIT_EXCEEDED"]),
    Operation::read(VARIANTS_AT, "findVariants", variant_find::find).summary("Find variants over all products")
        .description("The till's look-up: with `text`, variants whose SKU or barcode is exactly that text come first.")
        .needs(READ).query::<FindVariants>().answers::<Page<Variant>>(),
    Operation::read(VARIANT_AT, "getVariant", variant::read).summary("A variant").needs(READ).answers::<Variant>(),
    Operation::replace(VARIANT_AT, "updateVariant", variant_change::replace).summary("Replace a variant")
        .description("Full replacement: what is omitted returns to its default or null. `sku` must be the stored one.")
        .needs(WRITE).body::<VariantInput>().answers::<Variant>()
        .writes(VARIANT, &["catalog.variant.updated"]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/tenants/{tenantId}/catalog/variants/{id}/archive", "archiveVariant", variant_change::archive)
        .summary("Archive a variant")
        .description("Archiving the last active variant of a PUBLISHED product returns the product to DRAFT.")
        .needs(WRITE).body::<EmptyBody>().answers::<Variant>()
        .writes(VARIANT, &["catalog.variant.archived", "catalog.product.updated"]).problems(&["ARCHIVED"]),
];

pub struct Catalog;

impl Module for Catalog {
    const OPERATIONS: &'static [Operation] = OPERATIONS;

    fn describe() -> Descriptor {
        let named =
            |code: &str, description: &str| Named { code: code.to_owned(), description: description.to_owned() };
        Descriptor {
            name: "catalog".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            description: "Products, variants, lookups and units of measure.".to_owned(),
            routes: Vec::new(),
            collections: vec![LookupRow::collection(), ProductRow::collection(), VariantRow::collection()],
            permissions: vec![
                named("catalog.read", "Read products, variants and lookups."),
                named("catalog.write", "Create, change and archive products, variants and lookups."),
            ],
            scopes: vec![
                named("catalog.read", "Read published products, their variants and active lookups."),
                named("catalog.write", "Create and change products, variants and lookups."),
            ],
            events: vec![
                named("catalog.lookup.created", "A lookup or unit was created."),
                named("catalog.lookup.updated", "A lookup or unit was replaced."),
                named("catalog.lookup.archived", "A lookup or unit was archived."),
                named("catalog.product.created", "A product was created."),
                named("catalog.product.updated", "A product was changed."),
                named("catalog.product.archived", "A product was archived."),
                named("catalog.product.deleted", "A product that was never used was deleted."),
                named("catalog.variant.created", "A variant was created."),
                named("catalog.variant.updated", "A variant was replaced."),
                named("catalog.variant.archived", "A variant was archived."),
            ],
            problems: Vec::new(),
            onboarding: None,
            audit_filters: vec![named(
                "productId",
                "Entries of this product and of all its variants, archived ones too.",
            )],
            schemas: serde_json::Map::new(),
        }
    }

    fn provision(options: &ProvisionOptions) -> Result<Vec<Created>, Problem> {
        upkeep::provision(options)
    }

    fn checklist() -> Vec<Step> {
        upkeep::checklist()
    }

    fn verify(cursor: Option<String>) -> Findings {
        verify::verify(cursor)
    }
}

stoa_sdk::export_module!(Catalog);
