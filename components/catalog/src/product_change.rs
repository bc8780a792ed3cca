//! Changes of a product: replacement, archive, and the delete of one that was never used. Each locks the product's row first.

use serde_json::{Map, Value};
use stoa_sdk::store::{Failure, MOST_ROWS, get, run, select, update, update_all};
use stoa_sdk::{Answer, Call, Id, Instant, Json, Problem, Reply, all, emit, event, facts, view};

use crate::attributes;
use crate::conditions::{self, Objections, mode};
use crate::lookup::Status;
use crate::media::{self, MediaId, MediaRow};
use crate::product::{DeletedProduct, ProductRow, ProductState, PublicationStatus, Tracking, VariantMode, answer};
use crate::product_input::{ProductUpdate, collect};
use crate::variant::VariantRow;
use crate::{EmptyBody, MEDIA, PRODUCT, VARIANT, public};

view! { VariantId of VariantRow { id: Id } }

pub fn replace(call: &Call) -> Answer {
    let (row, changed) = replaced(call)?;
    Ok(answer(row, None, None).changed(changed))
}

/// Replaces the product by the body; answers which members differ too.
pub fn replaced(call: &Call) -> Result<(ProductRow, Vec<&'static str>), Problem> {
    let id = call.path_id("id")?;
    let mut input: ProductUpdate = call.body()?;
    let mut faults = input.tracking_faults("");
    let members: Map<String, Value> = std::mem::take(&mut input.attributes);
    let attributes = collect(&mut faults, attributes::checked(members, "/attributes"));
    let (Some(attributes), true) = (attributes, faults.is_empty()) else { return Err(Problem::invalid(faults)) };

    let (locks, units, lookups) = conditions::look_up(std::iter::once(&input));
    let (_, row, units, lookups) = run((locks, get(id).locked(), units, lookups))?;
    let row = ProductRow::writable(call, row)?;
    check_fixed(&row, &input)?;
    let mut objections = Objections::default();
    if row.unit_code != input.unit_of_measure || row.tracking != input.tracking() {
        objections.unit("", &input, &units);
    }
    let kept = [row.category_id, row.brand_id, row.manufacturer_id];
    objections.references("", &input, &lookups.concat(), kept);
    objections.variants("", &input, row.active_variants);
    objections.none()?;

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
    emit(&[event("catalog.product.updated", PRODUCT, id, None, &public::Product::of(&after))]);
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
    let row = ProductRow::writable(call, row)?;
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
    let mut events = vec![event("catalog.product.archived", PRODUCT, id, None, &public::Identity { id })];
    events.extend(variants.into_iter().map(|variant| {
        let data = public::PartIdentity { id: variant, product_id: id };
        event("catalog.variant.archived", VARIANT, variant, None, &data)
    }));
    events.extend(media.into_iter().map(|medium| {
        let data = public::PartIdentity { id: medium, product_id: id };
        event("catalog.media.archived", MEDIA, medium, None, &data)
    }));
    emit(&events);
    Ok(answer(after, None, None).changed(vec!["status", "archivedAt"]))
}

/// Records are never removed: the row stays with a state that no read shows and gives its slug back.
pub fn delete(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let media = select::<MediaId>(MediaRow::product_id.eq(id)).limit(1);
    let (row, media) = run((get(id).locked(), media))?;
    let row = ProductRow::writable(call, row)?;
    if row.total_variants > 0 || !media.items.is_empty() {
        return Err(Problem::of("ILLEGAL_STATE"));
    }
    run(update::<ProductRow>(id)
        .set(ProductRow::status, &ProductState::Deleted)
        .set(ProductRow::publication_status, &PublicationStatus::Draft)
        .set(ProductRow::slug, &None))?;
    emit(&[event("catalog.product.deleted", PRODUCT, id, None, &public::Identity { id })]);
    Ok(Reply::json(&DeletedProduct { id }).resource(id))
}
