//! Media: addresses of pictures and other files of a product, or of one of its variants. Only metadata: nothing is fetched.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, insert, run, select, update};
use stoa_sdk::{
    Answer, Call, Filter, Id, Instant, Limit, Page, Problem, Reply, Text, all, collection, emit, event, facts, new_id,
    paged, view,
};

use crate::lookup::Status;
use crate::product::{ProductHead, ProductRow, ProductState};
use crate::variant::VariantRow;
use crate::{EmptyBody, MEDIA, public};

/// Active media of a product at most; also what `include=media` shows.
pub const MOST: u32 = 100;

/// An absolute HTTPS URL without user, query and fragment, not even empty ones (RFC 3986).
const URL: &str = "^https://(\\[[0-9A-Fa-f:.]+\\]|([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)(:[0-9]{1,5})?\
    (/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?$";

collection! {
    pub record MediaRow in "media" {
        product_id: Id,
        variant_id: Option<Id>,
        url: String,
        alt_text: Option<String>,
        position: i64,
        status: Status,
        archived_at: Option<Instant>,
    }
    index { [product_id, position, id] }
    checks { place: [position >= 0] }
}

view! { pub MediaId of MediaRow { id: Id } }

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

/// A medium as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Media {
    pub id: Id,
    pub tenant_id: Id,
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
    pub product_id: Id,
    pub url: String,
    pub variant_id: Option<Id>,
    pub alt_text: Option<String>,
    pub position: i64,
}

impl Media {
    pub fn of(row: MediaRow, tenant: Id) -> Media {
        Media {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            product_id: row.product_id,
            url: row.url,
            variant_id: row.variant_id,
            alt_text: row.alt_text,
            position: row.position,
        }
    }
}

/// The whole record as an answer; audited under its product.
fn answer(row: MediaRow) -> Reply {
    let (id, version, product) = (row.id, row.version, row.product_id);
    Reply::json(&Media::of(row, facts().tenant.into())).of(id, version).subject(product)
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

/// Active media of a product.
pub fn active(product: Id) -> Filter {
    all([MediaRow::product_id.eq(product), MediaRow::status.eq(Status::Active)])
}

pub fn list(call: &Call) -> Answer {
    let product_id = call.path_id("productId")?;
    let query: ListMedia = call.query()?;
    let filter = all([MediaRow::product_id.eq(product_id), MediaRow::status.eq(query.status)]);
    let (product, rows) = paged(query.limit, |limit| {
        run((get::<ProductHead>(product_id), select::<MediaRow>(filter.clone()).after(query.cursor).limit(limit)))
    })?;
    ProductHead::shown(product)?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| Media::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?;
    row.map(answer).ok_or_else(Problem::not_found)
}

pub fn create(call: &Call) -> Answer {
    created(call).map(answer)
}

/// Adds the medium of the body to its product.
pub fn created(call: &Call) -> Result<MediaRow, Problem> {
    let product_id = call.path_id("productId")?;
    let input: MediaInput = call.body()?;
    let (product, variant, active) = run((
        get::<ProductHead>(product_id).locked(),
        input.variant_id.map(get::<VariantHead>),
        select::<MediaId>(active(product_id)).limit(MOST),
    ))?;
    let product = ProductHead::shown(product)?;
    let variant = named(variant)?;
    if product.status == ProductState::Archived {
        return Err(Problem::archived());
    }
    usable(variant.as_ref(), product_id, None)?;
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
    tell("catalog.media.created", &row, Some(&product), variant.as_ref());
    Ok(row)
}

pub fn replace(call: &Call) -> Answer {
    let (row, changed) = replaced(call)?;
    Ok(answer(row).changed(changed))
}

/// Replaces the medium by the body; answers which members differ too.
pub fn replaced(call: &Call) -> Result<(MediaRow, Vec<&'static str>), Problem> {
    let id = call.path_id("id")?;
    let input: MediaInput = call.body()?;
    let product = stoa_sdk::has::<MediaRow, _, _>(ProductRow::id, MediaRow::product_id, MediaRow::id.eq(id));
    let (row, variant, product) =
        run((get(id).locked(), input.variant_id.map(get::<VariantHead>), select::<ProductHead>(product).limit(1)))?;
    let row: MediaRow = row.ok_or_else(Problem::not_found)?;
    let variant = named(variant)?;
    let row = writable(call, row)?;
    usable(variant.as_ref(), row.product_id, row.variant_id)?;
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
    tell("catalog.media.updated", &after, product.items.first(), variant.as_ref());
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
    tell("catalog.media.archived", &after, None, None);
    Ok(answer(after).changed(vec!["status", "archivedAt"]))
}

/// The variant that a body names, if it names one.
fn named(variant: Option<Option<VariantHead>>) -> Result<Option<VariantHead>, Problem> {
    match variant {
        Some(None) => Err(Problem::reference_missing("/variantId")),
        Some(found) => Ok(found),
        None => Ok(None),
    }
}

/// Refuses a variant of another product, or an archived one unless it stood there already.
fn usable(variant: Option<&VariantHead>, product: Id, kept: Option<Id>) -> Result<(), Problem> {
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

fn tell(kind: &str, row: &MediaRow, product: Option<&ProductHead>, variant: Option<&VariantHead>) {
    let is_public =
        product.is_some_and(ProductHead::is_public) && variant.is_none_or(|variant| variant.status == Status::Active);
    emit(&[event(kind, MEDIA, row.id, None, &public::Media::of(row, is_public))]);
}
