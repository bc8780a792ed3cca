//! The answer of every write of finance, and the number of a document as a body states it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Id, Instant, Reply};

use crate::records::credit::CreditRow;
use crate::records::invoice::InvoiceRow;
use crate::records::payment::PaymentRow;
use crate::records::refund::RefundRow;
use crate::records::supplier_return::SupplierReturnRow;

/// Receipt of a write.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FinanceReceipt {
    id: Id,
    status: String,
    #[schemars(range(min = 1))]
    version: i64,
    created_at: Instant,
    updated_at: Instant,
}

/// A draft of an invoice for an order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DraftFromOrder {
    #[serde(flatten)]
    pub receipt: FinanceReceipt,
    /// Lines that remain to be billed, since an invoice has at most 100 lines and names at most 100 units: once this one is
    /// recognized, the next draft of the order has them.
    #[schemars(range(min = 0))]
    pub remaining_lines: usize,
}

/// Rows of these documents are answered as receipts; the audit entry is found by the document and by the party.
macro_rules! answered_by_receipt {
    ($($row:ident),+ $(,)?) => {$(
        impl $row {
            /// Receipt of a write.
            pub fn receipt(&self) -> Reply {
                self.reply(&self.show_receipt())
            }

            /// The document as a write answers it.
            pub fn show_receipt(&self) -> FinanceReceipt {
                FinanceReceipt {
                    id: self.id,
                    status: self.status.as_str().to_owned(),
                    version: self.version,
                    created_at: self.created_at,
                    updated_at: self.updated_at,
                }
            }

            /// A reply about the document.
            pub fn reply(&self, body: &impl Serialize) -> Reply {
                Reply::json(body).resource(self.id).subject(self.party_id)
            }
        }
    )+};
}
answered_by_receipt!(InvoiceRow, PaymentRow, CreditRow, RefundRow, SupplierReturnRow);

/// Document number in a request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct StatedNumber(#[schemars(regex(pattern = "^[A-Za-z0-9][A-Za-z0-9_./-]{0,63}$"))] pub String);
