//! Request bodies of refunds.

#![allow(clippy::disallowed_types, reason = "the code that serde derives for `flatten` can take floats")]

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, Problem};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::text::Prose;

use crate::operations::body::MoneyPart;
use crate::records::receipt::StatedNumber;
use crate::rules::stated::Remarks;

/// Refund of the available amount of a payment or credit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RefundInput {
    /// The `version` of the payment or credit that you read.
    pub expected_version: ExpectedVersion,
    /// Unique in the legal entity, ignoring case, also after voiding.
    pub number: StatedNumber,
    #[serde(flatten)]
    pub money: MoneyPart,
    /// Open session of the till that pays cash to a customer; required if the account is a till.
    pub session_id: Option<Id>,
    pub refunded_on: Date,
    #[serde(flatten)]
    pub remarks: Remarks,
}

impl RefundInput {
    /// # Errors
    /// VALIDATION_FAILED.
    pub fn check(&self) -> Result<(), Problem> {
        self.remarks.refuse_card_numbers(&self.number)?;
        self.money.check()
    }
}

/// Voiding of a refund.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VoidRefund {
    pub expected_version: ExpectedVersion,
    /// Accounting day. Omitted or null: today. Not before the refund.
    pub voided_on: Option<Date>,
    /// Reason, for the audit log.
    pub reason: Prose<1, 1000>,
    /// Open session of the till that receives the cash back; required if the refund left a till.
    pub session_id: Option<Id>,
}
