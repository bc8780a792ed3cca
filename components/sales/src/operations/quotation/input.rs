//! What bodies say of a quotation.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Id, Instant, Problem};
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::StatedTotal;
use stoa_trade::refusal::invalid;
use stoa_trade::text::Prose;

use crate::operations::line_input::{QuotationItemInput, read_lines};
use crate::rules::line::{StatedLine, check_lines};

/// What a body says of a quotation, in either body.
pub struct StatedQuotation {
    pub number: Option<DocumentNumber>,
    pub entity: Id,
    pub customer: Id,
    pub price_list: Id,
    pub warehouse: Option<Id>,
    pub valid_until: Option<Instant>,
    pub notes: Option<String>,
    pub lines: Vec<StatedLine>,
}

/// Both bodies of a quotation: a replacement states the version too.
macro_rules! quotation_body {
    ($(#[$meta:meta])* $name:ident { $($extra:tt)* }) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($extra)*
            /// Unique in the legal entity, ignoring case; immutable. Omitted or null on create: `QT-` and the next figure.
            #[serde(default)]
            pub number: Option<DocumentNumber>,
            /// Who offers; immutable.
            pub legal_entity_id: Id,
            /// An active customer.
            pub customer_id: Id,
            /// An active list; its currency is the quotation's.
            pub price_list_id: Id,
            /// Where goods will leave; needed by acceptance at the latest.
            #[serde(default)]
            pub warehouse_id: Option<Id>,
            /// Exclusive; null: without end.
            #[serde(default)]
            pub valid_until: Option<Instant>,
            /// For people of the company alone; no API client reads or writes them.
            #[serde(default)]
            pub notes: Option<Prose<0, 2000>>,
            /// One line per variant.
            #[schemars(length(min = 1, max = 100))]
            pub items: Vec<QuotationItemInput>,
        }

        impl $name {
            /// What it says of the quotation.
            ///
            /// # Errors
            /// VALIDATION_FAILED: what a schema cannot tell of its lines; notes of an API client.
            pub fn state(self, by_client: bool) -> Result<StatedQuotation, Problem> {
                if by_client && self.notes.is_some() {
                    return Err(invalid("/notes", "NOT_ALLOWED"));
                }
                let lines = read_lines(self.items);
                check_lines(&lines, by_client)?;
                Ok(StatedQuotation {
                    number: self.number,
                    entity: self.legal_entity_id,
                    customer: self.customer_id,
                    price_list: self.price_list_id,
                    warehouse: self.warehouse_id,
                    valid_until: self.valid_until,
                    notes: self.notes.map(String::from),
                    lines,
                })
            }
        }
    };
}

quotation_body! {
    /// A quotation to create.
    QuotationInput {}
}

quotation_body! {
    /// The full replacement of a draft.
    QuotationUpdate {
        pub expected_version: ExpectedVersion,
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendQuotation {
    pub expected_version: ExpectedVersion,
    /// Another total, after prices are refreshed, is refused.
    #[serde(default)]
    pub expected_total: Option<StatedTotal>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptQuotation {
    pub expected_version: ExpectedVersion,
    /// The order's; omitted or null: `SO-` and the next figure.
    #[serde(default)]
    pub order_number: Option<DocumentNumber>,
    /// Where goods will leave; omitted or null: the quotation's.
    #[serde(default)]
    pub warehouse_id: Option<Id>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpireQuotation {
    pub expected_version: ExpectedVersion,
    /// Why, for people.
    #[serde(default)]
    pub reason: Option<Prose<0, 1000>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviseQuotation {
    pub expected_version: ExpectedVersion,
    /// The new one's; omitted or null: `QT-` and the next figure.
    #[serde(default)]
    pub number: Option<DocumentNumber>,
    /// The new one's; null: without end.
    #[serde(default)]
    pub valid_until: Option<Instant>,
}
