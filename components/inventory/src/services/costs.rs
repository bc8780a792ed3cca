//! The service `commerce:inventory/costs`: corrections, charges, the beginning of books, and what goods are worth.

use std::collections::BTreeMap;

use stoa_sdk::{Date, Id, Problem, map};
use stoa_trade::arguments::{parse, parse_unsigned};
use stoa_trade::quantity::{self, Amount};

use crate::bindings::exports::commerce::inventory::costs::{self as service, Guest};
use crate::records::cost::{self, Destination};
use crate::rules::recost::Way;
use crate::services::Services;
use crate::work::costs::opening::{self, CostedGoods};
use crate::work::costs::recost::{Line, Parts, recost};
use crate::work::costs::{flows, valuation};

impl Guest for Services {
    fn correct(credit: (u64, u64), lines: Vec<service::CorrectionLine>) -> Result<Vec<Vec<service::Part>>, Problem> {
        let line = |line: service::CorrectionLine| Line {
            receipt_item: line.receipt_item_id.into(),
            unit: line.unit_id.map(Id::from),
            amount: parse_unsigned(&line.amount),
        };
        let lines: Vec<Line> = lines.into_iter().map(line).collect();
        recost(Way::Correction, credit.into(), &lines).map(|parts| parts.into_iter().map(to_wire).collect())
    }

    fn charge(charge: (u64, u64), lines: Vec<service::ChargeLine>) -> Result<Vec<Vec<service::Part>>, Problem> {
        let line = |line: service::ChargeLine| Line {
            receipt_item: line.receipt_item_id.into(),
            unit: None,
            amount: parse_unsigned(&line.amount),
        };
        let lines: Vec<Line> = lines.into_iter().map(line).collect();
        recost(Way::Charge, charge.into(), &lines).map(|parts| parts.into_iter().map(to_wire).collect())
    }

    fn open(entity: (u64, u64), currency_code: String, given: Vec<service::Stated>) -> Result<String, Problem> {
        let given = given.into_iter().map(|given| {
            let goods = match given.goods {
                service::Goods::OfVariant(id) => CostedGoods::Variant(id.into()),
                service::Goods::OfUnit(id) => CostedGoods::Unit(id.into()),
            };
            (goods, quantity::widen::<0>(parse_unsigned(&given.unit_cost)))
        });
        let given: BTreeMap<_, _> = map(given);
        opening::open_books(entity.into(), &currency_code, &given).map(|value| value.to_string())
    }

    fn valuation(
        entity: (u64, u64),
        as_of: Option<String>,
        variant_id: Option<(u64, u64)>,
        cursor: Option<(u64, u64)>,
        limit: u32,
    ) -> Result<service::ValuationPage, Problem> {
        let (entity, variant, as_of) = (entity.into(), variant_id.map(Id::from), as_of.as_deref().map(parse));
        let (pools, next) = flows::read_pools(entity, variant, cursor.map(Id::from), limit)?;
        let rows = valuation::value_pools(&pools, as_of)?;
        let totals = valuation::value_by_currency(entity, as_of, variant)?;
        let rows = rows.into_iter().map(|row| service::Valued {
            variant_id: row.variant_id.into(),
            product_id: row.product_id.into(),
            quantity: row.quantity.to_string(),
            uncosted_quantity: row.uncosted_quantity.to_string(),
            values: row.values.into_iter().map(value_to_wire).collect(),
        });
        Ok(service::ValuationPage {
            rows: rows.collect(),
            totals: totals.into_iter().map(value_to_wire).collect(),
            next: next.map(Into::into),
        })
    }

    fn flows(
        entity: (u64, u64),
        since: String,
        until: String,
        variant_id: Option<(u64, u64)>,
        cursor: Option<(u64, u64)>,
        limit: u32,
    ) -> Result<service::FlowPage, Problem> {
        let (since, until): (Date, Date) = (parse(&since), parse(&until));
        let (variant, cursor) = (variant_id.map(Id::from), cursor.map(Id::from));
        let (rows, next) = flows::read_flows(entity.into(), since, until, variant, cursor, limit)?;
        let rows = rows.into_iter().map(|flow| service::Flow {
            variant_id: flow.variant_id.into(),
            currency_code: flow.currency_code,
            opening: flow.opening.to_string(),
            received: flow.received.to_string(),
            adjusted_in: flow.adjusted_in.to_string(),
            sold: flow.sold.to_string(),
            adjusted_out: flow.adjusted_out.to_string(),
            damaged: flow.damaged.to_string(),
            lost: flow.lost.to_string(),
            returned: flow.returned.to_string(),
            corrected: flow.corrected.to_string(),
            closing: flow.closing.to_string(),
        });
        Ok(service::FlowPage { rows: rows.collect(), next: next.map(Into::into) })
    }
}

fn to_wire(parts: Parts) -> Vec<service::Part> {
    let part = |(to, amount): (Destination, Amount)| service::Part {
        destination: match to {
            Destination::OnHand => service::Destination::OnHand,
            Destination::Sold => service::Destination::Sold,
            Destination::AdjustedOut => service::Destination::AdjustedOut,
            Destination::Damaged => service::Destination::Damaged,
            Destination::Lost => service::Destination::Lost,
            Destination::Returned => service::Destination::Returned,
        },
        amount: amount.to_string(),
    };
    parts.into_iter().map(part).collect()
}

fn value_to_wire(value: cost::Value) -> service::Value {
    service::Value {
        currency_code: value.currency_code,
        quantity: value.quantity.to_string(),
        value: value.value.to_string(),
    }
}
