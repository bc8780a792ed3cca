//! The books' entries of procurement (finance-ledger.md A6, P1, P2 and P33): one for each operation, its legs by role, on the
//! branch of the order's warehouse.

use stoa_sdk::{Id, Problem};
use stoa_trade::clients::books::{self, Leg, Posting, Side, Target};
use stoa_trade::quantity::Amount;

use crate::records::order::OrderRow;

/// Credit role for received goods that are not billed.
pub const RECEIVED_NOT_BILLED: &str = "GOODS_RECEIVED_NOT_INVOICED";
/// Debit role for goods in stock.
pub const INVENTORY: &str = "INVENTORY";
/// Debit role for purchases that are used up as they come: services, and untracked goods.
pub const EXPENSE: &str = "PURCHASE_EXPENSE";
/// Credit role for charges that are in the cost of goods.
pub const CHARGES: &str = "IMPORT_CHARGES";

/// Source and purpose of an entry: one entry for each, for ever.
#[derive(Debug, Clone, Copy)]
pub struct Source {
    pub kind: &'static str,
    pub id: Id,
    pub purpose: &'static str,
}

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
/// Whether the entity keeps books.
///
/// # Errors
/// The codes of accounting.
pub fn admit_to_books(order: &OrderRow, roles: &[String]) -> Result<bool, Problem> {
    let currency = Some(order.currency_code.as_str());
    let terms = books::service::admit(order.legal_entity_id.into(), currency, Some("/currencyCode"), roles, &[])?;
    Ok(terms.is_some())
}

/// Posts an entry; nothing without books, or where no amount is above zero. The last call of all.
///
/// # Errors
/// The codes of accounting.
pub fn post(
    order: &OrderRow,
    branch: Option<Id>,
    source: Source,
    text: &str,
    amounts: Vec<RoleAmount>,
) -> Result<(), Problem> {
    let leg = |(role, side, amount): RoleAmount| Leg {
        target: Target::Role(role.to_owned()),
        side,
        amount: amount.to_string(),
        party: None,
        branch: branch.map(Into::into),
        pointer: None,
    };
    let legs: Vec<Leg> = amounts.into_iter().filter(|(.., amount)| !amount.is_zero()).map(leg).collect();
    if legs.is_empty() {
        return Ok(());
    }
    let posting = Posting {
        entity: order.legal_entity_id.into(),
        currency_code: order.currency_code.clone(),
        currency_pointer: Some("/currencyCode".to_owned()),
        on: None,
        on_pointer: None,
        source_kind: source.kind.to_owned(),
        source_id: source.id.into(),
        purpose: source.purpose.to_owned(),
        text: text.to_owned(),
        legs,
    };
    books::post(&posting).map(|_| ())
}
