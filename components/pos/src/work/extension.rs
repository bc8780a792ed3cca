//! Extensions that take part in a checkout: they check the order before it is collected, and take payments. Without an extension
//! nothing is built and nothing is asked.

use stoa_sdk::{Id, Problem};
use stoa_trade::clients::sales::{Item, Order};
use stoa_trade::points::{self, OrderLine, Payment, Place};

use crate::records::payment::Component;
use crate::records::session::SessionRow;

/// Asks the extensions of `checkout` whether this session may collect the order.
///
/// # Errors
/// The problem of an extension, which points into the order.
pub fn check_checkout(order: &Order, session: &SessionRow) -> Result<(), Problem> {
    if !points::checkouts_are_checked() {
        return Ok(());
    }
    let place = Place { session_id: session.id.into(), register_id: session.register_id.into() };
    points::check_checkout(&order_to_point(order), place)
}

/// Asks the extensions of `payment-acceptance` to take the payments. `is_whole`: the body states one amount of cash for all.
///
/// # Errors
/// The problem of an extension, at the pointers of the payments.
pub fn accept_payments(receipt: Id, order: &Order, components: &[Component], is_whole: bool) -> Result<(), Problem> {
    if !points::payments_are_accepted() {
        return Ok(());
    }
    let payments: Vec<Payment> = components.iter().map(|component| payment_to_point(component, is_whole)).collect();
    points::accept_payments(receipt, &order_to_point(order), &payments)
}

fn order_to_point(order: &Order) -> points::Order {
    points::Order {
        id: order.id,
        number: order.number.clone(),
        customer_id: order.customer_id,
        legal_entity_id: order.legal_entity_id,
        branch_id: order.branch_id,
        warehouse_id: order.warehouse_id,
        price_list_id: order.price_list_id,
        currency_code: order.currency_code.clone(),
        total: order.total.clone(),
        lines: order.items.iter().map(line_to_point).collect(),
    }
}

fn line_to_point(item: &Item) -> OrderLine {
    OrderLine {
        id: item.id,
        variant_id: item.variant_id,
        product_id: item.product_id,
        quantity: item.quantity.clone(),
        // Stated where it differs.
        list_unit_price: item.list_unit_price.clone().unwrap_or_else(|| item.unit_price.clone()),
        unit_price: item.unit_price.clone(),
        line_total: item.line_total.clone(),
    }
}

fn payment_to_point(component: &Component, is_whole: bool) -> Payment {
    Payment {
        line_no: component.line_no,
        method: component.method.as_str().to_owned(),
        card_kind: component.card_kind.map(|kind| kind.as_str().to_owned()),
        amount: component.amount.to_string(),
        reference: component.reference.clone(),
        pointer: match is_whole {
            true => "/tenderedAmount".to_owned(),
            // Components are counted from 1, in the order of the body.
            false => format!("/payments/{}", component.line_no.saturating_sub(1)),
        },
    }
}

#[cfg(test)]
mod tests {
    use stoa_trade::payment_method::Method;

    use super::*;

    #[test]
    fn a_payment_points_to_where_the_request_states_it() {
        let component = Component {
            line_no: 2,
            method: Method::Cash,
            card_kind: None,
            amount: "1.5".parse().unwrap(),
            account: None,
            reference: None,
        };
        for (is_whole, expected) in [(false, "/payments/1"), (true, "/tenderedAmount")] {
            let payment = payment_to_point(&component, is_whole);
            assert_eq!(payment.pointer, expected);
            assert_eq!((payment.line_no, payment.method.as_str(), payment.amount.as_str()), (2, "CASH", "1.500000"));
        }
    }
}
