//! Accounts of the chart: creating, replacing and archiving them alone with the books, since whoever posts relies on them.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Failure, get, insert, lock, run, select, update};
use stoa_sdk::{Answer, Call, Id, Instant, Limit, Operation, Page, Problem, Reply, Text, all, contains, facts, paged};

use crate::operations::access::SETTINGS;
use crate::records::account::{ACCOUNT, ACCOUNT_CODE, Account, AccountRow, ChartNode, answer};
use crate::records::entity::EntityRow;
use crate::records::mapping::{RoleMappingId, RoleMappingRow};
use crate::records::money_account::{MoneyId, MoneyRow};
use crate::records::role::AccountType;
use crate::records::status::Status;
use crate::rules::books::books_lock;
use crate::rules::refusal::{EmptyBody, check_fixed, differs, illegal, list_changed, refuse_while};
use crate::rules::tree::Tree;
use crate::work::balance::{self, Base, Scope};

const ACCOUNTS_AT: &str = "/tenants/{tenantId}/ledger/accounts";
const ACCOUNT_AT: &str = "/tenants/{tenantId}/ledger/accounts/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(ACCOUNTS_AT, "listAccounts", list).summary("Accounts of a legal entity")
        .for_members().query::<ListAccounts>().answers::<Page<Account>>(),
    Operation::create(ACCOUNTS_AT, "createAccount", create).summary("Create an account")
        .description("At most 2000 in an entity. A chart may be prepared before books are kept.")
        .needs(SETTINGS).body::<AccountInput>().answers::<Account>()
        .writes(ACCOUNT, &[]).problems(&["DUPLICATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    Operation::read(ACCOUNT_AT, "getAccount", read).summary("An account").for_members().answers::<Account>(),
    Operation::replace(ACCOUNT_AT, "replaceAccount", replace).summary("Replace an account")
        .description("`postable` is fixed once a line stands on the account; AN OMITTED `postable` IS TRUE.")
        .needs(SETTINGS).body::<AccountChange>().answers::<Account>()
        .writes(ACCOUNT, &[]).problems(&["ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE"]),
    Operation::transition("/tenants/{tenantId}/ledger/accounts/{id}/archive", "archiveAccount", archive)
        .summary("Archive an account")
        .description("Not while it is mapped, stands under an active money account, has active accounts below it or a balance.")
        .needs(SETTINGS).body::<EmptyBody>().answers::<Account>()
        .writes(ACCOUNT, &[]).problems(&["ARCHIVED", "ILLEGAL_STATE", "LIMIT_EXCEEDED"]),
];

/// Accounts that an entity has at most, archived ones too.
const MOST_ACCOUNTS: usize = 2_000;

/// A new account.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccountInput {
    /// Immutable.
    legal_entity_id: Id,
    /// Unique in its entity, archived accounts included; immutable.
    #[schemars(regex(pattern = ACCOUNT_CODE))]
    code: String,
    name: Text<1, 200>,
    /// Immutable.
    #[serde(rename = "type")]
    account_type: AccountType,
    /// A heading: an active account of the same type that is not postable, at most 4 below the top.
    #[serde(default)]
    parent_id: Option<Id>,
    /// Whether lines may stand on it; immutable once one does.
    #[serde(default = "yes")]
    postable: bool,
    #[serde(default)]
    description: Option<Text<0, 2000>>,
}

/// The members of an account that may change; others may be stated if they are the stored ones. AN OMITTED `postable` IS TRUE.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccountChange {
    name: Text<1, 200>,
    #[serde(default)]
    parent_id: Option<Id>,
    #[serde(default = "yes")]
    postable: bool,
    #[serde(default)]
    description: Option<Text<0, 2000>>,
    #[serde(default)]
    legal_entity_id: Option<Id>,
    #[serde(default)]
    #[schemars(length(max = 32))]
    code: Option<String>,
    #[serde(default, rename = "type")]
    account_type: Option<AccountType>,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListAccounts {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Id,
    #[serde(rename = "type")]
    account_type: Option<AccountType>,
    #[serde(default)]
    status: Status,
    postable: Option<bool>,
    /// Part of a name or code, in any case.
    text: Option<Text<1, 200>>,
}

pub fn list(call: &Call) -> Answer {
    let query: ListAccounts = call.query()?;
    let optional = [
        query.account_type.map(|of| AccountRow::account_type.eq(of)),
        query.postable.map(|postable| AccountRow::postable.eq(postable)),
        query.text.as_deref().map(|text| contains("text", text)),
    ];
    let required = [AccountRow::legal_entity_id.eq(query.legal_entity_id), AccountRow::status.eq(query.status)];
    let filter = all(required.into_iter().chain(optional.into_iter().flatten()));
    let rows = paged(query.limit, |limit| run(select::<AccountRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| Account::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?;
    row.map(answer).ok_or_else(Problem::not_found)
}

/// Refuses a parent that does not exist; one of another entity exists.
fn check_parent_exists(tree: &Tree, parent: Option<Id>) -> Result<(), Problem> {
    match parent {
        Some(parent) if !tree.knows(parent) && run(get::<ChartNode>(parent))?.is_none() => {
            Err(Problem::reference_missing("/parentId"))
        }
        _ => Ok(()),
    }
}

pub fn create(call: &Call) -> Answer {
    let input: AccountInput = call.body()?;
    let entity = input.legal_entity_id;
    let (_, owner, chart) = run((
        lock(books_lock(entity)),
        get::<EntityRow>(entity),
        select::<ChartNode>(AccountRow::legal_entity_id.eq(entity)),
    ))?;
    let count = chart.items.len();
    let tree = Tree::of(chart.items);
    let owner = owner.ok_or_else(|| Problem::reference_missing("/legalEntityId"))?;
    check_parent_exists(&tree, input.parent_id)?;
    EntityRow::require_active(Some(owner), "/legalEntityId")?;
    tree.check_parent(input.parent_id, None, input.account_type)?;
    if count >= MOST_ACCOUNTS {
        return Err(Problem::limit_exceeded());
    }
    let row = AccountRow {
        parent_id: input.parent_id,
        postable: input.postable,
        description: input.description.map(String::from),
        ..AccountRow::new(entity, &input.code, &input.name, input.account_type)
    };
    run(insert([&row])).map_err(|failure| match failure {
        Failure::Duplicate(_) => Problem::duplicate("/code"),
        other => other.into(),
    })?;
    Ok(answer(row))
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: AccountChange = call.body()?;
    let row: AccountRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let entity = row.legal_entity_id;
    let (_, row, chart, mapped, money) = run((
        lock(books_lock(entity)),
        get::<AccountRow>(id).locked(),
        select::<ChartNode>(AccountRow::legal_entity_id.eq(entity)),
        select::<RoleMappingId>(RoleMappingRow::account_id.eq(id)).limit(1),
        select::<MoneyId>(MoneyRow::account_id.eq(id)).limit(1),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(id, row.version)?;
    let tree = Tree::of(chart.items);
    check_parent_exists(&tree, input.parent_id)?;
    let row = refuse_archived(row)?;
    check_fixed(&[
        ("/legalEntityId", differs(input.legal_entity_id.as_ref(), &row.legal_entity_id)),
        ("/code", differs(input.code.as_ref(), &row.code)),
        ("/type", differs(input.account_type.as_ref(), &row.account_type)),
        ("/postable", row.used && input.postable != row.postable),
    ])?;
    if input.parent_id != row.parent_id {
        tree.check_parent(input.parent_id, Some(id), row.account_type)?;
    }
    if input.postable && !row.postable && tree.has_children(id) {
        return Err(illegal("/postable", "HAS_CHILDREN"));
    }
    if !input.postable && (!mapped.items.is_empty() || !money.items.is_empty()) {
        return Err(illegal("/postable", "MAPPED"));
    }
    let after = AccountRow {
        name: input.name.into(),
        parent_id: input.parent_id,
        postable: input.postable,
        description: input.description.map(String::from),
        updated_at: Instant(facts().now),
        version: row.version + 1,
        ..row.clone()
    };
    run(update::<AccountRow>(id)
        .set(AccountRow::name, &after.name)
        .set(AccountRow::parent_id, &after.parent_id)
        .set(AccountRow::postable, &after.postable)
        .set(AccountRow::description, &after.description))?;
    let members = list_changed([
        ("name", row.name != after.name),
        ("parentId", row.parent_id != after.parent_id),
        ("postable", row.postable != after.postable),
        ("description", row.description != after.description),
    ]);
    Ok(answer(after).changed(members))
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let row: AccountRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let entity = row.legal_entity_id;
    let money = all([MoneyRow::account_id.eq(id), MoneyRow::status.eq(Status::Active)]);
    let children = all([AccountRow::parent_id.eq(id), AccountRow::status.eq(Status::Active)]);
    let (_, row, mapped, money, children, base) = run((
        lock(books_lock(entity)),
        get::<AccountRow>(id).locked(),
        select::<RoleMappingId>(RoleMappingRow::account_id.eq(id)).limit(1),
        select::<MoneyId>(money).limit(1),
        select::<ChartNode>(children).limit(1),
        balance::select_last_closed(entity, None),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(id, row.version)?;
    let row = refuse_archived(row)?;
    refuse_while(&[
        ("MAPPED", !mapped.items.is_empty()),
        ("ACTIVE_MONEY_ACCOUNT", !money.items.is_empty()),
        ("ACTIVE_CHILDREN", !children.items.is_empty()),
        ("BALANCE_NOT_ZERO", balance::any_balance(&Scope::accounts(entity, vec![id]), Base::of(&base))?),
    ])?;
    let now = Instant(facts().now);
    let after = AccountRow {
        status: Status::Archived,
        archived_at: Some(now),
        updated_at: now,
        version: row.version + 1,
        ..row
    };
    run(update::<AccountRow>(id)
        .set(AccountRow::status, &after.status)
        .set(AccountRow::archived_at, &after.archived_at))?;
    Ok(answer(after).changed(vec!["status", "archivedAt"]))
}

fn refuse_archived(row: AccountRow) -> Result<AccountRow, Problem> {
    if row.status == Status::Archived { Err(Problem::archived()) } else { Ok(row) }
}
