//! STANDARD: a small trading company, without headings.

use crate::records::role::AccountType::{self, Asset, Equity, Expense, Income, Liability};
use crate::records::role::{Method, MoneyKind, Role};
use crate::rules::template::{Template, TemplateAccount, TemplateMoney};

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
    roles: &[
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
    ],
    money: &[
        TemplateMoney { code: "CASH", name: "Cash", kind: MoneyKind::Cash, account: "1000", till: true, method: Method::Cash },
        TemplateMoney { code: "BANK", name: "Bank", kind: MoneyKind::Bank, account: "1010", till: false, method: Method::Transfer },
        TemplateMoney { code: "CARD", name: "Card clearing", kind: MoneyKind::Card, account: "1020", till: false, method: Method::Card },
        TemplateMoney { code: "CHECK", name: "Cheques to clear", kind: MoneyKind::Check, account: "1030", till: false, method: Method::Check },
        TemplateMoney { code: "OTHER", name: "Other money", kind: MoneyKind::Other, account: "1040", till: false, method: Method::Other },
    ],
};
