//! Changes of a variant. What changes how many variants are active locks the product first and keeps its columns.

use stoa_sdk::store::{Failure, get, insert, run, select, update};
use stoa_sdk::{Answer, Call, Id, Instant, Problem, all, emit, event, facts, has, new_id, view};

use crate::lookup::Status;
use crate::product::{ProductHead, ProductRow, PublicationStatus, VariantMode};
use crate::variant::{MOST_VARIANTS, VariantInput, VariantRow, answer};
use crate::{EmptyBody, PRODUCT, VARIANT, public};

view! { VariantName of VariantRow { id: Id, sku: String } }

pub fn create(call: &Call) -> Answer {
    created(call).map(answer)
}

/// Adds the variant of the body to its product.
pub fn created(call: &Call) -> Result<VariantRow, Problem> {
    let product_id = call.path_id("productId")?;
    let input: VariantInput = call.body()?;
    let checked = input.checked("").map_err(Problem::invalid)?;
    let product = ProductRow::shown(run(get(product_id).locked())?)?.unarchived()?;
    if product.total_variants >= MOST_VARIANTS {
        return Err(Problem::limit_exceeded());
    }
    let (id, now) = (new_id(), Instant(facts().now));
    let row = checked.row(id, now, &product);
    let count = product.active_variants + 1;
    let after = ProductRow {
        active_variants: count,
        total_variants: product.total_variants + 1,
        single_variant_id: (count == 1).then_some(id),
        single_sku: (count == 1).then(|| row.sku.clone()),
        variant_mode: if count > 1 { VariantMode::Multiple } else { product.variant_mode },
        updated_at: now,
        version: product.version + 1,
        ..product.clone()
    };
    let change = kept_columns(&after).set(ProductRow::total_variants, &after.total_variants);
    run((insert([&row]), change)).map_err(|failure| match failure {
        Failure::Duplicate(_) => Problem::duplicate("/sku"),
        other => other.into(),
    })?;
    let is_public = public::is_public(after.status, after.publication_status);
    let mut events = Vec::new();
    if after.variant_mode != product.variant_mode {
        events.push(event("catalog.product.updated", PRODUCT, product_id, None, &public::Product::of(&after)));
    }
    events.push(event("catalog.variant.created", VARIANT, id, None, &public::Variant::of(&row, is_public)));
    emit(&events);
    Ok(row)
}

pub fn replace(call: &Call) -> Answer {
    let (row, changed) = replaced(call)?;
    Ok(answer(row).changed(changed))
}

/// Replaces the variant by the body; answers which members differ too.
pub fn replaced(call: &Call) -> Result<(VariantRow, Vec<&'static str>), Problem> {
    let id = call.path_id("id")?;
    let input: VariantInput = call.body()?;
    let checked = input.checked("").map_err(Problem::invalid)?;
    let of_product = has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, VariantRow::id.eq(id));
    let (row, product) = run((get(id).locked(), select::<ProductHead>(of_product).limit(1)))?;
    let row = writable(call, row)?;
    if checked.sku() != row.sku {
        return Err(Problem::immutable(vec!["/sku".to_owned()]));
    }
    let after = checked.replacing(&row, Instant(facts().now));
    run(update::<VariantRow>(id)
        .set(VariantRow::barcode, &after.barcode)
        .set(VariantRow::model_number, &after.model_number)
        .set(VariantRow::storage, &after.storage)
        .set(VariantRow::color, &after.color)
        .set(VariantRow::condition, &after.condition)
        .set(VariantRow::grade, &after.grade)
        .set(VariantRow::sim_type, &after.sim_type)
        .set(VariantRow::attributes, &after.attributes)
        .set(VariantRow::aliases, &after.aliases)
        .set(VariantRow::alias_text, &after.alias_text))?;
    let is_public = product.items.first().is_some_and(ProductHead::is_public);
    emit(&[event("catalog.variant.updated", VARIANT, id, None, &public::Variant::of(&after, is_public))]);
    let changed = changed(&row, &after);
    Ok((after, changed))
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let this = || VariantRow::id.eq(id);
    let product = has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, this());
    let siblings = all([
        has::<VariantRow, _, _>(VariantRow::product_id, VariantRow::product_id, this()),
        VariantRow::status.eq(Status::Active),
        VariantRow::id.ne(id),
    ]);
    let (product, row, siblings) = run((
        select::<ProductRow>(product).locked().limit(1),
        get(id).locked(),
        select::<VariantName>(siblings).limit(2),
    ))?;
    let row = writable(call, row)?;
    let product = ProductRow::shown(product.items.into_iter().next())?;
    let now = Instant(facts().now);
    let only = match siblings.items.as_slice() {
        [only] => Some(only.clone()),
        _ => None,
    };
    let count = product.active_variants - 1;
    let withdrawn = count == 0 && product.publication_status == PublicationStatus::Published;
    let after = ProductRow {
        active_variants: count,
        single_variant_id: only.as_ref().map(|variant| variant.id),
        single_sku: only.map(|variant| variant.sku),
        publication_status: if withdrawn { PublicationStatus::Draft } else { product.publication_status },
        updated_at: now,
        version: product.version + 1,
        ..product
    };
    let archived = VariantRow {
        status: Status::Archived,
        archived_at: Some(now),
        updated_at: now,
        version: row.version + 1,
        ..row
    };
    let change = update::<VariantRow>(id)
        .set(VariantRow::status, &archived.status)
        .set(VariantRow::archived_at, &archived.archived_at);
    run((kept_columns(&after), change))?;
    let mut events = Vec::new();
    if withdrawn {
        events.push(event("catalog.product.updated", PRODUCT, after.id, None, &public::Product::of(&after)));
    }
    let data = public::PartIdentity { id, product_id: after.id };
    events.push(event("catalog.variant.archived", VARIANT, id, None, &data));
    emit(&events);
    Ok(answer(archived).changed(vec!["status", "archivedAt"]))
}

/// The columns of a product that follow its variants.
fn kept_columns(after: &ProductRow) -> stoa_sdk::store::Update<ProductRow> {
    update::<ProductRow>(after.id)
        .set(ProductRow::active_variants, &after.active_variants)
        .set(ProductRow::single_variant_id, &after.single_variant_id)
        .set(ProductRow::single_sku, &after.single_sku)
        .set(ProductRow::variant_mode, &after.variant_mode)
        .set(ProductRow::publication_status, &after.publication_status)
}

fn writable(call: &Call, row: Option<VariantRow>) -> Result<VariantRow, Problem> {
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(row.id, row.version)?;
    if row.status == Status::Archived { Err(Problem::archived()) } else { Ok(row) }
}

/// The members that differ, for the audit entry.
fn changed(before: &VariantRow, after: &VariantRow) -> Vec<&'static str> {
    let members = [
        ("barcode", before.barcode != after.barcode),
        ("modelNumber", before.model_number != after.model_number),
        ("storage", before.storage != after.storage),
        ("color", before.color != after.color),
        ("condition", before.condition != after.condition),
        ("grade", before.grade != after.grade),
        ("simType", before.sim_type != after.sim_type),
        ("attributes", before.attributes != after.attributes),
        ("searchAliases", before.aliases != after.aliases),
    ];
    members.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}
