//! Lookups: read and changed by people, and by API clients where these may.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Lock, get, lock, run, select};
use stoa_sdk::{Answer, Call, Client, Instant, Operation, Page, Problem, Text, all, emit};
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{changed_since, equals, mentions};
use stoa_trade::refusal::{illegal, require_unchanged};
use stoa_trade::{Caller, Change, EmptyBody, Identity, Status, client_query, list_query, writable};

use crate::records::lookup::{
    ARCHIVED, AUDIT, ApiCatalogLookup, CREATED, CatalogLookup, Kind, LookupId, LookupRow, UPDATED, show, unit_lock,
};
use crate::records::permission::{READ, WRITE};
use crate::records::product::{ProductId, ProductRow, ProductState};
use crate::records::product_type::Tracking;
use crate::records::receipt::WriteReceipt;
use crate::rules::lookup::CatalogLookupInput;
use crate::work::category;
use crate::work::lookup::insert_lookup;

const CREATE_PROBLEMS: &[&str] = &["DUPLICATE", "REFERENCE_INVALID", "ILLEGAL_STATE"];
const REPLACE_PROBLEMS: &[&str] =
    &["ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE", "LIMIT_EXCEEDED"];

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/catalog/lookups/{kind}", "listLookups", list).summary("Brands, categories, manufacturers or units of measure")
        .needs(READ).path::<LookupPath>().query::<ListLookups>().answers::<Page<CatalogLookup>>()
        .and_client(Client::new(READ).summary("Active brands, categories, manufacturers or units of measure")
            .query::<ListApiLookups>().answers::<Page<ApiCatalogLookup>>()),
    Operation::create("/catalog/lookups/{kind}", "createLookup", create).summary("Create a lookup or a unit of measure")
        .description("`parentId` is for categories, `decimalPlaces` for units of measure. A code remains reserved after \
            archiving.")
        .needs(WRITE).path::<LookupPath>().body::<CatalogLookupInput>().answers::<CatalogLookup>()
        .writes(AUDIT, &[CREATED.code]).problems(CREATE_PROBLEMS)
        .and_client(Client::new(WRITE).description("").answers::<WriteReceipt>()),
    Operation::read("/catalog/lookups/{kind}/{id}", "getLookup", read).summary("A lookup or a unit of measure")
        .needs(READ).path::<LookupPath>().answers::<CatalogLookup>(),
    Operation::replace("/catalog/lookups/{kind}/{id}", "replaceLookup", replace).summary("Replace a lookup or a unit of measure")
        .description("Full replacement: an omitted `parentId` makes a root, an omitted `decimalPlaces` is 0. `code` must be \
            the current one. Decimal places may not decrease while a product uses the unit.")
        .needs(WRITE).path::<LookupPath>().body::<CatalogLookupInput>().answers::<CatalogLookup>()
        .writes(AUDIT, &[UPDATED.code]).problems(REPLACE_PROBLEMS)
        .and_client(Client::new(WRITE).description("Full replacement of the record.").answers::<WriteReceipt>()),
    Operation::transition("/catalog/lookups/{kind}/{id}/archive", "archiveLookup", archive)
        .summary("Archive a lookup or a unit of measure")
        .description("Products keep their reference to it. A category with active children cannot be archived.")
        .needs(WRITE).path::<LookupPath>().body::<EmptyBody>().answers::<CatalogLookup>()
        .writes(AUDIT, &[ARCHIVED.code]).problems(&["ARCHIVED", "ILLEGAL_STATE"])
        .item_codes(&["ACTIVE_CHILDREN"]),
];

#[derive(Deserialize, JsonSchema)]
pub struct LookupPath {
    pub kind: Kind,
}

list_query! {
    pub struct ListLookups of LookupRow {
        #[serde(default)]
        status: Status = LookupRow::status.eq(status),
        /// Only these lookups, at most 100, separated by commas.
        ids: Option<Ids> = among(LookupRow::id, ids.as_ref()),
        /// Only this code, ignoring case.
        code: Option<Text<1, 64>> = equals(LookupRow::code, code.as_deref().map(str::to_uppercase)),
        /// Only records whose name or code contains the text, ignoring case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(LookupRow::updated_at, updated_since),
    }
}

client_query! {
    ListApiLookups of active ListLookups without [] but {
        "updatedSince": "Only records changed at or after this instant. Archived ones are in \
            `GET /api-client/catalog/removals`.",
    }
}

pub fn list(call: &Call) -> Answer {
    let LookupPath { kind } = call.path()?;
    let rows = call.query::<ListLookups>()?.page([LookupRow::kind.eq(kind)])?;
    Caller::current().answer_page(rows, CatalogLookup::from_row, ApiCatalogLookup::from_row)
}

pub fn read(call: &Call) -> Answer {
    let LookupPath { kind } = call.path()?;
    require_kind(kind, run(get(call.path_id("id")?))?).map(|row| show(&row))
}

pub fn create(call: &Call) -> Answer {
    let LookupPath { kind } = call.path()?;
    let input: CatalogLookupInput = call.body()?;
    input.check(kind)?;
    insert_lookup(kind, input).map(|row| show(&row))
}

pub fn replace(call: &Call) -> Answer {
    let LookupPath { kind } = call.path()?;
    let id = call.path_id("id")?;
    let input: CatalogLookupInput = call.body()?;
    input.check(kind)?;
    let find_named = |serial: bool| {
        let tracking = if serial { ProductRow::tracking.eq(Tracking::Serialized) } else { Default::default() };
        let alive = ProductRow::status.ne(ProductState::Deleted);
        let named = ProductRow::unit_code.eq(input.code.as_str());
        (kind == Kind::Units).then(|| select::<ProductId>(all([named, alive, tracking])).first())
    };
    let (_, row, products, serials) = run((
        change_lock(kind, Some(&input.code)),
        get::<LookupRow>(id).locked(),
        find_named(false),
        find_named(true),
    ))?;
    let row = writable(call, Some(require_kind(kind, row)?))?;
    require_unchanged(&row.code, &input.code, "/code")?;
    let (places, before) = (input.places(kind), row.decimal_places);
    // A quantity may be stored with the old places, and a serial number counts whole pieces.
    if (places < before && products.flatten().is_some())
        || (places > Some(0) && places > before && serials.flatten().is_some())
    {
        return Err(Problem::illegal_state("/decimalPlaces"));
    }
    let place = category::relocate_branch(&row, input.parent_id)?;
    let after = LookupRow {
        name: input.name.into(),
        parent_id: place.parent_id,
        lineage: place.lineage.clone(),
        decimal_places: places,
        ..row.clone()
    };
    let change = Change::new(&row, after)?;
    run(change.update())?;
    place.descendants().try_for_each(run)?;
    emit([UPDATED.of(id, None, &ApiCatalogLookup::from_row(change.after()))]);
    Ok(change.show(|row| show(&row)))
}

pub fn archive(call: &Call) -> Answer {
    let LookupPath { kind } = call.path()?;
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let children = all([LookupRow::parent_id.eq(id), LookupRow::status.eq(Status::Active)]);
    let children = (kind == Kind::Categories).then(|| select::<LookupId>(children).first());
    let (_, row, children) = run((change_lock(kind, None), get::<LookupRow>(id).locked(), children))?;
    let row = writable(call, Some(require_kind(kind, row)?))?;
    if children.flatten().is_some() {
        return Err(illegal("", "ACTIVE_CHILDREN"));
    }
    Change::archive(row).write_and_emit(&ARCHIVED, |_| Identity { id }, show)
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
