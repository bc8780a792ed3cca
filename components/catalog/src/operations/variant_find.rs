//! The till's look-up: what was scanned or typed, exact matches first.

use stoa_sdk::store::{Failure, Rows, get_all, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Operation, Page, Text, all, any, contains, fit_page};
use stoa_trade::list_query;
use stoa_trade::lists::answer_page;

use crate::records::variant::{Variant, VariantId, VariantRow};
use crate::rules::access::READ;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/catalog/variants", "listVariants", find).summary("Find variants over all products")
        .description("The till's look-up: with `text`, variants whose SKU or barcode is exactly that text come first.")
        .needs(READ).query::<FindVariants>().answers::<Page<Variant>>(),
];

/// Variants with one barcode that are put first; where more bear it, the list is in plain order of ids.
const EXACT: u32 = 100;

list_query! {
    pub struct FindVariants of Status {
        /// Exactly this SKU, in any case.
        sku: Option<Text<1, 100>>,
        /// Exactly this barcode.
        barcode: Option<Text<1, 100>>,
        /// Part of the SKU, barcode, model number or an alias, in any case; exact SKUs and barcodes come first.
        text: Option<Text<1, 200>>,
    }
}

impl FindVariants {
    fn filter(&self) -> Filter {
        let sku = self.sku.as_ref().map(|sku| VariantRow::sku.eq(sku.to_uppercase()));
        let barcode = self.barcode.as_ref().map(|barcode| VariantRow::barcode.eq(&**barcode));
        all([VariantRow::status.eq(self.status)].into_iter().chain(sku).chain(barcode))
    }
}

pub fn find(call: &Call) -> Answer {
    let query: FindVariants = call.query()?;
    let rows = fit_page(query.limit, |limit| match query.text.as_deref() {
        None => run(select::<VariantRow>(query.filter()).page(query.cursor).limit(limit)),
        Some(text) => find_exact_first(&query, text, limit),
    })?;
    answer_page(rows, |row| row.id, Variant::from)
}

/// The exact matches in order of ids, then the others in order of ids. A cursor that is one of the exact matches stands among
/// these, any other among the rest; so a cursor is still the last id of the page before, and nothing comes twice.
fn find_exact_first(query: &FindVariants, text: &str, limit: u32) -> Result<Rows<VariantRow>, Failure> {
    let sku = text.to_uppercase();
    let is = any([VariantRow::sku.eq(sku.as_str()), VariantRow::barcode.eq(text)]);
    let exact = run(select::<VariantId>(all([query.filter(), is])).limit(EXACT))?;
    let found = all([query.filter(), contains("text", text)]);
    if exact.more {
        return run(select(found).page(query.cursor).limit(limit));
    }
    let exact: Vec<Id> = exact.items.iter().map(|variant| variant.id).collect();
    let (pending, after) = list_pending(&exact, query.cursor);
    let shown: Vec<Id> = pending.iter().copied().take(limit as usize).collect();
    let room = limit.saturating_sub(u32::try_from(shown.len()).unwrap_or(u32::MAX));
    let others = any([VariantRow::barcode.is_null(), VariantRow::barcode.ne(text)]);
    let rest = select(all([found, VariantRow::sku.ne(sku.as_str()), others])).after(after).limit(room.max(1));
    let (mut items, rest) = run((get_all::<VariantRow>(shown.iter().copied()), rest))?;
    items.sort_by_key(|row| row.id);
    if room == 0 {
        let more = pending.len() > shown.len() || rest.more || !rest.items.is_empty();
        return Ok(Rows { items, more, reached: None });
    }
    items.extend(rest.items);
    Ok(Rows { items, ..rest })
}

/// The exact matches still to be shown, and after which id the rest goes on.
fn list_pending(exact: &[Id], cursor: Option<Id>) -> (&[Id], Option<Id>) {
    match cursor {
        None => (exact, None),
        Some(cursor) => match exact.iter().position(|id| *id == cursor) {
            Some(at) => (exact.get(at + 1..).unwrap_or_default(), None),
            None => (&[], Some(cursor)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_stands_among_the_exact_ones_or_the_rest() {
        let exact = [Id(0, 5), Id(0, 9)];
        assert_eq!(list_pending(&exact, None), (&exact[..], None));
        assert_eq!(list_pending(&exact, Some(exact[0])), (&exact[1..], None));
        assert_eq!(list_pending(&exact, Some(exact[1])), (&[][..], None));
        assert_eq!(list_pending(&exact, Some(Id(0, 7))), (&[][..], Some(Id(0, 7))));
    }
}
