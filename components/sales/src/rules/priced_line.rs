//! The line of a quotation or an order: rows of both have the same columns, priced in the same way.

use stoa_sdk::{Column, Entity, Id, Problem};
use stoa_trade::quantity::{Amount, multiply};
use stoa_trade::{JsonList, new_record};

use crate::records::order::OrderRow;
use crate::records::order_item::OrderItemRow;
use crate::records::price_figures::PriceOrigin;
use crate::records::quotation::{QuotationItemRow, QuotationRow};
use crate::rules::line::{LineTerms, Named, StatedLine};
use crate::rules::price::LinePrice;

/// A row of a line that is priced.
pub trait PricedLine: Entity + Clone {
    /// The row of the quotation or order.
    type Document: Entity;

    /// The document's id.
    const DOCUMENT_ID: Column<Id>;
    /// The document's customer.
    const CUSTOMER_ID: Column<Id>;
    /// The document of a line.
    const DOCUMENT: Column<Id>;
    /// The line's place; null: taken out of the draft.
    const LINE_NO: Column<Option<i64>>;
    /// Columns that a draft may change of its lines.
    const REDRAWN: &'static [&'static str];

    /// A line as a body states it, at these terms.
    fn new(id: Id, document: Id, line_no: i64, line: &StatedLine, terms: &LineTerms) -> Result<Self, Problem>;
    /// The line at the list's current price; an agreed price stays.
    fn reprice(&self, terms: &LineTerms) -> Result<Self, Problem>;
    /// The line as a body would state it: at its agreed price, or following the list.
    fn restate(&self) -> StatedLine;
    /// Its price as it is kept.
    fn price(&self) -> LinePrice<'_>;
    fn line_no(&self) -> Option<i64>;
    fn variant_id(&self) -> Id;
    fn product_id(&self) -> Id;
    fn line_total(&self) -> Amount;
    /// The records that the document names, with these lines.
    fn name_references<'a>(document: &Self::Document, lines: &'a [StatedLine]) -> Named<'a>;
}

/// Rows whose columns have the names that lines share. `own`: further columns that a draft may change; `kept`: those
/// that it may not.
macro_rules! priced_line {
    ($row:ident of $document:ident by $document_id:ident {
        origin: $origin:expr, own: [$($own:ident),*], kept: [$($kept:ident),*],
    }) => {
        impl PricedLine for $row {
            type Document = $document;
            const DOCUMENT_ID: Column<Id> = $document::id;
            const CUSTOMER_ID: Column<Id> = $document::customer_id;
            const DOCUMENT: Column<Id> = $row::$document_id;
            const LINE_NO: Column<Option<i64>> = $row::line_no;
            const REDRAWN: &'static [&'static str] = &[
                $row::line_no.name(),
                $row::sku.name(),
                $row::description.name(),
                $row::tracking.name(),
                $row::quantity.name(),
                $row::price_id.name(),
                $row::list_price.name(),
                $row::agreed_price.name(),
                $row::reason.name(),
                $row::unit_price.name(),
                $row::line_total.name(),
                $row::adjusted_price.name(),
                $row::adjustments.name(),
                $($row::$own.name(),)*
            ];

            fn new(id: Id, document: Id, line_no: i64, line: &StatedLine, terms: &LineTerms) -> Result<Self, Problem> {
                let row = new_record!($row {
                    id,
                    $document_id: document,
                    variant_id: line.variant,
                    product_id: terms.product_id,
                    line_no: Some(line_no),
                    sku: String::new(),
                    description: String::new(),
                    tracking: terms.tracking,
                    quantity: line.quantity,
                    price_id: terms.price_id,
                    list_price: terms.list_price,
                    agreed_price: terms.agreed,
                    reason: line.reason.clone().filter(|_| terms.agreed.is_some()),
                    unit_price: terms.list_price,
                    line_total: Amount::ZERO,
                    adjusted_price: None,
                    adjustments: None,
                    $($own: Default::default(),)*
                    $($kept: Default::default(),)*
                });
                row.reprice(terms)
            }

            fn reprice(&self, terms: &LineTerms) -> Result<Self, Problem> {
                // An agreed price stays as it is, whatever extensions make of the list's.
                let adjusted = terms.adjusted.as_ref().filter(|_| self.agreed_price.is_none());
                let adjusted_price = adjusted.map(|adjusted| adjusted.amount);
                let unit_price = self.agreed_price.or(adjusted_price).unwrap_or(terms.list_price);
                Ok($row {
                    sku: terms.sku.clone(),
                    description: terms.description.clone(),
                    price_id: terms.price_id,
                    list_price: terms.list_price,
                    unit_price,
                    line_total: multiply(self.quantity, unit_price)?,
                    adjusted_price,
                    adjustments: adjusted.map(|adjusted| JsonList(adjusted.adjustments.clone())),
                    ..self.clone()
                })
            }

            fn restate(&self) -> StatedLine {
                StatedLine::at_price(self.variant_id, self.quantity, self.agreed_price, self.reason.clone())
            }

            fn price(&self) -> LinePrice<'_> {
                let origin: fn(&$row) -> Option<PriceOrigin> = $origin;
                LinePrice {
                    price_id: self.price_id,
                    list: self.list_price,
                    agreed: self.agreed_price,
                    adjusted: self.adjusted_price,
                    adjustments: self.adjustments.as_ref().map(|list| list.0.as_slice()).unwrap_or_default(),
                    origin: origin(self),
                    reason: self.reason.as_deref(),
                    quantity: self.quantity,
                }
            }

            fn line_no(&self) -> Option<i64> {
                self.line_no
            }

            fn variant_id(&self) -> Id {
                self.variant_id
            }

            fn product_id(&self) -> Id {
                self.product_id
            }

            fn line_total(&self) -> Amount {
                self.line_total
            }

            fn name_references<'a>(document: &$document, lines: &'a [StatedLine]) -> Named<'a> {
                Named {
                    entity: document.legal_entity_id,
                    warehouse: document.warehouse_id.into(),
                    customer: document.customer_id,
                    price_list: document.price_list_id,
                    lines,
                }
            }
        }
    };
}

priced_line! {
    QuotationItemRow of QuotationRow by quotation_id {
        origin: |row| row.agreed_price.map(|_| PriceOrigin::Quotation), own: [], kept: [],
    }
}

priced_line! {
    OrderItemRow of OrderRow by order_id {
        origin: |row| row.agreed_origin, own: [agreed_origin, chosen_units], kept: [billed],
    }
}
