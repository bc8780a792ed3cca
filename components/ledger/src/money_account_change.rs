//! Creating, replacing and archiving money accounts, alone with the books.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Failure, get, insert, lock, run, select, update};
use stoa_sdk::{Answer, Call, Id, Instant, Problem, Text, all, card_number, facts, item, text, view};

use crate::account::Postability;
use crate::balance::{self, Scope};
use crate::branch::BranchRow;
use crate::entity::{EntityRow, Status, books_lock};
use crate::hold::HoldRow;
use crate::mapping::MethodMappingRow;
use crate::money_account::{MoneyRow, answer};
use crate::refusal::{EmptyBody, changed, differs, fixed, illegal, illegal_state};
use crate::role::{AccountType, MoneyKind};

/// A new money account.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MoneyAccountInput {
    /// Immutable.
    legal_entity_id: Id,
    /// Kept as typed, unique in its entity in any case for ever; immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
    code: String,
    name: Text<1, 200>,
    /// Immutable.
    kind: MoneyKind,
    /// A postable account of the entity, of type ASSET (CARD also LIABILITY), that serves no control role and no other money
    /// account; immutable.
    account_id: Id,
    #[serde(default)]
    branch_id: Option<Id>,
    /// An account number at the bank, for example; never anything shaped like a card number.
    #[serde(default)]
    reference: Option<Text<0, 120>>,
    /// Cash of a till: it leaves only by a cash session. Only for CASH.
    #[serde(default)]
    till: bool,
}

/// The members of a money account that may change; others may be stated if they are the stored ones.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MoneyAccountChange {
    name: Text<1, 200>,
    #[serde(default)]
    branch_id: Option<Id>,
    #[serde(default)]
    reference: Option<Text<0, 120>>,
    #[serde(default)]
    till: bool,
    #[serde(default)]
    legal_entity_id: Option<Id>,
    #[serde(default)]
    #[schemars(length(max = 64))]
    code: Option<String>,
    #[serde(default)]
    kind: Option<MoneyKind>,
    #[serde(default)]
    account_id: Option<Id>,
}

view! { Mapped of MethodMappingRow { id: Id } }
view! { HoldId of HoldRow { id: Id } }

/// What the schema cannot tell.
fn check(reference: Option<&Text<0, 120>>, till: bool, kind: Option<MoneyKind>) -> Result<(), Problem> {
    let mut faults = Vec::new();
    if reference.is_some_and(|text| card_number::is_shaped_like_one(text)) {
        faults.push(item("/reference", "CARD_NUMBER_REFUSED"));
    }
    if till && kind.is_some_and(|kind| kind != MoneyKind::Cash) {
        faults.push(item("/till", "NOT_ALLOWED"));
    }
    if faults.is_empty() { Ok(()) } else { Err(Problem::invalid(faults)) }
}

/// Whether a ledger account may be the account of such money.
pub fn takes(kind: MoneyKind, account: &Postability) -> bool {
    let typed = account.account_type == AccountType::Asset
        || (kind == MoneyKind::Card && account.account_type == AccountType::Liability);
    typed && account.postable && account.status == Status::Active && account.control_role.is_none()
}

pub fn create(call: &Call) -> Answer {
    let input: MoneyAccountInput = call.body()?;
    check(input.reference.as_ref(), input.till, Some(input.kind))?;
    let entity = input.legal_entity_id;
    let (_, owner, account, branch) = run((
        lock(books_lock(entity)),
        get::<EntityRow>(entity),
        get::<Postability>(input.account_id),
        input.branch_id.map(get::<BranchRow>),
    ))?;
    // What is missing is told before what cannot be used.
    let Some(owner) = owner else { return Err(Problem::reference_missing("/legalEntityId")) };
    let account = account.ok_or_else(|| Problem::reference_missing("/accountId"))?;
    let branch = branch.flatten();
    if input.branch_id.is_some() && branch.is_none() {
        return Err(Problem::reference_missing("/branchId"));
    }
    EntityRow::named(Some(owner), "/legalEntityId")?;
    if account.legal_entity_id != entity || !takes(input.kind, &account) {
        return Err(Problem::reference_invalid("/accountId"));
    }
    if branch.is_some() {
        BranchRow::named(branch.as_ref(), entity, "/branchId")?;
    }
    let row = MoneyRow {
        till: input.till,
        branch_id: input.branch_id,
        reference: input.reference.map(String::from),
        ..MoneyRow::new(entity, &input.code, &input.name, input.kind, input.account_id)
    };
    run(insert([&row])).map_err(|failure| match failure {
        Failure::Duplicate(clashes) if clashes.iter().all(|clash| clash.key == "account") => {
            Problem::duplicate("/accountId")
        }
        Failure::Duplicate(_) => Problem::duplicate("/code"),
        other => other.into(),
    })?;
    Ok(answer(row))
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: MoneyAccountChange = call.body()?;
    check(input.reference.as_ref(), false, None)?;
    let row: MoneyRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let held = all([HoldRow::money_account_id.eq(id), HoldRow::active.eq(true)]);
    let (_, row, branch, holds) = run((
        lock(books_lock(row.legal_entity_id)),
        get::<MoneyRow>(id).locked(),
        input.branch_id.map(get::<BranchRow>),
        select::<HoldId>(held).limit(1),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(id, row.version)?;
    let branch = branch.flatten();
    if input.branch_id.is_some() && branch.is_none() {
        return Err(Problem::reference_missing("/branchId"));
    }
    let row = unarchived(row)?;
    fixed(&[
        ("/legalEntityId", differs(input.legal_entity_id.as_ref(), &row.legal_entity_id)),
        ("/code", differs(input.code.as_ref(), &row.code)),
        ("/kind", differs(input.kind.as_ref(), &row.kind)),
        ("/accountId", differs(input.account_id.as_ref(), &row.account_id)),
    ])?;
    check(None, input.till, Some(row.kind))?;
    if input.branch_id != row.branch_id && branch.is_some() {
        BranchRow::named(branch.as_ref(), row.legal_entity_id, "/branchId")?;
    }
    if row.till && !input.till && !holds.items.is_empty() {
        return Err(illegal("/till", "HELD"));
    }
    let after = MoneyRow {
        name: input.name.into(),
        till: input.till,
        branch_id: input.branch_id,
        reference: input.reference.map(String::from),
        updated_at: Instant(facts().now),
        version: row.version + 1,
        ..row.clone()
    };
    run(update::<MoneyRow>(id)
        .set(MoneyRow::name, &after.name)
        .set(MoneyRow::till, &after.till)
        .set(MoneyRow::branch_id, &after.branch_id)
        .set(MoneyRow::reference, &after.reference))?;
    let members = changed([
        ("name", row.name != after.name),
        ("till", row.till != after.till),
        ("branchId", row.branch_id != after.branch_id),
        ("reference", row.reference != after.reference),
    ]);
    Ok(answer(after).changed(members))
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let row: MoneyRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let (entity, account) = (row.legal_entity_id, row.account_id);
    let held = all([HoldRow::money_account_id.eq(id), HoldRow::active.eq(true)]);
    let (_, row, mapped, holds, base) = run((
        lock(books_lock(entity)),
        get::<MoneyRow>(id).locked(),
        select::<Mapped>(MethodMappingRow::money_account_id.eq(id)).limit(1),
        select::<HoldId>(held).limit(1),
        balance::last_closed(entity, None),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(id, row.version)?;
    let row = unarchived(row)?;
    let reasons = [
        ("MAPPED", !mapped.items.is_empty()),
        ("HELD", !holds.items.is_empty()),
        ("BALANCE_NOT_ZERO", balance::any_balance(&Scope::accounts(entity, vec![account]), balance::base(&base))?),
    ];
    let reasons: Vec<_> =
        reasons.into_iter().filter(|(_, holds)| *holds).map(|(code, _)| item("/path/id", code)).collect();
    if !reasons.is_empty() {
        return Err(illegal_state(reasons));
    }
    let now = Instant(facts().now);
    let after =
        MoneyRow { status: Status::Archived, archived_at: Some(now), updated_at: now, version: row.version + 1, ..row };
    run(update::<MoneyRow>(id).set(MoneyRow::status, &after.status).set(MoneyRow::archived_at, &after.archived_at))?;
    Ok(answer(after).changed(vec!["status", "archivedAt"]))
}

fn unarchived(row: MoneyRow) -> Result<MoneyRow, Problem> {
    if row.status == Status::Archived { Err(Problem::archived()) } else { Ok(row) }
}
