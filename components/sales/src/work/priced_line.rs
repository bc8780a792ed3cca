//! Lines of quotations and orders as operations begin and end on them: new ones, those under their document's lock,
//! priced again or replaced.

use std::collections::BTreeSet;

use stoa_sdk::store::{Batch, MOST_ROWS, get, insert, run, select, update_all, update_from};
use stoa_sdk::{Entity, Filter, Id, Problem, all, has, new_ids, set};
use stoa_trade::change::{find_fixed, refuse_immutable};
use stoa_trade::document::draft::{Kept, replace_lines};
use stoa_trade::pages::read_rest;
use stoa_trade::quantity::{Amount, sum};
use stoa_trade::{Caller, Change};

use crate::records::customer::CustomerRow;
use crate::rules::line::{LineTerms, Named, StatedLine};
use crate::rules::priced_line::PricedLine;
use crate::work::references::References;

/// The lines of a new document, in the order stated.
pub fn new_lines<L: PricedLine>(document: Id, lines: &[StatedLine], terms: &[LineTerms]) -> Result<Vec<L>, Problem> {
    let ids = new_ids(u32::try_from(lines.len()).unwrap_or(u32::MAX));
    let parts = ids.into_iter().zip(0..).zip(lines.iter().zip(terms));
    parts.map(|((id, line_no), (line, terms))| L::new(id, document, line_no, line, terms)).collect()
}

/// Lines of a document as they are in it.
pub fn live_lines<L: PricedLine>(document: Id) -> Filter {
    all([L::DOCUMENT.eq(document), L::LINE_NO.not_null()])
}

/// Brings lines into their order.
pub fn sort_lines<L: PricedLine>(lines: &mut [L]) {
    lines.sort_by_key(L::line_no);
}

/// A document under its lock, with its lines in order and its customer.
pub struct LockedDocument<L: PricedLine> {
    pub row: L::Document,
    pub items: Vec<L>,
    pub customer: CustomerRow,
}

/// A locked document, its lines in their order, and what was read with them.
pub type LockedLines<L, B> = (<L as PricedLine>::Document, Vec<L>, <B as Batch>::Answer);

/// Holds a document against other writers and reads it, its lines in order and what is asked with it; or NOT_FOUND.
pub fn lock_with<L: PricedLine, B: Batch>(id: Id, batch: B) -> Result<LockedLines<L, B>, Problem> {
    let lines = select::<L>(live_lines::<L>(id)).whole();
    let (row, mut items, answer) = run((get::<L::Document>(id).locked(), lines, batch))?;
    sort_lines(&mut items);
    Ok((row.ok_or_else(Problem::not_found)?, items, answer))
}

/// Holds a document against other writers and reads it with its customer; or NOT_FOUND.
pub fn lock_document<L: PricedLine>(id: Id) -> Result<LockedDocument<L>, Problem> {
    let of_document = has::<L::Document, _, _>(CustomerRow::id, L::CUSTOMER_ID, L::DOCUMENT_ID.eq(id));
    // All of the one that there is: for a page PostgreSQL would expect to find it among the first of the company.
    let (row, items, customer) = lock_with(id, select::<CustomerRow>(of_document).whole())?;
    let customer = customer.into_iter().next().ok_or_else(Problem::not_found)?;
    Ok(LockedDocument { row, items, customer })
}

impl<L: PricedLine> LockedDocument<L> {
    /// The lines as a body would state them, at their agreed prices.
    pub fn restate_lines(&self) -> Vec<StatedLine> {
        self.items.iter().map(L::restate).collect()
    }

    /// The records that the document names, with these lines.
    pub fn name_references<'a>(&self, lines: &'a [StatedLine]) -> Named<'a> {
        L::name_references(&self.row, lines)
    }

    /// All lines at what the list asks now.
    pub fn reprice_lines(&self, lines: &[StatedLine], references: &References) -> Result<Vec<L>, Problem> {
        let terms = references.price_lines(lines)?;
        self.items.iter().zip(&terms).map(|(item, terms)| item.reprice(terms)).collect()
    }
}

/// The exact sum of lines.
pub fn sum_lines<L: PricedLine>(lines: &[L]) -> Result<Amount, Problem> {
    sum(lines.iter().map(L::line_total))
}

/// The products of the lines: the audit entry is found by them.
pub fn products_of<L: PricedLine>(lines: &[L]) -> BTreeSet<Id> {
    set(lines.iter().map(L::product_id))
}

/// A draft under its lock, with every row that its lines ever had, and the records that its replacement names.
pub struct LockedDraft<L: PricedLine> {
    pub row: L::Document,
    rows: Vec<L>,
    customer: CustomerRow,
    pub references: References,
}

/// Holds a draft against other writers and reads it, the records that its replacement names, and what is asked with
/// them.
///
/// # Errors
/// NOT_FOUND of the draft, and at what is missing.
pub fn lock_draft<L: PricedLine, B: Batch>(
    id: Id,
    named: &Named<'_>,
    batch: B,
) -> Result<(LockedDraft<L>, B::Answer), Problem> {
    // A draft that is replaced again and again may have more rows than one call answers.
    let of_draft = L::DOCUMENT.eq(id);
    let lines = select::<L>(of_draft.clone()).limit(MOST_ROWS);
    let (row, rows, customer, answer) =
        run((get::<L::Document>(id).locked(), lines, get::<CustomerRow>(named.customer), batch))?;
    let row = row.ok_or_else(Problem::not_found)?;
    let rows = read_rest(rows, &of_draft, L::id)?;
    let references = References::read(named);
    let customer = references.require(named, customer, Caller::current())?;
    Ok((LockedDraft { row, rows, customer, references }, answer))
}

impl<L: PricedLine> LockedDraft<L> {
    /// Replaces the lines, where `after` is the document as it is to be. `adjust` gives a line what is its document's
    /// own; it gets the row as it was, where there was one.
    ///
    /// # Errors
    /// IMMUTABLE_FIELD, and what cannot be named so or has no price.
    pub fn redraw_lines(
        &self,
        named: &Named<'_>,
        after: &L::Document,
        adjust: impl Fn(L, &StatedLine, Option<&L>) -> L,
    ) -> Result<RedrawnLines<L>, Problem> {
        refuse_immutable(find_fixed(&self.row, after, &[]))?;
        self.references.check(named, &self.customer)?;
        let terms = self.references.price_lines(named.lines)?;
        let kept = |row: &L| Kept { id: row.id(), is_live: row.line_no().is_some(), key: row.variant_id() };
        let replacement = replace_lines(&self.rows, kept, named.lines, |line| line.variant);
        let (mut lines, mut new, mut old) = (Vec::new(), Vec::new(), Vec::new());
        for (line, (stated, terms)) in replacement.lines.iter().zip(named.lines.iter().zip(&terms)) {
            let row = L::new(line.id, self.row.id(), line.line_no, stated, terms)?;
            let row = adjust(row, stated, line.before);
            if line.before.is_some() { &mut old } else { &mut new }.push(row.clone());
            lines.push(row);
        }
        Ok(RedrawnLines { lines, new, old, dropped: replacement.dropped })
    }

    /// The products of the lines, and of those that the replacement leaves out.
    pub fn products(&self) -> BTreeSet<Id> {
        let before = self.rows.iter().filter(|row| row.line_no().is_some());
        set(before.map(L::product_id).chain(self.references.products()))
    }
}

/// The lines of a draft after a replacement.
pub struct RedrawnLines<L> {
    /// All of them, in the order stated.
    pub lines: Vec<L>,
    new: Vec<L>,
    old: Vec<L>,
    dropped: Vec<Id>,
}

impl<L: PricedLine> RedrawnLines<L> {
    /// Writes them: those that stay, go and come.
    pub fn write(&self) -> impl Batch<Answer = impl Sized> {
        let dropped = update_all::<L>(self.dropped.iter().copied()).set(L::LINE_NO, &None);
        (update_from(&self.old, L::REDRAWN), dropped, insert(&self.new))
    }
}

/// The names of what a replacement changed. Lines are named as one: which of them changed is in the record.
pub fn name_changes<R: Entity>(change: &Change<R>) -> Vec<String> {
    change.members().into_iter().chain(["items".to_owned()]).collect()
}
