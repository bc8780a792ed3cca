//! The operations of stock levels.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{aggregate, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Limit, Operation, Page, Problem, Reply, all, any, facts, paged};

use crate::records::caller::{CLIENT_READ, READ};
use crate::records::quantity::Quantity;
use crate::records::stock::{PublicStockLevel, StockLevel, StockRow, Totals, VariantStock};
use crate::rules::sum::sum;
use crate::work::clients::articles;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/tenants/{tenantId}/inventory/stock", "listStock", list).summary("Stock levels")
        .description("What every warehouse holds of every variant. A pair that never had goods is not listed.")
        .needs(READ).query::<ListStock>().answers::<Page<StockLevel>>(),
    Operation::read("/tenants/{tenantId}/inventory/variants/{variantId}/stock", "getVariantStock", of_variant)
        .summary("Stock of a variant").description("Totals over all warehouses, and the levels of each.")
        .needs(READ).query::<Paged>().answers::<VariantStock<StockLevel>>(),
    Operation::read("/api-client/inventory/stock", "apiListStock", list_public).summary("Stock levels")
        .machine(CLIENT_READ).query::<ListStock>().answers::<Page<PublicStockLevel>>(),
    Operation::read("/api-client/inventory/variants/{variantId}/stock", "apiGetVariantStock", of_variant_public)
        .summary("Stock of a variant").machine(CLIENT_READ).query::<Paged>().answers::<VariantStock<PublicStockLevel>>(),
];

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ListStock {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    warehouse_id: Option<Id>,
    variant_id: Option<Id>,
    product_id: Option<Id>,
    legal_entity_id: Option<Id>,
    /// Changed at or after this instant.
    updated_since: Option<Instant>,
    /// True: only where something is held, reserved or expected; false: only where nothing is.
    non_zero: Option<bool>,
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
        let terms = [
            self.warehouse_id.map(|id| StockRow::warehouse_id.eq(id)),
            self.variant_id.map(|id| StockRow::variant_id.eq(id)),
            self.product_id.map(|id| StockRow::product_id.eq(id)),
            self.legal_entity_id.map(|id| StockRow::legal_entity_id.eq(id)),
            self.updated_since.map(|since| StockRow::updated_at.ge(since)),
            non_zero,
        ];
        all(terms.into_iter().flatten())
    }
}

fn page(call: &Call) -> Result<stoa_sdk::store::Rows<StockRow>, Problem> {
    let query: ListStock = call.query()?;
    paged(query.limit, |limit| run(select(query.filter()).after(query.cursor).limit(limit)))
}

fn list(call: &Call) -> Answer {
    let rows = page(call)?;
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&Page::of(&rows.items, rows.more, |row| row.id, |row| StockLevel::of(row, tenant))))
}

fn list_public(call: &Call) -> Answer {
    let rows = page(call)?;
    Ok(Reply::json(&Page::of(&rows.items, rows.more, |row| row.id, PublicStockLevel::of)))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Paged {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
}

fn variant_stock<T>(call: &Call, shown: impl Fn(&StockRow) -> T) -> Result<VariantStock<T>, Problem> {
    let variant_id = call.path_id("variantId")?;
    let query: Paged = call.query()?;
    let article = articles::get_variants(&[variant_id]).pop().ok_or_else(Problem::not_found)?;
    let of_it = || StockRow::variant_id.eq(variant_id);
    let (sums, rows) = paged(query.limit, |limit| {
        let sums = aggregate::<StockRow>(of_it())
            .sum(StockRow::on_hand, Filter::default())
            .sum(StockRow::reserved, Filter::default())
            .sum(StockRow::on_hand, StockRow::sellable.eq(true))
            .sum(StockRow::reserved, StockRow::sellable.eq(true))
            .sum(StockRow::incoming, Filter::default());
        run((sums, select::<StockRow>(of_it()).after(query.cursor).limit(limit)))
    })?;
    let mut sums = sums.into_iter().next().unwrap_or_default().into_iter();
    let [on_hand, reserved, sellable, held, incoming]: [Quantity; 5] = std::array::from_fn(|_| sum(sums.next()));
    let totals =
        Totals { on_hand, reserved, available: Quantity::from_units(sellable.units() - held.units()), incoming };
    let page = Page::of(&rows.items, rows.more, |row| row.id, shown);
    Ok(VariantStock {
        variant_id,
        tracking_mode: articles::tracking(&article),
        totals,
        items: page.items,
        next_cursor: page.next_cursor,
    })
}

fn of_variant(call: &Call) -> Answer {
    let tenant = Id::from(facts().tenant);
    Ok(Reply::json(&variant_stock(call, |row| StockLevel::of(row, tenant))?))
}

fn of_variant_public(call: &Call) -> Answer {
    Ok(Reply::json(&variant_stock(call, PublicStockLevel::of)?))
}
