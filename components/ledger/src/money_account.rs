//! Money accounts: tills, bank accounts, cards; each is the face of one ledger account.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Id, Instant, Limit, Page, Problem, Reply, all, collection, facts, new_id, paged};

use crate::entity::Status;
use crate::role::{Method, MoneyKind};

collection! {
    pub record MoneyRow in "money_account" {
        legal_entity_id: Id,
        code: String,
        // Lower case: codes are unique in any case.
        code_key: String,
        name: String,
        kind: MoneyKind,
        till: bool,
        account_id: Id,
        branch_id: Option<Id>,
        reference: Option<String>,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [legal_entity_id, code_key], account: [account_id] }
    index { [legal_entity_id, kind, status] }
}

/// A money account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoneyAccount {
    id: Id,
    tenant_id: Id,
    status: Status,
    archived_at: Option<Instant>,
    created_at: Instant,
    updated_at: Instant,
    legal_entity_id: Id,
    code: String,
    name: String,
    kind: MoneyKind,
    account_id: Id,
    branch_id: Option<Id>,
    reference: Option<String>,
    /// Cash of a till: it leaves only by a cash session.
    till: bool,
}

impl MoneyAccount {
    fn of(row: MoneyRow, tenant: Id) -> MoneyAccount {
        MoneyAccount {
            id: row.id,
            tenant_id: tenant,
            status: row.status,
            archived_at: row.archived_at,
            created_at: row.created_at,
            updated_at: row.updated_at,
            legal_entity_id: row.legal_entity_id,
            code: row.code,
            name: row.name,
            kind: row.kind,
            account_id: row.account_id,
            branch_id: row.branch_id,
            reference: row.reference,
            till: row.till,
        }
    }
}

impl MoneyRow {
    /// A new active money account.
    pub fn new(entity: Id, code: &str, name: &str, kind: MoneyKind, account: Id) -> MoneyRow {
        let now = Instant(facts().now);
        MoneyRow {
            id: new_id(),
            version: 1,
            created_at: now,
            updated_at: now,
            legal_entity_id: entity,
            code: code.to_owned(),
            code_key: code.to_ascii_lowercase(),
            name: name.to_owned(),
            kind,
            till: false,
            account_id: account,
            branch_id: None,
            reference: None,
            status: Status::Active,
            archived_at: None,
        }
    }
}

/// The whole record as an answer; audited under its entity.
pub fn answer(row: MoneyRow) -> Reply {
    let (id, version, entity) = (row.id, row.version, row.legal_entity_id);
    Reply::json(&MoneyAccount::of(row, facts().tenant.into())).of(id, version).subject(entity)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListMoneyAccounts {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Option<Id>,
    kind: Option<MoneyKind>,
    /// Those of a kind that this method may use.
    method: Option<Method>,
    #[serde(default)]
    status: Status,
}

pub fn list(call: &Call) -> Answer {
    let query: ListMoneyAccounts = call.query()?;
    let optional = [
        query.legal_entity_id.map(|id| MoneyRow::legal_entity_id.eq(id)),
        query.kind.map(|kind| MoneyRow::kind.eq(kind)),
        query.method.map(|method| MoneyRow::kind.one_of(method.kinds().iter().copied())),
    ];
    let filter = all([MoneyRow::status.eq(query.status)].into_iter().chain(optional.into_iter().flatten()));
    let rows = paged(query.limit, |limit| run(select::<MoneyRow>(filter.clone()).after(query.cursor).limit(limit)))?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, |row| MoneyAccount::of(row, tenant))))
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?;
    row.map(answer).ok_or_else(Problem::not_found)
}
