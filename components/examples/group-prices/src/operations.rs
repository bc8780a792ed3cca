//! Members of groups, and the rules of a group.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{lock, run, select, update_all, update_by};
use stoa_sdk::{Answer, Bounds, Call, Field, Filter, Id, Operation, Page, Problem, Reply, all, column_names, item};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, equals};
use stoa_trade::refusal::refuse_invalid;

use crate::records::{GroupCode, GroupPricesMember, GroupPricesRule, GroupPricesRules, MemberRow, Percent, RuleRow};
use crate::rules::{WHOLE, key};

const READ: &[&str] = &["group-prices.read"];
const WRITE: &[&str] = &["group-prices.write"];
const RULES: &str = "/group-prices/rules/{groupCode}";
/// Rules of a group.
const MOST_RULES: usize = 500;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/group-prices/members", "listGroupPricesMembers", list_members).summary("Customers with a group")
        .needs(READ).query::<ListMembers>().answers::<Page<GroupPricesMember>>(),
    Operation::replace("/group-prices/members/{customerId}", "setGroupPricesMember", set_member)
        .summary("Put a customer into a group")
        .description("A customer is in one group at most. The customer's id is not checked.")
        .needs(WRITE).body::<MemberInput>().answers::<GroupPricesMember>().without_if_match()
        .writes("GROUP_PRICES_MEMBER", &[]),
    Operation::read(RULES, "listGroupPricesRules", list_rules).summary("Rules of a group")
        .needs(READ).path::<GroupPath>().answers::<GroupPricesRules>(),
    Operation::replace(RULES, "setGroupPricesRules", set_rules).summary("Replace the rules of a group")
        .description("A variant's own rule comes before the general one. A price that would need more than 6 digits after the \
            point is not reduced.")
        .needs(WRITE).path::<GroupPath>().body::<RulesInput>().answers::<GroupPricesRules>()
        .without_if_match().grows_with("/rules").writes("GROUP_PRICES_RULE", &[]),
];

list_query! {
    pub struct ListMembers of MemberRow {
        /// Only members of this group.
        group_code: Option<GroupCode> = equals(MemberRow::group_code, group_code.as_deref().map(str::to_owned)),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "GroupPricesMemberInput")]
struct MemberInput {
    /// Code of the group; null takes the customer out of its group.
    group_code: Option<GroupCode>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GroupPath {
    group_code: GroupCode,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "GroupPricesRulesInput")]
struct RulesInput {
    /// Each variant once, and at most one general rule. Others of the group end.
    #[schemars(length(max = MOST_RULES))]
    rules: Vec<RuleInput>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "GroupPricesRuleInput")]
struct RuleInput {
    /// Id of the variant. Omitted: all variants without a rule of their own.
    variant_id: Option<Id>,
    /// Percent that the group pays less, 0 to 100.
    percent: Percent,
}

fn list_members(call: &Call) -> Answer {
    let rows = call.query::<ListMembers>()?.page([])?;
    answer_page(rows, |row| row.id, GroupPricesMember::from_row)
}

fn set_member(call: &Call) -> Answer {
    let customer_id = call.path_id("customerId")?;
    let group_code = call.body::<MemberInput>()?.group_code.map(String::from);
    let set = update_by::<MemberRow>("customer", [vec![customer_id.put()]]).set(MemberRow::group_code, &group_code);
    run(set.or_insert(column_names!(MemberRow { group_code }), [Some(vec![group_code.put()])]))?;
    Ok(Reply::json(&GroupPricesMember { customer_id, group_code }).resource(customer_id))
}

fn list_rules(call: &Call) -> Answer {
    let GroupPath { group_code } = call.path()?;
    answer_rules(group_code.into())
}

fn set_rules(call: &Call) -> Answer {
    let GroupPath { group_code } = call.path()?;
    let RulesInput { rules } = call.body()?;
    check_rules(&rules)?;
    let group = String::from(group_code);
    let (_, known) = run((lock(format!("group:{group}")), select::<RuleRow>(in_force(&group)).whole()))?;
    let keys: Vec<String> = rules.iter().map(|rule| key(&group, rule.variant_id)).collect();
    let ended = known.iter().filter(|row| !keys.contains(&row.rule_key)).map(|row| row.id);
    let first = |rule: &RuleInput| Some(vec![group.put(), rule.variant_id.put(), rule.percent.put(), true.put()]);
    let stated = update_by::<RuleRow>("rule", keys.iter().map(|key| vec![key.put()]))
        .set_each(RuleRow::percent, rules.iter().map(|rule| rule.percent))
        .set(RuleRow::active, &true)
        .or_insert(column_names!(RuleRow { group_code, variant_id, percent, active }), rules.iter().map(first));
    run((update_all::<RuleRow>(ended).set(RuleRow::active, &false), stated))?;
    answer_rules(group)
}

/// # Errors
/// VALIDATION_FAILED where a variant is repeated or a percentage is above 100.
fn check_rules(rules: &[RuleInput]) -> Result<(), Problem> {
    let (mut faults, mut seen) = (Vec::new(), BTreeSet::new());
    for (nth, rule) in rules.iter().enumerate() {
        if !seen.insert(rule.variant_id) {
            faults.push(item(format!("/rules/{nth}/variantId"), "REPEATED"));
        }
        if rule.percent > WHOLE {
            faults.push(item(format!("/rules/{nth}/percent"), "RANGE").with_bounds(Bounds::maximum(WHOLE)));
        }
    }
    refuse_invalid(faults)
}

fn in_force(group: &str) -> Filter {
    all([RuleRow::group_code.eq(group.to_owned()), RuleRow::active.eq(true)])
}

fn answer_rules(group_code: String) -> Answer {
    let mut rules = run(select::<RuleRow>(in_force(&group_code)).whole())?;
    rules.sort_unstable_by_key(|rule| rule.variant_id);
    let rules = rules.iter().map(|rule| GroupPricesRule { variant_id: rule.variant_id, percent: rule.percent });
    Ok(Reply::json(&GroupPricesRules { group_code, rules: rules.collect() }))
}
