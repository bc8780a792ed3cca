//! Records of finance: documents of both sides, the projections and ledgers that follow from them, and the money of tills.

pub mod application;
pub mod credit;
pub mod funds;
pub mod invoice;
pub mod invoice_line;
pub mod known_unit;
pub mod money_move;
pub mod month_total;
pub mod party_entry;
pub mod payment;
pub mod permission;
pub mod receipt;
pub mod refund;
pub mod revenue_line;
pub mod side;
pub mod supplier_return;
pub mod till;
pub mod unit_claim;

use stoa_sdk::collections;
use stoa_sdk::descriptor::Collection;
use stoa_trade::snapshot::SummedLinesRow;

/// Every collection of the module.
pub const COLLECTIONS: &[fn() -> Collection] = collections! {
    invoice::InvoiceRow, invoice::InvoiceBalanceRow, invoice_line::InvoiceLineRow, unit_claim::UnitClaimRow,
    payment::PaymentRow, credit::CreditRow, credit::CreditLineRow, credit::CreditedLineRow, credit::CreditCostLineRow,
    credit::CostCorrectionRow, funds::FundsRow,
    application::ApplicationRow, refund::RefundRow, supplier_return::SupplierReturnRow,
    supplier_return::SupplierReturnLineRow, supplier_return::ReturnProgressRow, party_entry::PartyEntryRow,
    revenue_line::RevenueLineRow, money_move::MoneyMoveRow, month_total::PartyTotalRow, month_total::RevenueTotalRow,
    month_total::MoneyTotalRow, SummedLinesRow, till::TillRow, till::CollectionRow,
};
