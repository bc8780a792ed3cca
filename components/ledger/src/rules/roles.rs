//! The posting roles: what the ledger demands of the account of each, and which role serves where one is unmapped.

use schemars::JsonSchema;
use serde::Serialize;

use crate::records::role::AccountType::{self, Asset, Equity, Expense, Income, Liability};
use crate::records::role::Role;

/// A posting role and the requirements for its account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostingRole {
    pub role: Role,
    // Number of its account, the same in every chart to begin with.
    #[serde(skip)]
    pub account: &'static str,
    /// The account of a control role serves this role only, rejects manual lines, and can be remapped only while its balance is
    /// zero.
    pub control: bool,
    pub types: &'static [AccountType],
    /// Role whose account is used if this one is unmapped; null for none.
    pub fallback: Option<Role>,
    pub description: &'static str,
}

const fn control(
    role: Role,
    account: &'static str,
    types: &'static [AccountType],
    description: &'static str,
) -> PostingRole {
    PostingRole { role, account, control: true, types, fallback: None, description }
}

const fn plain(
    role: Role,
    account: &'static str,
    types: &'static [AccountType],
    fallback: Option<Role>,
    description: &'static str,
) -> PostingRole {
    PostingRole { role, account, control: false, types, fallback, description }
}

#[rustfmt::skip]
pub static ROLES: [PostingRole; 21] = [
    control(Role::Receivable, "1100", &[Asset], "Customers' open invoices."),
    control(Role::SupplierCredit, "1150", &[Asset], "Unapplied payments to, and credits from, suppliers."),
    control(Role::SalesClearing, "1160", &[Asset, Liability],
        "Debit: delivered, not billed or collected; credit: billed, not delivered."),
    control(Role::Inventory, "1200", &[Asset], "Goods at cost."),
    control(Role::Payable, "2000", &[Liability], "Suppliers' open invoices."),
    control(Role::CustomerCredit, "2050", &[Liability], "Unapplied payments of customers, and recognised credits."),
    control(Role::GoodsReceivedNotInvoiced, "2100", &[Liability, Asset],
        "Credit: received, not billed; debit: billed, not received."),
    plain(Role::ImportCharges, "2150", &[Liability, Expense], None,
        "Charges in the cost of imported goods, until billed."),
    plain(Role::OpeningBalance, "3200", &[Equity], None, "Counterpart of what stood when the books were begun."),
    plain(Role::Revenue, "4000", &[Income], None, "Sales."),
    plain(Role::SalesCredits, "4100", &[Income, Expense], Some(Role::Revenue), "Credits granted to customers."),
    plain(Role::CostOfGoodsSold, "5000", &[Expense], None, "Cost of what was delivered."),
    plain(Role::PurchaseExpense, "5100", &[Expense], None, "Services, untracked lines, lines without an order."),
    plain(Role::PurchaseVariance, "5110", &[Expense, Income], Some(Role::PurchaseExpense),
        "Billed price against order cost."),
    plain(Role::PurchaseCredits, "5120", &[Income, Expense], Some(Role::PurchaseExpense),
        "Financial credits from suppliers."),
    plain(Role::SupplierReturns, "5130", &[Asset, Expense], Some(Role::PurchaseCredits),
        "Cost of goods sent back against credits for them."),
    plain(Role::InventoryAdjustment, "5200", &[Expense, Income, Equity], None, "Stock adjusted, in both directions."),
    plain(Role::InventoryDamage, "5210", &[Expense], Some(Role::InventoryAdjustment), "Goods damaged."),
    plain(Role::InventoryLoss, "5220", &[Expense], Some(Role::InventoryAdjustment), "Goods lost."),
    plain(Role::CashOverShort, "5300", &[Expense, Income], None, "Variance of a cash session, in both directions."),
    plain(Role::CashMovement, "5310", &[Asset, Liability, Equity, Income, Expense], None,
        "Movements of a till without a counter money account."),
];

impl Role {
    pub fn facts(self) -> &'static PostingRole {
        // In the order of the enumeration, so the position is the role's own; a test holds them together.
        &ROLES[self as usize % ROLES.len()]
    }

    /// The role of this name.
    pub fn of_name(name: &str) -> Option<Role> {
        ROLES.iter().map(|facts| facts.role).find(|role| role.as_str() == name)
    }

    /// The role and those that serve in its place, in order.
    pub fn with_fallbacks(self) -> impl Iterator<Item = Role> {
        std::iter::successors(Some(self), |role| role.facts().fallback)
    }
}

impl AccountType {
    /// Returns whether such accounts usually have a debit balance: assets and expenses.
    pub fn stands_in_debit(self) -> bool {
        matches!(self, Asset | Expense)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_is_where_it_belongs() {
        for (index, facts) in ROLES.iter().enumerate() {
            assert_eq!(facts.role as usize, index, "{}", facts.role.as_str());
            assert_eq!(Role::of_name(facts.role.as_str()), Some(facts.role));
            assert_eq!(facts.role.facts().role, facts.role);
        }
        assert_eq!(Role::of_name("inventory"), None);
        let chain: Vec<Role> = Role::SupplierReturns.with_fallbacks().collect();
        assert_eq!(chain, [Role::SupplierReturns, Role::PurchaseCredits, Role::PurchaseExpense]);
    }
}
