//! How old debts are, by party, as of a day (finance-ledger.md B9): sums of the ledger of what parties owe, by when they are due.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{Aggregate, aggregate, run};
use stoa_sdk::{Answer, Call, Date, Field, Filter, Id, Limit, Operation, Reply, all, text, today, totals};
use stoa_trade::dates::days_after;
use stoa_trade::lists::equals;
use stoa_trade::quantity::Money;

use crate::records::party_entry::{PartyAccount, PartyEntryRow};
use crate::records::permission::{PURCHASES, SALES};
use crate::records::side::Side;
use crate::work::balances::of_account;
use crate::work::entries::negate;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/reports/receivables-ageing", "getReceivablesAgeing", receivables).summary("How old the debts of customers are")
        .description("By when they are due, else issued: what was posted by then and not void by then, less what was applied by then.")
        .needs(SALES.read).query::<AskAgeing>().answers::<Ageing>().cache_control("no-store").or_csv().heavy(),
    Operation::read("/reports/payables-ageing", "getPayablesAgeing", payables).summary("How old the debts to suppliers are")
        .description("By when they are due, else issued: what was posted by then and not void by then, less what was applied by then.")
        .needs(PURCHASES.read).query::<AskAgeing>().answers::<Ageing>().cache_control("no-store").or_csv().heavy(),
];

/// Whose debts, and as of when.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskAgeing {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Id,
    #[schemars(regex(pattern = text::CURRENCY))]
    currency_code: String,
    /// Omitted: today.
    as_of: Option<Date>,
    party_id: Option<Id>,
}

/// Debts by age.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgeingBuckets {
    not_due: Money,
    #[serde(rename = "days1to30")]
    days_1_to_30: Money,
    #[serde(rename = "days31to60")]
    days_31_to_60: Money,
    #[serde(rename = "days61to90")]
    days_61_to_90: Money,
    #[serde(rename = "over90")]
    over_90: Money,
    total: Money,
    /// Payments and credits that no invoice has used.
    unapplied: Money,
}

/// Debts of a party by age.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgeingItem {
    party_id: Id,
    #[serde(flatten)]
    buckets: AgeingBuckets,
}

/// Debts by party and age; totals are of all parties.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ageing {
    as_of: Date,
    items: Vec<AgeingItem>,
    totals: AgeingBuckets,
    next_cursor: Option<Id>,
}

/// The same measures, of a party and of all.
macro_rules! buckets {
    ($name:ident by [$($key:ident: $type:ty)?]) => {
        totals! {
            $name of PartyEntryRow by [$($key: $type)?] {
                not_due: Money = sum(amount),
                month: Money = sum(amount),
                two_months: Money = sum(amount),
                three_months: Money = sum(amount),
                older: Money = sum(amount),
                total: Money = sum(amount),
                unapplied: Money = sum(amount),
            }
        }

        impl $name {
            fn measure(of: Filter, as_of: Date) -> Aggregate<$name> {
                let due = |from: Option<i64>, to: Option<i64>| {
                    let day = |back: i64| days_after(as_of, -back);
                    let least = from.and_then(day).map(|day| PartyEntryRow::due_on.ge(day));
                    let most = to.and_then(day).map(|day| PartyEntryRow::due_on.le(day));
                    all([of_account(PartyAccount::Invoices)].into_iter().chain(least).chain(most))
                };
                aggregate::<$name>(of)
                    .when($name::not_due, due(Some(0), None))
                    .when($name::month, due(Some(30), Some(1)))
                    .when($name::two_months, due(Some(60), Some(31)))
                    .when($name::three_months, due(Some(90), Some(61)))
                    .when($name::older, due(None, Some(91)))
                    .when($name::total, of_account(PartyAccount::Invoices))
                    .when($name::unapplied, PartyEntryRow::account.ne(PartyAccount::Invoices))
            }

            fn show(&self) -> AgeingBuckets {
                AgeingBuckets {
                    not_due: self.not_due,
                    days_1_to_30: self.month,
                    days_31_to_60: self.two_months,
                    days_61_to_90: self.three_months,
                    over_90: self.older,
                    total: self.total,
                    unapplied: negate(self.unapplied),
                }
            }
        }
    };
}

buckets! { OfParty by [party_id: Id] }
buckets! { OfAll by [] }

fn receivables(call: &Call) -> Answer {
    age(Side::Sales, call)
}

fn payables(call: &Call) -> Answer {
    age(Side::Purchases, call)
}

fn age(side: Side, call: &Call) -> Answer {
    let query: AskAgeing = call.query()?;
    let as_of = query.as_of.unwrap_or_else(today);
    let scope = all([
        PartyEntryRow::side.eq(side),
        PartyEntryRow::legal_entity_id.eq(query.legal_entity_id),
        PartyEntryRow::currency_code.eq(query.currency_code.as_str()),
        equals(PartyEntryRow::party_id, query.party_id),
        PartyEntryRow::on_date.le(as_of),
    ]);
    let page = OfParty::measure(scope.clone(), as_of)
        .without_zeros()
        .after(query.cursor.map(|cursor| vec![cursor.put()]))
        .limit(query.limit.0);
    let (page, totals) = run((page, OfAll::measure(scope, as_of).one()))?;
    let next_cursor = page.items.last().map(|of| of.party_id).filter(|_| page.more);
    let item = |of: &OfParty| AgeingItem { party_id: of.party_id, buckets: of.show() };
    let items = page.items.iter().map(item).collect();
    Ok(Reply::json(&Ageing { as_of, items, totals: totals.show(), next_cursor }))
}
