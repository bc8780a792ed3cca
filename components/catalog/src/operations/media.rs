//! Media of a product: read and changed by people, and by API clients where these may.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, insert, run, select, update};
use stoa_sdk::{
    Answer, Call, Id, Instant, Limit, Operation, Page, Problem, Reply, Text, all, any, emit, event, facts, has, new_id,
    paged, view,
};

use crate::operations::variant::ListPublicParts;
use crate::records::media::{AUDIT, MOST, Media, MediaEvent, MediaId, MediaRow, PublicMedia, active, show};
use crate::records::product::{ProductHead, ProductRow, ProductState};
use crate::records::receipt::{WriteReceipt, receipt};
use crate::records::variant::VariantRow;
use crate::records::{EmptyBody, Status};
use crate::rules::access::{READ, WRITE};

const PRODUCT_MEDIA_AT: &str = "/tenants/{tenantId}/catalog/products/{productId}/media";
const MEDIA_AT: &str = "/tenants/{tenantId}/catalog/media/{id}";
const CLIENT_PRODUCT_MEDIA_AT: &str = "/api-client/catalog/products/{productId}/media";
const CLIENT_MEDIA_AT: &str = "/api-client/catalog/media/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(PRODUCT_MEDIA_AT, "listProductMedia", list).summary("Media of a product")
        .needs(READ).query::<ListMedia>().answers::<Page<Media>>(),
    Operation::create(PRODUCT_MEDIA_AT, "createMedia", create).summary("Add media to a product")
        .description("The address of a picture or another file: metadata only, never fetched. A product has at most 100 active \
            ones.")
        .needs(WRITE).body::<MediaInput>().answers::<Media>().writes(AUDIT, &["catalog.media.created"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    Operation::read(MEDIA_AT, "getMedia", read).summary("Media of a product, by id").needs(READ).answers::<Media>(),
    Operation::replace(MEDIA_AT, "replaceMedia", replace).summary("Replace media")
        .description("Full replacement: what is omitted returns to its default or null.")
        .needs(WRITE).body::<MediaInput>().answers::<Media>().writes(AUDIT, &["catalog.media.updated"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID"]),
    Operation::transition("/tenants/{tenantId}/catalog/media/{id}/archive", "archiveMedia", archive)
        .summary("Archive media")
        .needs(WRITE).body::<EmptyBody>().answers::<Media>().writes(AUDIT, &["catalog.media.archived"])
        .problems(&["ARCHIVED"]),
    Operation::read(CLIENT_PRODUCT_MEDIA_AT, "apiListProductMedia", api_list)
        .summary("Active media of a product on sale").description("Media of archived variants are hidden.")
        .machine(READ).query::<ListPublicParts>().answers::<Page<PublicMedia>>(),
    Operation::create(CLIENT_PRODUCT_MEDIA_AT, "apiCreateMedia", api_create)
        .summary("Add media to a product")
        .machine(WRITE).body::<MediaInput>().answers::<WriteReceipt>().writes(AUDIT, &["catalog.media.created"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    Operation::replace(CLIENT_MEDIA_AT, "apiReplaceMedia", api_replace).summary("Replace media")
        .description("Full replacement: what is omitted returns to its default or null.")
        .machine(WRITE).body::<MediaInput>().answers::<WriteReceipt>().writes(AUDIT, &["catalog.media.updated"])
        .problems(&["ARCHIVED", "REFERENCE_INVALID"]),
];

/// An absolute HTTPS URL without user, query and fragment, not even empty ones (RFC 3986).
const URL: &str = "^https://(\\[[0-9A-Fa-f:.]+\\]|([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)(:[0-9]{1,5})?\
    (/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?$";

view! {
    /// What a medium asks of the variant that it names.
    VariantHead of VariantRow { id: Id, product_id: Id, status: Status }
}

/// Input of a medium.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MediaInput {
    /// HTTPS, without user, query or fragment. It is never fetched.
    #[schemars(regex(pattern = URL), length(max = 2048), extend("format" = "uri"))]
    pub url: String,
    /// A variant of the product; null: the product as a whole.
    #[serde(default)]
    pub variant_id: Option<Id>,
    #[serde(default)]
    pub alt_text: Option<Text<0, 300>>,
    /// Where to show it; lists are ordered by id all the same.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10000))]
    pub position: i64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListMedia {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    status: Status,
}

pub fn list(call: &Call) -> Answer {
    let product_id = call.path_id("productId")?;
    let query: ListMedia = call.query()?;
    let filter = all([MediaRow::product_id.eq(product_id), MediaRow::status.eq(query.status)]);
    let (product, rows) = paged(query.limit, |limit| {
        run((get::<ProductHead>(product_id), select::<MediaRow>(filter.clone()).after(query.cursor).limit(limit)))
    })?;
    ProductHead::require(product)?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| Media::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?;
    row.map(show).ok_or_else(Problem::not_found)
}

/// Media of archived variants are hidden.
pub fn api_list(call: &Call) -> Answer {
    let product_id = call.path_id("productId")?;
    let query: ListPublicParts = call.query()?;
    let variants = all([VariantRow::product_id.eq(product_id), VariantRow::status.eq(Status::Active)]);
    let of_active = has::<VariantRow, _, _>(MediaRow::variant_id, VariantRow::id, variants);
    let since = query.updated_since.map(|since| MediaRow::updated_at.ge(since));
    let active = [active(product_id), any([MediaRow::variant_id.is_null(), of_active])];
    let filter = all(active.into_iter().chain(since));
    let (product, rows) = paged(query.limit, |limit| {
        run((get(product_id), select::<MediaRow>(filter.clone()).after(query.cursor).limit(limit)))
    })?;
    ProductHead::require_public(product.as_ref())?;
    Ok(Reply::json(&Page::of(&rows.items, rows.more, |row| row.id, PublicMedia::of)))
}

pub fn create(call: &Call) -> Answer {
    create_row(call).map(show)
}

pub fn api_create(call: &Call) -> Answer {
    let row = create_row(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at).subject(row.product_id))
}

/// Adds the medium of the body to its product.
fn create_row(call: &Call) -> Result<MediaRow, Problem> {
    let product_id = call.path_id("productId")?;
    let input: MediaInput = call.body()?;
    let (product, variant, active) = run((
        get::<ProductHead>(product_id).locked(),
        input.variant_id.map(get::<VariantHead>),
        select::<MediaId>(active(product_id)).limit(MOST),
    ))?;
    let product = ProductHead::require(product)?;
    let variant = require_variant(variant)?;
    if product.status == ProductState::Archived {
        return Err(Problem::archived());
    }
    check_variant(variant.as_ref(), product_id, None)?;
    if active.items.len() >= MOST as usize {
        return Err(Problem::limit_exceeded());
    }
    let now = Instant(facts().now);
    let row = MediaRow {
        id: new_id(),
        version: 1,
        created_at: now,
        updated_at: now,
        product_id,
        variant_id: input.variant_id,
        url: input.url,
        alt_text: input.alt_text.map(String::from),
        position: input.position,
        status: Status::Active,
        archived_at: None,
    };
    run(insert([&row]))?;
    emit_change("catalog.media.created", &row, Some(&product), variant.as_ref());
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

/// Replaces the medium by the body; answers which members differ too.
fn replace_row(call: &Call) -> Result<(MediaRow, Vec<&'static str>), Problem> {
    let id = call.path_id("id")?;
    let input: MediaInput = call.body()?;
    let product = has::<MediaRow, _, _>(ProductRow::id, MediaRow::product_id, MediaRow::id.eq(id));
    let (row, variant, product) =
        run((get(id).locked(), input.variant_id.map(get::<VariantHead>), select::<ProductHead>(product).limit(1)))?;
    let row: MediaRow = row.ok_or_else(Problem::not_found)?;
    let variant = require_variant(variant)?;
    let row = writable(call, row)?;
    check_variant(variant.as_ref(), row.product_id, row.variant_id)?;
    let after = MediaRow {
        variant_id: input.variant_id,
        url: input.url,
        alt_text: input.alt_text.map(String::from),
        position: input.position,
        updated_at: Instant(facts().now),
        version: row.version + 1,
        ..row.clone()
    };
    run(update::<MediaRow>(id)
        .set(MediaRow::variant_id, &after.variant_id)
        .set(MediaRow::url, &after.url)
        .set(MediaRow::alt_text, &after.alt_text)
        .set(MediaRow::position, &after.position))?;
    emit_change("catalog.media.updated", &after, product.items.first(), variant.as_ref());
    let members = [
        ("url", row.url != after.url),
        ("variantId", row.variant_id != after.variant_id),
        ("altText", row.alt_text != after.alt_text),
        ("position", row.position != after.position),
    ];
    let changed = members.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
    Ok((after, changed))
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let row: Option<MediaRow> = run(get(id).locked())?;
    let row = writable(call, row.ok_or_else(Problem::not_found)?)?;
    let now = Instant(facts().now);
    let after =
        MediaRow { status: Status::Archived, archived_at: Some(now), updated_at: now, version: row.version + 1, ..row };
    run(update::<MediaRow>(id).set(MediaRow::status, &after.status).set(MediaRow::archived_at, &after.archived_at))?;
    emit_change("catalog.media.archived", &after, None, None);
    Ok(show(after).changed(vec!["status", "archivedAt"]))
}

/// The variant that a body names, if it names one.
fn require_variant(variant: Option<Option<VariantHead>>) -> Result<Option<VariantHead>, Problem> {
    match variant {
        Some(None) => Err(Problem::reference_missing("/variantId")),
        Some(found) => Ok(found),
        None => Ok(None),
    }
}

/// Refuses a variant of another product, or an archived one unless it stood there already.
fn check_variant(variant: Option<&VariantHead>, product: Id, kept: Option<Id>) -> Result<(), Problem> {
    match variant {
        Some(variant) if Some(variant.id) == kept => Ok(()),
        Some(variant) if variant.product_id != product || variant.status == Status::Archived => {
            Err(Problem::reference_invalid("/variantId"))
        }
        _ => Ok(()),
    }
}

fn writable(call: &Call, row: MediaRow) -> Result<MediaRow, Problem> {
    call.matches(row.id, row.version)?;
    if row.status == Status::Archived { Err(Problem::archived()) } else { Ok(row) }
}

fn emit_change(kind: &str, row: &MediaRow, product: Option<&ProductHead>, variant: Option<&VariantHead>) {
    let is_public =
        product.is_some_and(ProductHead::is_public) && variant.is_none_or(|variant| variant.status == Status::Active);
    emit(&[event(kind, AUDIT, row.id, None, &MediaEvent::of(row, is_public))]);
}
