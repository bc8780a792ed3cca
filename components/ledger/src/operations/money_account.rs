//! Money accounts: listing them, and creating, replacing and archiving them under the books' exclusive lock.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{find, get, lock, run, select};
use stoa_sdk::{Answer, Call, Field, Filter, Id, Instant, Operation, Page, Problem, Text, all, item, text};
use stoa_trade::card_number::find_card_number;
use stoa_trade::document::number::insert_unless_taken;
use stoa_trade::lists::{answer_page, changed_since};
use stoa_trade::payment_method::{Method, MoneyKind};
use stoa_trade::refusal::{illegal, refuse_invalid};
use stoa_trade::{Change, EmptyBody, Status, list_query, require_named, require_unarchived, usable, writable};

use crate::records::account::Postability;
use crate::records::branch::BranchRow;
use crate::records::entity::EntityRow;
use crate::records::hold::{HoldId, HoldRow};
use crate::records::mapping::{MethodMappingId, MethodMappingRow};
use crate::records::money_account::{MONEY_ACCOUNT, MoneyAccount, MoneyId, MoneyRow};
use crate::records::permission::SETTINGS;
use crate::rules::books::books_lock;
use crate::rules::references::takes_account;
use crate::rules::refusal::refuse_while;
use crate::work::balance::{self, Scope};

const MONEY_ACCOUNTS_AT: &str = "/ledger/money-accounts";
const MONEY_ACCOUNT_AT: &str = "/ledger/money-accounts/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(MONEY_ACCOUNTS_AT, "listMoneyAccounts", list).summary("Money accounts")
        .for_members().query::<ListMoneyAccounts>().answers::<Page<MoneyAccount>>(),
    Operation::create(MONEY_ACCOUNTS_AT, "createMoneyAccount", create)
        .summary("Create a money account")
        .needs(SETTINGS).body::<MoneyAccountInput>().answers::<MoneyAccount>()
        .writes(MONEY_ACCOUNT, &[]).problems(&["DUPLICATE", "REFERENCE_INVALID"]),
    Operation::read(MONEY_ACCOUNT_AT, "getMoneyAccount", read).summary("A money account")
        .for_members().answers::<MoneyAccount>(),
    Operation::replace(MONEY_ACCOUNT_AT, "replaceMoneyAccount", replace)
        .summary("Replace a money account")
        .needs(SETTINGS).body::<MoneyAccountChange>().answers::<MoneyAccount>()
        .writes(MONEY_ACCOUNT, &[]).problems(&["ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE"])
        .item_codes(&["HELD"]),
    Operation::transition("/ledger/money-accounts/{id}/archive", "archiveMoneyAccount",
        archive)
        .summary("Archive a money account")
        .description("Rejected while a method is mapped to it, a register uses it, or it has a balance.")
        .needs(SETTINGS).body::<EmptyBody>().answers::<MoneyAccount>()
        .writes(MONEY_ACCOUNT, &[]).problems(&["ARCHIVED", "ILLEGAL_STATE", "LIMIT_EXCEEDED"])
        .item_codes(&["BALANCE_NOT_ZERO", "HELD", "MAPPED"]),
];

/// A new money account.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MoneyAccountInput {
    /// Immutable.
    legal_entity_id: Id,
    /// Stored as typed. Unique in its legal entity for ever, ignoring case. Immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(max = 64))]
    code: String,
    name: Text<1, 200>,
    /// Immutable.
    kind: MoneyKind,
    /// Postable account of the legal entity, of type ASSET (CARD also LIABILITY), without a control role or another money
    /// account. Immutable.
    account_id: Id,
    branch_id: Option<Id>,
    /// Account number at the bank, for example. Text that resembles a card number is rejected.
    reference: Option<Text<0, 120>>,
    /// True for the cash of a till: it leaves through a cash session only. Only for CASH.
    #[serde(default)]
    till: bool,
}

/// Members of a money account that may change. Any other member must have its current value.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MoneyAccountChange {
    name: Text<1, 200>,
    branch_id: Option<Id>,
    reference: Option<Text<0, 120>>,
    #[serde(default)]
    till: bool,
    legal_entity_id: Option<Id>,
    #[schemars(length(max = 64))]
    code: Option<String>,
    kind: Option<MoneyKind>,
    account_id: Option<Id>,
}

list_query! {
    pub struct ListMoneyAccounts of MoneyRow {
        legal_entity_id: Option<Id>,
        kind: Option<MoneyKind>,
        /// Only money accounts whose kind fits this method.
        method: Option<Method> = method.map(filter_by_method).unwrap_or_default(),
        /// ARCHIVED records are immutable and keep their codes reserved.
        #[serde(default)]
        status: Status = MoneyRow::status.eq(status),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(MoneyRow::updated_at, updated_since),
    }
}

fn filter_by_method(method: Method) -> Filter {
    MoneyRow::kind.one_of(method.facts().money_kinds.iter().copied())
}

pub fn list(call: &Call) -> Answer {
    answer_page(call.query::<ListMoneyAccounts>()?.page([])?, |row| row.id, |row| MoneyAccount::from_row(&row))
}

pub fn read(call: &Call) -> Answer {
    run(get::<MoneyRow>(call.path_id("id")?))?.map(|row| row.answer()).ok_or_else(Problem::not_found)
}

/// Checks that the schema cannot express.
fn check(reference: Option<&Text<0, 120>>, till: bool, kind: Option<MoneyKind>) -> Result<(), Problem> {
    let mut faults = Vec::new();
    faults.extend(find_card_number("/reference", reference.map(|text| &**text)));
    if till && kind.is_some_and(|kind| kind != MoneyKind::Cash) {
        faults.push(item("/till", "NOT_ALLOWED"));
    }
    refuse_invalid(faults)
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
    // A missing reference is reported before an unusable one.
    let Some(owner) = owner else { return Err(Problem::reference_missing("/legalEntityId")) };
    let account = account.ok_or_else(|| Problem::reference_missing("/accountId"))?;
    let branch = require_named(branch, "/branchId")?;
    usable(Some(owner), "/legalEntityId")?;
    if account.legal_entity_id != entity || !takes_account(input.kind, &account) {
        return Err(Problem::reference_invalid("/accountId"));
    }
    if let Some(branch) = branch {
        branch.require_active(entity, "/branchId")?;
    }
    let row = MoneyRow {
        till: input.till,
        branch_id: input.branch_id,
        reference: input.reference.map(String::from),
        ..MoneyRow::new(entity, &input.code, &input.name, input.kind, input.account_id)
    };
    if !insert_unless_taken(&row)? {
        return Err(reject_taken(&row)?);
    }
    Ok(row.answer())
}

/// DUPLICATE with the money account that has the code, or else the ledger account.
fn reject_taken(row: &MoneyRow) -> Result<Problem, Problem> {
    let (named, other) = run((
        find::<MoneyId>("code", [vec![row.legal_entity_id.put(), row.code_key.put()]]),
        find::<MoneyId>("account", [vec![row.account_id.put()]]),
    ))?;
    Ok(match (named.first(), other.first()) {
        (None, Some(other)) => Problem::conflict("DUPLICATE", "/accountId", Some(other.id)),
        (named, _) => Problem::conflict("DUPLICATE", "/code", named.map(|named| named.id)),
    })
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: MoneyAccountChange = call.body()?;
    check(input.reference.as_ref(), false, None)?;
    let row: MoneyRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let held = all([HoldRow::money_account_id.eq(id), HoldRow::active.eq(true)]);
    let (_, row, branch, hold) = run((
        lock(books_lock(row.legal_entity_id)),
        get::<MoneyRow>(id).locked(),
        input.branch_id.map(get::<BranchRow>),
        select::<HoldId>(held).first(),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(id, row.version)?;
    let branch = require_named(branch, "/branchId")?;
    let row = require_unarchived(row)?;
    let after = MoneyRow {
        legal_entity_id: input.legal_entity_id.unwrap_or(row.legal_entity_id),
        code: input.code.unwrap_or_else(|| row.code.clone()),
        kind: input.kind.unwrap_or(row.kind),
        account_id: input.account_id.unwrap_or(row.account_id),
        name: input.name.into(),
        till: input.till,
        branch_id: input.branch_id,
        reference: input.reference.map(String::from),
        ..row.clone()
    };
    let change = Change::new(&row, after)?;
    check(None, input.till, Some(row.kind))?;
    if let Some(branch) = branch.filter(|branch| Some(branch.id) != row.branch_id) {
        branch.require_active(row.legal_entity_id, "/branchId")?;
    }
    if row.till && !input.till && hold.is_some() {
        return Err(illegal("/till", "HELD"));
    }
    change.write(MoneyRow::answer)
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let row: MoneyRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let (entity, account) = (row.legal_entity_id, row.account_id);
    let held = all([HoldRow::money_account_id.eq(id), HoldRow::active.eq(true)]);
    let (_, row, mapping, hold) = run((
        lock(books_lock(entity)),
        get::<MoneyRow>(id).locked(),
        select::<MethodMappingId>(MethodMappingRow::money_account_id.eq(id)).first(),
        select::<HoldId>(held).first(),
    ))?;
    let row = writable(call, row)?;
    refuse_while(&[
        ("MAPPED", mapping.is_some()),
        ("HELD", hold.is_some()),
        ("BALANCE_NOT_ZERO", balance::any_balance(&Scope::accounts(entity, vec![account]))?),
    ])?;
    Change::archive(row).write(MoneyRow::answer)
}
