//! Removals: the records that lists of API clients with `updatedSince` leave out, because they were archived, deleted or taken
//! off sale. A reader that keeps a copy of the catalog reads them next to the changes.

use std::collections::BTreeMap;

use stoa_sdk::store::{run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Operation, Page, Problem, all, any, facts, has, map, set, view};
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
            `resourceType` that API clients do not read now, with their ids only. A product that is taken off sale takes its variants \
            and media with it: they are listed as changed at the same time. A product that was never published is listed too. A \
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

view! { VariantChange of VariantRow { id: Id, product_id: Id, status: Status, updated_at: Instant } }

view! {
    MediaChange of MediaRow {
        id: Id, product_id: Id, variant_id: Option<Id>, status: Status, updated_at: Instant,
    }
}

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
    let since = query.updated_since;
    let filter = any([
        all([VariantRow::status.eq(Status::Archived), changed_since(VariantRow::updated_at, since)]),
        has::<ProductRow, _, _>(VariantRow::product_id, ProductRow::id, filter_unpublished(since)),
    ]);
    let rows = read_page::<VariantChange>(&filter, query.cursor, query.limit)?;
    let products = read_unpublished(rows.items.iter().map(|row| row.product_id), since)?;
    answer_page(
        rows,
        |row| row.id,
        |row| Removal {
            resource_type: RemovedType::Variant,
            id: row.id,
            product_id: Some(row.product_id),
            status: status_of_part(row.status),
            updated_at: find_latest(row.updated_at, [products.get(&row.product_id)]),
        },
    )
}

fn list_media(query: &ListRemovals) -> Answer {
    let since = query.updated_since;
    let filter = any([
        all([MediaRow::status.eq(Status::Archived), changed_since(MediaRow::updated_at, since)]),
        has::<ProductRow, _, _>(MediaRow::product_id, ProductRow::id, filter_unpublished(since)),
        has::<VariantRow, _, _>(MediaRow::variant_id, VariantRow::id, filter_archived(since)),
    ]);
    let rows = read_page::<MediaChange>(&filter, query.cursor, query.limit)?;
    let products = read_unpublished(rows.items.iter().map(|row| row.product_id), since)?;
    let variants = read_archived(rows.items.iter().filter_map(|row| row.variant_id), since)?;
    answer_page(
        rows,
        |row| row.id,
        |row| {
            let of_variant = row.variant_id.and_then(|variant| variants.get(&variant));
            Removal {
                resource_type: RemovedType::Media,
                id: row.id,
                product_id: Some(row.product_id),
                status: status_of_part(row.status),
                updated_at: find_latest(row.updated_at, [products.get(&row.product_id), of_variant]),
            }
        },
    )
}

fn list_lookups(query: &ListRemovals) -> Answer {
    let filter =
        all([LookupRow::status.eq(Status::Archived), changed_since(LookupRow::updated_at, query.updated_since)]);
    let rows = read_page::<LookupChange>(&filter, query.cursor, query.limit)?;
    answer_page(
        rows,
        |row| row.id,
        |row| Removal {
            resource_type: RemovedType::Lookup,
            id: row.id,
            product_id: None,
            status: RemovalStatus::Archived,
            updated_at: row.updated_at,
        },
    )
}

/// Products that were unpublished: an archived product has archived its variants and media, and a deleted one has none.
fn filter_unpublished(since: Option<Instant>) -> Filter {
    let unpublished = ProductRow::publication_status.ne(PublicationStatus::Published);
    all([unpublished, changed_since(ProductRow::updated_at, since)])
}

fn filter_archived(since: Option<Instant>) -> Filter {
    all([VariantRow::status.eq(Status::Archived), changed_since(VariantRow::updated_at, since)])
}

/// When each of the products that are not published changed: those of a page at most.
fn read_unpublished(
    products: impl Iterator<Item = Id>,
    since: Option<Instant>,
) -> Result<BTreeMap<Id, Instant>, Problem> {
    let filter = all([ProductRow::id.one_of(set(products)), filter_unpublished(since)]);
    let rows = run(select::<ProductChange>(filter).whole())?;
    Ok(map(rows.into_iter().map(|row| (row.id, row.updated_at))))
}

/// When each of the archived variants changed, likewise.
fn read_archived(variants: impl Iterator<Item = Id>, since: Option<Instant>) -> Result<BTreeMap<Id, Instant>, Problem> {
    let filter = all([VariantRow::id.one_of(set(variants)), filter_archived(since)]);
    let rows = run(select::<VariantChange>(filter).whole())?;
    Ok(map(rows.into_iter().map(|row| (row.id, row.updated_at))))
}

fn status_of_part(status: Status) -> RemovalStatus {
    match status {
        Status::Archived => RemovalStatus::Archived,
        Status::Active => RemovalStatus::Unpublished,
    }
}

/// The instant of the record's own change, or of a later one of the records that it belongs to. A reader asks next for changes since
/// the newest instant that it saw, so a change of its own after the watermark does not count where another one removed it.
fn find_latest<const N: usize>(own: Instant, others: [Option<&Instant>; N]) -> Instant {
    let is_settled = facts().horizon.is_none_or(|watermark| own < Instant(watermark));
    match others.into_iter().flatten().copied().max() {
        Some(other) if !is_settled => other,
        Some(other) => own.max(other),
        None => own,
    }
}
