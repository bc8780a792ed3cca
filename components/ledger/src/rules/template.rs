//! Parts of a chart of accounts to begin with.

use crate::records::role::{AccountType, Method, MoneyKind, Role};

/// A chart of accounts with the mappings and money accounts that let every covered operation post.
pub struct Template {
    /// In the order of their numbers.
    pub groups: &'static [AccountGroup],
    pub money: [TemplateMoney; 5],
}

/// Accounts of one type that stand together, each by its code and name.
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
    /// Every account, a heading before what stands under it.
    pub fn accounts(&self) -> impl Iterator<Item = TemplateAccount> {
        self.groups.iter().flat_map(AccountGroup::accounts)
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

/// A money account, the ledger account it stands for, and the method that it is mapped to.
pub struct TemplateMoney {
    pub code: &'static str,
    pub name: &'static str,
    pub kind: MoneyKind,
    pub account: &'static str,
    pub till: bool,
    pub method: Method,
}

/// The account of each role, which every chart has under the same number.
#[rustfmt::skip]
pub static ROLE_ACCOUNTS: [(Role, &str); 21] = [
    (Role::Receivable, "1100"),
    (Role::SupplierCredit, "1150"),
    (Role::SalesClearing, "1160"),
    (Role::Inventory, "1200"),
    (Role::Payable, "2000"),
    (Role::CustomerCredit, "2050"),
    (Role::GoodsReceivedNotInvoiced, "2100"),
    (Role::ImportCharges, "2150"),
    (Role::OpeningBalance, "3200"),
    (Role::Revenue, "4000"),
    (Role::SalesCredits, "4100"),
    (Role::CostOfGoodsSold, "5000"),
    (Role::PurchaseExpense, "5100"),
    (Role::PurchaseVariance, "5110"),
    (Role::PurchaseCredits, "5120"),
    (Role::SupplierReturns, "5130"),
    (Role::InventoryAdjustment, "5200"),
    (Role::InventoryDamage, "5210"),
    (Role::InventoryLoss, "5220"),
    (Role::CashOverShort, "5300"),
    (Role::CashMovement, "5310"),
];

const fn account_of(
    method: Method,
    kind: MoneyKind,
    code: &'static str,
    name: &'static str,
    account: &'static str,
) -> TemplateMoney {
    TemplateMoney { code, name, kind, account, till: matches!(kind, MoneyKind::Cash), method }
}

/// A money account for each method; every chart has the accounts below them under the same numbers. `cash`: what the chart calls
/// the till.
pub const fn money(cash: &'static str) -> [TemplateMoney; 5] {
    [
        account_of(Method::Cash, MoneyKind::Cash, "CASH", cash, "1000"),
        account_of(Method::Transfer, MoneyKind::Bank, "BANK", "Bank", "1010"),
        account_of(Method::Card, MoneyKind::Card, "CARD", "Card clearing", "1020"),
        account_of(Method::Check, MoneyKind::Check, "CHECK", "Cheques to clear", "1030"),
        account_of(Method::Other, MoneyKind::Other, "OTHER", "Other money", "1040"),
    ]
}
