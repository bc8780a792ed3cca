//! Request bodies of refunds.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, Problem};
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::payment_method::{CardKind, Method};
use stoa_trade::quantity::Positive;
use stoa_trade::text::{Line, Prose};

use crate::records::receipt::StatedNumber;
use crate::work::money::check_card;

/// Refund of the available amount of a payment or credit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RefundInput {
    /// The `version` of the payment or credit that you read.
    pub expected_version: ExpectedVersion,
    /// Unique in the legal entity, ignoring case, also after voiding.
    pub number: StatedNumber,
    /// Above zero.
    pub amount: Positive,
    pub method: Method,
    /// Kind of the card; only with method CARD.
    #[serde(default)]
    pub card_kind: Option<CardKind>,
    /// Money account of the legal entity whose kind fits the method. Omitted or null: the account mapped to the method.
    /// Rejected if the legal entity keeps no books.
    #[serde(default)]
    pub account_id: Option<Id>,
    /// Open session of the till that pays cash to a customer; required if the account is a till.
    #[serde(default)]
    pub session_id: Option<Id>,
    pub refunded_on: Date,
    #[serde(default)]
    pub reference: Option<Line<0, 200>>,
    #[serde(default)]
    pub notes: Option<Prose<0, 2000>>,
}

impl RefundInput {
    /// # Errors
    /// VALIDATION_FAILED.
    pub fn check(&self) -> Result<(), Problem> {
        refuse_card_numbers(&[
            ("/number", Some(&self.number.0)),
            ("/reference", self.reference.as_deref()),
            ("/notes", self.notes.as_deref()),
        ])?;
        check_card(self.method, self.card_kind)
    }
}

/// Voiding of a refund.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VoidRefund {
    pub expected_version: ExpectedVersion,
    /// Accounting day. Omitted or null: today. Not before the refund.
    #[serde(default)]
    pub voided_on: Option<Date>,
    /// Reason, for the audit log.
    pub reason: Prose<1, 1000>,
    /// Open session of the till that receives the cash back; required if the refund left a till.
    #[serde(default)]
    pub session_id: Option<Id>,
}
