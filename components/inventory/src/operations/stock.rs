//! The operations of stock levels.

use serde::Serialize;
use stoa_sdk::store::{aggregate, run, select};
use stoa_sdk::{
    Answer, Call, Client, Filter, Id, Instant, Operation, Page, Problem, Reply, all, any, fit_page, totals,
};
use stoa_trade::clients::articles;
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::changed_since;
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
    struct ListStock of StockRow {
        /// Only these stock levels, at most 100, separated by commas.
        ids: Option<Ids> = among(StockRow::id, ids.as_ref()),
        warehouse_id: Option<Id>,
        variant_id: Option<Id>,
        /// Only these variants, at most 100, separated by commas.
        variant_ids: Option<Ids> = among(StockRow::variant_id, variant_ids.as_ref()),
        product_id: Option<Id>,
        legal_entity_id: Option<Id>,
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(StockRow::updated_at, updated_since),
        /// True: only pairs with a held, reserved or expected quantity; false: only pairs without one.
        non_zero: Option<bool> = non_zero.map(is_above_zero).unwrap_or_default(),
    }
}

/// Some figure is above zero, or none.
fn is_above_zero(stated: bool) -> Filter {
    match stated {
        true => any(StockRow::FIGURES.map(|figure| figure.gt(Quantity::ZERO))),
        false => all(StockRow::FIGURES.map(|figure| figure.eq(Quantity::ZERO))),
    }
}

fn list(call: &Call) -> Answer {
    let rows = call.query::<ListStock>()?.page([])?;
    Caller::current().answer_page(rows, StockLevel::from_row, ApiStockLevel::from_row)
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
        Caller::Person => answer_variant(call, StockLevel::from_row),
        Caller::Client => answer_variant(call, ApiStockLevel::from_row),
    }
}

fn answer_variant<T: Serialize>(call: &Call, show: fn(&StockRow) -> T) -> Answer {
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
        items: rows.items.iter().map(show).collect(),
        next_cursor,
    }))
}
