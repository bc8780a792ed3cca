//! What bodies say of invoices.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, text};
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::{Money, Positive};
use stoa_trade::text::{Line, Prose};
use stoa_trade::unit_identity::UnitInput;

use crate::records::receipt::StatedNumber;
use crate::rules::stated::{StatedInvoice, StatedLine};

/// A line of a sales invoice.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SalesInvoiceLineInput {
    /// Omitted or null: the order line's. Without an order it must be active.
    #[serde(default)]
    pub variant_id: Option<Id>,
    /// Required where there is no variant.
    #[serde(default)]
    pub description: Option<Line<1, 500>>,
    pub quantity: Positive,
    /// Of a line of an order: omitted, or the order's.
    #[serde(default)]
    pub unit_price: Option<Money>,
    /// A line of a CONFIRMED or COMPLETED order of the same customer, legal entity and currency.
    #[serde(default)]
    pub order_item_id: Option<Id>,
    /// Serial units that it bills: never more than its quantity; a draft may name fewer.
    #[serde(default)]
    #[schemars(length(max = 100), extend("uniqueItems" = true, "default" = []))]
    pub unit_ids: Vec<Id>,
    /// Of a line without an order, with books: an INCOME or LIABILITY account in the place of REVENUE.
    #[serde(default)]
    pub account_id: Option<Id>,
    /// Why the price is this one; of a line without an order.
    #[serde(default)]
    pub price_reason: Option<Line<1, 500>>,
}

/// A line of a purchase invoice.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PurchaseInvoiceLineInput {
    /// Omitted or null: the order line's. Without an order it must be active.
    #[serde(default)]
    pub variant_id: Option<Id>,
    /// Required where there is no variant.
    #[serde(default)]
    pub description: Option<Line<1, 500>>,
    pub quantity: Positive,
    /// Of a line of an order: omitted, the order's; another is a variance.
    #[serde(default)]
    pub unit_cost: Option<Money>,
    /// A line of an order of the same supplier, legal entity and currency, not a DRAFT.
    #[serde(default)]
    pub order_item_id: Option<Id>,
    /// A line of a goods receipt; implies its order's line.
    #[serde(default)]
    pub receipt_item_id: Option<Id>,
    /// Serial units that it bills: never more than its quantity; a draft may name fewer.
    #[serde(default)]
    #[schemars(length(max = 100), extend("uniqueItems" = true, "default" = []))]
    pub unit_ids: Vec<Id>,
    /// Of a line without an order, with books: an EXPENSE, ASSET or LIABILITY account in the place of PURCHASE_EXPENSE.
    #[serde(default)]
    pub account_id: Option<Id>,
}

impl From<SalesInvoiceLineInput> for StatedLine {
    fn from(of: SalesInvoiceLineInput) -> StatedLine {
        StatedLine {
            variant: of.variant_id,
            description: of.description.map(String::from),
            quantity: of.quantity.0,
            unit_amount: of.unit_price,
            order_item: of.order_item_id,
            receipt_item: None,
            units: of.unit_ids,
            account: of.account_id,
            price_reason: of.price_reason.map(String::from),
        }
    }
}

impl From<PurchaseInvoiceLineInput> for StatedLine {
    fn from(of: PurchaseInvoiceLineInput) -> StatedLine {
        StatedLine {
            variant: of.variant_id,
            description: of.description.map(String::from),
            quantity: of.quantity.0,
            unit_amount: of.unit_cost,
            order_item: of.order_item_id,
            receipt_item: of.receipt_item_id,
            units: of.unit_ids,
            account: of.account_id,
            price_reason: None,
        }
    }
}

/// Both bodies of an invoice of a side: a replacement states the version too, a purchase the supplier's document.
macro_rules! invoice_body {
    ($(#[$meta:meta])* $name:ident of $line:ident { $($extra:tt)* } $reference:expr) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($extra)*
            /// Unique, ignoring case, also after a void; immutable.
            pub number: StatedNumber,
            /// Immutable.
            pub legal_entity_id: Id,
            /// Of the legal entity.
            #[serde(default)]
            pub branch_id: Option<Id>,
            pub party_id: Id,
            #[schemars(regex(pattern = text::CURRENCY))]
            pub currency_code: String,
            #[serde(default)]
            pub issued_on: Option<Date>,
            /// Not before `issuedOn`. Omitted or null: when it is posted, the party's payment term after it, if it has one.
            #[serde(default)]
            pub due_on: Option<Date>,
            #[serde(default)]
            pub reference: Option<Line<0, 200>>,
            #[serde(default)]
            pub notes: Option<Prose<0, 2000>>,
            #[schemars(length(max = 100))]
            pub lines: Vec<$line>,
        }

        impl $name {
            /// What it says of the invoice.
            pub fn state(self) -> StatedInvoice {
                let document_reference: fn(&$name) -> Option<String> = $reference;
                StatedInvoice {
                    document_reference: document_reference(&self),
                    number: self.number.0,
                    entity: self.legal_entity_id,
                    branch: self.branch_id,
                    party: self.party_id,
                    currency_code: self.currency_code,
                    issued_on: self.issued_on,
                    due_on: self.due_on,
                    reference: self.reference.map(String::from),
                    notes: self.notes.map(String::from),
                    lines: self.lines.into_iter().map(StatedLine::from).collect(),
                }
            }
        }
    };
}

invoice_body! {
    /// A sales invoice to draft. A draft may be incomplete; it claims nothing.
    SalesInvoiceInput of SalesInvoiceLineInput {} |_| None
}

invoice_body! {
    /// The full replacement of a draft.
    SalesInvoiceUpdate of SalesInvoiceLineInput {
        pub expected_version: ExpectedVersion,
    } |_| None
}

invoice_body! {
    /// A purchase invoice to draft. A draft may be incomplete; it claims nothing.
    PurchaseInvoiceInput of PurchaseInvoiceLineInput {
        /// The supplier's own document.
        #[serde(default)]
        pub document_reference: Option<Line<0, 200>>,
    } |body| body.document_reference.clone().map(String::from)
}

invoice_body! {
    /// The full replacement of a draft.
    PurchaseInvoiceUpdate of PurchaseInvoiceLineInput {
        pub expected_version: ExpectedVersion,
        /// The supplier's own document.
        #[serde(default)]
        pub document_reference: Option<Line<0, 200>>,
    } |body| body.document_reference.clone().map(String::from)
}

/// A draft of what an order has not billed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SalesInvoiceFromOrder {
    /// CONFIRMED or COMPLETED.
    pub order_id: Id,
    pub number: StatedNumber,
    #[serde(default)]
    pub issued_on: Option<Date>,
    #[serde(default)]
    pub due_on: Option<Date>,
    #[serde(default)]
    pub reference: Option<Line<0, 200>>,
    #[serde(default)]
    pub notes: Option<Prose<0, 2000>>,
}

stoa_sdk::text_enum! {
    /// RECEIVED: a line for each line of a receipt; ORDERED: for each line of the order.
    #[derive(Default)]
    pub enum BillingBasis { #[default] Received => "RECEIVED", Ordered => "ORDERED" }
}

/// A draft of what an order has not billed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PurchaseInvoiceFromOrder {
    /// Not a DRAFT.
    pub order_id: Id,
    #[serde(default)]
    pub basis: BillingBasis,
    pub number: StatedNumber,
    /// The supplier's own document.
    #[serde(default)]
    pub document_reference: Option<Line<0, 200>>,
    #[serde(default)]
    pub issued_on: Option<Date>,
    #[serde(default)]
    pub due_on: Option<Date>,
}

/// Issues a draft.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IssueInvoice {
    pub expected_version: ExpectedVersion,
    /// Omitted or null: the draft's, else today; at most tomorrow.
    #[serde(default)]
    pub issued_on: Option<Date>,
}

/// Issues a draft and delivers its goods.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmSalesInvoice {
    pub expected_version: ExpectedVersion,
    /// Omitted or null: the draft's, else today; at most tomorrow.
    #[serde(default)]
    pub issued_on: Option<Date>,
    /// Why the prices are these, for lines that state no reason; of an invoice without an order.
    #[serde(default)]
    pub reason: Option<Line<1, 500>>,
    /// Of the order that the invoice bills; required there.
    #[serde(default)]
    pub expected_order_version: Option<ExpectedVersion>,
    /// Where goods leave; required of an invoice without an order.
    #[serde(default)]
    pub warehouse_id: Option<Id>,
    /// In the invoice's currency; required of an invoice without an order.
    #[serde(default)]
    pub price_list_id: Option<Id>,
    /// Of the order that is made; omitted or null: `SI-` and the invoice's id.
    #[serde(default)]
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(min = 1, max = 64))]
    pub order_number: Option<String>,
}

/// Recognises the revenue of lines without an order.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecognizeSalesInvoice {
    pub expected_version: ExpectedVersion,
    pub recognized_on: Date,
    /// Of a draft, which is issued too. Omitted or null: the draft's, else today.
    #[serde(default)]
    pub issued_on: Option<Date>,
}

/// Recognises a debt to a supplier.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecognizePurchaseInvoice {
    pub expected_version: ExpectedVersion,
    /// The supplier's own document.
    pub document_reference: Line<1, 200>,
    pub recognized_on: Date,
}

/// Recognises a debt to a supplier and receives its goods.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfirmPurchaseInvoice {
    pub expected_version: ExpectedVersion,
    /// The supplier's own document.
    pub document_reference: Line<1, 200>,
    pub recognized_on: Date,
    pub reason: Prose<1, 1000>,
    /// Where goods come in; required of an invoice without an order.
    #[serde(default)]
    pub warehouse_id: Option<Id>,
    #[serde(default)]
    pub warehouse_location_id: Option<Id>,
    /// Of the order that the invoice bills; required there.
    #[serde(default)]
    pub expected_order_version: Option<ExpectedVersion>,
    /// Of the order that is made; omitted or null: `PI-` and the invoice's id.
    #[serde(default)]
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(min = 1, max = 64))]
    pub order_number: Option<String>,
    /// The units of serialized lines.
    #[serde(default)]
    #[schemars(length(max = 100), extend("default" = []))]
    pub units: Vec<LineUnits>,
}

/// The units of a line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LineUnits {
    #[schemars(range(min = 1, max = 100))]
    pub line_no: i64,
    #[schemars(length(min = 1, max = 100))]
    pub units: Vec<UnitInput>,
}

impl LineUnits {
    /// The line's place, as rows keep it: from 0.
    pub fn place(&self) -> i64 {
        self.line_no - 1
    }
}
