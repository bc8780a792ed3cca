//! S4 and S7: quotations against their lines and the orders that they became.

use stoa_sdk::store::{read, select};
use stoa_sdk::{Filter, Id, all, map, view};
use stoa_trade::pages::read_every;
use stoa_trade::quantity::sum;
use stoa_trade::stages::{Batch, NOTHING_LEFT, finding, read_batch};

use crate::records::order::OrderRow;
use crate::records::quotation::{QuotationItemRow, QuotationRow, QuotationStatus};
use crate::rules::priced_line::PricedLine;
use crate::verify::DOCUMENTS;

view! { OfQuotation of OrderRow { id: Id, quotation_id: Option<Id> } }

pub fn verify(after: Option<Id>) -> Batch {
    let Some(page) = read_batch::<QuotationRow>(Filter::default(), after, DOCUMENTS) else { return NOTHING_LEFT };
    let named = || page.rows.iter().map(|quotation| quotation.id);
    let live = all([QuotationItemRow::quotation_id.one_of(named()), QuotationItemRow::line_no.not_null()]);
    let items = read_every(&live, |row: &QuotationItemRow| row.id);
    let orders = read(select::<OfQuotation>(OrderRow::quotation_id.one_of(named())).whole());
    let orders = map(orders.into_iter().filter_map(|order| Some((order.quotation_id?, order.id))));
    let mut findings = Vec::new();
    for row in &page.rows {
        let lines: Vec<&QuotationItemRow> = items.iter().filter(|item| item.quotation_id == row.id).collect();
        let fits = |item: &&QuotationItemRow| {
            let figures = item.price().figures();
            figures.is_ok_and(|figures| figures.unit_price == item.unit_price && figures.line_total == item.line_total)
        };
        let sum = sum(lines.iter().map(|item| item.line_total));
        let is_counted = usize::try_from(row.item_count) == Ok(lines.len());
        if !lines.iter().all(fits) || sum.ok() != Some(row.total) || !is_counted {
            findings.push(finding("S4", row.id, "The total is not the sum of quantity times price over the lines."));
        }
        let order = orders.get(&row.id).copied();
        if order != row.order_id || order.is_some() != (row.status == QuotationStatus::Accepted) {
            findings.push(finding(
                "S7",
                row.id,
                "The quotation is accepted and has no order, or is not accepted and has one.",
            ));
        }
    }
    (findings, page.last)
}
