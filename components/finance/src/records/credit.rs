//! Credits of both sides: as they are kept, what they correct of the cost of goods, and as they are shown (finance-ledger.md B5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Date, Id, collection, text_enum};
use stoa_trade::dates::Month;
use stoa_trade::quantity::{Amount, Money, Quantity};
use stoa_trade::resource;

use crate::records::funds::FundsRow;
use crate::records::side::Side;

text_enum! {
    /// A REQUESTED credit becomes RECOGNIZED by the document that grants it, and has no value before; both can become VOID.
    pub enum CreditStatus { Requested => "REQUESTED", Recognized => "RECOGNIZED", Void => "VOID" }
}

text_enum! {
    /// COST_CORRECTION changes the cost of goods; supplier credits only.
    pub enum CreditReason {
        Return => "RETURN", PriceAdjustment => "PRICE_ADJUSTMENT", Agreement => "AGREEMENT", Bonus => "BONUS", Other => "OTHER",
        CostCorrection => "COST_CORRECTION",
    }
}

text_enum! {
    /// Where corrected goods were.
    pub enum CorrectedGoods {
        OnHand => "ON_HAND", Sold => "SOLD", AdjustedOut => "ADJUSTED_OUT", Damaged => "DAMAGED", Lost => "LOST",
        Returned => "RETURNED",
    }
}

collection! {
    /// Its lines and cost lines are those of `line_set_id`. `reference_key` is the document reference as it is
    /// compared, null unless the credit is RECOGNIZED.
    pub record CreditRow in "credit" {
        side: Side,
        number: String,
        number_key: String,
        legal_entity_id: Id,
        party_id: Id,
        currency_code: String,
        amount: Money,
        status: CreditStatus,
        line_set_id: Id,
        reason_type: CreditReason,
        reason: Option<String>,
        origin_invoice_id: Option<Id>,
        supplier_return_id: Option<Id>,
        variant_id: Option<Id>,
        inventory_unit_id: Option<Id>,
        document_reference: Option<String>,
        reference_key: Option<String>,
        recognized_on: Option<Date>,
        voided_on: Option<Date>,
        void_reason: Option<String>,
    }
    unique {
        number: [side, legal_entity_id, number_key],
        reference: [side, legal_entity_id, party_id, reference_key],
    }
    index {
        [side, id],
        [side, party_id, id],
        [origin_invoice_id, status],
        [supplier_return_id, id],
        [side, updated_at],
    }
    search { number: [number], text: [number, reason, document_reference] }
    fixed [side, number, legal_entity_id]
}

collection! {
    /// A part of a credit to a customer: what it is granted for.
    pub ledger CreditLineRow in "credit_line" {
        credit_id: Id,
        line_set_id: Id,
        line_no: i64,
        variant_id: Id,
        quantity: Quantity,
        amount: Money,
    }
    unique { place: [line_set_id, line_no] }
}

collection! {
    /// The lines of recognised credits to customers: the ledger that reports of sales by variant subtract. A void
    /// credit has its lines again below zero.
    pub ledger CreditedLineRow in "credited_line" {
        credit_id: Id,
        line_no: i64,
        undo: bool,
        legal_entity_id: Id,
        currency_code: String,
        customer_id: Id,
        variant_id: Id,
        on_date: Date,
        month: Month,
        amount: Money,
    }
    unique { line: [credit_id, line_no, undo] }
    index { [legal_entity_id, currency_code, on_date] }
}

collection! {
    /// A part of a COST_CORRECTION: goods of a receipt line, or one unit of it.
    pub ledger CreditCostLineRow in "credit_cost_line" {
        credit_id: Id,
        line_set_id: Id,
        line_no: i64,
        receipt_item_id: Id,
        inventory_unit_id: Option<Id>,
        amount: Money,
    }
    unique { place: [line_set_id, line_no] }
    index { [receipt_item_id], [credit_id] }
}

collection! {
    /// Cost taken by a recognised correction, by where the goods were.
    pub ledger CostCorrectionRow in "cost_correction" {
        credit_id: Id,
        line_no: i64,
        receipt_item_id: Id,
        legal_entity_id: Id,
        currency_code: String,
        destination: CorrectedGoods,
        amount: Amount,
        on_date: Date,
    }
    unique { part: [credit_id, line_no, destination] }
    index { [legal_entity_id, currency_code, on_date] }
}

/// A line of a credit in responses.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditLine {
    pub variant_id: Id,
    pub quantity: Quantity,
    /// Part of the credit's amount.
    pub amount: Money,
}

impl From<&CreditLineRow> for CreditLine {
    fn from(line: &CreditLineRow) -> CreditLine {
        CreditLine { variant_id: line.variant_id, quantity: line.quantity, amount: line.amount }
    }
}

/// A cost line in requests and responses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CostLine {
    pub receipt_item_id: Id,
    /// Unit of a serialized line; null for any other line.
    pub inventory_unit_id: Option<Id>,
    /// Above zero.
    pub amount: Money,
}

resource! {
    /// A credit as returned to API clients.
    pub struct ApiCredit of record row: CreditRow, funds: Option<&FundsRow> {
        number: String,
        legal_entity_id: Id,
        party_id: Id,
        currency_code: String,
        amount: Money,
        status: CreditStatus,
        reason_type: CreditReason,
        reason: Option<String>,
        origin_invoice_id: Option<Id>,
        supplier_return_id: Option<Id>,
        variant_id: Option<Id>,
        /// Number of the document that grants the credit; null before recognition.
        document_reference: Option<String>,
        recognized_on: Option<Date>,
        /// Part that is applied to invoices.
        applied: Money = funds.map_or(Money::ZERO, |funds| funds.applied),
        refunded: Money = funds.map_or(Money::ZERO, |funds| funds.refunded),
        /// Part that can still be applied or refunded; null unless the credit is RECOGNIZED.
        available: Option<Money> = (row.status == CreditStatus::Recognized)
            .then(|| funds.map_or(Money::ZERO, |funds| funds.available)),
        voided_on: Option<Date>,
    }
}

resource! {
    /// A credit to a customer as returned to API clients.
    pub struct ApiSalesCredit of row: CreditRow, funds: Option<&FundsRow>, lines: Vec<CreditLine> {
        #[serde(flatten)]
        credit: ApiCredit = ApiCredit::from_row(row, funds),
        /// Goods that the credit is granted for; empty if it states none.
        lines: Vec<CreditLine> = lines,
    }
}

resource! {
    /// A credit in a list, as returned to users.
    pub struct CreditHeader beyond ApiCredit of row: CreditRow, funds: Option<&FundsRow> {
        inventory_unit_id: Option<Id>,
        void_reason: Option<String>,
    }
}

resource! {
    /// A credit as returned to users.
    pub struct Credit of row: CreditRow, funds: Option<&FundsRow>, lines: Vec<CreditLine>, cost_lines: Vec<CostLine> {
        #[serde(flatten)]
        header: CreditHeader = CreditHeader::from_row(row, funds),
        /// Goods that a credit to a customer is granted for; empty if it states none, and for supplier credits.
        lines: Vec<CreditLine> = lines,
        /// Lines of a COST_CORRECTION; empty for any other credit.
        cost_lines: Vec<CostLine> = cost_lines,
    }
}
