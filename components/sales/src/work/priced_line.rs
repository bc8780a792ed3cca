//! Lines of quotations and orders as operations begin and end on them: new ones, those under their document's lock,
//! priced anew or replaced.

use std::collections::BTreeSet;

use stoa_sdk::store::{Batch, MOST_ROWS, Rows, get, insert, run, select, update_all, update_from};
use stoa_sdk::{Filter, Id, Problem, all, has, new_ids, set};
use stoa_trade::document::draft::{Kept, replace_lines};
use stoa_trade::pages::read_rest;
use stoa_trade::quantity::{Amount, sum};

use crate::records::customer::CustomerRow;
use crate::rules::line::{LineTerms, Named, StatedLine};
use crate::rules::priced_line::PricedLine;
use crate::work::references::References;

/// The lines of a new document, in the order stated.
///
/// # Errors
/// LIMIT_EXCEEDED, which lines of a body never reach.
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

/// Holds a document against other writers and reads it.
///
/// # Errors
/// NOT_FOUND.
pub fn lock_document<L: PricedLine>(id: Id) -> Result<LockedDocument<L>, Problem> {
    let of_document = has::<L::Document, _, _>(CustomerRow::id, L::CUSTOMER_ID, L::DOCUMENT_ID.eq(id));
    let (row, mut items, customer) = run((
        get::<L::Document>(id).locked(),
        select::<L>(live_lines::<L>(id)).whole(),
        // All of the one that there is: of a page PostgreSQL hopes to find it among the first of the company.
        select::<CustomerRow>(of_document).whole(),
    ))?;
    let (row, customer) = row.zip(customer.into_iter().next()).ok_or_else(Problem::not_found)?;
    sort_lines(&mut items);
    Ok(LockedDocument { row, items, customer })
}

impl<L: PricedLine> LockedDocument<L> {
    /// The lines as a body would state them, at their agreed prices.
    pub fn restate_lines(&self) -> Vec<StatedLine> {
        self.items.iter().map(L::restate).collect()
    }

    /// The records of other modules that the document names, with these lines.
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
///
/// # Errors
/// LIMIT_EXCEEDED, which a hundred lines never reach.
pub fn sum_lines<L: PricedLine>(lines: &[L]) -> Result<Amount, Problem> {
    sum(lines.iter().map(L::line_total))
}

/// The products of the lines: what the audit entry is found by.
pub fn products_of<L: PricedLine>(lines: &[L]) -> BTreeSet<Id> {
    set(lines.iter().map(L::product_id))
}

/// Every row of a draft, those that were taken out of it before among them: of a draft that is replaced again and again
/// there may be more than one call answers. [`read_lines`] takes the rest.
pub fn first_lines<L: PricedLine>(document: Id) -> impl Batch<Answer = Rows<L>> {
    select::<L>(L::DOCUMENT.eq(document)).limit(MOST_ROWS)
}

/// The rows that [`first_lines`] answered and all that follow.
pub fn read_lines<L: PricedLine>(document: Id, first: Rows<L>) -> Result<Vec<L>, Problem> {
    Ok(read_rest(first, &L::DOCUMENT.eq(document), L::id)?)
}

/// The lines of a draft after a replacement.
pub struct RedrawnLines<L> {
    /// All of them, in the order stated.
    pub lines: Vec<L>,
    new: Vec<L>,
    old: Vec<L>,
    dropped: Vec<Id>,
}

/// Replaces the lines of a draft. `adjust` gives a line what is its document's own; it knows the row as it was, where
/// there was one.
///
/// # Errors
/// LIMIT_EXCEEDED, which lines of a body never reach.
pub fn redraw_lines<L: PricedLine>(
    document: Id,
    rows: &[L],
    stated: &[StatedLine],
    terms: &[LineTerms],
    adjust: impl Fn(L, &StatedLine, Option<&L>) -> L,
) -> Result<RedrawnLines<L>, Problem> {
    let kept = |row: &L| Kept { id: row.id(), is_live: row.line_no().is_some(), key: row.variant_id() };
    let replacement = replace_lines(rows, kept, stated, |line| line.variant);
    let (mut lines, mut new, mut old) = (Vec::new(), Vec::new(), Vec::new());
    for (line, (stated, terms)) in replacement.lines.iter().zip(stated.iter().zip(terms)) {
        let row = L::new(line.id, document, line.line_no, stated, terms)?;
        let row = adjust(row, stated, line.before);
        if line.before.is_some() { &mut old } else { &mut new }.push(row.clone());
        lines.push(row);
    }
    Ok(RedrawnLines { lines, new, old, dropped: replacement.dropped })
}

impl<L: PricedLine> RedrawnLines<L> {
    /// Writes them: those that stay, go and come.
    pub fn write(&self) -> impl Batch<Answer = impl Sized> {
        let dropped = update_all::<L>(self.dropped.iter().copied()).set(L::LINE_NO, &None);
        (update_from(&self.old, L::REDRAWN), dropped, insert(&self.new))
    }
}
