//! Lookups: read and changed by people, and by API clients where these may.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Lock, Rows, get, lock, run, select, update};
use stoa_sdk::{
    Answer, Call, Id, Instant, Limit, Operation, Page, Problem, Reply, Text, all, contains, emit, event, facts, paged,
};

use crate::records::identity::Identity;
use crate::records::lookup::{AUDIT, CatalogLookup, Kind, LookupId, LookupRow, PublicCatalogLookup, show, unit_lock};
use crate::records::product::{ProductId, ProductRow, ProductState};
use crate::records::product_type::Tracking;
use crate::records::receipt::{WriteReceipt, receipt};
use crate::records::{EmptyBody, OnlyActive, Status};
use crate::rules::access::{READ, WRITE};
use crate::rules::lookup::CatalogLookupInput;
use crate::work::category;
use crate::work::lookup::insert_lookup;

const LOOKUPS_AT: &str = "/tenants/{tenantId}/catalog/lookups/{kind}";
const LOOKUP_AT: &str = "/tenants/{tenantId}/catalog/lookups/{kind}/{id}";
const CLIENT_LOOKUPS_AT: &str = "/api-client/catalog/lookups/{kind}";
const CLIENT_LOOKUP_AT: &str = "/api-client/catalog/lookups/{kind}/{id}";
const CREATE_LOOKUP_PROBLEMS: &[&str] = &["DUPLICATE", "REFERENCE_INVALID", "ILLEGAL_STATE"];
const REPLACE_LOOKUP_PROBLEMS: &[&str] =
    &["ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE", "LIMIT_EXCEEDED"];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(LOOKUPS_AT, "listLookups", list).summary("Brands, categories, manufacturers or units of measure")
        .needs(READ).path::<LookupPath>().query::<ListLookups>().answers::<Page<CatalogLookup>>(),
    Operation::create(LOOKUPS_AT, "createLookup", create).summary("Create a lookup or a unit of measure")
        .description("`parentId` belongs to categories, `decimalPlaces` to units. A code stays reserved after archive.")
        .needs(WRITE).path::<LookupPath>().body::<CatalogLookupInput>().answers::<CatalogLookup>()
        .writes(AUDIT, &["catalog.lookup.created"]).problems(CREATE_LOOKUP_PROBLEMS),
    Operation::read(LOOKUP_AT, "getLookup", read).summary("A lookup or a unit of measure")
        .needs(READ).path::<LookupPath>().answers::<CatalogLookup>(),
    Operation::replace(LOOKUP_AT, "replaceLookup", replace).summary("Replace a lookup or a unit of measure")
        .description("Full replacement: an omitted `parentId` makes a root, an omitted `decimalPlaces` is 0. `code` must be the \
            stored one. Decimal places may not shrink while a product names the unit.")
        .needs(WRITE).path::<LookupPath>().body::<CatalogLookupInput>().answers::<CatalogLookup>()
        .writes(AUDIT, &["catalog.lookup.updated"]).problems(REPLACE_LOOKUP_PROBLEMS),
    Operation::transition("/tenants/{tenantId}/catalog/lookups/{kind}/{id}/archive", "archiveLookup", archive)
        .summary("Archive a lookup or a unit of measure")
        .description("Products that name it keep it. A category with active children cannot be archived.")
        .needs(WRITE).path::<LookupPath>().body::<EmptyBody>().answers::<CatalogLookup>()
        .writes(AUDIT, &["catalog.lookup.archived"]).problems(&["ARCHIVED", "ILLEGAL_STATE"]),
    Operation::read(CLIENT_LOOKUPS_AT, "apiListLookups", api_list)
        .summary("Active brands, categories, manufacturers or units of measure")
        .machine(READ).path::<LookupPath>().query::<ListPublicLookups>().answers::<Page<PublicCatalogLookup>>(),
    Operation::create(CLIENT_LOOKUPS_AT, "apiCreateLookup", api_create)
        .summary("Create a lookup or a unit of measure")
        .machine(WRITE).path::<LookupPath>().body::<CatalogLookupInput>().answers::<WriteReceipt>()
        .writes(AUDIT, &["catalog.lookup.created"]).problems(CREATE_LOOKUP_PROBLEMS),
    Operation::replace(CLIENT_LOOKUP_AT, "apiReplaceLookup", api_replace)
        .summary("Replace a lookup or a unit of measure").description("Full replacement.")
        .machine(WRITE).path::<LookupPath>().body::<CatalogLookupInput>().answers::<WriteReceipt>()
        .writes(AUDIT, &["catalog.lookup.updated"]).problems(REPLACE_LOOKUP_PROBLEMS),
];

#[derive(Deserialize, JsonSchema)]
pub struct LookupPath {
    pub kind: Kind,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListLookups {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    #[serde(default)]
    status: Status,
    /// Part of the name or code, in any case.
    text: Option<Text<1, 200>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPublicLookups {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    /// Only ACTIVE ones are shown.
    #[serde(default)]
    #[allow(dead_code, reason = "there is one status to ask for")]
    status: OnlyActive,
    /// Part of the name or code, in any case.
    text: Option<Text<1, 200>>,
    /// Changed at or after this instant.
    updated_since: Option<Instant>,
}

pub fn list(call: &Call) -> Answer {
    let LookupPath { kind } = call.path()?;
    let query: ListLookups = call.query()?;
    let text = query.text.as_deref().map(|text| contains("text", text)).unwrap_or_default();
    let filter = all([LookupRow::kind.eq(kind), LookupRow::status.eq(query.status), text]);
    let rows = paged(query.limit, |limit| run(select::<LookupRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| CatalogLookup::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let LookupPath { kind } = call.path()?;
    let row = require_kind(kind, run(get(call.path_id("id")?))?)?;
    Ok(show(row))
}

pub fn api_list(call: &Call) -> Answer {
    let LookupPath { kind } = call.path()?;
    let query: ListPublicLookups = call.query()?;
    let wanted = [
        query.text.as_deref().map(|text| contains("text", text)),
        query.updated_since.map(|since| LookupRow::updated_at.ge(since)),
    ];
    let of_kind = [LookupRow::kind.eq(kind), LookupRow::status.eq(Status::Active)];
    let filter = all(of_kind.into_iter().chain(wanted.into_iter().flatten()));
    let rows = paged(query.limit, |limit| run(select::<LookupRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    Ok(Reply::json(&Page::of(&rows.items, rows.more, |row| row.id, PublicCatalogLookup::of)))
}

pub fn create(call: &Call) -> Answer {
    create_row(call).map(show)
}

pub fn api_create(call: &Call) -> Answer {
    let row = create_row(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at))
}

/// Creates the lookup of the body.
fn create_row(call: &Call) -> Result<LookupRow, Problem> {
    let LookupPath { kind } = call.path()?;
    let input: CatalogLookupInput = call.body()?;
    input.check(kind)?;
    insert_lookup(kind, input)
}

pub fn replace(call: &Call) -> Answer {
    let (row, changed) = replace_row(call)?;
    Ok(show(row).changed(changed))
}

pub fn api_replace(call: &Call) -> Answer {
    let (row, changed) = replace_row(call)?;
    Ok(receipt(row.id, row.version, row.created_at, row.updated_at).changed(changed))
}

/// Replaces the lookup by the body; answers which members differ too.
fn replace_row(call: &Call) -> Result<(LookupRow, Vec<&'static str>), Problem> {
    let LookupPath { kind } = call.path()?;
    let id = call.path_id("id")?;
    let input: CatalogLookupInput = call.body()?;
    input.check(kind)?;
    let find_named = |serial: bool| {
        let tracking = if serial { ProductRow::tracking.eq(Tracking::Serialized) } else { Default::default() };
        let alive = ProductRow::status.ne(ProductState::Deleted);
        let named = ProductRow::unit_code.eq(input.code.as_str());
        (kind == Kind::Units).then(|| select::<ProductId>(all([named, alive, tracking])).limit(1))
    };
    let (_, row, products, serials) = run((
        change_lock(kind, Some(&input.code)),
        get::<LookupRow>(id).locked(),
        find_named(false),
        find_named(true),
    ))?;
    let row = writable(call, require_kind(kind, row)?)?;
    if input.code != row.code {
        return Err(Problem::immutable(vec!["/code".to_owned()]));
    }
    let is_named = |rows: Option<Rows<ProductId>>| rows.is_some_and(|rows| !rows.items.is_empty());
    let (places, before) = (input.places(kind), row.decimal_places);
    // A quantity may be stored with the old places, and a serial number counts whole pieces.
    if (places < before && is_named(products)) || (places > Some(0) && places > before && is_named(serials)) {
        return Err(Problem::illegal_state("/decimalPlaces"));
    }
    let place = category::relocate_branch(&row, input.parent_id)?;
    let mut changed = Vec::new();
    changed.extend((row.name != *input.name).then_some("name"));
    changed.extend((row.parent_id != place.parent_id).then_some("parentId"));
    changed.extend((before != places).then_some("decimalPlaces"));

    let after = LookupRow {
        name: input.name.into(),
        parent_id: place.parent_id,
        lineage: place.lineage.clone(),
        decimal_places: places,
        version: row.version + 1,
        updated_at: Instant(facts().now),
        ..row
    };
    let change = update::<LookupRow>(id)
        .set(LookupRow::name, &after.name)
        .set(LookupRow::parent_id, &after.parent_id)
        .set(LookupRow::lineage, &after.lineage)
        .set(LookupRow::decimal_places, &after.decimal_places);
    run((change, place.descendants()))?;
    emit(&[event("catalog.lookup.updated", AUDIT, id, None, &PublicCatalogLookup::of(&after))]);
    Ok((after, changed))
}

pub fn archive(call: &Call) -> Answer {
    let LookupPath { kind } = call.path()?;
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let children = all([LookupRow::parent_id.eq(id), LookupRow::status.eq(Status::Active)]);
    let children = (kind == Kind::Categories).then(|| select::<LookupId>(children).limit(1));
    let (_, row, children) = run((change_lock(kind, None), get::<LookupRow>(id).locked(), children))?;
    let row = writable(call, require_kind(kind, row)?)?;
    if children.is_some_and(|rows| !rows.items.is_empty()) {
        return Err(Problem::of("ILLEGAL_STATE"));
    }
    let now = Instant(facts().now);
    let after = LookupRow {
        status: Status::Archived,
        archived_at: Some(now),
        updated_at: now,
        version: row.version + 1,
        ..row
    };
    run(update::<LookupRow>(id).set(LookupRow::status, &after.status).set(LookupRow::archived_at, &after.archived_at))?;
    emit(&[event("catalog.lookup.archived", AUDIT, id, None, &Identity { id })]);
    Ok(show(after).changed(vec!["status", "archivedAt"]))
}

/// Categories change one at a time, because a move concerns whole branches; a unit's places wait for products under way.
fn change_lock(kind: Kind, code: Option<&str>) -> Option<Lock> {
    match (kind, code) {
        (Kind::Categories, _) => Some(lock(category::LOCK.to_owned())),
        (Kind::Units, Some(code)) => Some(lock(unit_lock(code))),
        _ => None,
    }
}

fn require_kind(kind: Kind, row: Option<LookupRow>) -> Result<LookupRow, Problem> {
    row.filter(|row| row.kind == kind).ok_or_else(Problem::not_found)
}

fn writable(call: &Call, row: LookupRow) -> Result<LookupRow, Problem> {
    call.matches(row.id, row.version)?;
    if row.status == Status::Archived { Err(Problem::archived()) } else { Ok(row) }
}
