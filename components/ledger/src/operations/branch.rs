//! Branches: listing, creating, replacing and archiving them.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Failure, get, insert, lock, lock_shared, run, select, update};
use stoa_sdk::{
    Answer, Call, Id, Instant, Limit, Operation, Page, Problem, Reply, Text, all, contains, facts, paged, text,
};

use crate::operations::access::SETTINGS;
use crate::records::branch::{BRANCH, Branch, BranchRow, answer};
use crate::records::entity::EntityRow;
use crate::records::hold::{HoldId, HoldRow};
use crate::records::status::Status;
use crate::rules::books::books_lock;
use crate::rules::refusal::{EmptyBody, check_fixed, differs, illegal, list_changed};

const BRANCHES_AT: &str = "/tenants/{tenantId}/ledger/branches";
const BRANCH_AT: &str = "/tenants/{tenantId}/ledger/branches/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(BRANCHES_AT, "listBranches", list).summary("Branches")
        .for_members().query::<ListBranches>().answers::<Page<Branch>>(),
    Operation::create(BRANCHES_AT, "createBranch", create).summary("Create a branch")
        .needs(SETTINGS).body::<BranchInput>().answers::<Branch>()
        .writes(BRANCH, &[]).problems(&["DUPLICATE", "REFERENCE_INVALID"]),
    Operation::read(BRANCH_AT, "getBranch", read).summary("A branch").for_members().answers::<Branch>(),
    Operation::replace(BRANCH_AT, "replaceBranch", replace).summary("Replace a branch")
        .needs(SETTINGS).body::<BranchChange>().answers::<Branch>()
        .writes(BRANCH, &[]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/tenants/{tenantId}/ledger/branches/{id}/archive", "archiveBranch", archive)
        .summary("Archive a branch").description("Not while a warehouse or register holds it.")
        .needs(SETTINGS).body::<EmptyBody>().answers::<Branch>()
        .writes(BRANCH, &[]).problems(&["ARCHIVED", "ILLEGAL_STATE"]),
];

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
    EntityRow::require_active(owner, "/legalEntityId")?;
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
    check_fixed(&[
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
    let members = list_changed([("name", row.name != after.name), ("address", row.address != after.address)]);
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
