//! The ledger's services: one case per function, with its arguments in their order.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stoa_sdk::Problem;

use crate::Key;
use crate::bindings::commerce::ledger::{books, directory, money};

pub use books::{Amount, Cost, Leg, Party, PartyKind, Posting, RoleBalance, Side, Target, Terms};
pub use directory::{Branch, Entity};
pub use money::{Account, Flow, Usage};

/// A call, and what it answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Call {
    /// The entry's id, or none.
    Post(Posting),
    /// As many ids, or none.
    PostAll(Vec<Posting>),
    /// Ids of the mirrors.
    Mirror(Mirror),
    /// `Option<Terms>`.
    Admit(Key, Admission),
    /// Nothing.
    AdmitCosts(Key, Vec<Cost>),
    /// The day.
    Today,
    /// `Vec<RoleBalance>`.
    RoleBalances(Key, Vec<String>, Option<String>),
    /// Ids of the accounts that fit.
    LineAccounts(Key, Vec<Key>, Vec<String>),
    /// Nothing.
    Begin(Key, i64, String, u8),
    /// `Vec<Entity>`.
    Entities(Vec<Key>),
    /// `Option<Entity>`.
    FindEntity(String),
    /// `Option<Branch>`.
    FindBranch(Key, String),
    /// `Entity`; the pointers are `/legalEntityId` and `/branchId`.
    Require(Key, Option<Key>),
    /// Nothing.
    Hold { kind: String, holder: Key, entity: Key, branch: Option<Key>, money_account: Option<Key> },
    /// Nothing.
    Release(String, Key),
    /// `Vec<Option<Account>>`.
    Resolve(Key, Vec<Usage>),
    /// `Vec<Account>`.
    MoneyAccounts(Vec<Key>),
    /// `Vec<Flow>`.
    Flows(Key, String, String),
    /// No service: a document that is refused after it has posted.
    Fail,
}

/// The source that is mirrored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mirror {
    pub source_kind: String,
    pub source_id: Key,
    pub on: Option<String>,
    pub on_pointer: Option<String>,
    pub text: String,
}

/// The question to the books before anything is locked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Admission {
    pub currency_code: Option<String>,
    pub currency_pointer: Option<String>,
    pub roles: Vec<String>,
    pub amounts: Vec<Amount>,
}

impl From<Posting> for Call {
    fn from(posting: Posting) -> Call {
        Call::Post(posting)
    }
}

impl Call {
    /// Makes the call: a guest's part.
    pub fn make(&self) -> Result<Value, Problem> {
        Ok(match self {
            Call::Post(posting) => json!(books::post(posting)?),
            Call::PostAll(postings) => json!(books::post_all(postings)?),
            Call::Mirror(Mirror { source_kind, source_id, on, on_pointer, text }) => {
                json!(books::mirror(source_kind, *source_id, on.as_deref(), on_pointer.as_deref(), text)?)
            }
            Call::Admit(entity, Admission { currency_code, currency_pointer, roles, amounts }) => {
                let (code, pointer) = (currency_code.as_deref(), currency_pointer.as_deref());
                json!(books::admit(*entity, code, pointer, roles, amounts)?)
            }
            Call::AdmitCosts(entity, costs) => json!(books::admit_costs(*entity, costs)?),
            Call::Today => json!(books::today()),
            Call::RoleBalances(entity, roles, as_of) => json!(books::role_balances(*entity, roles, as_of.as_deref())?),
            Call::LineAccounts(entity, ids, types) => json!(books::line_accounts(*entity, ids, types)?),
            Call::Begin(entity, version, currency, scale) => json!(books::begin(*entity, *version, currency, *scale)?),
            Call::Entities(ids) => json!(directory::entities(ids)),
            Call::FindEntity(code) => json!(directory::find_entity(code)),
            Call::FindBranch(entity, code) => json!(directory::find_branch(*entity, code)),
            Call::Require(entity, branch) => {
                json!(directory::require(*entity, "/legalEntityId", *branch, "/branchId")?)
            }
            Call::Hold { kind, holder, entity, branch, money_account } => {
                json!(directory::hold(kind, *holder, *entity, *branch, *money_account)?)
            }
            Call::Release(kind, holder) => json!(directory::release(kind, *holder)?),
            Call::Resolve(entity, uses) => json!(money::resolve(*entity, uses)?),
            Call::MoneyAccounts(ids) => json!(money::get(ids)),
            Call::Flows(entity, since, until) => json!(money::flows(*entity, since, until)?),
            Call::Fail => return Err(Problem::illegal_state("/calls")),
        })
    }
}
