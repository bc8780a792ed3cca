//! Media of a product: read and changed by people, and by API clients where these may.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, insert, run, select};
use stoa_sdk::{Answer, Call, Client, Id, Operation, Page, Problem, Text, all, emit, has, new_id, view};
use stoa_trade::{Caller, Change, EmptyBody, Status, new_record, require_named, writable};

use crate::records::identity::PartIdentity;
use crate::records::media::{
    ARCHIVED, AUDIT, ApiMedia, CREATED, MOST, Media, MediaEvent, MediaId, MediaRow, UPDATED, active, public,
    publish_medium, show,
};
use crate::records::permission::{READ, WRITE};
use crate::records::product::{ProductHead, ProductRow, ProductState};
use crate::records::receipt::WriteReceipt;
use crate::records::variant::VariantRow;
use crate::rules::access::may_read_media;
use crate::work::parts::{ListApiParts, ListParts, list_parts};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/catalog/products/{productId}/media", "listProductMedia", list).summary("Media of a product")
        .needs(READ).query::<ListParts>().answers::<Page<Media>>()
        .and_client(Client::new(READ).summary("Active media of a product on sale")
            .description("Media of archived variants are hidden.").query::<ListApiParts>().answers::<Page<ApiMedia>>()),
    Operation::create("/catalog/products/{productId}/media", "createMedia", create).summary("Add media to a product")
        .description("Adds the address of a picture or another file. The service stores only metadata and never fetches the \
            file. A product has at most 100 active media.")
        .needs(WRITE).body::<MediaInput>().answers::<Media>().writes(AUDIT, &[CREATED.code])
        .problems(&["ARCHIVED", "REFERENCE_INVALID", "LIMIT_EXCEEDED"])
        .and_client(Client::new(WRITE).description("").answers::<WriteReceipt>()),
    Operation::read("/catalog/media/{id}", "getMedia", read).summary("Media of a product, by id").needs(READ).answers::<Media>(),
    Operation::replace("/catalog/media/{id}", "replaceMedia", replace).summary("Replace media")
        .description("Full replacement: an omitted member returns to its default or null.")
        .needs(WRITE).body::<MediaInput>().answers::<Media>().writes(AUDIT, &[UPDATED.code])
        .problems(&["ARCHIVED", "REFERENCE_INVALID"])
        .and_client(Client::new(WRITE).answers::<WriteReceipt>()),
    Operation::transition("/catalog/media/{id}/archive", "archiveMedia", archive)
        .summary("Archive media")
        .needs(WRITE).body::<EmptyBody>().answers::<Media>().writes(AUDIT, &[ARCHIVED.code]).problems(&["ARCHIVED"]),
];

/// An absolute HTTPS URL without user, query and fragment, not even empty ones (RFC 3986); its port is 1 to 65535.
const URL: &str = "^https://(\\[[0-9A-Fa-f:.]+\\]|([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)\
    (:0*([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?\
    (/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?$";

view! {
    /// The columns of a variant that a medium which names it is checked against.
    VariantHead of VariantRow { id: Id, product_id: Id, status: Status }
}

/// Media in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MediaInput {
    /// HTTPS address without user, query or fragment. The service never fetches it.
    #[schemars(regex(pattern = URL), length(max = 2048), extend("format" = "uri"))]
    pub url: String,
    /// Variant of the product; null for the product as a whole.
    pub variant_id: Option<Id>,
    pub alt_text: Option<Text<0, 300>>,
    /// Position in which clients show the media. Lists are sorted by id, not by position.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10000))]
    pub position: i64,
}

pub fn list(call: &Call) -> Answer {
    let filter = |caller, product, status: Status| match caller {
        Caller::Person => all([MediaRow::product_id.eq(product), MediaRow::status.eq(status)]),
        Caller::Client => public(product),
    };
    list_parts(call, may_read_media, filter, MediaRow::updated_at, Media::from_row, publish_medium)
}

pub fn read(call: &Call) -> Answer {
    let row: Option<MediaRow> = run(get(call.path_id("id")?))?;
    row.as_ref().map(show).ok_or_else(Problem::not_found)
}

pub fn create(call: &Call) -> Answer {
    let product_id = call.path_id("productId")?;
    let input: MediaInput = call.body()?;
    let (product, variant, active) = run((
        get::<ProductHead>(product_id).locked(),
        input.variant_id.map(get::<VariantHead>),
        select::<MediaId>(active(product_id)).limit(MOST),
    ))?;
    let product = ProductHead::require(product)?;
    let variant = require_named(variant, "/variantId")?;
    if product.status == ProductState::Archived {
        return Err(Problem::record_archived());
    }
    check_variant(variant.as_ref(), product_id, None)?;
    if active.items.len() >= MOST as usize {
        return Err(Problem::limit_exceeded("", i64::from(MOST), "MEDIA"));
    }
    let row = new_record!(MediaRow {
        id: new_id(),
        product_id,
        variant_id: input.variant_id,
        url: input.url,
        alt_text: input.alt_text.map(String::from),
        position: input.position,
        status: Status::Active,
        archived_at: None,
    });
    run(insert([&row]))?;
    let is_public = is_public(Some(&product), variant.as_ref());
    emit([CREATED.of(row.id, None, &MediaEvent::from_row(&row, is_public))]);
    Ok(show(&row))
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: MediaInput = call.body()?;
    let product = has::<MediaRow, _, _>(ProductRow::id, MediaRow::product_id, MediaRow::id.eq(id));
    let (row, variant, product) =
        run((get(id).locked(), input.variant_id.map(get::<VariantHead>), select::<ProductHead>(product).first()))?;
    let row: MediaRow = row.ok_or_else(Problem::not_found)?;
    let variant = require_named(variant, "/variantId")?;
    let row = writable(call, Some(row))?;
    check_variant(variant.as_ref(), row.product_id, row.variant_id)?;
    let after = MediaRow {
        variant_id: input.variant_id,
        url: input.url,
        alt_text: input.alt_text.map(String::from),
        position: input.position,
        ..row.clone()
    };
    let is_public = is_public(product.as_ref(), variant.as_ref());
    Change::new(&row, after)?.write_and_emit(&UPDATED, |row| MediaEvent::from_row(row, is_public), show)
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let change = Change::archive(writable(call, run(get::<MediaRow>(id).locked())?)?);
    change.write_and_emit(&ARCHIVED, |row| PartIdentity { id, product_id: row.product_id }, show)
}

/// Refuses a variant of another product, or an archived one unless it was stated there before.
fn check_variant(variant: Option<&VariantHead>, product: Id, kept: Option<Id>) -> Result<(), Problem> {
    match variant {
        Some(variant) if Some(variant.id) == kept => Ok(()),
        Some(variant) if variant.product_id != product || variant.status == Status::Archived => {
            Err(Problem::reference_invalid("/variantId"))
        }
        _ => Ok(()),
    }
}

/// True if events show a medium of this product, and of the variant that it names.
fn is_public(product: Option<&ProductHead>, variant: Option<&VariantHead>) -> bool {
    product.is_some_and(ProductHead::is_public) && variant.is_none_or(|variant| variant.status == Status::Active)
}
