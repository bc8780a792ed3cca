//! Changes of a variant. What changes how many variants are active locks the product first and keeps its columns.

use stoa_sdk::store::{Failure, Update, get, insert, run, select, update};
use stoa_sdk::{Answer, Call, Id, Instant, Operation, Problem, all, emit, event, facts, has, new_id, view};

use crate::records::identity::PartIdentity;
use crate::records::product::{self, ProductEvent, ProductHead, ProductRow, PublicationStatus, VariantMode, is_public};
use crate::records::receipt::{WriteReceipt, receipt};
use crate::records::variant::{AUDIT, MOST_VARIANTS, Variant, VariantEvent, VariantRow, show};
use crate::records::{EmptyBody, Status};
use crate::rules::access::WRITE;
use crate::rules::variant::VariantInput;

const PRODUCT_VARIANTS_AT: &str = "/tenants/{tenantId}/catalog/products/{productId}/variants";
const VARIANT_AT: &str = "/tenants/{tenantId}/catalog/variants/{id}";
const CLIENT_PRODUCT_VARIANTS_AT: &str = "/api-client/catalog/products/{productId}/variants";
const CLIENT_VARIANT_AT: &str = "/api-client/catalog/variants/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create(PRODUCT_VARIANTS_AT, "createVariant", create).summary("Create a variant of a product")
        .description("The second active variant of a SINGLE product makes it MULTIPLE. A product has at most 2,000 variants, \
            archived ones included. A SKU stays reserved after archive.")
        .needs(WRITE).body::<VariantInput>().answers::<Variant>()
        .writes(AUDIT, &["catalog.variant.created", "catalog.product.updated"])
        .problems(&["DUPLICATE", "ARCHIVED", "LIMIT_EXCEEDED"]),
    Operation::replace(VARIANT_AT, "replaceVariant", replace).summary("Replace a variant")
        .description("Full replacement: what is omitted returns to its default or null. `sku` must be the stored one.")
        .needs(WRITE).body::<VariantInput>().answers::<Variant>()
        .writes(AUDIT, &["catalog.variant.updated"]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/tenants/{tenantId}/catalog/variants/{id}/archive", "archiveVariant", archive)
        .summary("Archive a variant")
        .description("Archiving the last active variant of a PUBLISHED product returns the product to DRAFT.")
        .needs(WRITE).body::<EmptyBody>().answers::<Variant>()
        .writes(AUDIT, &["catalog.variant.archived", "catalog.product.updated"]).problems(&["ARCHIVED"]),
    Operation::create(CLIENT_PRODUCT_VARIANTS_AT, "apiCreateVariant", api_create)
        .summary("Create a variant of a product")
        .machine(WRITE).body::<VariantInput>().answers::<WriteReceipt>()
        .writes(AUDIT, &["catalog.variant.created", "catalog.product.updated"])
        .problems(&["DUPLICATE", "ARCHIVED", "LIMIT_EXCEEDED"]),
    Operation::replace(CLIENT_VARIANT_AT, "apiReplaceVariant", api_replace).summary("Replace a variant")
        .description("Full replacement: what is omitted returns to its default or null. `sku` must be the stored one.")
        .machine(WRITE).body::<VariantInput>().answers::<WriteReceipt>()
        .writes(AUDIT, &["catalog.variant.updated"]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
];

view! { VariantName of VariantRow { id: Id, sku: String } }

pub fn create(call: &Call) -> Answer {
    create_row(call).map(show)
}

pub fn api_create(call: &Call) -> Answer {
    let row = create_row(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at).subject(row.product_id))
}

/// Adds the variant of the body to its product.
fn create_row(call: &Call) -> Result<VariantRow, Problem> {
    let product_id = call.path_id("productId")?;
    let input: VariantInput = call.body()?;
    let checked = input.check("").map_err(Problem::invalid)?;
    let product = ProductRow::require(run(get(product_id).locked())?)?.unarchived()?;
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
    let is_public = is_public(after.status, after.publication_status);
    let mut events = Vec::new();
    if after.variant_mode != product.variant_mode {
        events.push(event("catalog.product.updated", product::AUDIT, product_id, None, &ProductEvent::of(&after)));
    }
    events.push(event("catalog.variant.created", AUDIT, id, None, &VariantEvent::of(&row, is_public)));
    emit(&events);
    Ok(row)
}

pub fn replace(call: &Call) -> Answer {
    let (row, changed) = replace_row(call)?;
    Ok(show(row).changed(changed))
}

pub fn api_replace(call: &Call) -> Answer {
    let (row, changed) = replace_row(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at).subject(row.product_id).changed(changed))
}

/// Replaces the variant by the body; answers which members differ too.
fn replace_row(call: &Call) -> Result<(VariantRow, Vec<&'static str>), Problem> {
    let id = call.path_id("id")?;
    let input: VariantInput = call.body()?;
    let checked = input.check("").map_err(Problem::invalid)?;
    let of_product = has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, VariantRow::id.eq(id));
    let (row, product) = run((get(id).locked(), select::<ProductHead>(of_product).limit(1)))?;
    let row = writable(call, row)?;
    if checked.sku() != row.sku {
        return Err(Problem::immutable(vec!["/sku".to_owned()]));
    }
    let after = checked.replace(&row, Instant(facts().now));
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
    emit(&[event("catalog.variant.updated", AUDIT, id, None, &VariantEvent::of(&after, is_public))]);
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
    let product = ProductRow::require(product.items.into_iter().next())?;
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
        events.push(event("catalog.product.updated", product::AUDIT, after.id, None, &ProductEvent::of(&after)));
    }
    let data = PartIdentity { id, product_id: after.id };
    events.push(event("catalog.variant.archived", AUDIT, id, None, &data));
    emit(&events);
    Ok(show(archived).changed(vec!["status", "archivedAt"]))
}

/// The columns of a product that follow its variants.
fn kept_columns(after: &ProductRow) -> Update<ProductRow> {
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
