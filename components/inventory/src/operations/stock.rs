//! The operations of stock levels.

use stoa_sdk::store::{aggregate, run, select};
use stoa_sdk::{
    Answer, Call, Client, Filter, Id, Instant, Operation, Page, Problem, Reply, all, any, fit_page, tenant, totals,
};
use stoa_trade::clients::articles;
use stoa_trade::ids::{Ids, among};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, changed_since, equals, read_page};
use stoa_trade::quantity::Quantity;

use crate::records::permission::{CLIENT_READ, READ};
use crate::records::stock::{PublicStockLevel, StockLevel, StockRow, Totals, VariantStock};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/inventory/stock", "listStock", list).summary("Stock levels")
        .description("Quantities of each variant in each warehouse. A pair that never had goods is not listed.")
        .needs(READ).query::<ListStock>().answers::<Page<StockLevel>>()
        .and_client(Client::new(CLIENT_READ).run(list_public).description("").answers::<Page<PublicStockLevel>>()),
    Operation::read("/inventory/variants/{variantId}/stock", "getVariantStock", of_variant)
        .summary("Stock of a variant").description("Totals over all warehouses, and the quantities of each.")
        .needs(READ).query::<Paged>().answers::<VariantStock<StockLevel>>()
        .and_client(Client::new(CLIENT_READ).run(of_variant_public).description("").answers::<VariantStock<PublicStockLevel>>()),
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

fn page(call: &Call) -> Result<stoa_sdk::store::Rows<StockRow>, Problem> {
    let query: ListStock = call.query()?;
    read_page(&query.filter(), query.cursor, query.limit)
}

fn list(call: &Call) -> Answer {
    let rows = page(call)?;
    let tenant = tenant();
    answer_page(rows, |row| row.id, |row| StockLevel::from_row(&row, tenant))
}

fn list_public(call: &Call) -> Answer {
    let rows = page(call)?;
    answer_page(rows, |row| row.id, |row| PublicStockLevel::from_row(&row))
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

fn variant_stock<T>(call: &Call, show: impl Fn(&StockRow) -> T) -> Result<VariantStock<T>, Problem> {
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
    let page = Page::from_rows(&rows.items, rows.more, |row| row.id, show);
    Ok(VariantStock {
        variant_id,
        tracking_mode: articles::tracking(&article),
        totals,
        items: page.items,
        next_cursor: page.next_cursor,
    })
}

fn of_variant(call: &Call) -> Answer {
    let tenant = tenant();
    Ok(Reply::json(&variant_stock(call, |row| StockLevel::from_row(row, tenant))?))
}

fn of_variant_public(call: &Call) -> Answer {
    Ok(Reply::json(&variant_stock(call, PublicStockLevel::from_row)?))
}
