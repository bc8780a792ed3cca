//! Accounts of the chart: creating, replacing and archiving them with the books locked, since postings rely on them.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{get, lock, run, select};
use stoa_sdk::{Answer, Call, Field, Id, Instant, Operation, Page, Problem, Text, all};
use stoa_trade::change::{find_fixed, refuse_immutable};
use stoa_trade::document::number::insert_unless_taken;
use stoa_trade::lists::{answer_page, changed_since, mentions};
use stoa_trade::refusal::illegal;
use stoa_trade::taken::find_taken;
use stoa_trade::{Change, EmptyBody, Status, list_query, require_unarchived, usable, writable};

use crate::records::account::{ACCOUNT, ACCOUNT_CODE, Account, AccountId, AccountRow, ChartNode};
use crate::records::entity::EntityRow;
use crate::records::mapping::{RoleMappingId, RoleMappingRow};
use crate::records::money_account::{MoneyId, MoneyRow};
use crate::records::permission::SETTINGS;
use crate::records::role::AccountType;
use crate::rules::books::books_lock;
use crate::rules::refusal::refuse_while;
use crate::rules::tree::Tree;
use crate::work::balance::{self, Scope};

const ACCOUNTS_AT: &str = "/ledger/accounts";
const ACCOUNT_AT: &str = "/ledger/accounts/{id}";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read(ACCOUNTS_AT, "listAccounts", list).summary("Accounts of a legal entity")
        .for_members().query::<ListAccounts>().answers::<Page<Account>>(),
    Operation::create(ACCOUNTS_AT, "createAccount", create).summary("Create an account")
        .description("At most 2,000 accounts in a legal entity. You may prepare a chart before books are kept.")
        .needs(SETTINGS).body::<AccountInput>().answers::<Account>()
        .writes(ACCOUNT, &[]).problems(&["DUPLICATE", "REFERENCE_INVALID", "LIMIT_EXCEEDED"]),
    Operation::read(ACCOUNT_AT, "getAccount", read).summary("An account").for_members().answers::<Account>(),
    Operation::replace(ACCOUNT_AT, "replaceAccount", replace).summary("Replace an account")
        .description("`postable` cannot change once the account has a line. Caution: an omitted `postable` is true.")
        .needs(SETTINGS).body::<AccountChange>().answers::<Account>()
        .writes(ACCOUNT, &[]).problems(&["ARCHIVED", "IMMUTABLE_FIELD", "REFERENCE_INVALID", "ILLEGAL_STATE"])
        .item_codes(&["HAS_CHILDREN", "MAPPED"]),
    Operation::transition("/ledger/accounts/{id}/archive", "archiveAccount", archive)
        .summary("Archive an account")
        .description("Rejected while the account is mapped, belongs to an active money account, has active child accounts or \
            has a balance.")
        .needs(SETTINGS).body::<EmptyBody>().answers::<Account>()
        .writes(ACCOUNT, &[]).problems(&["ARCHIVED", "ILLEGAL_STATE", "LIMIT_EXCEEDED"])
        .item_codes(&["ACTIVE_CHILDREN", "ACTIVE_MONEY_ACCOUNT", "BALANCE_NOT_ZERO", "MAPPED"]),
];

/// Accounts that an entity has at most, archived ones too.
const MOST_ACCOUNTS: usize = 2_000;

/// A new account.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccountInput {
    /// Immutable.
    legal_entity_id: Id,
    /// Unique in its legal entity, archived accounts included. Immutable.
    #[schemars(regex(pattern = ACCOUNT_CODE))]
    code: String,
    name: Text<1, 200>,
    /// Immutable.
    #[serde(rename = "type")]
    account_type: AccountType,
    /// Heading above the account: active, of the same type and not postable. At most 4 levels above the account.
    parent_id: Option<Id>,
    /// True if entries may post lines to it. Immutable once a line exists.
    #[serde(default = "yes")]
    postable: bool,
    description: Option<Text<0, 2000>>,
}

/// Members of an account that may change; any other member must have its current value. An omitted `postable` is true.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccountChange {
    name: Text<1, 200>,
    parent_id: Option<Id>,
    #[serde(default = "yes")]
    postable: bool,
    description: Option<Text<0, 2000>>,
    legal_entity_id: Option<Id>,
    #[schemars(length(max = 32))]
    code: Option<String>,
    #[serde(default, rename = "type")]
    account_type: Option<AccountType>,
}

fn yes() -> bool {
    true
}

list_query! {
    pub struct ListAccounts of AccountRow {
        legal_entity_id: Id = AccountRow::legal_entity_id.eq(legal_entity_id),
        #[serde(rename = "type")]
        account_type: Option<AccountType>,
        /// ARCHIVED records are immutable and keep their codes reserved.
        #[serde(default)]
        status: Status = AccountRow::status.eq(status),
        postable: Option<bool>,
        /// Only records whose name or code contains the text, ignoring case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(AccountRow::updated_at, updated_since),
    }
}

pub fn list(call: &Call) -> Answer {
    answer_page(call.query::<ListAccounts>()?.page([])?, |row| row.id, |row| Account::from_row(&row))
}

pub fn read(call: &Call) -> Answer {
    run(get::<AccountRow>(call.path_id("id")?))?.map(|row| row.answer()).ok_or_else(Problem::not_found)
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
        select::<ChartNode>(AccountRow::legal_entity_id.eq(entity)).whole(),
    ))?;
    let count = chart.len();
    let tree = Tree::new(chart);
    let owner = owner.ok_or_else(|| Problem::reference_missing("/legalEntityId"))?;
    check_parent_exists(&tree, input.parent_id)?;
    usable(Some(owner), "/legalEntityId")?;
    tree.check_parent(input.parent_id, None, input.account_type)?;
    if count >= MOST_ACCOUNTS {
        return Err(Problem::limit_exceeded("", MOST_ACCOUNTS, "ACCOUNTS"));
    }
    let row = AccountRow {
        parent_id: input.parent_id,
        postable: input.postable,
        description: input.description.map(String::from),
        ..AccountRow::new(entity, &input.code, &input.name, input.account_type)
    };
    if !insert_unless_taken(&row)? {
        return Err(find_taken::<AccountRow>("code", vec![row.legal_entity_id.put(), row.code.put()], "/code", &[])?);
    }
    Ok(row.answer())
}

pub fn replace(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let input: AccountChange = call.body()?;
    let row: AccountRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let entity = row.legal_entity_id;
    let (_, row, chart, mapping, money) = run((
        lock(books_lock(entity)),
        get::<AccountRow>(id).locked(),
        select::<ChartNode>(AccountRow::legal_entity_id.eq(entity)).whole(),
        select::<RoleMappingId>(RoleMappingRow::account_id.eq(id)).first(),
        select::<MoneyId>(MoneyRow::account_id.eq(id)).first(),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(id, row.version)?;
    let tree = Tree::new(chart);
    check_parent_exists(&tree, input.parent_id)?;
    let row = require_unarchived(row)?;
    let after = AccountRow {
        legal_entity_id: input.legal_entity_id.unwrap_or(entity),
        code: input.code.unwrap_or_else(|| row.code.clone()),
        account_type: input.account_type.unwrap_or(row.account_type),
        name: input.name.into(),
        parent_id: input.parent_id,
        postable: input.postable,
        description: input.description.map(String::from),
        ..row.clone()
    };
    // `postable` is fixed too once a line is posted to the account.
    let fixed: &[&str] = if row.used { &[AccountRow::postable.name()] } else { &[] };
    refuse_immutable(find_fixed(&row, &after, fixed))?;
    let change = Change::new(&row, after)?;
    if input.parent_id != row.parent_id {
        tree.check_parent(input.parent_id, Some(id), row.account_type)?;
    }
    if input.postable && !row.postable && tree.has_children(id) {
        return Err(illegal("/postable", "HAS_CHILDREN"));
    }
    if !input.postable && (mapping.is_some() || money.is_some()) {
        return Err(illegal("/postable", "MAPPED"));
    }
    change.write(AccountRow::answer)
}

pub fn archive(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let EmptyBody {} = call.body()?;
    let row: AccountRow = run(get(id))?.ok_or_else(Problem::not_found)?;
    let entity = row.legal_entity_id;
    let money = all([MoneyRow::account_id.eq(id), MoneyRow::status.eq(Status::Active)]);
    let children = all([AccountRow::parent_id.eq(id), AccountRow::status.eq(Status::Active)]);
    let (_, row, mapping, money, child) = run((
        lock(books_lock(entity)),
        get::<AccountRow>(id).locked(),
        select::<RoleMappingId>(RoleMappingRow::account_id.eq(id)).first(),
        select::<MoneyId>(money).first(),
        select::<AccountId>(children).first(),
    ))?;
    let row = writable(call, row)?;
    refuse_while(&[
        ("MAPPED", mapping.is_some()),
        ("ACTIVE_MONEY_ACCOUNT", money.is_some()),
        ("ACTIVE_CHILDREN", child.is_some()),
        ("BALANCE_NOT_ZERO", balance::any_balance(&Scope::accounts(entity, vec![id]))?),
    ])?;
    Change::archive(row).write(AccountRow::answer)
}
