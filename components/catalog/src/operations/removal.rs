//! Removed records: those that lists of API clients with `updatedSince` leave out, because they were archived, deleted or taken
//! off sale. A reader that keeps a copy of the catalog reads them next to the changes.

use stoa_sdk::{Answer, Call, Id, Instant, Operation, Page, all, any, view};
use stoa_trade::lists::{answer_page, changed_since, read_page};
use stoa_trade::{Status, list_query};

use crate::records::lookup::LookupRow;
use crate::records::media::MediaRow;
use crate::records::permission::READ;
use crate::records::product::{ProductRow, ProductState, PublicationStatus};
use crate::records::removal::{Removal, RemovalStatus, RemovedType};
use crate::records::variant::VariantRow;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    // No twin of a person's: people list archived records and drafts.
    Operation::read("/catalog/removals", "apiListRemovals", list).summary("Records that were archived, deleted or taken off sale")
        .description("Complements the lists with `updatedSince`, which contain only what is on sale. Lists records of one \
            `resourceType` that API clients do not read now, with their ids only. The removal of a product removes its variants and \
            media, and that of a variant its media: remove your copies of both. A product that was never published is listed too. A \
            record that is on sale again is not listed.")
        .machine(READ).query::<ListRemovals>().answers::<Page<Removal>>(),
];

list_query! {
    pub struct ListRemovals {
        /// Kind of the records; one kind per request.
        resource_type: RemovedType,
        /// Only records removed at or after this instant.
        updated_since: Option<Instant>,
    }
}

view! { ProductChange of ProductRow { id: Id, status: ProductState, updated_at: Instant } }

view! { VariantChange of VariantRow { id: Id, product_id: Id, updated_at: Instant } }

view! { MediaChange of MediaRow { id: Id, product_id: Id, updated_at: Instant } }

view! { LookupChange of LookupRow { id: Id, updated_at: Instant } }

pub fn list(call: &Call) -> Answer {
    let query: ListRemovals = call.query()?;
    match query.resource_type {
        RemovedType::Product => list_products(&query),
        RemovedType::Variant => list_variants(&query),
        RemovedType::Media => list_media(&query),
        RemovedType::Lookup => list_lookups(&query),
    }
}

fn list_products(query: &ListRemovals) -> Answer {
    let is_off_sale = any([
        ProductRow::status.ne(ProductState::Active),
        ProductRow::publication_status.ne(PublicationStatus::Published),
    ]);
    let filter = all([is_off_sale, changed_since(ProductRow::updated_at, query.updated_since)]);
    let rows = read_page::<ProductChange>(&filter, query.cursor, query.limit)?;
    answer_page(
        rows,
        |row| row.id,
        |row| Removal {
            resource_type: RemovedType::Product,
            id: row.id,
            product_id: None,
            status: match row.status {
                ProductState::Active => RemovalStatus::Unpublished,
                ProductState::Archived => RemovalStatus::Archived,
                ProductState::Deleted => RemovalStatus::Deleted,
            },
            updated_at: row.updated_at,
        },
    )
}

fn list_variants(query: &ListRemovals) -> Answer {
    let filter =
        all([VariantRow::status.eq(Status::Archived), changed_since(VariantRow::updated_at, query.updated_since)]);
    let rows = read_page::<VariantChange>(&filter, query.cursor, query.limit)?;
    answer_page(
        rows,
        |row| row.id,
        |row| show_archived(RemovedType::Variant, row.id, Some(row.product_id), row.updated_at),
    )
}

fn list_media(query: &ListRemovals) -> Answer {
    let filter = all([MediaRow::status.eq(Status::Archived), changed_since(MediaRow::updated_at, query.updated_since)]);
    let rows = read_page::<MediaChange>(&filter, query.cursor, query.limit)?;
    answer_page(
        rows,
        |row| row.id,
        |row| show_archived(RemovedType::Media, row.id, Some(row.product_id), row.updated_at),
    )
}

fn list_lookups(query: &ListRemovals) -> Answer {
    let filter =
        all([LookupRow::status.eq(Status::Archived), changed_since(LookupRow::updated_at, query.updated_since)]);
    let rows = read_page::<LookupChange>(&filter, query.cursor, query.limit)?;
    answer_page(rows, |row| row.id, |row| show_archived(RemovedType::Lookup, row.id, None, row.updated_at))
}

fn show_archived(resource_type: RemovedType, id: Id, product_id: Option<Id>, updated_at: Instant) -> Removal {
    Removal { resource_type, id, product_id, status: RemovalStatus::Archived, updated_at }
}
