//! Drawing up the lines of a draft: the records that they name are read in one call of each module, and judged together.

use std::collections::{BTreeMap, BTreeSet};

use stoa_sdk::{Bounds, Id, Item, Problem, item, new_ids, set};
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::clients::books;
use stoa_trade::clients::directory::Entity;
use stoa_trade::clients::{Key, keys, units};
use stoa_trade::document::lines::{LinePointer, Lines};
use stoa_trade::limits::UNITS;
use stoa_trade::quantity::{Tracking, is_countable, multiply, pieces, scale_fault, unit_count_mismatch};
use stoa_trade::refusal::{refuse, refuse_invalid};
use stoa_trade::{JsonList, new_row};

use crate::records::invoice::InvoiceRow;
use crate::records::invoice_line::InvoiceLineRow;
use crate::records::side::Side;
use crate::rules::stated::{StatedLine, amount_member};
use crate::work::ordered::{OrderedLine, Orders, read_orders};

/// Records that the lines of a draft name.
struct Named {
    orders: Orders,
    articles: BTreeMap<Id, Article>,
    units: BTreeSet<Id>,
    /// Accounts that a line may name.
    accounts: BTreeSet<Id>,
}

/// The lines of an invoice as a body states them, of the set that the invoice names.
///
/// # Errors
/// NOT_FOUND, VALIDATION_FAILED of quantities, REFERENCE_INVALID, IMMUTABLE_FIELD, UNIT_COUNT_MISMATCH, LIMIT_EXCEEDED.
pub fn draw_lines(
    invoice: &InvoiceRow,
    entity: &Entity,
    stated: &[StatedLine],
) -> Result<Vec<InvoiceLineRow>, Problem> {
    let named = read_named(invoice.side, entity, stated)?;
    let lines = Lines::at("/lines", stated);
    refuse("NOT_FOUND", named.find_missing(lines))?;
    refuse_invalid(named.find_repeats(lines))?;
    refuse_invalid(named.find_quantity_faults(lines))?;
    refuse("REFERENCE_INVALID", named.find_unusable(lines, invoice))?;
    if invoice.side == Side::Sales {
        let differs = |line: &StatedLine| {
            let agreed = named.order_line(line).map(|ordered| ordered.unit_amount);
            line.unit_amount.is_some() && agreed.is_some() && line.unit_amount != agreed
        };
        refuse("IMMUTABLE_FIELD", lines.faults(amount_member(invoice.side), "IMMUTABLE_FIELD", differs))?;
    }
    for (pointer, line) in lines.iter() {
        let required = pieces(line.quantity).unwrap_or_default();
        if line.units.len() > required {
            let differing = "UNITS_DIFFER_FROM_QUANTITY";
            return Err(unit_count_mismatch(pointer.member("unitIds"), differing, required, line.units.len()));
        }
    }
    let ids = new_ids(u32::try_from(stated.len()).unwrap_or(u32::MAX));
    lines.iter().zip(ids).map(|((pointer, line), id)| named.draw(invoice, id, pointer, line)).collect()
}

fn read_named(side: Side, entity: &Entity, stated: &[StatedLine]) -> Result<Named, Problem> {
    let items = set(stated.iter().filter_map(|line| line.order_item));
    let receipt_items = set(stated.iter().filter_map(|line| line.receipt_item));
    let orders = match items.is_empty() && receipt_items.is_empty() {
        true => Orders::default(),
        false => read_orders(side, &items, &receipt_items)?,
    };
    let of_orders = orders.lines.values().map(|line| line.variant);
    let variants = set(stated.iter().filter_map(|line| line.variant).chain(of_orders));
    let articles = if variants.is_empty() { BTreeMap::new() } else { articles::get(variants) };
    let unit_ids: Vec<Id> = stated.iter().flat_map(|line| line.units.iter().copied()).collect();
    let known = if unit_ids.is_empty() { Vec::new() } else { units::get(&unit_ids) };
    Ok(Named {
        orders,
        articles,
        units: set(known.into_iter().map(|unit| Id::from(unit.id))),
        accounts: read_accounts(side, entity, stated)?,
    })
}

/// Those of the named accounts that a line of this side may name; without books there are none.
fn read_accounts(side: Side, entity: &Entity, stated: &[StatedLine]) -> Result<BTreeSet<Id>, Problem> {
    let accounts = set(stated.iter().filter_map(|line| line.account));
    if accounts.is_empty() || !entity.keeps_books {
        return Ok(BTreeSet::new());
    }
    let types: &[&str] = match side {
        Side::Sales => &["INCOME", "LIABILITY"],
        Side::Purchases => &["EXPENSE", "ASSET", "LIABILITY"],
    };
    let types: Vec<String> = types.iter().map(|&name| name.to_owned()).collect();
    let accounts: Vec<Key> = keys(accounts);
    Ok(set(books::service::line_accounts(entity.id, &accounts, &types)?.into_iter().map(Id::from)))
}

impl Named {
    /// The order's line that a line bills: the one that it names, or that its receipt's line came of.
    fn order_item(&self, line: &StatedLine) -> Option<Id> {
        let of_receipt = line.receipt_item.and_then(|id| self.orders.received.get(&id));
        line.order_item.or_else(|| of_receipt.map(|received| received.order_item))
    }

    fn order_line(&self, line: &StatedLine) -> Option<&OrderedLine> {
        self.orders.lines.get(&self.order_item(line)?)
    }

    fn article(&self, line: &StatedLine) -> Option<&Article> {
        let variant = line.variant.or_else(|| self.order_line(line).map(|ordered| ordered.variant))?;
        self.articles.get(&variant)
    }

    /// How the goods of a line are counted, whatever the request says.
    fn tracking(&self, line: &StatedLine) -> Tracking {
        let of_article = || self.article(line).map(articles::tracking);
        self.order_line(line).map(|ordered| ordered.tracking).or_else(of_article).unwrap_or(Tracking::None)
    }

    fn find_missing(&self, lines: Lines<'_, StatedLine>) -> Vec<Item> {
        let mut missing = lines.faults("orderItemId", "NOT_FOUND", |line| {
            line.order_item.is_some_and(|id| !self.orders.lines.contains_key(&id))
        });
        missing.extend(lines.faults("receiptItemId", "NOT_FOUND", |line| {
            line.receipt_item.is_some_and(|id| !self.orders.received.contains_key(&id))
        }));
        missing.extend(
            lines.faults("variantId", "NOT_FOUND", |line| {
                line.variant.is_some_and(|id| !self.articles.contains_key(&id))
            }),
        );
        missing.extend(lines.id_faults(
            "unitIds",
            "NOT_FOUND",
            |line| &line.units,
            |_, unit| !self.units.contains(&unit),
        ));
        missing
    }

    /// An order's line once, apart from distinct lines of its receipts.
    fn find_repeats(&self, lines: Lines<'_, StatedLine>) -> Vec<Item> {
        let mut whole = BTreeSet::new();
        let mut parts = BTreeSet::new();
        let mut faults = Vec::new();
        for (pointer, line) in lines.iter() {
            let Some(order_item) = self.order_item(line) else { continue };
            let is_part = line.receipt_item.is_some();
            if whole.contains(&order_item) || (!is_part && parts.contains(&order_item)) {
                faults.push(item(pointer.member(if is_part { "receiptItemId" } else { "orderItemId" }), "REPEATED"));
            }
            if is_part {
                parts.insert(order_item)
            } else {
                whole.insert(order_item)
            };
        }
        faults
    }

    fn find_quantity_faults(&self, lines: Lines<'_, StatedLine>) -> Vec<Item> {
        let mut faults = Vec::new();
        for (pointer, line) in lines.iter() {
            let Some(article) = self.article(line) else { continue };
            let tracking = self.tracking(line);
            if !is_countable(line.quantity, tracking, article.decimal_places) {
                faults.push(scale_fault(pointer.member("quantity"), tracking, article.decimal_places));
            } else if tracking == Tracking::Serialized && pieces(line.quantity).is_none_or(|count| count > UNITS) {
                let pieces = Bounds::between(1_i64, UNITS).of_counted("UNITS");
                faults.push(item(pointer.member("quantity"), "RANGE").with_bounds(pieces));
            }
        }
        faults
    }

    fn find_unusable(&self, lines: Lines<'_, StatedLine>, invoice: &InvoiceRow) -> Vec<Item> {
        let fits = |ordered: &OrderedLine| {
            ordered.is_billable
                && ordered.party == invoice.party_id
                && ordered.entity == invoice.legal_entity_id
                && ordered.currency_code == invoice.currency_code
        };
        let mut faults = Vec::new();
        for (pointer, line) in lines.iter() {
            let mut refuse_member = |member: &str, is_wrong: bool| {
                if is_wrong {
                    faults.push(item(pointer.member(member), "REFERENCE_INVALID"));
                }
            };
            let ordered = self.order_line(line);
            let named_by = if line.order_item.is_some() { "orderItemId" } else { "receiptItemId" };
            refuse_member(named_by, ordered.is_some_and(|ordered| !fits(ordered)));
            let came_of = line.receipt_item.and_then(|id| self.orders.received.get(&id));
            let other = came_of.zip(line.order_item).is_some_and(|(came, item)| came.order_item != item);
            refuse_member("receiptItemId", other);
            let is_other = ordered.zip(line.variant).is_some_and(|(ordered, variant)| ordered.variant != variant);
            let is_gone = ordered.is_none() && self.article(line).is_some_and(|article| !articles::is_active(article));
            refuse_member("variantId", is_other || is_gone);
            let account = line.account.filter(|id| ordered.is_some() || !self.accounts.contains(id));
            refuse_member("accountId", account.is_some());
        }
        faults
    }

    fn draw(
        &self,
        invoice: &InvoiceRow,
        id: Id,
        pointer: LinePointer<'_>,
        line: &StatedLine,
    ) -> Result<InvoiceLineRow, Problem> {
        let ordered = self.order_line(line);
        // A line without an order states it.
        let unit_amount = line.unit_amount.or_else(|| ordered.map(|ordered| ordered.unit_amount)).unwrap_or_default();
        Ok(new_row!(InvoiceLineRow {
            id,
            invoice_id: invoice.id,
            line_set_id: invoice.line_set_id,
            line_no: pointer.line_no(),
            variant_id: line.variant.or_else(|| ordered.map(|ordered| ordered.variant)),
            product_id: self.article(line).map(|article| article.product_id.into()),
            description: line.description.clone(),
            tracking: self.tracking(line),
            quantity: line.quantity,
            unit_amount,
            line_total: multiply(line.quantity, unit_amount)?,
            order_id: ordered.map(|ordered| ordered.order),
            order_item_id: ordered.map(|ordered| ordered.id),
            receipt_item_id: line.receipt_item,
            order_unit_cost: ordered.filter(|_| invoice.side == Side::Purchases).map(|ordered| ordered.unit_amount),
            account_id: line.account,
            price_reason: line.price_reason.clone(),
            unit_ids: JsonList(line.units.clone()),
        }))
    }
}
