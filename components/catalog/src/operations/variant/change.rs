//! Changes of a variant. A change of how many variants are active locks the product first and keeps its columns.

use stoa_sdk::store::{find, get, insert, run, select};
use stoa_sdk::{Answer, Call, Client, Field, Id, Operation, Problem, Reply, all, emit, has, new_id, view};
use stoa_trade::refusal::or_duplicate;
use stoa_trade::taken::show_readable;
use stoa_trade::{Change, EmptyBody, Status, require_unarchived, writable};

use crate::records::holding::{Archived, HoldingRow};
use crate::records::identity::PartIdentity;
use crate::records::permission::{READ, WRITE};
use crate::records::product::{self, ProductEvent, ProductHead, ProductRow, PublicationStatus, VariantMode, is_public};
use crate::records::receipt::WriteReceipt;
use crate::records::variant::{
    ARCHIVED, AUDIT, CREATED, MOST_VARIANTS, UPDATED, Variant, VariantEvent, VariantId, VariantRow, show,
};
use crate::rules::variant::VariantInput;
use crate::work::holdings::{find_held, warn};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create("/catalog/products/{productId}/variants", "createVariant", create).summary("Create a variant of a product")
        .description("The second active variant of a SINGLE product makes the product MULTIPLE. A product has at most 2,000 \
            variants, archived variants included. A SKU remains reserved after archiving.")
        .needs(WRITE).body::<VariantInput>().answers::<Variant>().writes(AUDIT, &[CREATED.code, product::UPDATED.code])
        .problems(&["DUPLICATE", "ARCHIVED", "LIMIT_EXCEEDED"])
        .and_client(Client::new(WRITE).description("").answers::<WriteReceipt>()),
    Operation::replace("/catalog/variants/{id}", "replaceVariant", replace).summary("Replace a variant")
        .description("Full replacement: an omitted member returns to its default or null. `sku` must be the current one.")
        .needs(WRITE).body::<VariantInput>().answers::<Variant>()
        .writes(AUDIT, &[UPDATED.code]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"])
        .and_client(Client::new(WRITE).answers::<WriteReceipt>()),
    Operation::transition("/catalog/variants/{id}/archive", "archiveVariant", archive)
        .summary("Archive a variant")
        .description("Archiving the last active variant of a PUBLISHED product returns the product to DRAFT. Goods on hand stay where \
            they are, and `warnings` says that there are any.")
        .needs(WRITE).body::<EmptyBody>().answers::<Archived<Variant>>()
        .writes(AUDIT, &[ARCHIVED.code, product::UPDATED.code]).problems(&["ARCHIVED"]),
];

view! { VariantName of VariantRow { id: Id, sku: String } }

pub fn create(call: &Call) -> Answer {
    let product_id = call.path_id("productId")?;
    let input: VariantInput = call.body()?;
    let named = find::<VariantId>("sku", [vec![input.sku.clone().put()]]);
    let checked = input.check("").map_err(Problem::invalid)?;
    let (product, named) = run((get(product_id).locked(), named))?;
    let product = require_unarchived(ProductRow::require(product)?)?;
    if product.total_variants >= MOST_VARIANTS {
        return Err(Problem::limit_exceeded("", MOST_VARIANTS, "VARIANTS"));
    }
    if let Some(other) = named.first() {
        return Err(Problem::conflict("DUPLICATE", "/sku", show_readable(other.id, READ)));
    }
    let id = new_id();
    let row = checked.into_row(id, &product);
    let count = product.active_variants + 1;
    let after = ProductRow {
        active_variants: count,
        total_variants: product.total_variants + 1,
        single_variant_id: (count == 1).then_some(id),
        single_sku: (count == 1).then(|| row.sku.clone()),
        variant_mode: if count > 1 { VariantMode::Multiple } else { product.variant_mode },
        ..product.clone()
    };
    let change = Change::new(&product, after)?;
    run((insert([&row]), change.update())).map_err(or_duplicate("/sku"))?;
    let after = change.after();
    let of_product = (after.variant_mode != product.variant_mode)
        .then(|| product::UPDATED.of(product_id, None, &ProductEvent::from_row(after)));
    let is_public = is_public(after.status, after.publication_status);
    emit(of_product.into_iter().chain([CREATED.of(id, None, &VariantEvent::from_row(&row, is_public))]));
    Ok(show(&row))
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: VariantInput = call.body()?;
    let checked = input.check("").map_err(Problem::invalid)?;
    let of_product = has::<VariantRow, _, _>(ProductRow::id, VariantRow::product_id, VariantRow::id.eq(id));
    let (row, product) = run((get(id).locked(), select::<ProductHead>(of_product).first()))?;
    let row: VariantRow = writable(call, row)?;
    let change = Change::new(&row, checked.replace(row.clone()))?;
    let is_public = product.as_ref().is_some_and(ProductHead::is_public);
    change.write_and_emit(&UPDATED, |row| VariantEvent::from_row(row, is_public), show)
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
    let (product, row, siblings, held) = run((
        select::<ProductRow>(product).locked().first(),
        get(id).locked(),
        select::<VariantName>(siblings).limit(2),
        find_held(HoldingRow::variant_id.eq(id)).whole(),
    ))?;
    let change = Change::archive(writable(call, row)?);
    let product = ProductRow::require(product)?;
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
        ..product.clone()
    };
    let of_product = Change::new(&product, after)?;
    run((of_product.update(), change.update()))?;
    let update = withdrawn.then(|| product::UPDATED.of(product.id, None, &ProductEvent::from_row(of_product.after())));
    let data = PartIdentity { id, product_id: product.id };
    emit(update.into_iter().chain([ARCHIVED.of(id, None, &data)]));
    Ok(change.show(|row: VariantRow| {
        Reply::json(&warn(Variant::from_row(&row), &held)).of(id, row.version).subject(row.product_id)
    }))
}
