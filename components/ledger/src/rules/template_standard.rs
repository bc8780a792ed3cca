//! STANDARD: a small trading company, without headings.

use crate::records::role::AccountType::{self, Asset, Equity, Expense, Income, Liability};
use crate::rules::template::{Template, TemplateAccount, money};

const fn account(code: &'static str, name: &'static str, account_type: AccountType) -> TemplateAccount {
    TemplateAccount { code, name, account_type, parent: None, heading: false }
}

#[rustfmt::skip]
pub static STANDARD: Template = Template {
    accounts: &[
        account("1000", "Cash", Asset),
        account("1010", "Bank", Asset),
        account("1020", "Card clearing", Asset),
        account("1030", "Cheques to clear", Asset),
        account("1040", "Other money", Asset),
        account("1100", "Receivables", Asset),
        account("1150", "Supplier credits", Asset),
        account("1160", "Sales clearing", Asset),
        account("1200", "Inventory", Asset),
        account("2000", "Payables", Liability),
        account("2050", "Customer credits", Liability),
        account("2100", "Goods received not invoiced", Liability),
        account("2150", "Import charges", Liability),
        account("3000", "Capital", Equity),
        account("3100", "Results brought forward", Equity),
        account("3200", "Opening balances", Equity),
        account("4000", "Sales", Income),
        account("4100", "Sales credits", Income),
        account("5000", "Cost of goods sold", Expense),
        account("5100", "Purchases and services", Expense),
        account("5110", "Purchase variance", Expense),
        account("5120", "Purchase credits", Expense),
        account("5130", "Supplier returns", Expense),
        account("5200", "Inventory adjustments", Expense),
        account("5210", "Damaged goods", Expense),
        account("5220", "Lost goods", Expense),
        account("5300", "Cash over and short", Expense),
        account("5310", "Cash movements", Expense),
    ],
    money: money("Cash"),
};
