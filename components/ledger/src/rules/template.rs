//! What a chart of accounts to begin with consists of.

use crate::records::role::{AccountType, Method, MoneyKind, Role};

/// A chart of accounts with the mappings and money accounts that let every covered operation post.
pub struct Template {
    pub accounts: &'static [TemplateAccount],
    pub roles: &'static [(Role, &'static str)],
    pub money: &'static [TemplateMoney],
}

/// An account; a heading takes no lines.
pub struct TemplateAccount {
    pub code: &'static str,
    pub name: &'static str,
    pub account_type: AccountType,
    pub parent: Option<&'static str>,
    pub heading: bool,
}

/// A money account, the ledger account it stands for, and the method that it is mapped to.
pub struct TemplateMoney {
    pub code: &'static str,
    pub name: &'static str,
    pub kind: MoneyKind,
    pub account: &'static str,
    pub till: bool,
    pub method: Method,
}
