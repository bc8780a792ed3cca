//! STANDARD: a small trading company, without headings.

use crate::records::role::AccountType::{self, Asset, Equity, Expense, Income, Liability};
use crate::rules::template::{AccountGroup, Template};

const fn group(account_type: AccountType, accounts: &'static [(&'static str, &'static str)]) -> AccountGroup {
    AccountGroup { account_type, heading: None, accounts }
}

#[rustfmt::skip]
pub static STANDARD: Template = Template {
    groups: &[
        group(Asset, &[
            ("1100", "Receivables"), ("1150", "Supplier credits"), ("1160", "Sales clearing"), ("1200", "Inventory"),
        ]),
        group(Liability, &[
            ("2000", "Payables"), ("2050", "Customer credits"), ("2100", "Goods received not invoiced"),
            ("2150", "Import charges"),
        ]),
        group(Equity, &[("3000", "Capital"), ("3100", "Results brought forward"), ("3200", "Opening balances")]),
        group(Income, &[("4000", "Sales"), ("4100", "Sales credits")]),
        group(Expense, &[
            ("5000", "Cost of goods sold"), ("5100", "Purchases and services"), ("5110", "Purchase variance"),
            ("5120", "Purchase credits"), ("5130", "Supplier returns"), ("5200", "Inventory adjustments"),
            ("5210", "Damaged goods"), ("5220", "Lost goods"), ("5300", "Cash over and short"),
            ("5310", "Cash movements"),
        ]),
    ],
    money_heading: None,
    cash: "Cash",
    bank: "Bank",
};
