//! Branches: listing, creating, replacing and archiving them.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, lock, lock_shared, run, select};
use stoa_sdk::{Answer, Call, Client, Field, Id, Instant, Operation, Page, Problem, Text, all, text};
use stoa_trade::document::number::insert_unless_taken;
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{changed_since, mentions};
use stoa_trade::taken::find_taken;
use stoa_trade::{Caller, Change, EmptyBody, Status, list_query, usable, writable};

use crate::records::branch::{ApiBranch, BRANCH, Branch, BranchRow};
use crate::records::entity::EntityRow;
use crate::records::hold::{HoldId, HoldRow};
use crate::records::permission::{CLIENT_READ, SETTINGS};
use crate::rules::books::books_lock;
use crate::rules::refusal::refuse_while;

const BRANCHES_AT: &str = "/ledger/branches";
const BRANCH_AT: &str = "/ledger/branches/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(BRANCHES_AT, "listBranches", list).summary("Branches")
        .for_members().query::<ListBranches>().answers::<Page<Branch>>()
        .and_client(Client::new(CLIENT_READ).answers::<Page<ApiBranch>>().cache_control("no-store")),
    Operation::create(BRANCHES_AT, "createBranch", create).summary("Create a branch")
        .needs(SETTINGS).body::<BranchInput>().answers::<Branch>()
        .writes(BRANCH, &[]).problems(&["DUPLICATE", "REFERENCE_INVALID"]),
    Operation::read(BRANCH_AT, "getBranch", read).summary("A branch").for_members().answers::<Branch>()
        .and_client(Client::new(CLIENT_READ).answers::<ApiBranch>().cache_control("no-store")),
    Operation::replace(BRANCH_AT, "replaceBranch", replace).summary("Replace a branch")
        .needs(SETTINGS).body::<BranchChange>().answers::<Branch>()
        .writes(BRANCH, &[]).problems(&["ARCHIVED", "IMMUTABLE_FIELD"]),
    Operation::transition("/ledger/branches/{id}/archive", "archiveBranch", archive)
        .summary("Archive a branch").description("Rejected while a warehouse or register uses it.")
        .needs(SETTINGS).body::<EmptyBody>().answers::<Branch>()
        .writes(BRANCH, &[]).problems(&["ARCHIVED", "ILLEGAL_STATE"]).item_codes(&["HELD"]),
];

/// A new branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BranchInput {
    /// Immutable.
    legal_entity_id: Id,
    /// Stored as typed. Unique in its legal entity for ever, ignoring case. Immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
    code: String,
    name: Text<1, 200>,
    address: Option<Text<0, 500>>,
}

/// Members of a branch that may change. Any other member must have its current value.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BranchChange {
    name: Text<1, 200>,
    address: Option<Text<0, 500>>,
    legal_entity_id: Option<Id>,
    #[schemars(length(max = 64))]
    code: Option<String>,
}

list_query! {
    pub struct ListBranches of BranchRow {
        legal_entity_id: Option<Id>,
        /// ARCHIVED records are immutable and keep their codes reserved.
        #[serde(default)]
        status: Status = BranchRow::status.eq(status),
        /// Only these branches, at most 100, separated by commas.
        ids: Option<Ids> = among(BranchRow::id, ids.as_ref()),
        /// Only records whose name or code contains the text, ignoring case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(BranchRow::updated_at, updated_since),
    }
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListBranches>()?.page([])?;
    Caller::current().answer_page(rows, Branch::from_row, ApiBranch::from_row)
}

pub fn read(call: &Call) -> Answer {
    Caller::current().answer_record(call, Branch::from_row, ApiBranch::from_row)
}

pub fn create(call: &Call) -> Answer {
    let input: BranchInput = call.body()?;
    let entity = input.legal_entity_id;
    // Shared: only a request that holds the books exclusively archives an entity.
    let (_, owner) = run((lock_shared(books_lock(entity)), get::<EntityRow>(entity)))?;
    usable(owner, "/legalEntityId")?;
    let row = BranchRow::new(entity, &input.code, input.name.into(), input.address.map(String::from));
    if !insert_unless_taken(&row)? {
        return Err(find_taken::<BranchRow>("code", vec![entity.put(), row.code_key.put()], "/code", &[])?);
    }
    Ok(row.answer())
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: BranchChange = call.body()?;
    let row: BranchRow = writable(call, run(get(id).locked())?)?;
    let after = BranchRow {
        legal_entity_id: input.legal_entity_id.unwrap_or(row.legal_entity_id),
        code: input.code.unwrap_or_else(|| row.code.clone()),
        name: input.name.into(),
        address: input.address.map(String::from),
        ..row.clone()
    };
    Change::new(&row, after)?.write(BranchRow::answer)
}

/// Holds are taken under the books' shared lock, so none appears while this holds it exclusively.
pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let row: BranchRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let held = all([HoldRow::branch_id.eq(id), HoldRow::active.eq(true)]);
    let (_, row, hold) =
        run((lock(books_lock(row.legal_entity_id)), get::<BranchRow>(id).locked(), select::<HoldId>(held).first()))?;
    let row = writable(call, row)?;
    refuse_while(&[("HELD", hold.is_some())])?;
    Change::archive(row).write(BranchRow::answer)
}
