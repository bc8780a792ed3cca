//! Ledger accounts: how they are kept, read and listed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{
    Answer, Call, Id, Instant, Limit, Page, Problem, Reply, Text, all, collection, contains, facts, new_id, paged, view,
};

use crate::entity::Status;
use crate::role::{AccountType, Role};

/// Of an account: as accountants number them.
pub const CODE: &str = "^[0-9A-Za-z][0-9A-Za-z._-]{0,31}$";

collection! {
    pub record AccountRow in "account" {
        legal_entity_id: Id,
        code: String,
        name: String,
        account_type: AccountType,
        parent_id: Option<Id>,
        postable: bool,
        // A line of the journal stands on it.
        used: bool,
        description: Option<String>,
        // The control role that it serves, kept beside the mapping so that one account has one.
        control_role: Option<Role>,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [legal_entity_id, code], control: [legal_entity_id, control_role] }
    index { [legal_entity_id, account_type, status], [parent_id] }
    search { text: [name, code] }
}

view! {
    /// What a report says of an account.
    pub AccountLabel of AccountRow { id: Id, code: String, name: String, account_type: AccountType }
}

view! {
    /// What decides whether an account may be posted to.
    pub Postability of AccountRow {
        id: Id, legal_entity_id: Id, account_type: AccountType, postable: bool, used: bool, control_role: Option<Role>,
        status: Status,
    }
}

/// An account of the chart.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    id: Id,
    tenant_id: Id,
    status: Status,
    archived_at: Option<Instant>,
    created_at: Instant,
    updated_at: Instant,
    legal_entity_id: Id,
    code: String,
    name: String,
    #[serde(rename = "type")]
    account_type: AccountType,
    parent_id: Option<Id>,
    postable: bool,
    description: Option<String>,
    /// The control role that it serves: no manual line may name it.
    control_role: Option<Role>,
}

impl Account {
    pub fn of(row: AccountRow, tenant: Id) -> Account {
        Account {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            legal_entity_id: row.legal_entity_id,
            code: row.code,
            name: row.name,
            account_type: row.account_type,
            parent_id: row.parent_id,
            postable: row.postable,
            description: row.description,
            control_role: row.control_role,
        }
    }
}

impl AccountRow {
    /// A new active account without description.
    pub fn new(entity: Id, code: &str, name: &str, account_type: AccountType) -> AccountRow {
        let now = Instant(facts().now);
        AccountRow {
            id: new_id(),
            version: 1,
            created_at: now,
            updated_at: now,
            legal_entity_id: entity,
            code: code.to_owned(),
            name: name.to_owned(),
            account_type,
            parent_id: None,
            postable: true,
            used: false,
            description: None,
            control_role: None,
            status: Status::Active,
            archived_at: None,
        }
    }
}

/// The whole record as an answer; audited under its entity.
pub fn answer(row: AccountRow) -> Reply {
    let (id, version, entity) = (row.id, row.version, row.legal_entity_id);
    Reply::json(&Account::of(row, facts().tenant.into())).of(id, version).subject(entity)
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
