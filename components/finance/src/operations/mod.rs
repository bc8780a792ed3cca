//! The operations of finance, a noun a file.

mod application;
mod body;
mod books;
mod credit;
mod document_list;
mod invoice;
mod payment;
mod refund;
mod report;
mod row;
mod supplier_return;

use stoa_sdk::Operation;

/// All of them.
pub const TABLES: &[&[Operation]] = &[
    invoice::SALES_OPERATIONS,
    invoice::PURCHASE_OPERATIONS,
    payment::SALES_OPERATIONS,
    payment::PURCHASE_OPERATIONS,
    application::OPERATIONS,
    credit::SALES_OPERATIONS,
    credit::PURCHASE_OPERATIONS,
    refund::OPERATIONS,
    supplier_return::OPERATIONS,
    books::OPERATIONS,
    report::party::OPERATIONS,
    report::ageing::OPERATIONS,
    report::settlement::OPERATIONS,
    report::revenue::OPERATIONS,
    report::cash::OPERATIONS,
    report::goods::OPERATIONS,
    report::reconciliation::OPERATIONS,
];
