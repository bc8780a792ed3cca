//! Request bodies of credits.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, Item, Problem, item, text};
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::{Money, Positive, sum};
use stoa_trade::refusal::{invalid, refuse_invalid};
use stoa_trade::text::{Line, Prose};

use crate::records::credit::CreditReason;
use crate::records::receipt::StatedNumber;
use crate::records::side::Side;
use crate::rules::stated::check_currency;

/// Goods whose cost a credit corrects.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CostLineInput {
    /// Line of a goods receipt from the same supplier, for the same legal entity and in the same currency, whose goods are
    /// valued.
    pub receipt_item_id: Id,
    /// Unit of a serialized line; required there and rejected for any other line.
    #[serde(default)]
    pub inventory_unit_id: Option<Id>,
    /// Above zero.
    pub amount: Positive,
}

/// A credit as either body states it.
#[derive(Debug, Clone)]
pub struct StatedCredit {
    pub number: String,
    pub entity: Id,
    pub party: Id,
    pub currency_code: String,
    pub amount: Money,
    pub reason_type: CreditReason,
    pub reason: Option<String>,
    pub origin_invoice: Option<Id>,
    pub supplier_return: Option<Id>,
    pub variant: Option<Id>,
    pub unit: Option<Id>,
    pub cost_lines: Vec<CostLineInput>,
}

/// Both bodies of a credit: a replacement states the version too.
macro_rules! credit_body {
    ($(#[$meta:meta])* $name:ident { $($extra:tt)* }) => {
        $(#[$meta])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            $($extra)*
            /// Unique in the legal entity, ignoring case, also after voiding. Immutable.
            pub number: StatedNumber,
            /// Immutable.
            pub legal_entity_id: Id,
            pub party_id: Id,
            #[schemars(regex(pattern = text::CURRENCY))]
            pub currency_code: String,
            /// Above zero.
            pub amount: Positive,
            /// `COST_CORRECTION` requires `costLines` and is allowed for supplier credits only.
            pub reason_type: CreditReason,
            #[serde(default)]
            pub reason: Option<Prose<0, 1000>>,
            /// Invoice that is ISSUED, of the same party, legal entity, currency and side.
            #[serde(default)]
            pub origin_invoice_id: Option<Id>,
            /// Return that the credit refers to; supplier credits only. The credit neither ships the return nor requires that
            /// it is shipped.
            #[serde(default)]
            pub supplier_return_id: Option<Id>,
            /// Reference only: it moves no stock.
            #[serde(default)]
            pub variant_id: Option<Id>,
            /// Reference only: it moves no stock.
            #[serde(default)]
            pub inventory_unit_id: Option<Id>,
            /// Lines of a COST_CORRECTION. Their amounts add up to the amount of the credit.
            #[serde(default)]
            #[schemars(length(min = 1, max = stoa_trade::limits::COST_LINES))]
            pub cost_lines: Option<Vec<CostLineInput>>,
        }

        impl $name {
            /// The credit as the body states it.
            ///
            /// # Errors
            /// VALIDATION_FAILED.
            pub fn state(self, side: Side) -> Result<StatedCredit, Problem> {
                let stated = StatedCredit {
                    number: self.number.0,
                    entity: self.legal_entity_id,
                    party: self.party_id,
                    currency_code: self.currency_code,
                    amount: self.amount.0,
                    reason_type: self.reason_type,
                    reason: self.reason.map(String::from),
                    origin_invoice: self.origin_invoice_id,
                    supplier_return: self.supplier_return_id,
                    variant: self.variant_id,
                    unit: self.inventory_unit_id,
                    cost_lines: self.cost_lines.unwrap_or_default(),
                };
                stated.check(side)?;
                Ok(stated)
            }
        }
    };
}

credit_body! {
    /// A credit in a request.
    CreditInput {}
}

credit_body! {
    /// Full replacement of a REQUESTED credit.
    CreditUpdate {
        pub expected_version: ExpectedVersion,
    }
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

impl StatedCredit {
    fn check(&self, side: Side) -> Result<(), Problem> {
        refuse_card_numbers(&[("/number", Some(&self.number)), ("/reason", self.reason.as_deref())])?;
        check_currency(&self.currency_code)?;
        let is_correction = self.reason_type == CreditReason::CostCorrection;
        let mut faults: Vec<Item> = Vec::new();
        let mut refuse = |pointer: &str, code: &str, is_wrong: bool| {
            if is_wrong {
                faults.push(item(pointer, code));
            }
        };
        let is_sale = side == Side::Sales;
        refuse("/reasonType", "NOT_ALLOWED", is_sale && is_correction);
        refuse("/supplierReturnId", "NOT_ALLOWED", is_sale && self.supplier_return.is_some());
        refuse("/costLines", "NOT_ALLOWED", (is_sale || !is_correction) && !self.cost_lines.is_empty());
        refuse("/costLines", "REQUIRED", !is_sale && is_correction && self.cost_lines.is_empty());
        let mut seen = BTreeSet::new();
        for (nth, line) in self.cost_lines.iter().enumerate() {
            refuse(
                &format!("/costLines/{nth}"),
                "REPEATED",
                !seen.insert((line.receipt_item_id, line.inventory_unit_id)),
            );
        }
        refuse_invalid(faults)?;
        if is_correction && sum(self.cost_lines.iter().map(|line| line.amount.0)).ok() != Some(self.amount) {
            return Err(invalid("/costLines", "SUM_MISMATCH"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows::{CUSTOMER, ENTITY, money};

    fn credit(reason_type: CreditReason, amounts: &[&str]) -> StatedCredit {
        let line = |(nth, amount): (u64, &&str)| CostLineInput {
            receipt_item_id: Id(1, nth),
            inventory_unit_id: None,
            amount: Positive(money(amount)),
        };
        StatedCredit {
            number: "C-1".to_owned(),
            entity: ENTITY,
            party: CUSTOMER,
            currency_code: "EUR".to_owned(),
            amount: money("10"),
            reason_type,
            reason: None,
            origin_invoice: None,
            supplier_return: None,
            variant: None,
            unit: None,
            cost_lines: (0..).zip(amounts).map(line).collect(),
        }
    }

    fn find_faults(side: Side, credit: &StatedCredit) -> Vec<(String, String)> {
        match credit.check(side) {
            Ok(()) => Vec::new(),
            Err(problem) => problem.errors.into_iter().map(|error| (error.pointer, error.code)).collect(),
        }
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
        twice.cost_lines[1].receipt_item_id = Id(1, 0);
        assert_eq!(find_faults(Side::Purchases, &twice), [item("/costLines/1", "REPEATED")]);
    }
}
