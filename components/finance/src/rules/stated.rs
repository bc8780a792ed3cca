//! An invoice as a body states it, whichever side it is of, and the checks that need only the body.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::{Date, Id, Item, Problem, item, text};
use stoa_trade::card_number::refuse_card_numbers;
use stoa_trade::document::lines::Lines;
use stoa_trade::limits;
use stoa_trade::quantity::{Money, Quantity};
use stoa_trade::refusal::refuse_invalid;
use stoa_trade::text::{Line, Prose};

use crate::records::receipt::StatedNumber;
use crate::records::side::Side;
use crate::rules::day::check_due;

/// A line as a body states it.
#[derive(Debug, Clone)]
pub struct StatedLine {
    pub variant: Option<Id>,
    pub description: Option<String>,
    pub quantity: Quantity,
    /// Price or cost of one; `None`: the order's.
    pub unit_amount: Option<Money>,
    pub order_item: Option<Id>,
    pub receipt_item: Option<Id>,
    pub units: Vec<Id>,
    pub account: Option<Id>,
    pub price_reason: Option<String>,
}

impl StatedLine {
    /// Returns whether it bills an order.
    pub fn has_order(&self) -> bool {
        self.order_item.is_some() || self.receipt_item.is_some()
    }
}

/// Members of the drafts of both sides. A body flattens it and [`Remarks`] side by side: of a part that flattens another one,
/// the body would take every member for unknown.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvoiceTerms {
    /// Unique, ignoring case, also after voiding. Immutable.
    pub number: StatedNumber,
    /// Immutable.
    pub legal_entity_id: Id,
    /// Branch of the legal entity.
    pub branch_id: Option<Id>,
    pub party_id: Id,
    #[schemars(with = "text::CurrencyCode")]
    pub currency_code: String,
    pub issued_on: Option<Date>,
    /// Last day of payment, not before `issuedOn`. Omitted or null: set at posting from the payment term of the party,
    /// or null without one.
    pub due_on: Option<Date>,
}

/// The texts that a person writes on a document.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Remarks {
    pub reference: Option<Line<0, 200>>,
    pub notes: Option<Prose<0, 2000>>,
}

impl Remarks {
    /// Rejects card numbers, in the number of the document too.
    ///
    /// # Errors
    /// VALIDATION_FAILED.
    pub fn refuse_card_numbers(&self, number: &StatedNumber) -> Result<(), Problem> {
        refuse_card_numbers(&[
            ("/number", Some(&number.0)),
            ("/reference", self.reference.as_deref()),
            ("/notes", self.notes.as_deref()),
        ])
    }
}

/// An invoice as a body states it.
#[derive(Debug, Clone)]
pub struct StatedInvoice {
    pub terms: InvoiceTerms,
    pub remarks: Remarks,
    pub document_reference: Option<Line<0, 200>>,
    pub lines: Vec<StatedLine>,
}

/// Name of the member that holds the price or cost of one on this side.
pub fn amount_member(side: Side) -> &'static str {
    match side {
        Side::Sales => "unitPrice",
        Side::Purchases => "unitCost",
    }
}

impl StatedInvoice {
    /// Finds the faults that the schema cannot find.
    ///
    /// # Errors
    /// VALIDATION_FAILED.
    pub fn check(&self, side: Side) -> Result<(), Problem> {
        refuse_card_numbers(&[
            ("/number", Some(&self.terms.number.0)),
            ("/reference", self.remarks.reference.as_deref()),
            ("/notes", self.remarks.notes.as_deref()),
            ("/documentReference", self.document_reference.as_deref()),
        ])?;
        check_due(self.terms.issued_on, self.terms.due_on, "/dueOn")?;
        refuse_invalid(self.find_line_faults(side))
    }

    fn find_line_faults(&self, side: Side) -> Vec<Item> {
        let lines = Lines::at("/lines", &self.lines);
        let mut faults =
            lines.faults(amount_member(side), "REQUIRED", |line| !line.has_order() && line.unit_amount.is_none());
        faults.extend(lines.faults("description", "REQUIRED", |line| {
            !line.has_order() && line.variant.is_none() && line.description.is_none()
        }));
        faults
            .extend(lines.faults("priceReason", "NOT_ALLOWED", |line| line.has_order() && line.price_reason.is_some()));
        faults.extend(lines.repeated_ids("unitIds", |line| &line.units));
        let mut named = 0;
        for (pointer, line) in lines.iter() {
            named += line.units.len();
            if named > limits::UNITS {
                faults.push(item(pointer.member("unitIds"), "TOO_MANY"));
                break;
            }
        }
        let mut seen = BTreeSet::new();
        for (pointer, line) in lines.iter().filter(|(_, line)| line.has_order()) {
            if !seen.insert((line.receipt_item.is_none().then_some(line.order_item).flatten(), line.receipt_item)) {
                let member = if line.receipt_item.is_some() { "receiptItemId" } else { "orderItemId" };
                faults.push(item(pointer.member(member), "REPEATED"));
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::rows::{CUSTOMER, ENTITY, list_faults};

    fn line() -> StatedLine {
        StatedLine {
            variant: Some(Id(9, 9)),
            description: None,
            quantity: Quantity::from_units(1_000_000),
            unit_amount: Some(Money::ZERO),
            order_item: None,
            receipt_item: None,
            units: Vec::new(),
            account: None,
            price_reason: None,
        }
    }

    fn faults(side: Side, lines: Vec<StatedLine>) -> Vec<(String, String)> {
        let terms = InvoiceTerms {
            number: StatedNumber("INV-1".to_owned()),
            legal_entity_id: ENTITY,
            branch_id: None,
            party_id: CUSTOMER,
            currency_code: "EUR".to_owned(),
            issued_on: None,
            due_on: None,
        };
        let invoice = StatedInvoice { terms, remarks: Remarks::default(), document_reference: None, lines };
        list_faults(invoice.check(side))
    }

    #[test]
    fn what_a_line_lacks_is_reported() {
        let reported = |pointer: &str, code: &str| (pointer.to_owned(), code.to_owned());
        assert_eq!(faults(Side::Sales, vec![line()]), []);
        let priceless = || StatedLine { unit_amount: None, ..line() };
        assert_eq!(faults(Side::Sales, vec![priceless()]), [reported("/lines/0/unitPrice", "REQUIRED")]);
        assert_eq!(faults(Side::Purchases, vec![priceless()]), [reported("/lines/0/unitCost", "REQUIRED")]);
        let undescribed = StatedLine { variant: None, ..line() };
        assert_eq!(faults(Side::Sales, vec![undescribed]), [reported("/lines/0/description", "REQUIRED")]);
        let ordered = || StatedLine { order_item: Some(Id(1, 1)), ..priceless() };
        assert_eq!(faults(Side::Sales, vec![ordered(), ordered()]), [reported("/lines/1/orderItemId", "REPEATED")]);
        let received = |id| StatedLine { receipt_item: Some(Id(1, id)), ..ordered() };
        assert_eq!(faults(Side::Purchases, vec![received(1), received(2)]), []);
        assert_eq!(
            faults(Side::Purchases, vec![received(1), received(1)]),
            [reported("/lines/1/receiptItemId", "REPEATED")]
        );
        let reasoned = StatedLine { price_reason: Some("a friend".to_owned()), ..ordered() };
        assert_eq!(faults(Side::Sales, vec![reasoned]), [reported("/lines/0/priceReason", "NOT_ALLOWED")]);
    }

    #[test]
    fn units_are_named_once_and_a_hundred_at_most() {
        let unit_line = |ids: std::ops::Range<u64>| StatedLine { units: ids.map(|id| Id(8, id)).collect(), ..line() };
        assert_eq!(faults(Side::Sales, vec![unit_line(0..60), unit_line(60..100)]), []);
        let reported = faults(Side::Sales, vec![unit_line(0..60), unit_line(60..101)]);
        assert_eq!(reported, [("/lines/1/unitIds".to_owned(), "TOO_MANY".to_owned())]);
        let reported = faults(Side::Sales, vec![unit_line(0..2), unit_line(1..2)]);
        assert_eq!(reported, [("/lines/1/unitIds/0".to_owned(), "REPEATED".to_owned())]);
    }
}
