//! Branches of legal entities: an analytic dimension of warehouses, registers and entries.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{Failure, get, insert, lock, lock_shared, run, select, update};
use stoa_sdk::{
    Answer, Call, Id, Instant, Limit, Page, Problem, Reply, Text, all, collection, contains, facts, new_id, paged,
    text, view,
};

use crate::entity::{EntityRow, Status, books_lock};
use crate::hold::HoldRow;
use crate::refusal::{EmptyBody, changed, differs, fixed, illegal};

collection! {
    pub record BranchRow in "branch" {
        legal_entity_id: Id,
        code: String,
        code_key: String,
        name: String,
        address: Option<String>,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [legal_entity_id, code_key] }
    index { [legal_entity_id, status] }
    search { text: [name, code] }
}

view! { HoldId of HoldRow { id: Id } }

/// A new branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BranchInput {
    /// Immutable.
    legal_entity_id: Id,
    /// Kept as typed, unique in its entity in any case for ever; immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
    code: String,
    name: Text<1, 200>,
    #[serde(default)]
    address: Option<Text<0, 500>>,
}

/// The members of a branch that may change; others may be stated if they are the stored ones.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BranchChange {
    name: Text<1, 200>,
    #[serde(default)]
    address: Option<Text<0, 500>>,
    #[serde(default)]
    legal_entity_id: Option<Id>,
    #[serde(default)]
    #[schemars(length(max = 64))]
    code: Option<String>,
}

/// A branch of a legal entity.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Branch {
    id: Id,
    tenant_id: Id,
    status: Status,
    archived_at: Option<Instant>,
    created_at: Instant,
    updated_at: Instant,
    legal_entity_id: Id,
    code: String,
    name: String,
    address: Option<String>,
}

impl Branch {
    fn of(row: BranchRow, tenant: Id) -> Branch {
        Branch {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            legal_entity_id: row.legal_entity_id,
            code: row.code,
            name: row.name,
            address: row.address,
        }
    }
}

impl BranchRow {
    pub fn new(entity: Id, code: &str, name: String, address: Option<String>) -> BranchRow {
        let now = Instant(facts().now);
        BranchRow {
            id: new_id(),
            version: 1,
            created_at: now,
            updated_at: now,
            legal_entity_id: entity,
            code: code.to_owned(),
            code_key: code.to_ascii_lowercase(),
            name,
            address,
            status: Status::Active,
            archived_at: None,
        }
    }

    /// The active branch of an entity that a body names.
    ///
    /// # Errors
    /// NOT_FOUND or REFERENCE_INVALID at the pointer.
    pub fn named(row: Option<&BranchRow>, entity: Id, pointer: &str) -> Result<(), Problem> {
        match row {
            None => Err(Problem::reference_missing(pointer)),
            Some(row) if row.status == Status::Archived || row.legal_entity_id != entity => {
                Err(Problem::reference_invalid(pointer))
            }
            Some(_) => Ok(()),
        }
    }
}

fn answer(row: BranchRow) -> Reply {
    let (id, version, entity) = (row.id, row.version, row.legal_entity_id);
    Reply::json(&Branch::of(row, facts().tenant.into())).of(id, version).subject(entity)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListBranches {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Option<Id>,
    #[serde(default)]
    status: Status,
    /// Part of a name or code, in any case.
    text: Option<Text<1, 200>>,
}

pub fn list(call: &Call) -> Answer {
    let query: ListBranches = call.query()?;
    let entity = query.legal_entity_id.map(|id| BranchRow::legal_entity_id.eq(id));
    let text = query.text.as_deref().map(|text| contains("text", text));
    let filter = all([BranchRow::status.eq(query.status)].into_iter().chain(entity).chain(text));
    let rows = paged(query.limit, |limit| run(select::<BranchRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| Branch::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?;
    row.map(answer).ok_or_else(Problem::not_found)
}

pub fn create(call: &Call) -> Answer {
    let input: BranchInput = call.body()?;
    let entity = input.legal_entity_id;
    // Shared: an entity is archived only by whoever is alone with its books.
    let (_, owner) = run((lock_shared(books_lock(entity)), get::<EntityRow>(entity)))?;
    EntityRow::named(owner, "/legalEntityId")?;
    let row = BranchRow::new(entity, &input.code, input.name.into(), input.address.map(String::from));
    run(insert([&row])).map_err(|failure| match failure {
        Failure::Duplicate(_) => Problem::duplicate("/code"),
        other => other.into(),
    })?;
    Ok(answer(row))
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: BranchChange = call.body()?;
    let row = writable(call, run(get(id).locked())?)?;
    fixed(&[
        ("/legalEntityId", differs(input.legal_entity_id.as_ref(), &row.legal_entity_id)),
        ("/code", differs(input.code.as_ref(), &row.code)),
    ])?;
    let after = BranchRow {
        name: input.name.into(),
        address: input.address.map(String::from),
        updated_at: Instant(facts().now),
        version: row.version + 1,
        ..row.clone()
    };
    run(update::<BranchRow>(id).set(BranchRow::name, &after.name).set(BranchRow::address, &after.address))?;
    let members = changed([("name", row.name != after.name), ("address", row.address != after.address)]);
    Ok(answer(after).changed(members))
}

/// Holds are taken under the books' shared lock, so none appears while this is alone with them.
pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let row: BranchRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let held = all([HoldRow::branch_id.eq(id), HoldRow::active.eq(true)]);
    let (_, row, holds) =
        run((lock(books_lock(row.legal_entity_id)), get(id).locked(), select::<HoldId>(held).limit(1)))?;
    let row = writable(call, row)?;
    if !holds.items.is_empty() {
        return Err(illegal("/path/id", "HELD"));
    }
    let now = Instant(facts().now);
    let after = BranchRow {
        status: Status::Archived,
        archived_at: Some(now),
        updated_at: now,
        version: row.version + 1,
        ..row
    };
    run(update::<BranchRow>(id).set(BranchRow::status, &after.status).set(BranchRow::archived_at, &after.archived_at))?;
    Ok(answer(after).changed(vec!["status", "archivedAt"]))
}

fn writable(call: &Call, row: Option<BranchRow>) -> Result<BranchRow, Problem> {
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(row.id, row.version)?;
    if row.status == Status::Archived { Err(Problem::archived()) } else { Ok(row) }
}
