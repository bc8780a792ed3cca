//! Changes of a product: creation with its variants, replacement, archive, and the delete of one that was never used. All but the
//! first lock the product's row first.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::store::{find, get, run, select, update_all};
use stoa_sdk::{Answer, Call, Client, Field, Id, Operation, Problem, Reply, all, emit, item, now};
use stoa_trade::change::refuse_immutable;
use stoa_trade::refusal::{or_duplicate, refuse};
use stoa_trade::taken::show_readable;
use stoa_trade::{Archivable, Caller, Change, EmptyBody, Identity, Status, writable};

use crate::records::holding::{Archived, HoldingRow};
use crate::records::identity::PartIdentity;
use crate::records::media::{self, MediaId, MediaRow};
use crate::records::permission::{READ, WRITE};
use crate::records::product::{
    ARCHIVED, AUDIT, DELETED, Product, ProductEvent, ProductId, ProductReceipt, ProductRow, ProductState,
    PublicationStatus, UPDATED, show_receipt,
};
use crate::records::product_type::Tracking;
use crate::records::receipt::{WriteReceipt, show_written};
use crate::records::variant::{self, VariantId, VariantRow};
use crate::rules::faults::collect;
use crate::rules::objections::{Objections, mode};
use crate::rules::product::{ProductInput, ProductUpdate};
use crate::work::holdings::{find_held, warn};
use crate::work::product::{CREATE_PROBLEMS, CREATES, CreatedProduct, create_products};
use crate::work::references::look_up;

const CREATE: &str = "All or nothing. Attributes have at most 500 values, depth 5 and 16,000 characters. Names or values that \
    resemble credentials are rejected: see the schema of `attributes`.";
const REPLACE: &str = "Full replacement: an omitted member returns to its default or null. Caution: without \
    `publicationStatus` the product goes off sale (`DRAFT`). An omitted or null `slug` keeps the current slug. Type, unit of \
    measure and tracking cannot change once a variant exists.";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::create("/catalog/products", "createProduct", create).summary("Create a product, with up to 100 variants")
        .description(CREATE).needs(WRITE).body::<ProductInput>().grows_with("/variants").body_limit(16 << 20).answers::<Product>()
        .writes(AUDIT, CREATES).problems(CREATE_PROBLEMS)
        .and_client(Client::new(WRITE).answers::<ProductReceipt>()),
    Operation::replace("/catalog/products/{id}", "replaceProduct", replace).summary("Replace a product")
        .description(REPLACE).needs(WRITE).body::<ProductUpdate>().answers::<Product>()
        .writes(AUDIT, &[UPDATED.code])
        .problems(&["DUPLICATE", "ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE"])
        .and_client(Client::new(WRITE).answers::<WriteReceipt>()),
    Operation::transition("/catalog/products/{id}/archive", "archiveProduct", archive)
        .summary("Archive a product with its active variants and media")
        .description("Stock of the product stays in its warehouses and keeps its value. It can still be removed and counted, \
            but not increased or sold. `warnings` names the variants that have stock.")
        .needs(WRITE).body::<EmptyBody>().answers::<Archived<Product>>()
        .writes(AUDIT, &[ARCHIVED.code, variant::ARCHIVED.code, media::ARCHIVED.code]).problems(&["ARCHIVED"]),
    Operation::delete("/catalog/products/{id}", "deleteProduct", delete).summary("Delete a product that was never used")
        .description("Rejected if the product ever had a variant or media. Its slug becomes available again.")
        .needs(WRITE).answers::<DeletedProduct>()
        .writes(AUDIT, &[DELETED.code]).problems(&["ARCHIVED", "ILLEGAL_STATE"])
        .item_codes(&["HAS_VARIANTS", "HAS_MEDIA"]),
];

/// Result of a deletion.
#[derive(Serialize, JsonSchema)]
pub struct DeletedProduct {
    pub id: Id,
}

pub fn create(call: &Call) -> Answer {
    let mut created = create_products(vec![(String::new(), call.body::<ProductInput>()?)])?;
    let CreatedProduct { row, variants, .. } = created.pop().ok_or_else(Problem::not_found)?;
    Ok(match Caller::current() {
        Caller::Person => {
            let shown = (!variants.is_empty()).then_some(variants.as_slice());
            Reply::json(&Product::from_row(&row, shown, None)).of(row.id, row.version)
        }
        Caller::Client => show_receipt(&row, &variants),
    })
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let ProductUpdate(mut input) = call.body()?;
    let mut faults = input.tracking_faults("");
    let attributes = collect(&mut faults, input.take_attributes(""));
    let Some(attributes) = attributes.filter(|_| faults.is_empty()) else { return Err(Problem::invalid(faults)) };

    let (locks, units, lookups) = look_up(std::iter::once(&input));
    let named = input.slug.as_ref().map(|slug| find::<ProductId>("slug", [vec![slug.clone().put()]]));
    let (_, row, units, lookups, named) = run((locks, get(id).locked(), units, lookups, named))?;
    let row = writable(call, Some(ProductRow::require(row)?))?;
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
    let change = Change::new(&row, input.replace(row.clone(), attributes, mode))?;
    if let Some(other) = named.into_iter().flatten().find(|other| other.id != id) {
        return Err(Problem::conflict("DUPLICATE", "/slug", show_readable(other.id, READ)));
    }
    run(change.update()).map_err(or_duplicate("/slug"))?;
    emit([UPDATED.of(id, None, &ProductEvent::from_row(change.after()))]);
    let members = name_members(&row, &change);
    Ok(show_written(change.after(), Product::alone).changed(members))
}

/// Type, unit and tracking cannot change once a variant exists: orders and stock rest on them.
fn check_fixed(row: &ProductRow, input: &ProductInput) -> Result<(), Problem> {
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
    refuse_immutable(fixed.into_iter().filter(|(_, is)| *is).map(|(pointer, _)| pointer.to_owned()).collect())
}

/// The members that differ, for the audit entry: to callers tracking is two flags.
fn name_members(before: &ProductRow, change: &Change<ProductRow>) -> Vec<String> {
    let (before, after) = (before.tracking, change.after().tracking);
    let flags = [
        ("trackInventory", (before == Tracking::None) != (after == Tracking::None)),
        ("trackSerials", (before == Tracking::Serialized) != (after == Tracking::Serialized)),
    ];
    let flags = || flags.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name.to_owned());
    let mut members = Vec::new();
    for member in change.members() {
        match member.as_str() {
            "tracking" => members.extend(flags()),
            _ => members.push(member),
        }
    }
    members
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let active = all([VariantRow::product_id.eq(id), VariantRow::status.eq(Status::Active)]);
    let (row, variants, media, held) = run((
        get(id).locked(),
        select::<VariantId>(active).whole(),
        select::<MediaId>(media::active(id)).whole(),
        find_held(HoldingRow::product_id.eq(id)).whole(),
    ))?;
    let row = writable(call, Some(ProductRow::require(row)?))?;
    let mut after = ProductRow { active_variants: 0, single_variant_id: None, single_sku: None, ..row.clone() };
    after.become_archived(now());
    let change = Change::new(&row, after)?;
    let variants: Vec<Id> = variants.iter().map(|variant| variant.id).collect();
    let media: Vec<Id> = media.iter().map(|medium| medium.id).collect();
    let archived = update_all::<VariantRow>(variants.iter().copied())
        .set(VariantRow::status, &Status::Archived)
        .set(VariantRow::archived_at, &Some(now()));
    let hidden = update_all::<MediaRow>(media.iter().copied())
        .set(MediaRow::status, &Status::Archived)
        .set(MediaRow::archived_at, &Some(now()));
    run((change.update(), archived, hidden))?;
    let part = |id: Id, product_id: Id| PartIdentity { id, product_id };
    let product = std::iter::once(ARCHIVED.of(id, None, &Identity { id }));
    let variants = variants.into_iter().map(|variant| variant::ARCHIVED.of(variant, None, &part(variant, id)));
    let media = media.into_iter().map(|medium| media::ARCHIVED.of(medium, None, &part(medium, id)));
    emit(product.chain(variants).chain(media));
    let reply = Reply::json(&warn(Product::alone(change.after()), &held)).of(id, change.after().version);
    Ok(reply.changed(["status", "archivedAt"]))
}

/// Records are never removed: the row stays with a state that no read shows and gives its slug back.
pub fn delete(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let media = select::<MediaId>(MediaRow::product_id.eq(id)).first();
    let (row, media) = run((get(id).locked(), media))?;
    let row = writable(call, Some(ProductRow::require(row)?))?;
    let used = [("HAS_VARIANTS", row.total_variants > 0), ("HAS_MEDIA", media.is_some())];
    let used = used.into_iter().filter(|(_, is_used)| *is_used).map(|(code, _)| item("", code));
    refuse("ILLEGAL_STATE", used.collect())?;
    let (status, publication_status) = (ProductState::Deleted, PublicationStatus::Draft);
    run(Change::new(&row, ProductRow { status, publication_status, slug: None, ..row.clone() })?.update())?;
    emit([DELETED.of(id, None, &Identity { id })]);
    Ok(Reply::json(&DeletedProduct { id }).resource(id))
}
