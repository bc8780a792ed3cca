//! Money that came and went in a period, by money account, or by method where there are no books (finance-ledger.md B9).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::store::{aggregate, run};
use stoa_sdk::{Answer, Call, Date, Id, Operation, Problem, Reply, all, map, totals};
use stoa_trade::clients::{directory, money};
use stoa_trade::document::currency::CurrencyCode;
use stoa_trade::lists::equals;
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::{Amount, Sum, sum, widen};

use crate::operations::report::period::check_period;
use crate::records::money_move::{Direction, MoneyMoveRow, MoveOrigin};
use crate::records::permission::CASH;
use crate::work::ordered::parse;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/reports/cash", "getCashReport", cash).summary("Cash report")
        .description("Receipts are positive, payments negative. Opening plus all columns equals closing. `other` contains \
            journal lines without a document, such as manual entries and the counter accounts of till movements.")
        .needs(CASH).query::<AskCash>().answers::<CashReport>().cache_control("no-store").or_csv().heavy().problems(&["NOT_FOUND", "LIMIT_EXCEEDED"]),
];

/// The money in the report: by entity, currency and days.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AskCash {
    legal_entity_id: Id,
    currency_code: CurrencyCode,
    from: Date,
    /// Last day, at most 366 days after `from`.
    to: Date,
    /// Only tills of this branch. The response then has no balances of the accounts.
    branch_id: Option<Id>,
}

/// Movements of money by account.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CashReport {
    items: Vec<CashRow>,
    totals: CashColumns,
    /// Always null: the report has one page.
    next_cursor: Option<Id>,
}

/// Money of an account, or of a method if the legal entity keeps no books.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CashRow {
    money_account_id: Option<Id>,
    /// Payment method of a row without an account.
    method: Option<&'static str>,
    /// Null without books.
    opening: Option<Amount>,
    #[serde(flatten)]
    columns: CashColumns,
    /// Null without books.
    other: Option<Amount>,
    /// Null without books.
    closing: Option<Amount>,
}

/// Movements of money by origin.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CashColumns {
    customer_payments: Sum,
    pos_receipts: Sum,
    supplier_refunds: Sum,
    till_in: Sum,
    customer_refunds: Sum,
    supplier_payments: Sum,
    till_out: Sum,
    variance: Sum,
}

totals! {
    Moved of MoneyMoveRow by [money_account_id: Option<Id>, method: Method] {
        [
            customer_payments, pos_receipts, supplier_refunds, till_in, customer_refunds, supplier_payments,
            till_out, variance,
        ]: Sum = sum(amount)
    }
}

impl CashColumns {
    fn from_moved(moved: &Moved) -> CashColumns {
        CashColumns {
            customer_payments: moved.customer_payments,
            pos_receipts: moved.pos_receipts,
            supplier_refunds: moved.supplier_refunds,
            till_in: moved.till_in,
            customer_refunds: moved.customer_refunds,
            supplier_payments: moved.supplier_payments,
            till_out: moved.till_out,
            variance: moved.variance,
        }
    }

    fn parts(self) -> [Sum; 8] {
        [
            self.customer_payments,
            self.pos_receipts,
            self.supplier_refunds,
            self.till_in,
            self.customer_refunds,
            self.supplier_payments,
            self.till_out,
            self.variance,
        ]
    }

    /// # Errors
    /// LIMIT_EXCEEDED.
    fn add(self, other: CashColumns) -> Result<CashColumns, Problem> {
        Ok(CashColumns {
            customer_payments: sum([self.customer_payments, other.customer_payments])?,
            pos_receipts: sum([self.pos_receipts, other.pos_receipts])?,
            supplier_refunds: sum([self.supplier_refunds, other.supplier_refunds])?,
            till_in: sum([self.till_in, other.till_in])?,
            customer_refunds: sum([self.customer_refunds, other.customer_refunds])?,
            supplier_payments: sum([self.supplier_payments, other.supplier_payments])?,
            till_out: sum([self.till_out, other.till_out])?,
            variance: sum([self.variance, other.variance])?,
        })
    }
}

fn cash(call: &Call) -> Answer {
    let query: AskCash = call.query()?;
    check_period(query.from, query.to)?;
    let entities = directory::entities(&[query.legal_entity_id]);
    let entity = entities.first().ok_or_else(|| Problem::reference_missing("/query/legalEntityId"))?;
    let by_account = sum_moves(&query)?;
    let has_balances = entity.keeps_books
        && entity.currency_code.as_deref() == Some(query.currency_code.0.as_str())
        && query.branch_id.is_none();
    let flows = if has_balances {
        money::service::flows(entity.id, &query.from.to_string(), &query.to.to_string())?
    } else {
        Vec::new()
    };
    let flows: BTreeMap<Id, money::Flow> = map(flows.into_iter().map(|flow| (Id::from(flow.account), flow)));
    let mut totals = CashColumns::default();
    let mut items = Vec::new();
    for ((money_account_id, method), columns) in &by_account {
        totals = totals.add(*columns)?;
        let flow = money_account_id.and_then(|id| flows.get(&id));
        items.push(show(*money_account_id, *method, *columns, flow)?);
    }
    // Accounts that only the journal has.
    for (account, flow) in &flows {
        if !by_account.contains_key(&(Some(*account), None)) {
            items.push(show(Some(*account), None, CashColumns::default(), Some(flow))?);
        }
    }
    Ok(Reply::json(&CashReport { items, totals, next_cursor: None }))
}

/// A money account, or the name of a method.
type CashKey = (Option<Id>, Option<&'static str>);

fn sum_moves(query: &AskCash) -> Result<BTreeMap<CashKey, CashColumns>, Problem> {
    let moves = all([
        MoneyMoveRow::legal_entity_id.eq(query.legal_entity_id),
        MoneyMoveRow::currency_code.eq(query.currency_code.0.as_str()),
        MoneyMoveRow::on_date.ge(query.from),
        MoneyMoveRow::on_date.le(query.to),
        equals(MoneyMoveRow::branch_id, query.branch_id),
    ]);
    let origin = |origin: MoveOrigin| MoneyMoveRow::origin.eq(origin);
    let till = |direction: Direction| all([origin(MoveOrigin::TillMovement), MoneyMoveRow::direction.eq(direction)]);
    let moved = run(aggregate::<Moved>(moves)
        .when(Moved::customer_payments, origin(MoveOrigin::CustomerPayment))
        .when(Moved::pos_receipts, origin(MoveOrigin::PosReceipt))
        .when(Moved::supplier_refunds, origin(MoveOrigin::SupplierRefund))
        .when(Moved::till_in, till(Direction::In))
        .when(Moved::customer_refunds, origin(MoveOrigin::CustomerRefund))
        .when(Moved::supplier_payments, origin(MoveOrigin::SupplierPayment))
        .when(Moved::till_out, till(Direction::Out))
        .when(Moved::variance, origin(MoveOrigin::Variance))
        .without_zeros()
        .whole())?;
    let mut by_account: BTreeMap<CashKey, CashColumns> = BTreeMap::new();
    for group in &moved {
        // An account takes money of several methods.
        let method = group.money_account_id.is_none().then(|| group.method.as_str());
        let columns = by_account.entry((group.money_account_id, method)).or_default();
        *columns = columns.add(CashColumns::from_moved(group))?;
    }
    Ok(by_account)
}

fn show(
    money_account_id: Option<Id>,
    method: Option<&'static str>,
    columns: CashColumns,
    flow: Option<&money::Flow>,
) -> Result<CashRow, Problem> {
    let opening: Option<Amount> = flow.map(|flow| parse(&flow.opening));
    let closing: Option<Amount> = flow.map(|flow| parse(&flow.closing));
    let known = sum(columns.parts().map(widen).into_iter().chain(opening))?;
    let other = closing.map(|closing| closing.checked_sub(known).ok_or_else(Sum::limit_exceeded)).transpose()?;
    Ok(CashRow { money_account_id, method, opening, columns, other, closing })
}
