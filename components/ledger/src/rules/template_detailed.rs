//! DETAILED: a trading company with headings, fixed assets, loans, staff and the usual running costs.

use crate::records::role::AccountType::{self, Asset, Equity, Expense, Income, Liability};
use crate::rules::template::{AccountGroup, Heading, Template};

/// A heading at the top.
const fn top(
    account_type: AccountType,
    code: &'static str,
    name: &'static str,
    accounts: &'static [(&'static str, &'static str)],
) -> AccountGroup {
    AccountGroup { account_type, heading: Some(Heading { code, name, parent: None }), accounts }
}

/// A heading below a heading.
const fn below(
    parent: &'static str,
    account_type: AccountType,
    code: &'static str,
    name: &'static str,
    accounts: &'static [(&'static str, &'static str)],
) -> AccountGroup {
    AccountGroup { account_type, heading: Some(Heading { code, name, parent: Some(parent) }), accounts }
}

#[rustfmt::skip]
pub static DETAILED: Template = Template {
    groups: &[
        top(Asset, "1", "Assets", &[]),
        below("1", Asset, "10", "Money", &[
            ("1005", "Safe"), ("1015", "Bank, savings"), ("1050", "Money in transit"),
        ]),
        below("1", Asset, "11", "Claims", &[
            ("1100", "Receivables from customers"), ("1150", "Supplier credits"), ("1160", "Sales clearing"),
            ("1170", "Staff advances"), ("1180", "Deposits paid"), ("1190", "Taxes to be recovered"),
        ]),
        below("1", Asset, "12", "Goods", &[("1200", "Inventory")]),
        below("1", Asset, "13", "Prepayments", &[("1300", "Prepaid expenses")]),
        below("1", Asset, "15", "Fixed assets", &[
            ("1500", "Buildings and leasehold improvements"), ("1510", "Shop fittings and furniture"),
            ("1520", "Vehicles"), ("1530", "Computers and software"), ("1590", "Accumulated depreciation"),
        ]),
        top(Liability, "2", "Liabilities", &[]),
        below("2", Liability, "20", "Trade", &[
            ("2000", "Payables to suppliers"), ("2050", "Customer credits"), ("2100", "Goods received not invoiced"),
            ("2150", "Import charges to be billed"), ("2160", "Deposits received"), ("2170", "Gift cards"),
        ]),
        below("2", Liability, "22", "Staff and taxes", &[
            ("2200", "Salaries payable"), ("2210", "Social security payable"), ("2220", "Payroll taxes payable"),
            ("2230", "Sales taxes payable"), ("2240", "Income taxes payable"),
        ]),
        below("2", Liability, "24", "Finance", &[
            ("2400", "Bank overdraft"), ("2410", "Company credit cards"), ("2450", "Short-term loans"),
            ("2460", "Long-term loans"), ("2470", "Loans from owners"),
        ]),
        below("2", Liability, "25", "Accruals", &[("2500", "Accrued expenses")]),
        top(Equity, "3", "Equity", &[
            ("3000", "Capital"), ("3050", "Drawings of owners"), ("3100", "Results brought forward"),
            ("3150", "Reserves"), ("3200", "Opening balances"),
        ]),
        top(Income, "4", "Income", &[]),
        below("4", Income, "40", "Sales", &[
            ("4000", "Sales of goods"), ("4010", "Sales of services"), ("4100", "Sales credits"),
        ]),
        below("4", Income, "45", "Other income", &[
            ("4500", "Delivery charged to customers"), ("4510", "Rent received"), ("4520", "Interest received"),
            ("4590", "Sundry income"),
        ]),
        top(Expense, "5", "Cost of sales", &[
            ("5000", "Cost of goods sold"), ("5100", "Purchases and services"), ("5110", "Purchase variance"),
            ("5120", "Purchase credits"), ("5130", "Supplier returns"), ("5140", "Freight and packing"),
        ]),
        below("5", Expense, "52", "Stock differences", &[
            ("5200", "Inventory adjustments"), ("5210", "Damaged goods"), ("5220", "Lost goods"),
        ]),
        below("5", Expense, "53", "Till differences", &[("5300", "Cash over and short"), ("5310", "Cash movements")]),
        top(Expense, "6", "Running costs", &[]),
        below("6", Expense, "60", "Staff", &[
            ("6000", "Salaries and wages"), ("6010", "Social security"), ("6020", "Training and travel"),
        ]),
        below("6", Expense, "61", "Premises", &[
            ("6100", "Rent"), ("6110", "Electricity, water, heating"), ("6120", "Cleaning and repairs"),
        ]),
        below("6", Expense, "62", "Selling", &[
            ("6200", "Advertising"), ("6210", "Card and payment charges"), ("6220", "Delivery to customers"),
            ("6230", "Bad debts"),
        ]),
        below("6", Expense, "63", "Office", &[
            ("6300", "Office supplies"), ("6310", "Telephone and internet"), ("6320", "Software and subscriptions"),
            ("6330", "Insurance"), ("6340", "Accounting and legal advice"),
        ]),
        below("6", Expense, "64", "Vehicles", &[("6400", "Fuel and repairs")]),
        below("6", Expense, "66", "Depreciation", &[("6600", "Depreciation of fixed assets")]),
        top(Expense, "7", "Finance and taxes", &[
            ("7000", "Interest paid"), ("7010", "Bank charges"), ("7100", "Taxes and fees"), ("7200", "Income tax"),
            ("7900", "Sundry expenses"),
        ]),
    ],
    money_heading: Some("10"),
    cash: "Cash in tills",
    bank: "Bank, current account",
};
