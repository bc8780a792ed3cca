//! Lookups: the brands, categories, manufacturers and units of measure that products name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{self, Failure, Lock, get, insert, lock, run, select, update};
use stoa_sdk::{
    Answer, Call, Id, Instant, Item, Limit, Page, Problem, Reply, Text, all, collection, contains, emit, event, facts,
    item, new_id, paged, text, text_enum, view,
};

use crate::category::{self, Place};
use crate::product::{ProductRow, ProductState, Tracking};
use crate::{EmptyBody, LOOKUP, public};

text_enum! {
    /// ARCHIVED records are immutable.
    #[derive(Default)]
    pub enum Status { #[default] Active => "ACTIVE", Archived => "ARCHIVED" }
}

text_enum! {
    /// The kinds as the path spells them.
    pub enum Kind { Brands => "brands", Categories => "categories", Manufacturers => "manufacturers", Units => "units" }
}

collection! {
    pub record LookupRow in "lookup" {
        kind: Kind,
        code: String,
        name: String,
        status: Status,
        archived_at: Option<Instant>,
        /// Of categories.
        parent_id: Option<Id>,
        /// Of categories: the ids from the root to this one, parted by spaces.
        lineage: Option<String>,
        /// Of units.
        decimal_places: Option<i64>,
    }
    unique { code: [kind, code] }
    index { [kind, status, id], [parent_id] }
    search { text: [name, code], lineage: [lineage] }
}

view! {
    /// What a product asks of a lookup that it names.
    pub LookupHead of LookupRow { id: Id, kind: Kind, status: Status }
}

view! {
    /// What a product asks of its unit.
    pub UnitHead of LookupRow { code: String, status: Status, decimal_places: Option<i64> }
}

view! { IdOnly of LookupRow { id: Id } }
view! { ProductIdOnly of ProductRow { id: Id } }

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

/// Input of a lookup or unit. Codes of units have at most 16 characters and neither `.` nor `-`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CatalogLookupInput {
    pub name: Text<1, 200>,
    /// Unique per kind for ever, archived records included; immutable.
    #[schemars(regex(pattern = text::CODE), length(max = 64))]
    pub code: String,
    /// Categories only: the category above; at most 8 levels.
    #[serde(default)]
    pub parent_id: Option<Id>,
    /// Units only; omitted: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", range(min = 0, max = 6))]
    pub decimal_places: Option<i64>,
}

impl CatalogLookupInput {
    fn check(&self, kind: Kind) -> Result<(), Problem> {
        let mut faults: Vec<Item> = Vec::new();
        if kind == Kind::Units && (self.code.len() > 16 || self.code.contains(['.', '-'])) {
            faults.push(item("/code", "FORMAT"));
        }
        if kind != Kind::Categories && self.parent_id.is_some() {
            faults.push(item("/parentId", "NOT_ALLOWED"));
        }
        if kind != Kind::Units && self.decimal_places.is_some() {
            faults.push(item("/decimalPlaces", "NOT_ALLOWED"));
        }
        if faults.is_empty() { Ok(()) } else { Err(Problem::invalid(faults)) }
    }

    fn places(&self, kind: Kind) -> Option<i64> {
        (kind == Kind::Units).then(|| self.decimal_places.unwrap_or(0))
    }
}

/// A lookup or unit as people read it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogLookup {
    pub id: Id,
    pub tenant_id: Id,
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
    pub name: String,
    pub code: String,
    /// Categories only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<Option<Id>>,
    /// Units only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal_places: Option<i64>,
}

impl CatalogLookup {
    fn of(row: LookupRow, tenant: Id) -> CatalogLookup {
        CatalogLookup {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            name: row.name,
            code: row.code,
            parent_id: (row.kind == Kind::Categories).then_some(row.parent_id),
            decimal_places: row.decimal_places,
        }
    }
}

/// Whoever puts a product under a unit shares this name; whoever changes the unit holds it alone.
pub fn unit_lock(code: &str) -> String {
    format!("unit:{code}")
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
    let row = of_kind(run(get(call.path_id("id")?))?, kind)?;
    Ok(answer(row))
}

pub fn create(call: &Call) -> Answer {
    created(call).map(answer)
}

/// Creates the lookup of the body.
pub fn created(call: &Call) -> Result<LookupRow, Problem> {
    let LookupPath { kind } = call.path()?;
    let input: CatalogLookupInput = call.body()?;
    input.check(kind)?;
    let row = add(kind, input)?;
    emit(&[event("catalog.lookup.created", LOOKUP, row.id, None, &public::PublicCatalogLookup::of(&row))]);
    Ok(row)
}

/// Inserts a lookup after its references were checked.
pub fn add(kind: Kind, input: CatalogLookupInput) -> Result<LookupRow, Problem> {
    let id = new_id();
    let place = match kind {
        Kind::Categories => category::place(id, input.parent_id)?,
        _ => Place::default(),
    };
    let now = Instant(facts().now);
    let row = LookupRow {
        id,
        version: 1,
        created_at: now,
        updated_at: now,
        kind,
        status: Status::Active,
        archived_at: None,
        parent_id: place.parent_id,
        lineage: place.lineage,
        decimal_places: input.places(kind),
        name: input.name.into(),
        code: input.code,
    };
    run(insert([&row])).map_err(taken)?;
    Ok(row)
}

fn taken(failure: Failure) -> Problem {
    match failure {
        Failure::Duplicate(_) => Problem::duplicate("/code"),
        other => other.into(),
    }
}

pub fn replace(call: &Call) -> Answer {
    let (row, changed) = replaced(call)?;
    Ok(answer(row).changed(changed))
}

/// Replaces the lookup by the body; answers which members differ too.
pub fn replaced(call: &Call) -> Result<(LookupRow, Vec<&'static str>), Problem> {
    let LookupPath { kind } = call.path()?;
    let id = call.path_id("id")?;
    let input: CatalogLookupInput = call.body()?;
    input.check(kind)?;
    let named = |serial: bool| {
        let tracking = if serial { ProductRow::tracking.eq(Tracking::Serialized) } else { Default::default() };
        let alive = ProductRow::status.ne(ProductState::Deleted);
        let named = ProductRow::unit_code.eq(input.code.as_str());
        (kind == Kind::Units).then(|| select::<ProductIdOnly>(all([named, alive, tracking])).limit(1))
    };
    let (_, row, products, serials) =
        run((change_lock(kind, Some(&input.code)), get::<LookupRow>(id).locked(), named(false), named(true)))?;
    let row = writable(call, of_kind(row, kind)?)?;
    if input.code != row.code {
        return Err(Problem::immutable(vec!["/code".to_owned()]));
    }
    let is_named = |rows: Option<store::Rows<ProductIdOnly>>| rows.is_some_and(|rows| !rows.items.is_empty());
    let (places, before) = (input.places(kind), row.decimal_places);
    // A quantity may be stored with the old places, and a serial number counts whole pieces.
    if (places < before && is_named(products)) || (places > Some(0) && places > before && is_named(serials)) {
        return Err(Problem::illegal_state("/decimalPlaces"));
    }
    let place = category::moved(&row, input.parent_id)?;
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
    emit(&[event("catalog.lookup.updated", LOOKUP, id, None, &public::PublicCatalogLookup::of(&after))]);
    Ok((after, changed))
}

pub fn archive(call: &Call) -> Answer {
    let LookupPath { kind } = call.path()?;
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let children = all([LookupRow::parent_id.eq(id), LookupRow::status.eq(Status::Active)]);
    let children = (kind == Kind::Categories).then(|| select::<IdOnly>(children).limit(1));
    let (_, row, children) = run((change_lock(kind, None), get::<LookupRow>(id).locked(), children))?;
    let row = writable(call, of_kind(row, kind)?)?;
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
    emit(&[event("catalog.lookup.archived", LOOKUP, id, None, &public::Identity { id })]);
    Ok(answer(after).changed(vec!["status", "archivedAt"]))
}

/// Categories change one at a time, because a move concerns whole branches; a unit's places wait for products under way.
fn change_lock(kind: Kind, code: Option<&str>) -> Option<Lock> {
    match (kind, code) {
        (Kind::Categories, _) => Some(lock(category::LOCK.to_owned())),
        (Kind::Units, Some(code)) => Some(lock(unit_lock(code))),
        _ => None,
    }
}

fn of_kind(row: Option<LookupRow>, kind: Kind) -> Result<LookupRow, Problem> {
    row.filter(|row| row.kind == kind).ok_or_else(Problem::not_found)
}

fn writable(call: &Call, row: LookupRow) -> Result<LookupRow, Problem> {
    call.matches(row.id, row.version)?;
    if row.status == Status::Archived { Err(Problem::archived()) } else { Ok(row) }
}

fn answer(row: LookupRow) -> Reply {
    let (id, version) = (row.id, row.version);
    Reply::json(&CatalogLookup::of(row, facts().tenant.into())).of(id, version)
}
