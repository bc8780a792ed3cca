//! The books' entries of procurement (finance-ledger.md A6, P1, P2 and P33): one for each operation, its legs by role, on the
//! branch of the order's warehouse.

use stoa_sdk::{Id, Problem};
use stoa_trade::clients::articles::Article;
use stoa_trade::clients::books::{self, Cost, Side};
use stoa_trade::posting::{EntrySource, new_role_leg, post_today};
use stoa_trade::quantity::{Amount, Money, Tracking};

use crate::records::order::OrderRow;

/// Credit role for received goods that are not billed.
pub const RECEIVED_NOT_BILLED: &str = "GOODS_RECEIVED_NOT_INVOICED";
/// Debit role for goods in stock.
pub const INVENTORY: &str = "INVENTORY";
/// Debit role for purchases that are used up as they come: services, and untracked goods.
pub const EXPENSE: &str = "PURCHASE_EXPENSE";
/// Credit role for charges that are in the cost of goods.
pub const CHARGES: &str = "IMPORT_CHARGES";

/// Source kind and purpose of a receipt's entry.
pub const RECEIPT: (&str, &str) = ("GOODS_RECEIPT", "RECEIPT");

/// Source kind and purpose of the entry of charges that came late.
pub const ALLOCATION: (&str, &str) = ("CHARGE_ALLOCATION", "ALLOCATION");

/// A role, its side and an amount.
pub type RoleAmount = (&'static str, Side, Amount);

/// The roles of those with an amount.
pub fn roles_of(amounts: &[RoleAmount]) -> Vec<String> {
    amounts.iter().filter(|(.., amount)| !amount.is_zero()).map(|(role, ..)| (*role).to_owned()).collect()
}

/// Asks the books early, before goods are locked, whether they take the order's currency and have accounts for these roles.
/// Returns whether the entity keeps books.
pub fn admit_to_books(order: &OrderRow, roles: &[String]) -> Result<bool, Problem> {
    let currency = Some(order.currency_code.as_str());
    let terms = books::service::admit(order.legal_entity_id.into(), currency, Some("/currencyCode"), roles, &[])?;
    Ok(terms.is_some())
}

/// The cost of goods as the books judge it; `line` is the position of their line in the order.
pub fn new_cost(unit_cost: Money, tracking: Tracking, article: Option<&Article>, line: &str) -> Cost {
    let decimal_places =
        article.filter(|_| tracking != Tracking::Serialized).map_or(0, |article| article.decimal_places);
    Cost { unit_cost: unit_cost.to_string(), decimal_places, pointer: format!("{line}/unitCost") }
}

/// Posts an entry; nothing without books, or where no amount is above zero. The last call of all.
pub fn post(
    order: &OrderRow,
    branch: Option<Id>,
    source: EntrySource,
    text: &str,
    amounts: Vec<RoleAmount>,
) -> Result<(), Problem> {
    let leg = |(role, side, amount): RoleAmount| new_role_leg(role, side, amount, branch);
    let legs = amounts.into_iter().filter(|(.., amount)| !amount.is_zero()).map(leg).collect();
    post_today(order.legal_entity_id, (&order.currency_code, Some("/currencyCode")), source, text, legs)
}
