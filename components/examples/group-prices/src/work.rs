//! The point: prices of a customer by the rules of its group.

use std::collections::BTreeMap;

use stoa_sdk::store::{read, select};
use stoa_sdk::{Id, all, any, has};
use stoa_trade::extension::price_adjustment::{Adjustment, Line, Question};

use crate::records::{MemberRow, RuleRow};
use crate::rules::{describe, reduce};

/// Adjusts the lines of which the customer's group has a rule. One store call reads all rules; a line whose reduced price has
/// more digits than the platform keeps stays as it is.
pub fn adjust(what: &Question, earlier: &[Adjustment]) -> Vec<Adjustment> {
    let Some(customer) = what.customer_id else { return Vec::new() };
    let variants = what.lines.iter().map(|line| Id::from(line.variant_id));
    let rules = read_rules(customer.into(), variants);
    if rules.is_empty() {
        return Vec::new();
    }
    let general = rules.iter().find(|rule| rule.variant_id.is_none());
    let by_variant: BTreeMap<Id, &RuleRow> = rules.iter().filter_map(|rule| Some((rule.variant_id?, rule))).collect();
    // The last adjustment of a variant counts.
    let before: BTreeMap<_, _> = earlier.iter().map(|one| (one.variant_id, one.amount.as_str())).collect();
    let adjustment = |line: &Line| {
        let rule = by_variant.get(&Id::from(line.variant_id)).copied().or(general)?;
        let from = before.get(&line.variant_id).copied().unwrap_or(&line.amount);
        let amount = reduce(from.parse().ok()?, rule.percent)?;
        let reason = describe(&rule.group_code, rule.percent);
        let module = String::new(); // The host writes it.
        (!rule.percent.is_zero()).then(|| Adjustment {
            module,
            variant_id: line.variant_id,
            amount: amount.to_string(),
            reason,
        })
    };
    what.lines.iter().filter_map(adjustment).collect()
}

fn read_rules(customer: Id, variants: impl Iterator<Item = Id>) -> Vec<RuleRow> {
    let of_customer =
        has::<MemberRow, _, _>(RuleRow::group_code, MemberRow::group_code, MemberRow::customer_id.eq(customer));
    let of_variants = any([RuleRow::variant_id.one_of(variants), RuleRow::variant_id.is_null()]);
    read(select::<RuleRow>(all([RuleRow::active.eq(true), of_customer, of_variants])).whole())
}
