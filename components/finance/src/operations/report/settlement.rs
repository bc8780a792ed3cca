//! How far an order is billed and paid.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::store::{find, run, select};
use stoa_sdk::{Answer, Call, Client, Field, Id, Operation, Problem, Reply, all, has, map};
use stoa_trade::clients::sales;
use stoa_trade::quantity::{Amount, Money, multiply, sum};

use crate::records::invoice::{InvoiceBalanceRow, InvoiceRow, InvoiceStatus};
use crate::records::invoice_line::InvoiceLineRow;
use crate::records::permission::SALES;
use crate::records::side::Side;
use crate::work::ordered::parse;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/sales/orders/{id}/settlement", "getOrderSettlement", settlement).summary("Billed and paid amounts of an \
        order")
        .needs(SALES.read).answers::<OrderSettlement>().cache_control("no-store").or_csv().problems(&["LIMIT_EXCEEDED"])
        .and_client(Client::new(SALES.read)),
];

/// Billed and paid amounts of an order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrderSettlement {
    order_id: Id,
    total: Amount,
    /// Amount of the order on issued, not voided invoices.
    billed: Amount,
    /// Id of the register's receipt that collected the order; null if none did.
    receipt_id: Option<Id>,
    /// All invoices with a line of the order, drafts and void invoices included.
    invoices: Vec<SettledInvoice>,
}

/// An invoice of the order.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SettledInvoice {
    id: Id,
    number: String,
    status: InvoiceStatus,
    total: Money,
    /// Amount that is still to be paid; null unless the invoice is ISSUED.
    balance: Option<Money>,
}

fn settlement(call: &Call) -> Answer {
    let id: Id = call.path_id("id")?;
    let orders = sales::read_orders(&[id], &[])?;
    let order = orders.first().ok_or_else(Problem::not_found)?;
    let lines = has::<InvoiceLineRow, _, _>(
        InvoiceRow::line_set_id,
        InvoiceLineRow::line_set_id,
        InvoiceLineRow::order_id.eq(id),
    );
    let invoices = run(select::<InvoiceRow>(all([InvoiceRow::side.eq(Side::Sales), lines])).whole())?;
    let keys: Vec<_> = invoices.iter().map(|row| vec![row.id.put()]).collect();
    let paid = run((!keys.is_empty()).then(|| find::<InvoiceBalanceRow>("invoice", keys)))?;
    let paid = map(paid.unwrap_or_default().into_iter().map(|paid| (paid.invoice_id, paid.balance)));
    let billed = order.items.iter().map(|item| multiply(parse(&item.billed), parse(&item.unit_price)));
    let invoice = |row: &InvoiceRow| SettledInvoice {
        id: row.id,
        number: row.number.clone(),
        status: row.status,
        total: row.total,
        balance: paid.get(&row.id).copied().filter(|_| row.status == InvoiceStatus::Issued),
    };
    let answer = OrderSettlement {
        order_id: id,
        total: parse(&order.total),
        billed: sum(billed.collect::<Result<Vec<Amount>, Problem>>()?)?,
        receipt_id: order.receipt_id.map(Id::from),
        invoices: invoices.iter().map(invoice).collect(),
    };
    Ok(Reply::json(&answer).resource(id))
}
