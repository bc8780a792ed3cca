//! The books are asked before goods are held: nothing is promised that could never be posted (finance-ledger.md A5).

use stoa_sdk::Problem;
use stoa_trade::clients::books::{self, StatedAmount};
use stoa_trade::quantity::Tracking;

use crate::records::order::OrderRow;
use crate::records::order_item::OrderItemRow;

/// Asks the books, where there are any, whether the delivery could be posted.
///
/// # Errors
/// ACCOUNTING_CURRENCY_UNSUPPORTED, ACCOUNTING_SETUP_REQUIRED, ACCOUNTING_AMOUNT_PRECISION.
pub fn admit(order: &OrderRow, items: &[OrderItemRow]) -> Result<(), Problem> {
    let moves_goods = items.iter().any(|item| item.tracking != Tracking::None);
    let is_worth = !order.total.is_zero();
    if !moves_goods && !is_worth {
        return Ok(());
    }
    // With a total of nothing, only the cost will be posted.
    let roles: &[&str] = if is_worth { &["REVENUE", "SALES_CLEARING"] } else { &[] };
    let roles: Vec<String> = roles.iter().map(|&role| role.to_owned()).collect();
    let total = StatedAmount { value: order.total.to_string(), pointer: Some("/total".to_owned()) };
    books::service::admit(order.legal_entity_id.into(), Some(&order.currency_code), None, &roles, &[total])?;
    Ok(())
}
