//! Bodies that operations on several documents take.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::Positive;
use stoa_trade::text::Prose;

/// Voiding of a document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VoidDocument {
    pub expected_version: ExpectedVersion,
    /// Accounting day. Omitted or null: today. Not before the document.
    #[serde(default)]
    pub voided_on: Option<Date>,
    /// Reason, for the audit log.
    pub reason: Prose<1, 1000>,
}

/// Part of a payment or credit to apply to an invoice.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApplicationInput {
    /// Invoice that is ISSUED, of the same party, legal entity, currency and side.
    pub invoice_id: Id,
    /// Above zero.
    pub amount: Positive,
}

/// Application of a payment or credit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApplyFunds {
    pub expected_version: ExpectedVersion,
    /// Accounting day. Omitted or null: today. Not before the payment or credit, and not before an invoice.
    #[serde(default)]
    pub applied_on: Option<Date>,
    /// At most one for each invoice.
    #[schemars(length(min = 1, max = stoa_trade::limits::APPLICATIONS))]
    pub applications: Vec<ApplicationInput>,
}
