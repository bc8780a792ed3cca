//! Changes of a product: creation with its variants, replacement, archive, and the delete of one that was never used. All but the
//! first lock the product's row first.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use stoa_sdk::store::{Failure, MOST_ROWS, get, run, select, update, update_all};
use stoa_sdk::{Answer, Call, Id, Instant, Json, Operation, Problem, Reply, all, emit, event, facts};

use crate::records::identity::{Identity, PartIdentity};
use crate::records::media::{self, MediaId, MediaRow};
use crate::records::product::{
    AUDIT, Product, ProductEvent, ProductRow, ProductState, PublicationStatus, VariantMode, show,
};
use crate::records::product_type::Tracking;
use crate::records::receipt::{WriteReceipt, receipt};
use crate::records::variant::{self, VariantId, VariantRow};
use crate::records::{EmptyBody, Status};
use crate::rules::access::WRITE;
use crate::rules::attributes;
use crate::rules::faults::collect;
use crate::rules::objections::{Objections, mode};
use crate::rules::product::{ProductInput, ProductUpdate};
use crate::work::product::{CREATE_PROBLEMS, CREATES, CreatedProduct, create_products};
use crate::work::references::look_up;

const PRODUCTS_AT: &str = "/tenants/{tenantId}/catalog/products";
const PRODUCT_AT: &str = "/tenants/{tenantId}/catalog/products/{id}";
const CLIENT_PRODUCTS_AT: &str = "/api-client/catalog/products";
const CLIENT_PRODUCT_AT: &str = "/api-client/catalog/products/{id}";
const CREATE_PRODUCT: &str = "All or nothing. Attributes are bounded (500 values, depth 5, 16,000 characters) and may not hold \
    names or values shaped like credentials: see the schema of `attributes`.";
const REPLACE_PRODUCT: &str = "Full replacement: what is omitted returns to its default or null. A PUT WITHOUT \
    `publicationStatus` TAKES THE PRODUCT OFF SALE (DRAFT). An omitted or null `slug` keeps the slug. Type, unit and tracking \
    cannot change once a variant exists.";
const REPLACE_PRODUCT_PROBLEMS: &[&str] =
    &["DUPLICATE", "ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE"];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create(PRODUCTS_AT, "createProduct", create).summary("Create a product, with up to 100 variants")
        .description(CREATE_PRODUCT).needs(WRITE).body::<ProductInput>().body_limit(16 << 20).answers::<Product>()
        .writes(AUDIT, CREATES).problems(CREATE_PROBLEMS),
    Operation::replace(PRODUCT_AT, "replaceProduct", replace).summary("Replace a product")
        .description(REPLACE_PRODUCT).needs(WRITE).body::<ProductUpdate>().answers::<Product>()
        .writes(AUDIT, &["catalog.product.updated"]).problems(REPLACE_PRODUCT_PROBLEMS),
    Operation::transition("/tenants/{tenantId}/catalog/products/{id}/archive", "archiveProduct", archive)
        .summary("Archive a product with its active variants and media")
        .needs(WRITE).body::<EmptyBody>().answers::<Product>()
        .writes(AUDIT, &["catalog.product.archived", "catalog.variant.archived", "catalog.media.archived"])
        .problems(&["ARCHIVED"]),
    Operation::delete(PRODUCT_AT, "deleteProduct", delete).summary("Delete a product that was never used")
        .description("Only a product that never had a variant or media. Its slug is free again.")
        .needs(WRITE).answers::<DeletedProduct>()
        .writes(AUDIT, &["catalog.product.deleted"]).problems(&["ARCHIVED", "ILLEGAL_STATE"]),
    Operation::create(CLIENT_PRODUCTS_AT, "apiCreateProduct", api_create)
        .summary("Create a product, with up to 100 variants").description(CREATE_PRODUCT)
        .machine(WRITE).body::<ProductInput>().body_limit(16 << 20).answers::<WriteReceipt>()
        .writes(AUDIT, CREATES).problems(CREATE_PROBLEMS),
    Operation::replace(CLIENT_PRODUCT_AT, "apiReplaceProduct", api_replace).summary("Replace a product")
        .description(REPLACE_PRODUCT).machine(WRITE).body::<ProductUpdate>().answers::<WriteReceipt>()
        .writes(AUDIT, &["catalog.product.updated"]).problems(REPLACE_PRODUCT_PROBLEMS),
];

/// What a delete answers.
#[derive(Serialize, JsonSchema)]
pub struct DeletedProduct {
    pub id: Id,
}

pub fn create(call: &Call) -> Answer {
    let CreatedProduct { row, variants, .. } = create_product(call)?;
    Ok(show(row, (!variants.is_empty()).then_some(variants), None))
}

pub fn api_create(call: &Call) -> Answer {
    let row = create_product(call)?.row;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at))
}

/// Creates the product of the body.
fn create_product(call: &Call) -> Result<CreatedProduct, Problem> {
    let mut created = create_products(vec![(String::new(), call.body::<ProductInput>()?)])?;
    created.pop().ok_or_else(Problem::not_found)
}

pub fn replace(call: &Call) -> Answer {
    let (row, changed) = replace_row(call)?;
    Ok(show(row, None, None).changed(changed))
}

pub fn api_replace(call: &Call) -> Answer {
    let (row, changed) = replace_row(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at).changed(changed))
}

/// Replaces the product by the body; answers which members differ too.
fn replace_row(call: &Call) -> Result<(ProductRow, Vec<&'static str>), Problem> {
    let id = call.path_id("id")?;
    let mut input: ProductUpdate = call.body()?;
    let mut faults = input.tracking_faults("");
    let members: Map<String, Value> = std::mem::take(&mut input.attributes);
    let attributes = collect(&mut faults, attributes::check(members, "/attributes"));
    let (Some(attributes), true) = (attributes, faults.is_empty()) else { return Err(Problem::invalid(faults)) };

    let (locks, units, lookups) = look_up(std::iter::once(&input));
    let (_, row, units, lookups) = run((locks, get(id).locked(), units, lookups))?;
    let row = writable(call, row)?;
    check_fixed(&row, &input)?;
    let mut objections = Objections::default();
    if row.unit_code != input.unit_of_measure || row.tracking != input.tracking() {
        objections.unit("", &input, &units);
    }
    let kept = [row.category_id, row.brand_id, row.manufacturer_id];
    objections.references("", &input, &lookups.concat(), kept);
    objections.variants("", &input, row.active_variants);
    objections.finish()?;

    let mode = mode(input.variant_mode, row.active_variants);
    let after = after(&row, input, attributes, mode);
    run(update::<ProductRow>(id)
        .set(ProductRow::name, &after.name)
        .set(ProductRow::slug, &after.slug)
        .set(ProductRow::product_type, &after.product_type)
        .set(ProductRow::unit_code, &after.unit_code)
        .set(ProductRow::tracking, &after.tracking)
        .set(ProductRow::publication_status, &after.publication_status)
        .set(ProductRow::variant_mode, &after.variant_mode)
        .set(ProductRow::category_id, &after.category_id)
        .set(ProductRow::brand_id, &after.brand_id)
        .set(ProductRow::manufacturer_id, &after.manufacturer_id)
        .set(ProductRow::description, &after.description)
        .set(ProductRow::short_description, &after.short_description)
        .set(ProductRow::attributes, &after.attributes))
    .map_err(|failure| match failure {
        Failure::Duplicate(_) => Problem::duplicate("/slug"),
        other => other.into(),
    })?;
    emit(&[event("catalog.product.updated", AUDIT, id, None, &ProductEvent::of(&after))]);
    let changed = changed(&row, &after);
    Ok((after, changed))
}

/// Type, unit and tracking cannot change once a variant exists: orders and stock rest on them.
fn check_fixed(row: &ProductRow, input: &ProductUpdate) -> Result<(), Problem> {
    if row.total_variants == 0 {
        return Ok(());
    }
    let tracks = (row.tracking != Tracking::None, row.tracking == Tracking::Serialized);
    let fixed = [
        ("/productType", row.product_type != input.product_type),
        ("/unitOfMeasure", row.unit_code != input.unit_of_measure),
        ("/trackInventory", tracks.0 != input.track_inventory),
        ("/trackSerials", tracks.1 != input.track_serials),
    ];
    let changed: Vec<String> = fixed.into_iter().filter(|(_, is)| *is).map(|(at, _)| at.to_owned()).collect();
    if changed.is_empty() { Ok(()) } else { Err(Problem::immutable(changed)) }
}

fn after(row: &ProductRow, input: ProductUpdate, attributes: Json, variant_mode: VariantMode) -> ProductRow {
    ProductRow {
        version: row.version + 1,
        updated_at: Instant(facts().now),
        product_type: input.product_type,
        tracking: input.tracking(),
        publication_status: input.publication_status,
        variant_mode,
        category_id: input.category_id,
        brand_id: input.brand_id,
        manufacturer_id: input.manufacturer_id,
        attributes,
        name: input.name.into(),
        slug: input.slug.or_else(|| row.slug.clone()),
        unit_code: input.unit_of_measure,
        description: input.description.map(String::from),
        short_description: input.short_description.map(String::from),
        ..row.clone()
    }
}

/// The members that differ, for the audit entry.
fn changed(before: &ProductRow, after: &ProductRow) -> Vec<&'static str> {
    let members = [
        ("name", before.name != after.name),
        ("slug", before.slug != after.slug),
        ("productType", before.product_type != after.product_type),
        ("unitOfMeasure", before.unit_code != after.unit_code),
        ("trackInventory", (before.tracking == Tracking::None) != (after.tracking == Tracking::None)),
        ("trackSerials", (before.tracking == Tracking::Serialized) != (after.tracking == Tracking::Serialized)),
        ("publicationStatus", before.publication_status != after.publication_status),
        ("variantMode", before.variant_mode != after.variant_mode),
        ("categoryId", before.category_id != after.category_id),
        ("brandId", before.brand_id != after.brand_id),
        ("manufacturerId", before.manufacturer_id != after.manufacturer_id),
        ("description", before.description != after.description),
        ("shortDescription", before.short_description != after.short_description),
        ("attributes", before.attributes != after.attributes),
    ];
    members.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let active = all([VariantRow::product_id.eq(id), VariantRow::status.eq(Status::Active)]);
    let variants = select::<VariantId>(active).limit(MOST_ROWS);
    let (row, variants, media) = run((get(id).locked(), variants, select::<MediaId>(media::active(id))))?;
    let row = writable(call, row)?;
    let variants: Vec<Id> = variants.items.iter().map(|variant| variant.id).collect();
    let media: Vec<Id> = media.items.iter().map(|medium| medium.id).collect();
    let now = Instant(facts().now);
    let after = ProductRow {
        status: ProductState::Archived,
        archived_at: Some(now),
        active_variants: 0,
        single_variant_id: None,
        single_sku: None,
        version: row.version + 1,
        updated_at: now,
        ..row
    };
    let product = update::<ProductRow>(id)
        .set(ProductRow::status, &after.status)
        .set(ProductRow::archived_at, &after.archived_at)
        .set(ProductRow::active_variants, &0)
        .set(ProductRow::single_variant_id, &None)
        .set(ProductRow::single_sku, &None);
    let archived = update_all::<VariantRow>(variants.iter().copied())
        .set(VariantRow::status, &Status::Archived)
        .set(VariantRow::archived_at, &Some(now));
    let hidden = update_all::<MediaRow>(media.iter().copied())
        .set(MediaRow::status, &Status::Archived)
        .set(MediaRow::archived_at, &Some(now));
    run((product, archived, hidden))?;
    let mut events = vec![event("catalog.product.archived", AUDIT, id, None, &Identity { id })];
    events.extend(variants.into_iter().map(|variant| {
        let data = PartIdentity { id: variant, product_id: id };
        event("catalog.variant.archived", variant::AUDIT, variant, None, &data)
    }));
    events.extend(media.into_iter().map(|medium| {
        let data = PartIdentity { id: medium, product_id: id };
        event("catalog.media.archived", media::AUDIT, medium, None, &data)
    }));
    emit(&events);
    Ok(show(after, None, None).changed(vec!["status", "archivedAt"]))
}

/// Records are never removed: the row stays with a state that no read shows and gives its slug back.
pub fn delete(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let media = select::<MediaId>(MediaRow::product_id.eq(id)).limit(1);
    let (row, media) = run((get(id).locked(), media))?;
    let row = writable(call, row)?;
    if row.total_variants > 0 || !media.items.is_empty() {
        return Err(Problem::of("ILLEGAL_STATE"));
    }
    run(update::<ProductRow>(id)
        .set(ProductRow::status, &ProductState::Deleted)
        .set(ProductRow::publication_status, &PublicationStatus::Draft)
        .set(ProductRow::slug, &None))?;
    emit(&[event("catalog.product.deleted", AUDIT, id, None, &Identity { id })]);
    Ok(Reply::json(&DeletedProduct { id }).resource(id))
}

/// The locked row, if it may be changed by this call.
fn writable(call: &Call, row: Option<ProductRow>) -> Result<ProductRow, Problem> {
    let row = ProductRow::require(row)?;
    call.matches(row.id, row.version)?;
    row.unarchived()
}
