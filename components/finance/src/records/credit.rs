//! Credits of both sides: as they are kept, what they correct of the cost of goods, and as they are shown (finance-ledger.md B5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Date, Id, Instant, collection, tenant, text_enum};
use stoa_trade::quantity::{Amount, Money};

use crate::records::funds::FundsRow;
use crate::records::side::Side;

text_enum! {
    /// A REQUESTED credit has no value until it is recognised by a document.
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
    /// Its cost lines are those of `line_set_id`. `reference_key` is the document reference as it is compared, null unless the credit
    /// is RECOGNIZED.
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
    index { [side, id], [side, party_id, id], [origin_invoice_id, status], [supplier_return_id, id] }
    search { number: [number], text: [number, reason, document_reference] }
    fixed [side, number, legal_entity_id]
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

/// A cost line in requests and responses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CostLine {
    pub receipt_item_id: Id,
    /// Unit of a serialized line; null for any other line.
    #[serde(default)]
    pub inventory_unit_id: Option<Id>,
    /// Above zero.
    pub amount: Money,
}

/// A credit as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiCredit {
    id: Id,
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
    applied: Money,
    refunded: Money,
    /// Part that can still be applied or refunded; null unless the credit is RECOGNIZED.
    available: Option<Money>,
    voided_on: Option<Date>,
    #[schemars(range(min = 1))]
    version: i64,
    created_at: Instant,
    updated_at: Instant,
}

/// A credit in a list, as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreditHeader {
    tenant_id: Id,
    #[serde(flatten)]
    public: ApiCredit,
    inventory_unit_id: Option<Id>,
    void_reason: Option<String>,
}

/// A credit as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Credit {
    #[serde(flatten)]
    pub header: CreditHeader,
    /// Lines of a COST_CORRECTION; empty for any other credit.
    pub cost_lines: Vec<CostLine>,
}

impl ApiCredit {
    pub fn from_row(row: &CreditRow, funds: Option<&FundsRow>) -> ApiCredit {
        let funds_amount = |part: fn(&FundsRow) -> Money| funds.map_or(Money::ZERO, part);
        ApiCredit {
            id: row.id,
            number: row.number.clone(),
            legal_entity_id: row.legal_entity_id,
            party_id: row.party_id,
            currency_code: row.currency_code.clone(),
            amount: row.amount,
            status: row.status,
            reason_type: row.reason_type,
            reason: row.reason.clone(),
            origin_invoice_id: row.origin_invoice_id,
            supplier_return_id: row.supplier_return_id,
            variant_id: row.variant_id,
            document_reference: row.document_reference.clone(),
            recognized_on: row.recognized_on,
            applied: funds_amount(|funds| funds.applied),
            refunded: funds_amount(|funds| funds.refunded),
            available: (row.status == CreditStatus::Recognized).then(|| funds_amount(|funds| funds.available)),
            voided_on: row.voided_on,
            version: row.version,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

impl CreditHeader {
    pub fn from_row(row: &CreditRow, funds: Option<&FundsRow>) -> CreditHeader {
        CreditHeader {
            tenant_id: tenant(),
            public: ApiCredit::from_row(row, funds),
            inventory_unit_id: row.inventory_unit_id,
            void_reason: row.void_reason.clone(),
        }
    }
}
