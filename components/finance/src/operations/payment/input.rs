//! Request bodies of payments.

#![allow(clippy::disallowed_types, reason = "the code that serde derives for `flatten` can take floats")]

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, Item, Problem, item, text, text_enum};
use stoa_trade::document::replacement::Replaceable;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::refusal::{invalid, refuse_invalid};
use stoa_trade::text::{Line, Prose};

use crate::operations::body::{ApplicationInput, MoneyPart};
use crate::records::receipt::StatedNumber;
use crate::rules::stated::Remarks;
use crate::work::settle::Part;

text_enum! {
    /// A PENDING payment settles nothing until it is confirmed.
    #[derive(Default)]
    pub enum StatedStatus { #[default] Recorded => "RECORDED", Pending => "PENDING" }
}

/// A received or expected payment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PaymentInput {
    /// Unique in the legal entity, ignoring case, also after voiding. Immutable.
    pub number: StatedNumber,
    /// Immutable.
    pub legal_entity_id: Id,
    pub party_id: Id,
    #[schemars(with = "text::CurrencyCode")]
    pub currency_code: String,
    #[serde(flatten)]
    pub money: MoneyPart,
    pub paid_on: Date,
    #[serde(flatten)]
    pub remarks: Remarks,
    #[serde(default)]
    pub status: StatedStatus,
    /// At most one for each invoice; not allowed for a PENDING payment.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::APPLICATIONS), extend("default" = []))]
    pub applications: Vec<ApplicationInput>,
}

impl Replaceable for PaymentInput {
    const UPDATE: &'static str = "PaymentUpdate";
    const DESCRIPTION: &'static str = "Full replacement of a PENDING payment. The payment remains PENDING.";
}

impl PaymentInput {
    pub fn is_pending(&self) -> bool {
        self.status == StatedStatus::Pending
    }

    /// Judges what the schema cannot, and returns the amounts that the payment applies to invoices.
    ///
    /// # Errors
    /// VALIDATION_FAILED.
    pub fn check(&self) -> Result<Vec<Part>, Problem> {
        let parts = parts_of(&self.applications)?;
        self.remarks.refuse_card_numbers(&self.number)?;
        self.money.check()?;
        match self.is_pending() && !parts.is_empty() {
            true => Err(invalid("/applications", "NOT_ALLOWED")),
            false => Ok(parts),
        }
    }
}

/// Confirmation of a PENDING payment. It counts as money from then on.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmPayment {
    pub expected_version: ExpectedVersion,
    /// Omitted or null: the one of the payment.
    pub paid_on: Option<Date>,
    /// Omitted or null: the account of the payment, else the account mapped to the method.
    pub account_id: Option<Id>,
    /// Omitted or null: the one of the payment.
    pub reference: Option<Line<0, 200>>,
    /// At most one for each invoice.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::APPLICATIONS), extend("default" = []))]
    pub applications: Vec<ApplicationInput>,
}

/// Reversal of an applied payment whose money failed to arrive.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReversePayment {
    pub expected_version: ExpectedVersion,
    /// Accounting day. Omitted or null: today. Not before the payment, and not before an invoice that it paid.
    pub reversed_on: Option<Date>,
    /// Reason, for the audit log.
    pub reason: Prose<1, 1000>,
}

/// The amounts that a body applies to invoices.
///
/// # Errors
/// VALIDATION_FAILED with REPEATED at an invoice that is stated earlier.
pub fn parts_of(applications: &[ApplicationInput]) -> Result<Vec<Part>, Problem> {
    let mut seen = BTreeSet::new();
    let again = applications.iter().enumerate().filter(|(_, part)| !seen.insert(part.invoice_id));
    let again: Vec<Item> = again.map(|(nth, _)| item(format!("/applications/{nth}/invoiceId"), "REPEATED")).collect();
    refuse_invalid(again)?;
    Ok(applications.iter().map(|part| Part { invoice: part.invoice_id, amount: part.amount.0 }).collect())
}
