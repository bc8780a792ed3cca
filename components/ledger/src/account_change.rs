//! Creating, replacing and archiving accounts, alone with the books: a chart changes seldom, and whoever posts relies on it.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Failure, get, insert, lock, run, select, update};
use stoa_sdk::{Answer, Call, Id, Instant, Problem, Text, all, facts, item, map, view};

use crate::account::{self, AccountRow, answer};
use crate::balance::{self, Scope};
use crate::entity::{EntityRow, Status, books_lock};
use crate::mapping::RoleMappingRow;
use crate::money_account::MoneyRow;
use crate::refusal::{EmptyBody, changed, differs, fixed, illegal, illegal_state};
use crate::role::AccountType;
use crate::tree::{Node, Tree};

/// Accounts that an entity has at most, archived ones too.
const MOST_ACCOUNTS: usize = 2_000;

/// A new account.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AccountInput {
    /// Immutable.
    legal_entity_id: Id,
    /// Unique in its entity, archived accounts included; immutable.
    #[schemars(regex(pattern = account::CODE))]
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

view! {
    ChartNode of AccountRow { id: Id, account_type: AccountType, parent_id: Option<Id>, postable: bool, status: Status }
}
view! { MappedAccount of RoleMappingRow { id: Id } }
view! { MoneyId of MoneyRow { id: Id } }

fn tree(nodes: Vec<ChartNode>) -> Tree {
    Tree(map(nodes.into_iter().map(|node| {
        let parent = Node {
            parent: node.parent_id,
            account_type: node.account_type,
            postable: node.postable,
            active: node.status == Status::Active,
        };
        (node.id, parent)
    })))
}

/// Refuses a parent that does not exist; one of another entity exists.
fn parent_exists(tree: &Tree, parent: Option<Id>) -> Result<(), Problem> {
    match parent {
        Some(parent) if !tree.knows(parent) && run(get::<ChartNode>(parent))?.is_none() => {
            Err(Problem::reference_missing("/parentId"))
        }
        _ => Ok(()),
    }
}

/// Refuses a parent below which the account (none: a new one) cannot stand.
fn parent_fits(tree: &Tree, parent: Option<Id>, of: Option<Id>, account_type: AccountType) -> Result<(), Problem> {
    match parent {
        Some(parent) if !tree.takes(parent, of, account_type) => Err(Problem::reference_invalid("/parentId")),
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
    let tree = tree(chart.items);
    let owner = owner.ok_or_else(|| Problem::reference_missing("/legalEntityId"))?;
    parent_exists(&tree, input.parent_id)?;
    EntityRow::named(Some(owner), "/legalEntityId")?;
    parent_fits(&tree, input.parent_id, None, input.account_type)?;
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
        select::<MappedAccount>(RoleMappingRow::account_id.eq(id)).limit(1),
        select::<MoneyId>(MoneyRow::account_id.eq(id)).limit(1),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(id, row.version)?;
    let tree = tree(chart.items);
    parent_exists(&tree, input.parent_id)?;
    let row = unarchived(row)?;
    fixed(&[
        ("/legalEntityId", differs(input.legal_entity_id.as_ref(), &row.legal_entity_id)),
        ("/code", differs(input.code.as_ref(), &row.code)),
        ("/type", differs(input.account_type.as_ref(), &row.account_type)),
        ("/postable", row.used && input.postable != row.postable),
    ])?;
    if input.parent_id != row.parent_id {
        parent_fits(&tree, input.parent_id, Some(id), row.account_type)?;
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
    let members = changed([
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
        select::<MappedAccount>(RoleMappingRow::account_id.eq(id)).limit(1),
        select::<MoneyId>(money).limit(1),
        select::<ChartNode>(children).limit(1),
        balance::last_closed(entity, None),
    ))?;
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(id, row.version)?;
    let row = unarchived(row)?;
    let reasons = [
        ("MAPPED", !mapped.items.is_empty()),
        ("ACTIVE_MONEY_ACCOUNT", !money.items.is_empty()),
        ("ACTIVE_CHILDREN", !children.items.is_empty()),
        ("BALANCE_NOT_ZERO", balance::any_balance(&Scope::accounts(entity, vec![id]), balance::base(&base))?),
    ];
    let reasons: Vec<_> =
        reasons.into_iter().filter(|(_, holds)| *holds).map(|(code, _)| item("/path/id", code)).collect();
    if !reasons.is_empty() {
        return Err(illegal_state(reasons));
    }
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

fn unarchived(row: AccountRow) -> Result<AccountRow, Problem> {
    if row.status == Status::Archived { Err(Problem::archived()) } else { Ok(row) }
}
