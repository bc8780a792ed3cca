//! Catalog: products, their variants and media, and the lookups and units they name. The table below is the whole module.

pub mod aliases;
pub mod articles;
pub mod attributes;
pub mod bindings;
pub mod category;
mod conditions;
mod import;
pub mod lookup;
mod machine;
pub mod media;
pub mod product;
mod product_change;
mod product_create;
mod product_input;
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

use crate::import::{ImportedProducts, ProductImport};
use crate::lookup::{CatalogLookup, CatalogLookupInput, ListLookups, LookupPath, LookupRow};
use crate::machine::{ListPublicLookups, ListPublicParts, ListPublicProducts, WriteReceipt};
use crate::media::{ListMedia, Media, MediaInput, MediaRow};
use crate::product::{DeletedProduct, ListProducts, Product, ProductRow, ReadProduct};
use crate::product_input::{ProductInput, ProductUpdate};
use crate::public::{PublicCatalogLookup, PublicMedia, PublicProduct, PublicVariant};
use crate::variant::{ListVariants, Variant, VariantInput, VariantRow};
use crate::variant_find::FindVariants;

/// Audit and event names of the records.
const LOOKUP: &str = "CATALOG_LOOKUP";
const PRODUCT: &str = "CATALOG_PRODUCT";
const VARIANT: &str = "CATALOG_VARIANT";
const MEDIA: &str = "CATALOG_MEDIA";
const IMPORT: &str = "CATALOG_IMPORT";

const LOOKUPS_AT: &str = "/tenants/{tenantId}/catalog/lookups/{kind}";
const LOOKUP_AT: &str = "/tenants/{tenantId}/catalog/lookups/{kind}/{id}";
const PRODUCTS_AT: &str = "/tenants/{tenantId}/catalog/products";
const PRODUCT_AT: &str = "/tenants/{tenantId}/catalog/products/{id}";
const PRODUCT_VARIANTS_AT: &str = "/tenants/{tenantId}/catalog/products/{productId}/variants";
const VARIANTS_AT: &str = "/tenants/{tenantId}/catalog/variants";
const VARIANT_AT: &str = "/tenants/{tenantId}/catalog/variants/{id}";
const PRODUCT_MEDIA_AT: &str = "/tenants/{tenantId}/catalog/products/{productId}/media";
const MEDIA_AT: &str = "/tenants/{tenantId}/catalog/media/{id}";
const IMPORTS_AT: &str = "/tenants/{tenantId}/catalog/imports";

const CLIENT_LOOKUPS_AT: &str = "/api-client/catalog/lookups/{kind}";
const CLIENT_LOOKUP_AT: &str = "/api-client/catalog/lookups/{kind}/{id}";
const CLIENT_PRODUCTS_AT: &str = "/api-client/catalog/products";
const CLIENT_PRODUCT_AT: &str = "/api-client/catalog/products/{id}";
const CLIENT_PRODUCT_VARIANTS_AT: &str = "/api-client/catalog/products/{productId}/variants";
const CLIENT_VARIANT_AT: &str = "/api-client/catalog/variants/{id}";
const CLIENT_PRODUCT_MEDIA_AT: &str = "/api-client/catalog/products/{productId}/media";
const CLIENT_MEDIA_AT: &str = "/api-client/catalog/media/{id}";

/// Permissions of people and scopes of API clients alike.
const READ: &[&str] = &["catalog.read"];
const WRITE: &[&str] = &["catalog.write"];

/// What a product's create and replacement say of themselves to people and API clients alike.
const CREATE_PRODUCT: &str = "All or nothing. Attributes are bounded (500 values, depth 5, 16,000 characters) and may not hold \
    names or values shaped like credentials: see the schema of `attributes`.";
const REPLACE_PRODUCT: &str = "Full replacement: what is omitted returns to its default or null. A PUT WITHOUT \
    `publicationStatus` TAKES THE PRODUCT OFF SALE (DRAFT). An omitted or null `slug` keeps the slug. Type, unit and tracking \
    cannot change once a variant exists.";

const CREATE_PRODUCT_PROBLEMS: &[&str] = &["DUPLICATE", "REFERENCE_INVALID", "ILLEGAL_STATE", "LIMIT_EXCEEDED"];
const REPLACE_PRODUCT_PROBLEMS: &[&str] =
    &["DUPLICATE", "ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE"];
const CREATE_LOOKUP_PROBLEMS: &[&str] = &["DUPLICATE", "REFERENCE_INVALID", "ILLEGAL_STATE"];
const REPLACE_LOOKUP_PROBLEMS: &[&str] =
    &["ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE", "LIMIT_EXCEEDED"];

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
        .writes(LOOKUP, &["catalog.lookup.created"]).problems(CREATE_LOOKUP_PROBLEMS),
    Operation::read(LOOKUP_AT, "getLookup", lookup::read).summary("A lookup or a unit of measure")
        .needs(READ).path::<LookupPath>().answers::<CatalogLookup>(),
    Operation::replace(LOOKUP_AT, "replaceLookup", lookup::replace).summary("Replace a lookup or a unit of measure")
        .description("Full replacement: an omitted `parentId` makes a root, an omitted `decimalPlaces` is 0. `code` must be the \
            stored one. Decimal places may not shrink while a product names the unit.")
        .needs(WRITE).path::<LookupPath>().body::<CatalogLookupInput>().answers::<CatalogLookup>()
        .writes(LOOKUP, &["catalog.lookup.updated"]).problems(REPLACE_LOOKUP_PROBLEMS),
    Operation::transition("/tenants/{tenantId}/catalog/lookups/{kind}/{id}/archive", "archiveLookup", lookup::archive)
        .summary("Archive a lookup or a unit of measure")
        .description("Products that name it keep it. A category with active children cannot be archived.")
        .needs(WRITE).path::<LookupPath>().body::<EmptyBody>().answers::<CatalogLookup>()
        .writes(LOOKUP, &["catalog.lookup.archived"]).problems(&["ARCHIVED", "ILLEGAL_STATE"]),

    Operation::read(PRODUCTS_AT, "listProducts", product::list).summary("Products")
        .needs(READ).query::<ListProducts>().answers::<Page<Product>>(),
    Operation::create(PRODUCTS_AT, "createProduct", product_create::create).summary("Create a product, with up to 100 variants")
        .description(CREATE_PRODUCT).needs(WRITE).body::<ProductInput>().body_limit(16 << 20).answers::<Product>()
        .writes(PRODUCT, &["catalog.product.created", "catalog.variant.created"]).problems(CREATE_PRODUCT_PROBLEMS),
    Operation::read(PRODUCT_AT, "getProduct", product::read).summary("A product")
        .needs(READ).query::<ReadProduct>().answers::<Product>(),
    Operation::replace(PRODUCT_AT, "replaceProduct", product_change::replace).summary("Replace a product")
        .description(REPLACE_PRODUCT).needs(WRITE).body::<ProductUpdate>().answers::<Product>()
        .writes(PRODUCT, &["catalog.product.updated"]).problems(REPLACE_PRODUCT_PROBLEMS),
    Operation::transition("/tenants/{tenantId}/catalog/products/{id}/archive", "archiveProduct", product_change::archive)
        .summary("Archive a product with its active variants and media")
        .needs(WRITE).body::<EmptyBody>().answers::<Product>()
        .writes(PRODUCT, &["catalog.product.archived", "catalog.variant.archived", "catalog.media.archived"])
        .problems(&["ARCHIVED"]),
    Operation::delete(PRODUCT_AT, "deleteProduct", product_change::delete).summary("Delete a product that was never used")
        .description("Only a product that never had a variant or media. Its slug is free again.")
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
    Operation::read(VARIANTS_AT, "listVariants", variant_find::find).summary("Find variants over all products")
        .description("The till's look-up: with `text`, variants whose SKU or barcode is exactly that text come first.")
        .needs(READ).query::<FindVariants>().answers::<Page<Variant>>(),
    Operation::read(VARIANT_AT, "getVariant", variant::read).summary("A variant").needs(READ).answers::<Variant>(),
    Operation::replace(VARIANT_AT, "replaceVariant", variant_change::replace).summary("Replace a variant")
        .description("Full replacement: what is omitted returns to its default or null. `sku` must be the stored one.")
        .needs(WRITE).body::<VariantInput>().answers::<Variant>()
        .writes(VARIANT, &["catalog.variant.updated"]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/tenants/{tenantId}/catalog/variants/{id}/archive", "archiveVariant", variant_change::archive)
        .summary("Archive a variant")
        .description("Archiving the last active variant of a PUBLISHED product returns the product to DRAFT.")
        .needs(WRITE).body::<EmptyBody>().answers::<Variant>()
        .writes(VARIANT, &["catalog.variant.archived", "catalog.product.updated"]).problems(&["ARCHIVED"]),

    Operation::read(PRODUCT_MEDIA_AT, "listProductMedia", media::list).summary("Media of a product")
        .needs(READ).query::<ListMedia>().answers::<Page<Media>>(),
    Operation::create(PRODUCT_MEDIA_AT, "createMedia", media::create).summary("Add media to a product")
        .description("The address of a picture or another file: metadata only, never fetched. A product has at most 100 active \
            ones.")
        .needs(WRITE).body::<MediaInput>().answers::<Media>().writes(MEDIA, &["catalog.media.created"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    Operation::read(MEDIA_AT, "getMedia", media::read).summary("Media of a product, by id").needs(READ).answers::<Media>(),
    Operation::replace(MEDIA_AT, "replaceMedia", media::replace).summary("Replace media")
        .description("Full replacement: what is omitted returns to its default or null.")
        .needs(WRITE).body::<MediaInput>().answers::<Media>().writes(MEDIA, &["catalog.media.updated"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID"]),
    Operation::transition("/tenants/{tenantId}/catalog/media/{id}/archive", "archiveMedia", media::archive)
        .summary("Archive media")
        .needs(WRITE).body::<EmptyBody>().answers::<Media>().writes(MEDIA, &["catalog.media.archived"])
        .problems(&["ARCHIVED"]),

    Operation::create(IMPORTS_AT, "importProducts", import::import).summary("Import up to 500 products with their variants")
        .description("All or nothing, with at most 2,000 variants in all; a refusal points to every bad product, 200 at most. \
            Answers the ids in the order of the request. Prices go to the lists of pricing.")
        .needs(WRITE).body::<ProductImport>().body_limit(16 << 20).answers::<ImportedProducts>()
        .writes(IMPORT, &["catalog.product.created", "catalog.variant.created"]).problems(CREATE_PRODUCT_PROBLEMS),

    Operation::read(CLIENT_LOOKUPS_AT, "apiListLookups", machine::list_lookups)
        .summary("Active brands, categories, manufacturers or units of measure")
        .machine(READ).path::<LookupPath>().query::<ListPublicLookups>().answers::<Page<PublicCatalogLookup>>(),
    Operation::create(CLIENT_LOOKUPS_AT, "apiCreateLookup", machine::create_lookup)
        .summary("Create a lookup or a unit of measure")
        .machine(WRITE).path::<LookupPath>().body::<CatalogLookupInput>().answers::<WriteReceipt>()
        .writes(LOOKUP, &["catalog.lookup.created"]).problems(CREATE_LOOKUP_PROBLEMS),
    Operation::replace(CLIENT_LOOKUP_AT, "apiReplaceLookup", machine::replace_lookup)
        .summary("Replace a lookup or a unit of measure").description("Full replacement.")
        .machine(WRITE).path::<LookupPath>().body::<CatalogLookupInput>().answers::<WriteReceipt>()
        .writes(LOOKUP, &["catalog.lookup.updated"]).problems(REPLACE_LOOKUP_PROBLEMS),
    Operation::read(CLIENT_PRODUCTS_AT, "apiListProducts", machine::list_products).summary("Products on sale")
        .description("ACTIVE and PUBLISHED ones.")
        .machine(READ).query::<ListPublicProducts>().answers::<Page<PublicProduct>>(),
    Operation::create(CLIENT_PRODUCTS_AT, "apiCreateProduct", machine::create_product)
        .summary("Create a product, with up to 100 variants").description(CREATE_PRODUCT)
        .machine(WRITE).body::<ProductInput>().body_limit(16 << 20).answers::<WriteReceipt>()
        .writes(PRODUCT, &["catalog.product.created", "catalog.variant.created"]).problems(CREATE_PRODUCT_PROBLEMS),
    Operation::read(CLIENT_PRODUCT_AT, "apiGetProduct", machine::read_product).summary("A product on sale")
        .machine(READ).answers::<PublicProduct>(),
    Operation::replace(CLIENT_PRODUCT_AT, "apiReplaceProduct", machine::replace_product).summary("Replace a product")
        .description(REPLACE_PRODUCT).machine(WRITE).body::<ProductUpdate>().answers::<WriteReceipt>()
        .writes(PRODUCT, &["catalog.product.updated"]).problems(REPLACE_PRODUCT_PROBLEMS),
    Operation::read(CLIENT_PRODUCT_VARIANTS_AT, "apiListProductVariants", machine::list_variants)
        .summary("Active variants of a product on sale")
        .machine(READ).query::<ListPublicParts>().answers::<Page<PublicVariant>>(),
    Operation::create(CLIENT_PRODUCT_VARIANTS_AT, "apiCreateVariant", machine::create_variant)
        .summary("Create a variant of a product")
        .machine(WRITE).body::<VariantInput>().answers::<WriteReceipt>()
        .writes(VARIANT, &["catalog.variant.created", "catalog.product.updated"])
        .problems(&["DUPLICATE", "ARCHIVED", "LIMIT_EXCEEDED"]),
    Operation::read(CLIENT_VARIANT_AT, "apiGetVariant", machine::read_variant)
        .summary("An active variant of a product on sale").machine(READ).answers::<PublicVariant>(),
    Operation::replace(CLIENT_VARIANT_AT, "apiReplaceVariant", machine::replace_variant).summary("Replace a variant")
        .description("Full replacement: what is omitted returns to its default or null. `sku` must be the stored one.")
        .machine(WRITE).body::<VariantInput>().answers::<WriteReceipt>()
        .writes(VARIANT, &["catalog.variant.updated"]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::read(CLIENT_PRODUCT_MEDIA_AT, "apiListProductMedia", machine::list_media)
        .summary("Active media of a product on sale").description("Media of archived variants are hidden.")
        .machine(READ).query::<ListPublicParts>().answers::<Page<PublicMedia>>(),
    Operation::create(CLIENT_PRODUCT_MEDIA_AT, "apiCreateMedia", machine::create_media)
        .summary("Add media to a product")
        .machine(WRITE).body::<MediaInput>().answers::<WriteReceipt>().writes(MEDIA, &["catalog.media.created"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    Operation::replace(CLIENT_MEDIA_AT, "apiReplaceMedia", machine::replace_media).summary("Replace media")
        .description("Full replacement: what is omitted returns to its default or null.")
        .machine(WRITE).body::<MediaInput>().answers::<WriteReceipt>().writes(MEDIA, &["catalog.media.updated"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID"]),
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
            description: "Products, variants, media, lookups and units of measure.".to_owned(),
            routes: Vec::new(),
            collections: vec![
                LookupRow::collection(),
                ProductRow::collection(),
                VariantRow::collection(),
                MediaRow::collection(),
            ],
            permissions: vec![
                named("catalog.read", "Read products, variants, media and lookups."),
                named("catalog.write", "Create, import, change and archive products, variants, media and lookups."),
            ],
            scopes: vec![
                named("catalog.read", "Read published products, their variants and media, and active lookups."),
                named("catalog.write", "Create and change products, variants, media and lookups."),
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
                named("catalog.media.created", "Media were added to a product."),
                named("catalog.media.updated", "Media were replaced."),
                named("catalog.media.archived", "Media were archived."),
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
