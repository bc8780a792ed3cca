//! Goods that an invoice sells or buys by an order that is made for it: such an order has each variant once.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Problem, item};
use stoa_trade::quantity::{Quantity, sum};
use stoa_trade::refusal::refuse;

use crate::records::invoice_line::InvoiceLineRow;

/// Goods of one variant: all its lines have one price or cost.
pub struct VariantGoods<'a, U> {
    pub first: &'a InvoiceLineRow,
    pub quantity: Quantity,
    pub units: Vec<U>,
}

/// Gathers lines and their units by variant. `member` and `code` are those of a fault at a line that differs.
///
/// # Errors
/// REFERENCE_INVALID at a line whose price or cost differs from that of an earlier line of its variant.
pub fn gather_goods<'a, U, I: IntoIterator<Item = U>>(
    lines: impl IntoIterator<Item = (&'a InvoiceLineRow, I)>,
    member: &str,
    code: &str,
) -> Result<BTreeMap<Id, VariantGoods<'a, U>>, Problem> {
    let mut goods: BTreeMap<Id, VariantGoods<'a, U>> = BTreeMap::new();
    let mut differing = Vec::new();
    for (line, units) in lines {
        let Some(variant) = line.variant_id else { continue };
        let nothing = VariantGoods { first: line, quantity: Quantity::ZERO, units: Vec::new() };
        let gathered = goods.entry(variant).or_insert(nothing);
        if gathered.first.unit_amount != line.unit_amount {
            differing.push(item(format!("{}/{member}", line.pointer()), code));
        }
        gathered.quantity = sum([gathered.quantity, line.quantity])?;
        gathered.units.extend(units);
    }
    refuse("REFERENCE_INVALID", differing)?;
    Ok(goods)
}
