//! Drafts of invoices: created, replaced, and drawn up of what an order has not billed. They claim nothing and post nothing.

use std::collections::BTreeSet;

use stoa_sdk::store::{Row, get, insert, run, select};
use stoa_sdk::{Field, Id, Problem, new_id};
use stoa_trade::clients::directory;
use stoa_trade::document::version::ExpectedVersion;
use stoa_trade::quantity::Amount;
use stoa_trade::refusal::{or_duplicate, require_unchanged};
use stoa_trade::text::key;
use stoa_trade::{Change, new_record};

use crate::records::invoice::{InvoiceRow, InvoiceStatus};
use crate::records::invoice_line::{InvoiceLineRow, products_of};
use crate::records::side::Side;
use crate::rules::stated::{InvoiceTerms, StatedInvoice, StatedLine};
use crate::rules::total::invoice_total;
use crate::work::invoice::lines::draw_lines;
use crate::work::invoice::locked::lines_of;
use crate::work::party::require_active_party;
use crate::work::taken::{require_free, require_inserted};

/// A draft as it was written.
pub struct Draft {
    pub row: InvoiceRow,
    pub lines: Vec<InvoiceLineRow>,
    /// Products of the lines before a replacement, and the names of the members that differ.
    pub products_before: BTreeSet<Id>,
    pub changed: Vec<String>,
}

impl Draft {
    /// Subjects of the audit entry besides the document: the products of its lines, also of those that are gone.
    pub fn products(&self) -> BTreeSet<Id> {
        let mut products = products_of(&self.lines);
        products.extend(&self.products_before);
        products
    }
}

fn total_of(lines: &[InvoiceLineRow]) -> Result<stoa_trade::quantity::Money, Problem> {
    let totals: Vec<(String, Amount)> = lines.iter().map(|line| (line.pointer(), line.line_total)).collect();
    invoice_total(&totals)
}

/// Creates a draft.
///
/// # Errors
/// The codes of members that name a wrong record; DUPLICATE at `/number`.
pub fn create_draft(side: Side, stated: StatedInvoice) -> Result<Draft, Problem> {
    stated.check(side)?;
    let entity = directory::require(stated.terms.legal_entity_id, stated.terms.branch_id)?;
    require_active_party(side, stated.terms.party_id)?;
    let row = new_draft(side, new_id(), &stated);
    let lines = draw_lines(&row, &entity, &stated.lines)?;
    let row = InvoiceRow { total: total_of(&lines)?, ..row };
    let (went_in, _) = run((insert([&row]).unless_taken(), insert(&lines)))?;
    require_inserted::<InvoiceRow>(side, &went_in, number_of(&row))?;
    Ok(Draft { row, lines, products_before: BTreeSet::new(), changed: Vec::new() })
}

/// A draft as a body states it, without its total.
fn new_draft(side: Side, id: Id, stated: &StatedInvoice) -> InvoiceRow {
    let StatedInvoice { terms, remarks, document_reference, .. } = stated;
    new_record!(InvoiceRow {
        id,
        side,
        number: terms.number.0.clone(),
        number_key: key(&terms.number.0),
        number_scope: number_scope(side, terms),
        legal_entity_id: terms.legal_entity_id,
        branch_id: terms.branch_id,
        party_id: terms.party_id,
        currency_code: terms.currency_code.clone(),
        status: InvoiceStatus::Draft,
        line_set_id: new_id(),
        issued_on: terms.issued_on,
        due_on: terms.due_on,
        posted_on: None,
        document_reference: document_reference.clone().map(String::from),
        reference_key: None,
        reference: remarks.reference.clone().map(String::from),
        notes: remarks.notes.clone().map(String::from),
        total: Default::default(),
        revenue_recognized_on: None,
        delivery_order_id: None,
        receipt_id: None,
        voided_on: None,
        void_reason: None,
    })
}

/// Its values of the unique key `number`.
fn number_of(row: &InvoiceRow) -> Row {
    vec![row.side.put(), row.legal_entity_id.put(), row.number_scope.put(), row.number_key.clone().put()]
}

/// Suppliers number their own invoices.
fn number_scope(side: Side, terms: &InvoiceTerms) -> Id {
    match side {
        Side::Sales => terms.legal_entity_id,
        Side::Purchases => terms.party_id,
    }
}

/// Replaces a draft.
///
/// # Errors
/// NOT_FOUND, VERSION_CONFLICT, ILLEGAL_STATE, IMMUTABLE_FIELD, and as [`create_draft`].
pub fn replace_draft(side: Side, id: Id, expected: ExpectedVersion, stated: StatedInvoice) -> Result<Draft, Problem> {
    stated.check(side)?;
    let (before, lines_before) = run((get::<InvoiceRow>(id).locked(), select::<InvoiceLineRow>(lines_of(id)).whole()))?;
    let before = before.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    expected.check(before.version)?;
    if before.status != InvoiceStatus::Draft {
        return Err(Problem::new("ILLEGAL_STATE"));
    }
    let after = new_draft(side, id, &stated);
    let after = InvoiceRow { version: before.version, created_at: before.created_at, ..after };
    require_unchanged(&before.legal_entity_id, &stated.terms.legal_entity_id, "/legalEntityId")?;
    let entity = directory::require(stated.terms.legal_entity_id, stated.terms.branch_id)?;
    if stated.terms.party_id != before.party_id {
        require_active_party(side, stated.terms.party_id)?;
    }
    if after.number_scope != before.number_scope {
        require_free::<InvoiceRow>(side, "number", number_of(&after), "/number")?;
    }
    let lines = draw_lines(&after, &entity, &stated.lines)?;
    let change = Change::new(&before, InvoiceRow { total: total_of(&lines)?, ..after })?;
    run((change.update(), insert(&lines))).map_err(or_duplicate("/number"))?;
    let mut changed = change.members();
    // Lines are named as one: which of them changed is in the record.
    changed.retain(|member| member != "lineSetId" && member != "numberScope");
    changed.push("lines".to_owned());
    Ok(Draft { row: change.into_after(), lines, products_before: products_of(&lines_before), changed })
}

/// A line that bills what an order has not billed.
pub fn open_line(
    order_item: Id,
    receipt_item: Option<Id>,
    quantity: stoa_trade::quantity::Quantity,
    units: Vec<Id>,
) -> StatedLine {
    StatedLine {
        variant: None,
        description: None,
        quantity,
        unit_amount: None,
        order_item: Some(order_item),
        receipt_item,
        units,
        account: None,
        price_reason: None,
    }
}
