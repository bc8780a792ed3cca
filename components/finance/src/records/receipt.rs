//! What every write of finance answers, and the number of a document as a body states it.

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

/// Rows of these documents are answered as receipts; the audit entry is found by the document and by the party.
macro_rules! answered_by_receipt {
    ($($row:ident),+ $(,)?) => {$(
        impl $row {
            /// Receipt of a write.
            pub fn receipt(&self) -> Reply {
                let receipt = FinanceReceipt {
                    id: self.id,
                    status: self.status.as_str().to_owned(),
                    version: self.version,
                    created_at: self.created_at,
                    updated_at: self.updated_at,
                };
                Reply::json(&receipt).resource(self.id).subject(self.party_id)
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
