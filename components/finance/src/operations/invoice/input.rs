//! Request bodies of invoices.

#![allow(clippy::disallowed_types, reason = "the code that serde derives for `flatten` can take floats")]

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, text};
use stoa_trade::document::replacement::Replaceable;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::{Money, Positive};
use stoa_trade::text::{Line, Prose};
use stoa_trade::unit_identity::UnitInput;

use crate::records::receipt::StatedNumber;
use crate::records::side::Side;
use crate::rules::stated::{InvoiceTerms, Remarks, StatedInvoice, StatedLine};

/// A line of a sales invoice.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SalesInvoiceLineInput {
    /// Omitted or null: the variant of the order line. Without an order the variant must be active.
    pub variant_id: Option<Id>,
    /// Required without a variant.
    pub description: Option<Line<1, 500>>,
    pub quantity: Positive,
    /// On a line of an order: omitted, or equal to the price of the order line.
    pub unit_price: Option<Money>,
    /// Line of a CONFIRMED or COMPLETED order of the same customer, legal entity and currency.
    pub order_item_id: Option<Id>,
    /// Serialized units on the line: at most its quantity. A draft may have fewer.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::UNITS), extend("uniqueItems" = true, "default" = []))]
    pub unit_ids: Vec<Id>,
    /// INCOME or LIABILITY account to post to instead of REVENUE. Only for a line without an order, and only with books.
    pub account_id: Option<Id>,
    /// Reason for the price; only for a line without an order.
    pub price_reason: Option<Line<1, 500>>,
}

/// A line of a purchase invoice.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PurchaseInvoiceLineInput {
    /// Omitted or null: the variant of the order line. Without an order the variant must be active.
    pub variant_id: Option<Id>,
    /// Required without a variant.
    pub description: Option<Line<1, 500>>,
    pub quantity: Positive,
    /// On a line of an order: omitted takes the cost of the order line; a different cost is posted as a variance.
    pub unit_cost: Option<Money>,
    /// Line of an order of the same supplier, legal entity and currency, not of a DRAFT.
    pub order_item_id: Option<Id>,
    /// Line of a goods receipt; its order line follows from it.
    pub receipt_item_id: Option<Id>,
    /// Serialized units on the line: at most its quantity. A draft may have fewer.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::UNITS), extend("uniqueItems" = true, "default" = []))]
    pub unit_ids: Vec<Id>,
    /// EXPENSE, ASSET or LIABILITY account to post to instead of PURCHASE_EXPENSE. Only for a line without an order, and only
    /// with books.
    pub account_id: Option<Id>,
}

impl From<SalesInvoiceLineInput> for StatedLine {
    fn from(line: SalesInvoiceLineInput) -> StatedLine {
        StatedLine {
            variant: line.variant_id,
            description: line.description.map(String::from),
            quantity: line.quantity.0,
            unit_amount: line.unit_price,
            order_item: line.order_item_id,
            receipt_item: None,
            units: line.unit_ids,
            account: line.account_id,
            price_reason: line.price_reason.map(String::from),
        }
    }
}

impl From<PurchaseInvoiceLineInput> for StatedLine {
    fn from(line: PurchaseInvoiceLineInput) -> StatedLine {
        StatedLine {
            variant: line.variant_id,
            description: line.description.map(String::from),
            quantity: line.quantity.0,
            unit_amount: line.unit_cost,
            order_item: line.order_item_id,
            receipt_item: line.receipt_item_id,
            units: line.unit_ids,
            account: line.account_id,
            price_reason: None,
        }
    }
}

/// A draft of a sales invoice. It may be incomplete and reserves no quantity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SalesInvoiceInput {
    #[serde(flatten)]
    pub terms: InvoiceTerms,
    #[serde(flatten)]
    pub remarks: Remarks,
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub lines: Vec<SalesInvoiceLineInput>,
}

/// A draft of a purchase invoice. It may be incomplete and reserves no quantity.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PurchaseInvoiceInput {
    /// Number of the supplier's own document.
    pub document_reference: Option<Line<0, 200>>,
    #[serde(flatten)]
    pub terms: InvoiceTerms,
    #[serde(flatten)]
    pub remarks: Remarks,
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub lines: Vec<PurchaseInvoiceLineInput>,
}

impl Replaceable for SalesInvoiceInput {
    const UPDATE: &'static str = "SalesInvoiceUpdate";
}

impl Replaceable for PurchaseInvoiceInput {
    const UPDATE: &'static str = "PurchaseInvoiceUpdate";
}

/// The body of a draft, of one side.
pub trait InvoiceBody: Replaceable {
    const SIDE: Side;

    /// The invoice as the body states it.
    fn state(self) -> StatedInvoice;
}

impl InvoiceBody for SalesInvoiceInput {
    const SIDE: Side = Side::Sales;

    fn state(self) -> StatedInvoice {
        StatedInvoice {
            terms: self.terms,
            remarks: self.remarks,
            document_reference: None,
            lines: self.lines.into_iter().map(StatedLine::from).collect(),
        }
    }
}

impl InvoiceBody for PurchaseInvoiceInput {
    const SIDE: Side = Side::Purchases;

    fn state(self) -> StatedInvoice {
        StatedInvoice {
            terms: self.terms,
            remarks: self.remarks,
            document_reference: self.document_reference,
            lines: self.lines.into_iter().map(StatedLine::from).collect(),
        }
    }
}

/// A draft of the unbilled quantities of an order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SalesInvoiceFromOrder {
    /// Id of an order that is CONFIRMED or COMPLETED.
    pub order_id: Id,
    pub number: StatedNumber,
    pub issued_on: Option<Date>,
    pub due_on: Option<Date>,
    #[serde(flatten)]
    pub remarks: Remarks,
}

stoa_sdk::text_enum! {
    /// RECEIVED creates a line for each line of a receipt, ORDERED for each line of the order.
    #[derive(Default)]
    pub enum BillingBasis { #[default] Received => "RECEIVED", Ordered => "ORDERED" }
}

/// A draft of the unbilled quantities of an order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PurchaseInvoiceFromOrder {
    /// Purchase order that is not a DRAFT.
    pub order_id: Id,
    #[serde(default)]
    pub basis: BillingBasis,
    pub number: StatedNumber,
    /// Number of the supplier's own document.
    pub document_reference: Option<Line<0, 200>>,
    pub issued_on: Option<Date>,
    pub due_on: Option<Date>,
}

/// Issue of a draft.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IssueInvoice {
    pub expected_version: ExpectedVersion,
    /// At most tomorrow. Omitted or null: the date of the draft, else today.
    pub issued_on: Option<Date>,
}

/// Issue of a draft together with the delivery of its goods.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmSalesInvoice {
    pub expected_version: ExpectedVersion,
    /// At most tomorrow. Omitted or null: the date of the draft, else today.
    pub issued_on: Option<Date>,
    /// Reason for the prices of lines that state none; only for an invoice without an order.
    pub reason: Option<Line<1, 500>>,
    /// The `version` of the billed order that you read; required if the invoice bills an order.
    pub expected_order_version: Option<ExpectedVersion>,
    /// Warehouse that the goods leave; required for an invoice without an order.
    pub warehouse_id: Option<Id>,
    /// Price list in the currency of the invoice; required for an invoice without an order.
    pub price_list_id: Option<Id>,
    /// Number of the sales order that this request creates. Omitted or null: `SI-` and the id of the invoice.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(min = 1, max = 64))]
    pub order_number: Option<String>,
}

/// Recognition of the revenue of lines without an order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecognizeSalesInvoice {
    pub expected_version: ExpectedVersion,
    pub recognized_on: Date,
    /// Date of the invoice if it is a draft, which this request issues too. Omitted or null: the date of the draft, else today.
    pub issued_on: Option<Date>,
}

/// Recognition of a debt to a supplier.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecognizePurchaseInvoice {
    pub expected_version: ExpectedVersion,
    /// Number of the supplier's own document.
    pub document_reference: Line<1, 200>,
    pub recognized_on: Date,
}

/// Recognition of a debt to a supplier together with the receipt of its goods.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmPurchaseInvoice {
    pub expected_version: ExpectedVersion,
    /// Number of the supplier's own document.
    pub document_reference: Line<1, 200>,
    pub recognized_on: Date,
    pub reason: Prose<1, 1000>,
    /// Warehouse that receives the goods; required for an invoice without an order.
    pub warehouse_id: Option<Id>,
    pub warehouse_location_id: Option<Id>,
    /// The `version` of the billed order that you read; required if the invoice bills an order.
    pub expected_order_version: Option<ExpectedVersion>,
    /// Number of the purchase order that this request creates. Omitted or null: `PI-` and the id of the invoice.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(min = 1, max = 64))]
    pub order_number: Option<String>,
    /// Units of the serialized lines.
    #[serde(default)]
    #[schemars(length(max = stoa_trade::limits::LINES), extend("default" = []))]
    pub units: Vec<LineUnits>,
}

/// Units of one line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LineUnits {
    #[schemars(range(min = 1, max = stoa_trade::limits::LINES))]
    pub line_no: i64,
    #[schemars(length(min = 1, max = stoa_trade::limits::UNITS))]
    pub units: Vec<UnitInput>,
}

impl LineUnits {
    /// The line's place, as rows keep it: from 0.
    pub fn place(&self) -> i64 {
        self.line_no - 1
    }
}
