//! Finance: invoices, payments, credits and refunds of both sides, what goes back to suppliers, and the money of tills.

mod bindings;
mod examples;
mod item_codes;
mod operations;
mod records;
mod rules;
mod services;
#[cfg(test)]
mod tests;
mod verify;
mod work;

use stoa_sdk::{Hints, ListHint, Manifest, Module, Problem, ReferenceHint};

/// The module.
pub struct Finance;

impl Module for Finance {
    const MANIFEST: Manifest = Manifest {
        operations: operations::TABLES,
        collections: records::COLLECTIONS,
        problems: &[
            (
                "AMOUNT_PRECISION",
                409,
                "A total has more than 6 decimals or 12 integer digits, or cash is not a multiple of the smallest coin. Change the amounts.",
            ),
            (
                "FULFILMENT_REQUIRED",
                409,
                "A serialized line has no order: confirm the invoice together with its goods.",
            ),
            (
                "FULFILMENT_INCOMPLETE",
                409,
                "A serialized line bills units that are not available, or a different number of units. Correct its units.",
            ),
            (
                "CASH_SESSION_REQUIRED",
                409,
                "Cash leaves a till, or returns to it, only through an open session of that till. Open a session and state its id.",
            ),
        ],
        verify: verify::verify,
        services: services::ACCESS,
        words: stoa_trade::WORDS,
        item_codes: item_codes::ITEM_CODES,
        examples: examples::EXAMPLES,
        console: HINTS,
        ..Manifest::new(
            "finance",
            env!("CARGO_PKG_VERSION"),
            "Invoices, payments, credits, refunds and supplier returns.",
        )
    };

    fn upgrade(_from_version: &str, cursor: Option<String>) -> Result<Option<String>, Problem> {
        work::month_totals::upgrade(cursor)
    }
}

/// How the console names, groups and links the records.
const HINTS: Hints = Hints {
    lists: &[
        ListHint::new("listSalesInvoices")
            .title(&["number"])
            .columns(&["number", "status", "partyId", "total", "balance", "currencyCode", "dueOn"])
            .group("Money")
            .position(70),
        ListHint::new("listSalesPayments")
            .title(&["number"])
            .columns(&["number", "status", "partyId", "method", "amount", "available", "paidOn"])
            .group("Money")
            .position(71),
        ListHint::new("listSalesCredits")
            .title(&["number"])
            .columns(&["number", "status", "partyId", "reasonType", "amount", "available", "recognizedOn"])
            .group("Money")
            .position(72),
        ListHint::new("listSalesRefunds")
            .title(&["number"])
            .columns(&["number", "status", "partyId", "method", "amount", "currencyCode", "refundedOn"])
            .group("Money")
            .position(73),
        ListHint::new("listPurchaseInvoices")
            .title(&["number"])
            .columns(&["number", "status", "partyId", "total", "balance", "currencyCode", "dueOn"])
            .group("Money")
            .position(74),
        ListHint::new("listPurchasePayments")
            .title(&["number"])
            .columns(&["number", "status", "partyId", "method", "amount", "available", "paidOn"])
            .group("Money")
            .position(75),
        ListHint::new("listPurchaseCredits")
            .title(&["number"])
            .columns(&["number", "status", "partyId", "reasonType", "amount", "available", "recognizedOn"])
            .group("Money")
            .position(76),
        ListHint::new("listPurchaseRefunds")
            .title(&["number"])
            .columns(&["number", "status", "partyId", "method", "amount", "currencyCode", "refundedOn"])
            .group("Money")
            .position(77),
        ListHint::new("listSupplierReturns")
            .title(&["number"])
            .columns(&["number", "status", "partyId", "warehouseId", "currencyCode", "shippedOn", "reason"])
            .group("Money")
            .position(78),
        ListHint::new("getSalesReport").group("Reports").position(79),
        ListHint::new("getMarginReport").group("Reports").position(79),
        ListHint::new("getCashReport").group("Reports").position(79),
        ListHint::new("getReceivablesAgeing").group("Reports").position(79),
        ListHint::new("getPayablesAgeing").group("Reports").position(79),
        ListHint::new("getValuationReport").group("Reports").position(79),
        ListHint::new("getCostReport").group("Reports").position(79),
        ListHint::new("getReconciliation").group("Reports").position(79),
    ],
    references: &[
        ReferenceHint::new("partyId", "listCustomers").below("/sales/"),
        ReferenceHint::new("partyId", "listCustomers").below("/reports/receivables-ageing"),
        ReferenceHint::new("partyId", "listSuppliers").below("/purchases/"),
        ReferenceHint::new("partyId", "listSuppliers").below("/reports/payables-ageing"),
        ReferenceHint::new("orderId", "listSalesOrders").below("/sales/"),
        ReferenceHint::new("orderId", "listPurchaseOrders").below("/purchases/"),
        ReferenceHint::new("receiptId", "listPosReceipts").below("/sales/"),
        ReferenceHint::new("receiptId", "listGoodsReceipts").below("/purchases/"),
        ReferenceHint::new("creditId", "listSalesCredits").below("/sales/"),
        ReferenceHint::new("creditId", "listPurchaseCredits").below("/purchases/"),
        ReferenceHint::new("supplierReturnId", "listSupplierReturns"),
        ReferenceHint::new("accountId", "listMoneyAccounts"),
        ReferenceHint::new("accountId", "listAccounts").below("/sales/invoices"),
        ReferenceHint::new("accountId", "listAccounts").below("/purchases/invoices"),
        ReferenceHint::new("unitIds", "listUnits"),
        ReferenceHint::new("unitId", "listUnits"),
        ReferenceHint::new("inventoryUnitId", "listUnits"),
    ],
};

stoa_sdk::export_module!(Finance);
