//! Parts of a chart of accounts to begin with.

use stoa_trade::payment_method::{METHODS, Method, MethodFacts};

use crate::records::role::AccountType;

/// A chart of accounts with the mappings and money accounts that let every covered operation post.
pub struct Template {
    /// In the order of their numbers, without the accounts of the payment methods.
    pub groups: &'static [AccountGroup],
    /// The heading above the accounts of the payment methods.
    pub money_heading: Option<&'static str>,
    /// The name of the till, and of its account.
    pub cash: &'static str,
    /// The name of the bank's account.
    pub bank: &'static str,
}

/// Accounts of one type that are listed together, each by its code and name.
pub struct AccountGroup {
    pub account_type: AccountType,
    pub heading: Option<Heading>,
    pub accounts: &'static [(&'static str, &'static str)],
}

/// The heading above the accounts of a group.
pub struct Heading {
    pub code: &'static str,
    pub name: &'static str,
    /// The heading above it.
    pub parent: Option<&'static str>,
}

impl Template {
    /// Every account in the order of their numbers, a heading before the accounts under it.
    pub fn accounts(&self) -> Vec<TemplateAccount> {
        let money = METHODS.iter().map(|facts| self.account_of_method(facts));
        let mut accounts: Vec<TemplateAccount> =
            self.groups.iter().flat_map(AccountGroup::accounts).chain(money).collect();
        accounts.sort_by_key(|account| account.code);
        accounts
    }

    /// The name of the money account of a method.
    pub fn money_name(&self, facts: &MethodFacts) -> &'static str {
        if facts.is_cash { self.cash } else { facts.money_account.name }
    }

    fn account_of_method(&self, facts: &MethodFacts) -> TemplateAccount {
        TemplateAccount {
            code: facts.money_account.account,
            name: if facts.method == Method::Transfer { self.bank } else { self.money_name(facts) },
            account_type: AccountType::Asset,
            parent: self.money_heading,
            heading: false,
        }
    }
}

impl AccountGroup {
    fn accounts(&self) -> impl Iterator<Item = TemplateAccount> {
        let account_type = self.account_type;
        let parent = self.heading.as_ref().map(|heading| heading.code);
        let heading = self.heading.as_ref().map(|&Heading { code, name, parent }| TemplateAccount {
            code,
            name,
            account_type,
            parent,
            heading: true,
        });
        let account = move |&(code, name): &(&'static str, &'static str)| TemplateAccount {
            code,
            name,
            account_type,
            parent,
            heading: false,
        };
        heading.into_iter().chain(self.accounts.iter().map(account))
    }
}

/// An account; a heading takes no lines.
pub struct TemplateAccount {
    pub code: &'static str,
    pub name: &'static str,
    pub account_type: AccountType,
    pub parent: Option<&'static str>,
    pub heading: bool,
}
