//! Extensions that take part in a sale before goods are held: they check the order, and say how much of its goods may be sold.
//! Without an extension nothing is built and nothing is asked.

use std::collections::BTreeMap;

use stoa_sdk::{Bounds, Id, Item, Problem, item, reject_extension};
use stoa_trade::points::{self, Limit, Order, OrderLine};
use stoa_trade::quantity::Quantity;
use stoa_trade::refusal::refuse;

use crate::records::order::OrderRow;
use crate::records::order_item::OrderItemRow;

/// The code of a line of which less may be sold than it states, as inventory has it.
const SHORT: &str = "INSUFFICIENT_STOCK";

/// Asks the extensions of `order-confirmation`, then those of `availability`. The lines have their final prices.
///
/// # Errors
/// The problem of an extension; INSUFFICIENT_STOCK at each line that exceeds a limit.
pub fn check_extensions(order: &OrderRow, items: &[OrderItemRow]) -> Result<(), Problem> {
    let (is_checked, is_restricted) = (points::confirmations_are_checked(), points::availability_is_restricted());
    if !is_checked && !is_restricted {
        return Ok(());
    }
    let order = order_to_point(order, items);
    if is_checked {
        points::check_confirmation(&order)?;
    }
    let limits = if is_restricted { points::restrict(&order) } else { Vec::new() };
    match find_short(items, &limits) {
        Ok(short) => refuse(SHORT, short),
        Err((module, reason)) => reject_extension(module, reason),
    }
}

fn order_to_point(order: &OrderRow, items: &[OrderItemRow]) -> Order {
    Order {
        id: order.id.into(),
        number: order.number.clone(),
        customer_id: order.customer_id.into(),
        legal_entity_id: order.legal_entity_id.into(),
        branch_id: order.branch_id.map(Into::into),
        warehouse_id: order.warehouse_id.into(),
        price_list_id: order.price_list_id.into(),
        currency_code: order.currency_code.clone(),
        total: order.total.to_string(),
        lines: items.iter().map(line_to_point).collect(),
    }
}

fn line_to_point(item: &OrderItemRow) -> OrderLine {
    OrderLine {
        id: item.id.into(),
        variant_id: item.variant_id.into(),
        product_id: item.product_id.into(),
        quantity: item.quantity.to_string(),
        list_unit_price: item.list_price.to_string(),
        unit_price: item.unit_price.to_string(),
        line_total: item.line_total.to_string(),
    }
}

/// The lines that exceed their lowest limit, with that limit.
///
/// # Errors
/// The module that returned a limit of another line or one that is not a quantity, and why it may not.
fn find_short<'a>(items: &[OrderItemRow], limits: &'a [Limit]) -> Result<Vec<Item>, (&'a str, &'static str)> {
    let mut lowest: BTreeMap<Id, Quantity> = BTreeMap::new();
    for limit in limits {
        let line = Id::from(limit.line_id);
        if !items.iter().any(|item| item.id == line) {
            return Err((limit.module.as_str(), "a limit of a line that the order does not have"));
        }
        let most: Option<Quantity> = limit.most.parse().ok().filter(|most: &Quantity| !most.is_negative());
        let most = most.ok_or((limit.module.as_str(), "a limit that is no quantity"))?;
        lowest.entry(line).and_modify(|lowest| *lowest = most.min(*lowest)).or_insert(most);
    }
    let short = |item: &OrderItemRow| lowest.get(&item.id).copied().filter(|most| item.quantity > *most);
    let fault = |row: &OrderItemRow| Some(item(row.pointer(), SHORT).with_bounds(Bounds::maximum(short(row)?)));
    Ok(items.iter().filter_map(fault).collect())
}

#[cfg(test)]
mod tests {
    use stoa_sdk::Instant;
    use stoa_sdk::scripted::NOW;
    use stoa_trade::JsonList;
    use stoa_trade::quantity::{Money, Tracking};

    use super::*;

    fn line(nth: u64, quantity: &str) -> OrderItemRow {
        let quantity: Quantity = quantity.parse().unwrap();
        let price: Money = "10".parse().unwrap();
        OrderItemRow {
            id: Id(7, nth),
            version: 1,
            created_at: Instant(NOW),
            updated_at: Instant(NOW),
            order_id: Id(4, 1),
            variant_id: Id(5, nth),
            product_id: Id(9, 9),
            line_no: Some(i64::try_from(nth).unwrap()),
            sku: "A-1".to_owned(),
            description: "Phone".to_owned(),
            tracking: Tracking::Quantity,
            quantity,
            price_id: Id(6, 1),
            list_price: price,
            agreed_price: None,
            agreed_origin: None,
            reason: None,
            unit_price: price,
            line_total: quantity.checked_mul(price).unwrap(),
            chosen_units: JsonList::default(),
            billed: Default::default(),
            adjusted_price: None,
            adjustments: None,
        }
    }

    fn limit(line: u64, most: &str) -> Limit {
        Limit { module: "quotas".to_owned(), line_id: (7, line), most: most.to_owned() }
    }

    #[test]
    fn the_lowest_limit_of_a_line_counts() {
        let lines = [line(0, "2"), line(1, "3"), line(2, "4")];
        let limits = [limit(1, "5"), limit(1, "2.5"), limit(1, "9"), limit(2, "4")];
        let short = find_short(&lines, &limits).unwrap();
        let [short] = short.as_slice() else { panic!("{short:?}") };
        assert_eq!((short.pointer.as_str(), short.code.as_str()), ("/items/1", "INSUFFICIENT_STOCK"));
        assert_eq!(short.expected, Some(Bounds::maximum("2.5".parse::<Quantity>().unwrap())));
        assert!(find_short(&lines, &[]).unwrap().is_empty());
    }

    #[test]
    fn what_an_extension_may_not_return() {
        let lines = [line(0, "2")];
        for (limit, why) in [(limit(1, "2"), "line"), (limit(0, "-1"), "quantity"), (limit(0, "two"), "quantity")] {
            let (module, fault) = find_short(&lines, std::slice::from_ref(&limit)).unwrap_err();
            assert_eq!(module, "quotas");
            assert!(fault.contains(why), "{fault}");
        }
    }
}
