//! How old debts are, by party, as of a day (finance-ledger.md B9): sums of the ledger of what parties owe, by when they are due.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{Aggregate, aggregate, run};
use stoa_sdk::{Answer, Call, Date, Field, Filter, Id, Limit, Operation, Reply, all, today, totals};
use stoa_trade::dates::days_after;
use stoa_trade::document::currency::CurrencyCode;
use stoa_trade::lists::equals;
use stoa_trade::quantity::{Amount, Sum, widen};
use stoa_trade::snapshot::{Part, read_settled, sum_days};

use crate::records::month_total::PartyTotalRow;
use crate::records::party_entry::{PartyAccount, PartyEntryRow};
use crate::records::permission::{PURCHASES, SALES};
use crate::records::side::Side;
use crate::work::entries::negate;
use crate::work::month_totals::{Parties, to_sum};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    ask_ageing(SALES.read, Operation::read("/reports/receivables-ageing", "getReceivablesAgeing",
        |call| age(Side::Sales, call)))
        .summary("Receivables by age"),
    ask_ageing(PURCHASES.read, Operation::read("/reports/payables-ageing", "getPayablesAgeing",
        |call| age(Side::Purchases, call)))
        .summary("Payables by age"),
];

const fn ask_ageing(needs: &'static [&'static str], operation: Operation) -> Operation {
    operation
        .description(
            "Invoices posted and not voided by `asOf`, minus applications by `asOf`, grouped by due date. An invoice \
            without a due date counts from its issue date.",
        )
        .needs(needs)
        .query::<AskAgeing>()
        .answers::<Ageing>()
        .cache_control("no-store")
        .or_csv()
        .heavy()
}

/// The debts in the report: by entity, currency and party, as of a day.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskAgeing {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Id,
    currency_code: CurrencyCode,
    /// Last included day. Omitted: today.
    as_of: Option<Date>,
    party_id: Option<Id>,
}

/// Debts by age.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgeingBuckets {
    not_due: Sum,
    #[serde(rename = "days1to30")]
    days_1_to_30: Sum,
    #[serde(rename = "days31to60")]
    days_31_to_60: Sum,
    #[serde(rename = "days61to90")]
    days_61_to_90: Sum,
    #[serde(rename = "over90")]
    over_90: Sum,
    total: Sum,
    /// Payments and credits that are not applied to an invoice.
    unapplied: Sum,
}

/// Open amounts of a party by age.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgeingItem {
    party_id: Id,
    #[serde(flatten)]
    buckets: AgeingBuckets,
}

/// Open amounts by party and age. Totals include all parties.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ageing {
    as_of: Date,
    items: Vec<AgeingItem>,
    totals: AgeingBuckets,
    next_cursor: Option<Id>,
}

/// The same measures, of a party, of all lines and of months' totals.
macro_rules! buckets {
    ($name:ident of $row:ident by [$($key:ident: $type:ty)?] $sum:ty) => {
        totals! {
            $name of $row by [$($key: $type)?] {
                [not_due, month, two_months, three_months, older, total, unapplied]: $sum = sum(amount)
            }
        }

        impl $name {
            fn measure(filter: Filter, as_of: Date) -> Aggregate<$name> {
                let due = |from: Option<i64>, to: Option<i64>| {
                    let day = |back: i64| days_after(as_of, -back);
                    let least = from.and_then(day).map(|day| $row::due_on.ge(day));
                    let most = to.and_then(day).map(|day| $row::due_on.le(day));
                    all([$row::account.eq(PartyAccount::Invoices)].into_iter().chain(least).chain(most))
                };
                aggregate::<$name>(filter)
                    .when($name::not_due, due(Some(0), None))
                    .when($name::month, due(Some(30), Some(1)))
                    .when($name::two_months, due(Some(60), Some(31)))
                    .when($name::three_months, due(Some(90), Some(61)))
                    .when($name::older, due(None, Some(91)))
                    .when($name::total, $row::account.eq(PartyAccount::Invoices))
                    .when($name::unapplied, $row::account.ne(PartyAccount::Invoices))
            }

            fn figures(&self) -> [$sum; 7] {
                [
                    self.not_due,
                    self.month,
                    self.two_months,
                    self.three_months,
                    self.older,
                    self.total,
                    self.unapplied,
                ]
            }
        }
    };
}

buckets! { OfParty of PartyEntryRow by [party_id: Id] Sum }
buckets! { OfAll of PartyEntryRow by [] Sum }
buckets! { OfMonths of PartyTotalRow by [] Amount }

impl AgeingBuckets {
    fn new([not_due, month, two_months, three_months, older, total, unapplied]: [Sum; 7]) -> AgeingBuckets {
        AgeingBuckets {
            not_due,
            days_1_to_30: month,
            days_31_to_60: two_months,
            days_61_to_90: three_months,
            over_90: older,
            total,
            unapplied: negate(unapplied),
        }
    }
}

fn age(side: Side, call: &Call) -> Answer {
    let query: AskAgeing = call.query()?;
    let as_of = query.as_of.unwrap_or_else(today);
    let currency_code = query.currency_code.0.as_str();
    let of_side = all([PartyEntryRow::side.eq(side), PartyEntryRow::currency_code.eq(currency_code)]);
    let scope = all([
        of_side.clone(),
        PartyEntryRow::legal_entity_id.eq(query.legal_entity_id),
        equals(PartyEntryRow::party_id, query.party_id),
        PartyEntryRow::on_date.le(as_of),
    ]);
    let page = || {
        OfParty::measure(scope.clone(), as_of)
            .without_zeros()
            .after(query.cursor.map(|cursor| vec![cursor.put()]))
            .limit(query.limit.0)
    };
    let (page, totals) = match query.party_id {
        // Totals have no parties.
        Some(_) => {
            let (page, totals) = run((page(), OfAll::measure(scope.clone(), as_of).one()))?;
            (page, totals.figures())
        }
        None => read_settled(query.legal_entity_id, |summed| {
            let months = all([PartyTotalRow::side.eq(side), PartyTotalRow::currency_code.eq(currency_code)]);
            let sums = sum_days::<Parties, _, _, _, _>(
                query.legal_entity_id,
                summed,
                (None, Some(as_of)),
                Part {
                    filter: months,
                    measure: &|filter| OfMonths::measure(filter, as_of),
                    figures: |group| ((), group.figures()),
                },
                Part {
                    filter: of_side.clone(),
                    measure: &|filter| OfAll::measure(filter, as_of),
                    figures: |group| ((), group.figures().map(widen)),
                },
            );
            (page(), sums)
        })
        .map(|(page, sums)| (page, sums.map(to_sum)))?,
    };
    let next_cursor = page.items.last().map(|group| group.party_id).filter(|_| page.more);
    let item = |group: &OfParty| AgeingItem { party_id: group.party_id, buckets: AgeingBuckets::new(group.figures()) };
    let items = page.items.iter().map(item).collect();
    Ok(Reply::json(&Ageing { as_of, items, totals: AgeingBuckets::new(totals), next_cursor }))
}
