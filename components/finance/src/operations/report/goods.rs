//! Value of goods and its changes: inventory's figures next to those of the books (finance-ledger.md B9).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Answer, Call, Date, Id, Limit, Operation, Problem, Reply};
use stoa_trade::clients::costs::{self, Flow, Value, Valued};
use stoa_trade::clients::{books, directory};
use stoa_trade::quantity::{Amount, Sum};

use crate::operations::report::period::check_period;
use crate::records::permission::COST;
use crate::work::ordered::parse;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/reports/valuation", "getValuationReport", valuation).summary("Value of goods compared with the books")
        .description("Totals include the whole legal entity. The difference to the books must be zero.")
        .needs(COST).query::<AskValuation>().answers::<Valuation>().cache_control("no-store").or_csv().heavy().problems(&["NOT_FOUND", "LIMIT_EXCEEDED"]),
    Operation::read("/reports/costs", "getCostReport", costs_report).summary("Changes of the value of goods")
        .description("Increases are positive, decreases negative. Opening plus all columns equals closing.")
        .needs(COST).query::<AskCosts>().answers::<CostReport>().cache_control("no-store").or_csv().heavy().problems(&["NOT_FOUND", "LIMIT_EXCEEDED"]),
];

/// The goods in the report: by entity and time.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskValuation {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Id,
    /// Last included day. Omitted: now.
    as_of: Option<Date>,
    variant_id: Option<Id>,
}

/// Goods of a variant.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValuedGoods {
    variant_id: Id,
    quantity: Sum,
    /// Part of the quantity without a known cost.
    uncosted_quantity: Sum,
    values: Vec<GoodsValue>,
}

/// Goods valued in one currency; null if their cost is unknown.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GoodsValue {
    currency_code: Option<String>,
    quantity: Sum,
    value: Amount,
}

/// Value of goods.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Valuation {
    items: Vec<ValuedGoods>,
    totals: Vec<GoodsValue>,
    /// Balance of the books for all goods now; null without books, for a single variant, and for an earlier day.
    ledger_balance: Option<Amount>,
    difference: Option<Amount>,
    next_cursor: Option<Id>,
}

impl From<&Value> for GoodsValue {
    fn from(value: &Value) -> GoodsValue {
        GoodsValue {
            currency_code: value.currency_code.clone(),
            quantity: parse(&value.quantity),
            value: parse(&value.value),
        }
    }
}

fn valuation(call: &Call) -> Answer {
    let query: AskValuation = call.query()?;
    let id = query.legal_entity_id;
    let entities = directory::entities(&[id]);
    let entity = entities.first().ok_or_else(|| Problem::reference_missing("/query/legalEntityId"))?;
    let as_of = query.as_of.map(|day| day.to_string());
    let page = costs::service::valuation(
        id.into(),
        as_of.as_deref(),
        query.variant_id.map(Into::into),
        query.cursor.map(Into::into),
        query.limit.0,
    )?;
    let of_all_now = entity.keeps_books && as_of.is_none() && query.variant_id.is_none();
    let ledger_balance = of_all_now.then(|| {
        let balances = books::balances(id, &["INVENTORY"]);
        balances.get("INVENTORY").copied().unwrap_or_default()
    });
    let currency_total =
        page.totals.iter().find(|total| total.currency_code.is_some() && total.currency_code == entity.currency_code);
    let worth: Amount = currency_total.map(|total| parse(&total.value)).unwrap_or_default();
    let difference =
        ledger_balance.map(|ledger| ledger.checked_sub(worth).ok_or_else(Sum::limit_exceeded)).transpose()?;
    let item = |valued: &Valued| ValuedGoods {
        variant_id: valued.variant_id.into(),
        quantity: parse(&valued.quantity),
        uncosted_quantity: parse(&valued.uncosted_quantity),
        values: valued.values.iter().map(GoodsValue::from).collect(),
    };
    Ok(Reply::json(&Valuation {
        items: page.rows.iter().map(item).collect(),
        totals: page.totals.iter().map(GoodsValue::from).collect(),
        ledger_balance,
        difference,
        next_cursor: page.next.map(Id::from),
    }))
}

/// The goods in the report: by entity and time.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskCosts {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    legal_entity_id: Id,
    from: Date,
    /// Last day, at most 366 days after `from`.
    to: Date,
    variant_id: Option<Id>,
}

/// Change of the value of a variant's goods in one currency.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostFlow {
    variant_id: Id,
    currency_code: Option<String>,
    opening: Amount,
    /// Increase by goods receipts, allocated charges included.
    received: Amount,
    adjusted_in: Amount,
    /// Net of returned goods.
    sold: Amount,
    adjusted_out: Amount,
    damaged: Amount,
    lost: Amount,
    returned: Amount,
    corrected: Amount,
    closing: Amount,
}

/// Changes of the value of goods, by variant.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostReport {
    items: Vec<CostFlow>,
    next_cursor: Option<Id>,
}

impl From<&Flow> for CostFlow {
    fn from(flow: &Flow) -> CostFlow {
        CostFlow {
            variant_id: flow.variant_id.into(),
            currency_code: flow.currency_code.clone(),
            opening: parse(&flow.opening),
            received: parse(&flow.received),
            adjusted_in: parse(&flow.adjusted_in),
            sold: parse(&flow.sold),
            adjusted_out: parse(&flow.adjusted_out),
            damaged: parse(&flow.damaged),
            lost: parse(&flow.lost),
            returned: parse(&flow.returned),
            corrected: parse(&flow.corrected),
            closing: parse(&flow.closing),
        }
    }
}

fn costs_report(call: &Call) -> Answer {
    let query: AskCosts = call.query()?;
    check_period(query.from, query.to)?;
    let id = query.legal_entity_id;
    if directory::entities(&[id]).is_empty() {
        return Err(Problem::reference_missing("/query/legalEntityId"));
    }
    let page = costs::service::flows(
        id.into(),
        &query.from.to_string(),
        &query.to.to_string(),
        query.variant_id.map(Into::into),
        query.cursor.map(Into::into),
        query.limit.0,
    )?;
    let items = page.rows.iter().map(CostFlow::from).collect();
    Ok(Reply::json(&CostReport { items, next_cursor: page.next.map(Id::from) }))
}
