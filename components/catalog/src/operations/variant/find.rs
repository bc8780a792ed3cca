//! Variants over all products: the till's look-up of what was scanned or typed, exact matches first; and for API clients those
//! on sale.

use std::collections::BTreeSet;

use stoa_sdk::store::{Failure, Rows, get_all, run, select};
use stoa_sdk::{
    Answer, Call, Client, Filter, Id, Instant, Operation, Page, Problem, Text, all, any, contains, fit_page,
};
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{answer_kept, answer_page, ask_nothing, changed_since, equals, read_page};
use stoa_trade::{Caller, Status, client_query, list_query};

use crate::records::permission::READ;
use crate::records::product::{ProductId, ProductRow, ProductState, on_sale};
use crate::records::variant::{ApiVariant, Variant, VariantId, VariantRow, publish_variant};
use crate::rules::access::require_may_list_drafts;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/catalog/variants", "listVariants", find).summary("Find variants over all products")
        .description("Look-up for a till: with `text`, variants whose SKU or barcode equals the text come first.")
        .needs(READ).query::<FindUserVariants>().answers::<Page<Variant>>()
        .and_client(Client::new(READ).summary("Active variants of products on sale")
            .description("Lists variants of all products on sale; with `drafts`, of products that are not published too. A page \
                may have fewer items than `limit` and still not be the last: continue until `nextCursor` is null.")
            .query::<ListApiVariants>().answers::<Page<ApiVariant>>()),
];

/// Variants with one barcode that are put first; where more bear it, the list is in plain order of ids.
const EXACT: u32 = 100;
/// The most variants of a page.
const PAGE: u32 = 100;

list_query! {
    pub struct FindVariants of VariantRow {
        #[serde(default)]
        status: Status = VariantRow::status.eq(status),
        /// Only these variants, at most 100, separated by commas.
        ids: Option<Ids> = among(VariantRow::id, ids.as_ref()),
        /// Only records of these products or variants, at most 100 ids, separated by commas.
        product_ids: Option<Ids> = among(VariantRow::product_id, product_ids.as_ref()),
        /// Only this SKU, ignoring case.
        sku: Option<Text<1, 100>> = equals(VariantRow::sku, sku.as_deref().map(str::to_uppercase)),
        /// Only this barcode.
        barcode: Option<Text<1, 100>> = equals(VariantRow::barcode, barcode.as_deref()),
        /// Only variants whose SKU, barcode, model number or alias contains the text, ignoring case; exact SKUs and barcodes
        /// come first.
        text: Option<Text<1, 200>> = ask_nothing(text),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(VariantRow::updated_at, updated_since),
        /// True includes variants of products that are not published. Requires the scope `catalog.write`.
        #[serde(default)]
        drafts: bool = ask_nothing(Some(drafts)),
    }
}

client_query! {
    /// Users find variants of every product.
    FindUserVariants of FindVariants without ["drafts"]
}

client_query! {
    ListApiVariants of active FindVariants without ["text"] but {
        "updatedSince": "Only variants changed at or after this instant. `GET /api-client/catalog/removals` lists archived \
            variants as `VARIANT`. The variants of a product that was taken off sale go with the entry of the product.",
    }
}

pub fn find(call: &Call) -> Answer {
    let query: FindVariants = call.query()?;
    match Caller::current() {
        Caller::Person => find_any(&query),
        Caller::Client => find_on_sale(&query),
    }
}

fn find_any(query: &FindVariants) -> Answer {
    let rows = match query.text.as_deref() {
        None => query.page([])?,
        Some(text) => fit_page(query.limit, |limit| find_exact_first(query, text, limit))?,
    };
    answer_page(rows, |row| row.id, |row| Variant::from_row(&row))
}

fn find_on_sale(query: &FindVariants) -> Answer {
    require_may_list_drafts(query.drafts)?;
    let filter = query.filter([]);
    let state = if query.drafts { ProductRow::status.eq(ProductState::Active) } else { on_sale() };
    answer_kept(
        (query.cursor, query.limit),
        |cursor| read_page::<VariantRow>(&filter, cursor, query.limit),
        |row| row.product_id,
        |products| select_products(products, &state),
        |row| row.id,
        |row| publish_variant(&row),
    )
}

/// Those of the products that are in this state, of a page of variants at most.
fn select_products(products: BTreeSet<Id>, state: &Filter) -> Result<BTreeSet<Id>, Problem> {
    let kept = all([ProductRow::id.one_of(products), state.clone()]);
    Ok(run(select::<ProductId>(kept).limit(PAGE))?.items.into_iter().map(|product| product.id).collect())
}

/// The exact matches in order of ids, then the others in order of ids. A cursor that is one of the exact matches has
/// its place among these, any other among the rest; so a cursor is still the last id of the page before, and nothing
/// comes twice.
fn find_exact_first(query: &FindVariants, text: &str, limit: u32) -> Result<Rows<VariantRow>, Failure> {
    let sku = text.to_uppercase();
    let is = any([VariantRow::sku.eq(sku.as_str()), VariantRow::barcode.eq(text)]);
    let exact = run(select::<VariantId>(query.filter([is])).limit(EXACT))?;
    let found = query.filter([contains("text", text)]);
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
        let has_more = pending.len() > shown.len() || rest.more || !rest.items.is_empty();
        return Ok(Rows { items, more: has_more, reached: None });
    }
    items.extend(rest.items);
    Ok(Rows { items, ..rest })
}

/// The exact matches still to be shown, and after which id the rest goes on.
fn list_pending(exact: &[Id], cursor: Option<Id>) -> (&[Id], Option<Id>) {
    match cursor {
        None => (exact, None),
        Some(cursor) => match exact.iter().position(|id| *id == cursor) {
            Some(position) => (exact.get(position + 1..).unwrap_or_default(), None),
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
