//! What bodies say of refunds.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, Problem};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::Positive;
use stoa_trade::text::{Line, Prose};

use crate::records::payment::{CardKind, Method};
use crate::records::receipt::StatedNumber;
use crate::rules::text::check_texts;
use crate::work::money::check_card;

/// Gives back what a payment or a credit has left.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RefundInput {
    /// Of the payment or credit.
    pub expected_version: ExpectedVersion,
    /// Unique in the legal entity, ignoring case, also after a void.
    pub number: StatedNumber,
    /// Above zero.
    pub amount: Positive,
    pub method: Method,
    /// Of method CARD alone.
    #[serde(default)]
    pub card_kind: Option<CardKind>,
    /// A money account of the legal entity whose kind fits the method. Omitted or null: the one mapped to the method. Refused where the
    /// legal entity keeps no books.
    #[serde(default)]
    pub account_id: Option<Id>,
    /// The open session of the till that cash to a customer leaves; required where the account is a till's.
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
        check_texts(&[
            ("/number", Some(&self.number.0)),
            ("/reference", self.reference.as_deref()),
            ("/notes", self.notes.as_deref()),
        ])?;
        check_card(self.method, self.card_kind)
    }
}

/// Voids a refund.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VoidRefund {
    pub expected_version: ExpectedVersion,
    /// Omitted or null: today. Not before the refund.
    #[serde(default)]
    pub voided_on: Option<Date>,
    /// Why, for people.
    pub reason: Prose<1, 1000>,
    /// The open session of the till that takes the cash back; of a refund that left one.
    #[serde(default)]
    pub session_id: Option<Id>,
}
