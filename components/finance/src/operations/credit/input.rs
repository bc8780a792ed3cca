//! Request bodies of credits.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, Item, Problem, item, text};
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::document::replacement::Replaceable;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::{Positive, sum};
use stoa_trade::refusal::{invalid, refuse_invalid};
use stoa_trade::text::{Line, Prose};

use crate::records::credit::CreditReason;
use crate::records::receipt::StatedNumber;
use crate::records::side::Side;

/// Goods whose cost a credit corrects.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CostLineInput {
    /// Line of a goods receipt from the same supplier, for the same legal entity and in the same currency, whose goods are
    /// valued.
    pub receipt_item_id: Id,
    /// Unit of a serialized line; required there and rejected for any other line.
    pub inventory_unit_id: Option<Id>,
    /// Above zero.
    pub amount: Positive,
}

/// Goods that a credit is granted for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreditLineInput {
    /// It may be archived, and several lines may name it.
    pub variant_id: Id,
    /// Above zero, and no finer than the unit of measure. It moves no stock.
    pub quantity: Positive,
    /// Part of the credit's amount; above zero.
    pub amount: Positive,
}

/// A credit in a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreditInput {
    /// Unique in the legal entity, ignoring case, also after voiding. Immutable.
    pub number: StatedNumber,
    /// Immutable.
    pub legal_entity_id: Id,
    pub party_id: Id,
    #[schemars(with = "text::CurrencyCode")]
    pub currency_code: String,
    /// Above zero.
    pub amount: Positive,
    /// `COST_CORRECTION` requires `costLines` and is allowed for supplier credits only.
    pub reason_type: CreditReason,
    pub reason: Option<Prose<0, 1000>>,
    /// Invoice that is ISSUED, of the same party, legal entity, currency and side.
    pub origin_invoice_id: Option<Id>,
    /// Return that the credit refers to; supplier credits only. The credit neither ships the return nor requires that
    /// it is shipped.
    pub supplier_return_id: Option<Id>,
    /// Reference only: it moves no stock.
    pub variant_id: Option<Id>,
    /// Reference only: it moves no stock.
    pub inventory_unit_id: Option<Id>,
    /// Goods that the credit is granted for; credits to customers only. The amounts add up to the amount of the credit.
    /// Reports of sales by variant subtract the lines. Omitted, null or empty: the credit names no goods.
    #[schemars(length(max = stoa_trade::limits::LINES))]
    pub lines: Option<Vec<CreditLineInput>>,
    /// Lines of a COST_CORRECTION. Their amounts add up to the amount of the credit.
    #[schemars(length(max = stoa_trade::limits::COST_LINES))]
    pub cost_lines: Option<Vec<CostLineInput>>,
}

impl Replaceable for CreditInput {
    const UPDATE: &'static str = "CreditUpdate";
    const DESCRIPTION: &'static str = "Full replacement of a REQUESTED credit.";
}

/// Recognition of a credit by the document that grants it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecognizeCredit {
    pub expected_version: ExpectedVersion,
    /// Number of the document that grants the credit.
    pub document_reference: Line<1, 200>,
    pub recognized_on: Date,
}

impl CreditInput {
    pub fn lines(&self) -> &[CreditLineInput] {
        self.lines.as_deref().unwrap_or_default()
    }

    pub fn cost_lines(&self) -> &[CostLineInput] {
        self.cost_lines.as_deref().unwrap_or_default()
    }

    /// Judges what the schema cannot.
    ///
    /// # Errors
    /// VALIDATION_FAILED.
    pub fn check(&self, side: Side) -> Result<(), Problem> {
        refuse_card_numbers(&[("/number", Some(&self.number.0)), ("/reason", self.reason.as_deref())])?;
        let is_correction = self.reason_type == CreditReason::CostCorrection;
        let mut faults: Vec<Item> = Vec::new();
        let mut refuse = |pointer: &str, code: &str, is_wrong: bool| {
            if is_wrong {
                faults.push(item(pointer, code));
            }
        };
        let (is_sale, cost_lines, lines) = (side == Side::Sales, self.cost_lines(), self.lines());
        refuse("/reasonType", "NOT_ALLOWED", is_sale && is_correction);
        refuse("/supplierReturnId", "NOT_ALLOWED", is_sale && self.supplier_return_id.is_some());
        refuse("/lines", "NOT_ALLOWED", !is_sale && !lines.is_empty());
        refuse("/costLines", "NOT_ALLOWED", (is_sale || !is_correction) && !cost_lines.is_empty());
        refuse("/costLines", "REQUIRED", !is_sale && is_correction && cost_lines.is_empty());
        let mut seen = BTreeSet::new();
        for (nth, line) in cost_lines.iter().enumerate() {
            refuse(
                &format!("/costLines/{nth}"),
                "REPEATED",
                !seen.insert((line.receipt_item_id, line.inventory_unit_id)),
            );
        }
        refuse_invalid(faults)?;
        self.check_sum("/costLines", cost_lines.iter().map(|line| line.amount))?;
        self.check_sum("/lines", lines.iter().map(|line| line.amount))
    }

    /// Lines at the pointer, if there are any, add up to the amount.
    fn check_sum(&self, pointer: &str, amounts: impl ExactSizeIterator<Item = Positive>) -> Result<(), Problem> {
        let has_lines = amounts.len() > 0;
        let differs = sum(amounts.map(|amount| amount.0)).ok() != Some(self.amount.0);
        if has_lines && differs { Err(invalid(pointer, "SUM_MISMATCH")) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows::{CUSTOMER, ENTITY, list_faults, money};

    fn credit(reason_type: CreditReason, amounts: &[&str]) -> CreditInput {
        let line = |(nth, amount): (u64, &&str)| CostLineInput {
            receipt_item_id: Id(1, nth),
            inventory_unit_id: None,
            amount: Positive(money(amount)),
        };
        CreditInput {
            number: StatedNumber("C-1".to_owned()),
            legal_entity_id: ENTITY,
            party_id: CUSTOMER,
            currency_code: "EUR".to_owned(),
            amount: Positive(money("10")),
            reason_type,
            reason: None,
            origin_invoice_id: None,
            supplier_return_id: None,
            variant_id: None,
            inventory_unit_id: None,
            lines: None,
            cost_lines: Some((0..).zip(amounts).map(line).collect()),
        }
    }

    /// A credit of 10 with lines of these amounts, all of one variant.
    fn credit_for(amounts: &[&str]) -> CreditInput {
        let line = |amount: &&str| CreditLineInput {
            variant_id: Id(2, 1),
            quantity: Positive(money("1")),
            amount: Positive(money(amount)),
        };
        CreditInput { lines: Some(amounts.iter().map(line).collect()), ..credit(CreditReason::Bonus, &[]) }
    }

    fn find_faults(side: Side, credit: &CreditInput) -> Vec<(String, String)> {
        list_faults(credit.check(side))
    }

    #[test]
    fn lines_are_a_customer_s_and_add_up() {
        let item = |pointer: &str, code: &str| (pointer.to_owned(), code.to_owned());
        assert_eq!(find_faults(Side::Sales, &credit_for(&["4", "6"])), []);
        assert_eq!(find_faults(Side::Sales, &credit_for(&[])), []);
        assert_eq!(find_faults(Side::Purchases, &credit_for(&[])), []);
        for amounts in [&["4", "6.000001"][..], &["9.999999"], &["999999999999", "999999999999"]] {
            assert_eq!(find_faults(Side::Sales, &credit_for(amounts)), [item("/lines", "SUM_MISMATCH")]);
        }
        assert_eq!(find_faults(Side::Purchases, &credit_for(&["10"])), [item("/lines", "NOT_ALLOWED")]);
    }

    #[test]
    fn f52_corrections_are_a_suppliers_and_add_up() {
        use CreditReason::{Bonus, CostCorrection};
        let item = |pointer: &str, code: &str| (pointer.to_owned(), code.to_owned());
        assert_eq!(find_faults(Side::Sales, &credit(Bonus, &[])), []);
        assert_eq!(
            find_faults(Side::Sales, &credit(CostCorrection, &["10"])),
            [item("/reasonType", "NOT_ALLOWED"), item("/costLines", "NOT_ALLOWED")]
        );
        assert_eq!(find_faults(Side::Purchases, &credit(CostCorrection, &["4", "6"])), []);
        assert_eq!(find_faults(Side::Purchases, &credit(CostCorrection, &[])), [item("/costLines", "REQUIRED")]);
        assert_eq!(find_faults(Side::Purchases, &credit(Bonus, &["10"])), [item("/costLines", "NOT_ALLOWED")]);
        assert_eq!(
            find_faults(Side::Purchases, &credit(CostCorrection, &["4", "6.000001"])),
            [item("/costLines", "SUM_MISMATCH")]
        );
        let mut twice = credit(CostCorrection, &["4", "6"]);
        twice.cost_lines.iter_mut().flatten().for_each(|line| line.receipt_item_id = Id(1, 0));
        assert_eq!(find_faults(Side::Purchases, &twice), [item("/costLines/1", "REPEATED")]);
    }
}
