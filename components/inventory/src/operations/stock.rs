//! The operations of stock levels.

use serde::Serialize;
use stoa_sdk::store::{Rows, aggregate, run, select};
use stoa_sdk::{
    Answer, Call, Client, Filter, Id, Instant, Operation, Page, Problem, Reply, all, any, fit_page, totals,
};
use stoa_trade::clients::articles;
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{changed_since, equals, read_page};
use stoa_trade::quantity::Quantity;
use stoa_trade::{Caller, list_query};

use crate::records::permission::{CLIENT_READ, READ};
use crate::records::stock::{ApiStockLevel, StockLevel, StockRow, Totals, VariantStock};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/inventory/stock", "listStock", list).summary("Stock levels")
        .description("Quantities of each variant in each warehouse. A pair that never had goods is not listed.")
        .needs(READ).query::<ListStock>().answers::<Page<StockLevel>>()
        .and_client(Client::new(CLIENT_READ).description("").answers::<Page<ApiStockLevel>>()),
    Operation::read("/inventory/variants/{variantId}/stock", "getVariantStock", read_variant)
        .summary("Stock of a variant").description("Totals over all warehouses, and the quantities of each.")
        .needs(READ).query::<Paged>().answers::<VariantStock<StockLevel>>()
        .and_client(Client::new(CLIENT_READ).description("").answers::<VariantStock<ApiStockLevel>>()),
];

list_query! {
    struct ListStock {
        warehouse_id: Option<Id>,
        variant_id: Option<Id>,
        /// Only these variants, at most 100, separated by commas.
        variant_ids: Option<Ids>,
        product_id: Option<Id>,
        legal_entity_id: Option<Id>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant>,
        /// True: only pairs with a held, reserved or expected quantity; false: only pairs without one.
        non_zero: Option<bool>,
    }
}

impl ListStock {
    fn filter(&self) -> Filter {
        let figures = StockRow::FIGURES;
        let non_zero = self.non_zero.map(|non_zero| {
            if non_zero {
                any(figures.map(|figure| figure.gt(Quantity::ZERO)))
            } else {
                all(figures.map(|figure| figure.eq(Quantity::ZERO)))
            }
        });
        all([
            equals(StockRow::warehouse_id, self.warehouse_id),
            equals(StockRow::variant_id, self.variant_id),
            among(StockRow::variant_id, self.variant_ids.as_ref()),
            equals(StockRow::product_id, self.product_id),
            equals(StockRow::legal_entity_id, self.legal_entity_id),
            changed_since(StockRow::updated_at, self.updated_since),
            non_zero.unwrap_or_default(),
        ])
    }
}

fn list(call: &Call) -> Answer {
    let query: ListStock = call.query()?;
    let rows: Rows<StockRow> = read_page(&query.filter(), query.cursor, query.limit)?;
    Caller::current().show_page::<StockLevel, ApiStockLevel, _>(rows, |row| row.id)
}

list_query! {
    struct Paged {
    }
}

totals! {
    Sums of StockRow by [] {
        on_hand: Quantity = sum(on_hand),
        reserved: Quantity = sum(reserved),
        sellable: Quantity = sum(on_hand),
        held: Quantity = sum(reserved),
        incoming: Quantity = sum(incoming),
    }
}

fn read_variant(call: &Call) -> Answer {
    match Caller::current() {
        Caller::Person => answer_variant::<StockLevel>(call),
        Caller::Client => answer_variant::<ApiStockLevel>(call),
    }
}

fn answer_variant<T: Serialize + From<StockRow>>(call: &Call) -> Answer {
    let variant_id = call.path_id("variantId")?;
    let query: Paged = call.query()?;
    let article = articles::get_one(variant_id).ok_or_else(Problem::not_found)?;
    let of_it = || StockRow::variant_id.eq(variant_id);
    let (sums, rows) = fit_page(query.limit, |limit| {
        let sums = aggregate::<Sums>(of_it())
            .when(Sums::sellable, StockRow::sellable.eq(true))
            .when(Sums::held, StockRow::sellable.eq(true));
        run((sums.one(), select::<StockRow>(of_it()).page(query.cursor).limit(limit)))
    })?;
    let totals = Totals {
        on_hand: sums.on_hand,
        reserved: sums.reserved,
        available: Quantity::from_units(sums.sellable.units() - sums.held.units()),
        incoming: sums.incoming,
    };
    let next_cursor = rows.next(|row| row.id);
    Ok(Reply::json(&VariantStock {
        variant_id,
        tracking_mode: articles::tracking(&article),
        totals,
        items: rows.items.into_iter().map(T::from).collect(),
        next_cursor,
    }))
}
