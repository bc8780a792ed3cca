//! What every write of finance answers, and the number of a document as a body states it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Id, Instant, Reply};

/// What a write answers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FinanceReceipt {
    pub id: Id,
    pub status: String,
    #[schemars(range(min = 1))]
    pub version: i64,
    pub created_at: Instant,
    pub updated_at: Instant,
}

impl FinanceReceipt {
    /// The answer; the audit entry is found by the document and by the party.
    pub fn reply(self, party: Id) -> Reply {
        Reply::json(&self).resource(self.id).subject(party)
    }
}

/// A row that is answered as a receipt.
#[macro_export]
macro_rules! receipt {
    ($row:expr) => {{
        let row = $row;
        $crate::records::receipt::FinanceReceipt {
            id: row.id,
            status: row.status.as_str().to_owned(),
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
        .reply(row.party_id)
    }};
}

/// A document's number as a body states it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct StatedNumber(#[schemars(regex(pattern = "^[A-Za-z0-9][A-Za-z0-9_./-]{0,63}$"))] pub String);
