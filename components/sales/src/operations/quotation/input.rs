//! Request bodies of a quotation.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Id, Instant, Problem};
use stoa_trade::Caller;
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::document::replacement::Replaceable;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::StatedTotal;
use stoa_trade::refusal::invalid;
use stoa_trade::text::Prose;

use crate::rules::line::{Named, QuotationItemInput, StatedLine, read_lines};

/// A quotation in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuotationInput {
    /// Unique in the legal entity, ignoring case. Immutable. Omitted or null on create: `QT-` and the next number.
    pub number: Option<DocumentNumber>,
    /// Legal entity that makes the offer. Immutable.
    pub legal_entity_id: Id,
    /// Id of an active customer.
    pub customer_id: Id,
    /// Active price list. Its currency becomes the currency of the quotation.
    pub price_list_id: Id,
    /// Warehouse that the goods will leave; required at the acceptance at the latest.
    pub warehouse_id: Option<Id>,
    /// Exclusive end of validity; null: no end.
    pub valid_until: Option<Instant>,
    /// For users of the company only. API clients cannot read or write them.
    pub notes: Option<Prose<0, 2000>>,
    /// At most one line for each variant.
    #[schemars(length(min = 1, max = stoa_trade::limits::LINES))]
    pub items: Vec<QuotationItemInput>,
}

impl Replaceable for QuotationInput {
    const UPDATE: &'static str = "QuotationUpdate";
}

impl QuotationInput {
    /// Reads the lines, and rejects those with faults that a schema cannot find, and notes of an API client.
    pub fn read_lines(&self) -> Result<Vec<StatedLine>, Problem> {
        let caller = Caller::current();
        match caller.is_client() && self.notes.is_some() {
            true => Err(invalid("/notes", "NOT_ALLOWED")),
            false => read_lines(&self.items, caller),
        }
    }

    /// The records that it names, with these lines.
    pub fn name_references<'a>(&self, lines: &'a [StatedLine]) -> Named<'a> {
        Named {
            entity: self.legal_entity_id,
            warehouse: self.warehouse_id,
            customer: self.customer_id,
            price_list: self.price_list_id,
            lines,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendQuotation {
    pub expected_version: ExpectedVersion,
    /// Total that you expect after the prices are refreshed. A different total is rejected.
    pub expected_total: Option<StatedTotal>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptQuotation {
    pub expected_version: ExpectedVersion,
    /// Number of the sales order. Omitted or null: `SO-` and the next number.
    pub order_number: Option<DocumentNumber>,
    /// Warehouse that the goods will leave. Omitted or null: the warehouse of the quotation.
    pub warehouse_id: Option<Id>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpireQuotation {
    pub expected_version: ExpectedVersion,
    /// Reason, for the audit log.
    pub reason: Option<Prose<0, 1000>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviseQuotation {
    pub expected_version: ExpectedVersion,
    /// Number of the new quotation. Omitted or null: `QT-` and the next number.
    pub number: Option<DocumentNumber>,
    /// End of validity of the new quotation; null: no end.
    pub valid_until: Option<Instant>,
}
