//! Bodies that operations on several documents take, and a part that the bodies of several documents flatten. The part does not
//! reject unknown members, because the body that flattens it does.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, Problem};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::Positive;
use stoa_trade::text::Prose;

use crate::work::money::check_card;

/// The money of a payment or of a refund.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MoneyPart {
    /// Above zero.
    pub amount: Positive,
    pub method: Method,
    /// Kind of the card; only with method CARD.
    pub card_kind: Option<CardKind>,
    /// Money account of the legal entity whose kind fits the method. Omitted or null: the account mapped to the method.
    /// Rejected if the legal entity keeps no books.
    pub account_id: Option<Id>,
}

impl MoneyPart {
    /// # Errors
    /// VALIDATION_FAILED at `/cardKind`.
    pub fn check(&self) -> Result<(), Problem> {
        check_card(self.method, self.card_kind)
    }
}

/// Voiding of a document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VoidDocument {
    pub expected_version: ExpectedVersion,
    /// Accounting day. Omitted or null: today. Not before the document.
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
    pub applied_on: Option<Date>,
    /// At most one for each invoice.
    #[schemars(length(min = 1, max = stoa_trade::limits::APPLICATIONS))]
    pub applications: Vec<ApplicationInput>,
}
