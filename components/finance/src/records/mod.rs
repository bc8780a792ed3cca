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

use stoa_sdk::Entity;
use stoa_sdk::descriptor::Collection;
use stoa_trade::snapshot::SummedLinesRow;

/// Every collection of the module.
pub const COLLECTIONS: &[fn() -> Collection] = &[
    invoice::InvoiceRow::collection,
    invoice::InvoiceBalanceRow::collection,
    invoice_line::InvoiceLineRow::collection,
    unit_claim::UnitClaimRow::collection,
    payment::PaymentRow::collection,
    credit::CreditRow::collection,
    credit::CreditCostLineRow::collection,
    credit::CostCorrectionRow::collection,
    funds::FundsRow::collection,
    application::ApplicationRow::collection,
    refund::RefundRow::collection,
    supplier_return::SupplierReturnRow::collection,
    supplier_return::SupplierReturnLineRow::collection,
    supplier_return::ReturnProgressRow::collection,
    party_entry::PartyEntryRow::collection,
    revenue_line::RevenueLineRow::collection,
    money_move::MoneyMoveRow::collection,
    month_total::PartyTotalRow::collection,
    month_total::RevenueTotalRow::collection,
    month_total::MoneyTotalRow::collection,
    SummedLinesRow::collection,
    till::TillRow::collection,
    till::CollectionRow::collection,
];
