//! The points of commerce, each by its rule.

use stoa_sdk::{Decimal, Problem};
use stoa_trade::extension::{
    availability, checkout, numbering, order_confirmation, payment_acceptance, price_adjustment,
};

use crate::Extender;
use crate::rules::{Rule, apply, judge};

type Amount = Decimal<6>;

impl price_adjustment::Guest for Extender {
    /// `percent N` takes off so many percent, `off AMOUNT` an amount, and `below` makes the price negative.
    fn adjust(
        what: price_adjustment::Question,
        earlier: Vec<price_adjustment::Adjustment>,
    ) -> Vec<price_adjustment::Adjustment> {
        let Some(rule) = apply("price-adjustment") else { return Vec::new() };
        let adjustment = |line: &price_adjustment::Line| {
            let before = earlier.iter().rev().find(|adjustment| adjustment.variant_id == line.variant_id);
            let from: Amount = before.map_or(&line.amount, |before| &before.amount).parse().ok()?;
            let amount = change(&rule, from)?.to_string();
            let reason = format!("{} {}", rule.verb, rule.argument).trim().to_owned();
            Some(price_adjustment::Adjustment { module: String::new(), variant_id: line.variant_id, amount, reason })
        };
        what.lines.iter().filter_map(adjustment).collect()
    }
}

fn change(rule: &Rule, from: Amount) -> Option<Amount> {
    match rule.verb.as_str() {
        "percent" => {
            let left = 100_i128.checked_sub(rule.argument.parse().ok()?)?;
            Some(Amount::from_units(from.units().checked_mul(left)?.checked_div(100)?))
        }
        "off" => from.checked_sub(rule.argument.parse().ok()?),
        "below" => Some(Amount::from_units(-1)),
        _ => None,
    }
}

impl order_confirmation::Guest for Extender {
    fn check(order: order_confirmation::Order) -> Result<(), Problem> {
        judge("order-confirmation", "/total", order.total)
    }
}

impl availability::Guest for Extender {
    /// `most QUANTITY` limits every line.
    fn restrict(order: availability::Order) -> Vec<availability::Limit> {
        let Some(rule) = apply("availability").filter(|rule| rule.verb == "most") else { return Vec::new() };
        let limit = |line: availability::OrderLine| availability::Limit {
            module: String::new(),
            line_id: line.id,
            most: rule.argument.clone(),
        };
        order.lines.into_iter().map(limit).collect()
    }
}

impl checkout::Guest for Extender {
    fn check(order: checkout::Order, _at: checkout::Place) -> Result<(), Problem> {
        judge("checkout", "/total", order.total)
    }
}

impl payment_acceptance::Guest for Extender {
    fn accept(
        _receipt_id: (u64, u64),
        _order: payment_acceptance::Order,
        payments: Vec<payment_acceptance::Payment>,
    ) -> Result<(), Problem> {
        let pointer = payments.first().map(|payment| payment.pointer.clone()).unwrap_or_default();
        let note: Vec<String> =
            payments.into_iter().map(|payment| format!("{} {}", payment.method, payment.amount)).collect();
        judge("payment-acceptance", &pointer, note.join(", "))
    }
}

impl numbering::Guest for Extender {
    /// `number START` begins the number of every document.
    fn number(document: numbering::Document) -> Result<Option<numbering::Numbered>, Problem> {
        let Some(rule) = apply("numbering").filter(|rule| rule.verb == "number") else { return Ok(None) };
        let number = format!("{}-{}-{}", rule.argument, document.prefix, document.attempt.saturating_add(1));
        Ok(Some(numbering::Numbered { module: String::new(), number }))
    }
}
