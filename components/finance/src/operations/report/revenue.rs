//! Sales, and the margin earned by them (finance-ledger.md B9).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{aggregate, run};
use stoa_sdk::{Answer, Call, Date, Id, Limit, Operation, Problem, Reply, all, map, totals};
use stoa_trade::clients::{articles, customers, directory, warehouses};
use stoa_trade::document::currency::CurrencyCode;
use stoa_trade::quantity::{Amount, Sum, widen};

use crate::operations::report::period::check_period;
use crate::records::credit::{CorrectedGoods, CostCorrectionRow};
use crate::records::permission::{MARGIN, SALES};
use crate::work::revenue::{Figures, GroupBy, Grouped, Scope, group_revenue, ids_of};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/reports/sales", "getSalesReport", sales).summary("Sales report")
        .description("Order lines count on the day of their delivery, lines without an order on the day of their recognition. \
            Totals cover the whole range on every page. Groups by VARIANT, and reports of one variant, subtract the lines of \
            recognised credits. Credits without lines name no variant: their sum is `creditsWithoutLines`.")
        .needs(SALES.read).query::<AskRevenue>().answers::<SalesReport>().cache_control("no-store").or_csv().heavy().problems(&["NOT_FOUND", "LIMIT_EXCEEDED"]),
    Operation::read("/reports/margin", "getMarginReport", margin).summary("Margin report")
        .description("Revenue minus the cost of the goods when they left. Goods without a known cost are counted and not \
            valued. Credits and corrections of cost are separate from the totals. In groups by VARIANT and reports of one \
            variant, credits are the lines of credits that name the variant; `creditsWithoutLines` is the sum of credits \
            without lines.")
        .needs(MARGIN).query::<AskRevenue>().answers::<MarginReport>().cache_control("no-store").or_csv().heavy().problems(&["NOT_FOUND", "LIMIT_EXCEEDED"]),
];

/// The revenue in the report: by entity, days and group.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskRevenue {
    /// The `nextCursor` of the previous page. Only groups by VARIANT, CUSTOMER and WAREHOUSE have pages.
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Id,
    currency_code: CurrencyCode,
    from: Date,
    /// Last day, at most 366 days after `from`.
    to: Date,
    #[serde(default)]
    group_by: GroupBy,
    customer_id: Option<Id>,
    variant_id: Option<Id>,
    branch_id: Option<Id>,
    warehouse_id: Option<Id>,
}

/// Sales of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesFigures {
    /// Number of delivered orders and of invoices whose lines without an order were recognised.
    documents: i64,
    /// Minus returned quantity; present for groups by VARIANT only.
    quantity: Option<Sum>,
    revenue: Amount,
    /// Recognised credits. Null for groups by BRANCH and WAREHOUSE and with `branchId` or `warehouseId`. For groups by
    /// VARIANT and with `variantId`: the lines of credits that name the variant; null if none does.
    credits: Option<Sum>,
    /// Revenue minus credits.
    net: Amount,
}

/// Sales of all groups.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesTotals {
    #[serde(flatten)]
    figures: SalesFigures,
    /// Recognised credits without lines, which are in no group and not in `credits`. Present for groups by VARIANT and
    /// with `variantId` only.
    credits_without_lines: Option<Sum>,
}

/// Sales of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesReportRow {
    /// Day, month or id of the group; null for records without one.
    key: Option<String>,
    label: Option<String>,
    #[serde(flatten)]
    figures: SalesFigures,
}

/// Sales of a range, by group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SalesReport {
    items: Vec<SalesReportRow>,
    totals: SalesTotals,
    next_cursor: Option<Id>,
}

/// Margin of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MarginFigures {
    revenue: Amount,
    cost: Amount,
    /// Revenue minus cost.
    margin: Amount,
    /// Quantity sold without a known cost.
    uncosted_quantity: Sum,
}

/// Margin of a group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MarginReportRow {
    /// Day, month or id of the group; null for records without one.
    key: Option<String>,
    label: Option<String>,
    #[serde(flatten)]
    figures: MarginFigures,
}

/// Margin of all groups.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MarginTotals {
    #[serde(flatten)]
    figures: MarginFigures,
    /// Recognised credits. Null for groups by BRANCH and WAREHOUSE and with `branchId` or `warehouseId`. For groups by
    /// VARIANT and with `variantId`: their lines of these variants; null if there are none.
    credits: Option<Sum>,
    /// Recognised credits without lines, which are not in `credits`. Present for groups by VARIANT and with `variantId` only.
    credits_without_lines: Option<Sum>,
    /// Amount by which supplier credits lowered the cost of sold goods, by the day of their recognition.
    corrections: Amount,
}

/// Margin of a range, by group.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MarginReport {
    items: Vec<MarginReportRow>,
    totals: MarginTotals,
    next_cursor: Option<Id>,
}

fn ask(query: &AskRevenue) -> Result<Grouped, Problem> {
    check_period(query.from, query.to)?;
    let scope = Scope {
        entity: query.legal_entity_id,
        currency_code: query.currency_code.0.clone(),
        from: query.from,
        to: query.to,
        customer: query.customer_id,
        variant: query.variant_id,
        branch: query.branch_id,
        warehouse: query.warehouse_id,
    };
    if directory::entities(&[scope.entity]).is_empty() {
        return Err(Problem::reference_missing("/query/legalEntityId"));
    }
    group_revenue(&scope, query.group_by, query.cursor, query.limit.0)
}

/// Display labels of the groups, by key.
fn read_labels(by: GroupBy, rows: &[(String, Figures)]) -> BTreeMap<String, String> {
    let ids: Vec<Id> = ids_of(rows).into_iter().collect();
    let label = |id: (u64, u64), name: &str| (Id::from(id).to_string(), name.to_owned());
    match by {
        GroupBy::Variant => map(articles::get(ids).values().map(|article| label(article.variant_id, &article.sku))),
        GroupBy::Customer => map(customers::get(ids).values().map(|customer| label(customer.id, &customer.name))),
        GroupBy::Branch => map(directory::branches(&ids).iter().map(|branch| label(branch.id, &branch.name))),
        GroupBy::Warehouse => map(warehouses::get(ids).values().map(|warehouse| label(warehouse.id, &warehouse.name))),
        GroupBy::Day | GroupBy::Month => map(rows.iter().map(|(key, _)| (key.clone(), key.clone()))),
    }
}

fn show_sales(figures: &Figures, by: GroupBy) -> Result<SalesFigures, Problem> {
    let less = widen(figures.credits.unwrap_or_default());
    Ok(SalesFigures {
        documents: figures.documents,
        quantity: (by == GroupBy::Variant).then_some(figures.quantity),
        revenue: figures.revenue,
        credits: figures.credits,
        net: figures.revenue.checked_sub(less).ok_or_else(Sum::limit_exceeded)?,
    })
}

fn sales(call: &Call) -> Answer {
    let query: AskRevenue = call.query()?;
    let grouped = ask(&query)?;
    let labels = read_labels(query.group_by, &grouped.rows);
    let row = |(key, figures): &(String, Figures)| {
        Ok(SalesReportRow {
            key: (!key.is_empty()).then(|| key.clone()),
            label: labels.get(key).cloned(),
            figures: show_sales(figures, query.group_by)?,
        })
    };
    Ok(Reply::json(&SalesReport {
        items: grouped.rows.iter().map(row).collect::<Result<_, Problem>>()?,
        totals: SalesTotals {
            figures: show_sales(&grouped.total, query.group_by)?,
            credits_without_lines: grouped.credits_without_lines,
        },
        next_cursor: grouped.next,
    }))
}

fn show_margin(figures: &Figures) -> Result<MarginFigures, Problem> {
    Ok(MarginFigures {
        revenue: figures.revenue,
        cost: figures.cost,
        margin: figures.revenue.checked_sub(figures.cost).ok_or_else(Sum::limit_exceeded)?,
        uncosted_quantity: figures.uncosted,
    })
}

totals! { Corrected of CostCorrectionRow by [] { amount: Amount = sum(amount) } }

fn margin(call: &Call) -> Answer {
    let query: AskRevenue = call.query()?;
    let grouped = ask(&query)?;
    let labels = read_labels(query.group_by, &grouped.rows);
    // They have no totals: each is a part of a credit that a supplier gave and a user entered, in 366 days at most.
    let sold = all([
        CostCorrectionRow::legal_entity_id.eq(query.legal_entity_id),
        CostCorrectionRow::currency_code.eq(query.currency_code.0.as_str()),
        CostCorrectionRow::on_date.ge(query.from),
        CostCorrectionRow::on_date.le(query.to),
        CostCorrectionRow::destination.eq(CorrectedGoods::Sold),
    ]);
    let corrections = run(aggregate::<Corrected>(sold).one())?.amount;
    let row = |(key, figures): &(String, Figures)| {
        Ok(MarginReportRow {
            key: (!key.is_empty()).then(|| key.clone()),
            label: labels.get(key).cloned(),
            figures: show_margin(figures)?,
        })
    };
    let totals = MarginTotals {
        figures: show_margin(&grouped.total)?,
        credits: grouped.total.credits,
        credits_without_lines: grouped.credits_without_lines,
        corrections,
    };
    Ok(Reply::json(&MarginReport {
        items: grouped.rows.iter().map(row).collect::<Result<_, Problem>>()?,
        totals,
        next_cursor: grouped.next,
    }))
}
