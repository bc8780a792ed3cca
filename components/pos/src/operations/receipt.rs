//! Receipts as they are read: lists without payments, one with them (sales-pos.md 11.1).

use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{Answer, Call, Client, Filter, Id, Instant, Operation, Page, Problem, Reply, all, any, text};
use stoa_trade::lists::{between, equals, read_page};
use stoa_trade::payment_method::Method;
use stoa_trade::quantity::{Amount, Money, StatedTotal};
use stoa_trade::{Caller, list_query};

use crate::records::payment::PaymentRow;
use crate::records::permission::READ;
use crate::records::receipt::{ApiPosReceipt, ApiPosReceiptHeader, PosReceipt, PosReceiptHeader, ReceiptRow};

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/pos/receipts", "listPosReceipts", list).summary("Receipts of registers")
        .needs(READ).query::<ListPosReceipts>().answers::<Page<PosReceiptHeader>>().cache_control("no-store")
        .and_client(Client::new(READ).answers::<Page<ApiPosReceiptHeader>>()),
    Operation::read("/pos/receipts/{id}", "getPosReceipt", read).summary("A receipt of a register")
        .description("Includes the payments. Read the lines from the order, which is final.")
        .needs(READ).answers::<PosReceipt>().cache_control("no-store")
        .and_client(Client::new(READ).answers::<ApiPosReceipt>()),
];

list_query! {
    pub struct ListPosReceipts {
        session_id: Option<Id>,
        register_id: Option<Id>,
        order_id: Option<Id>,
        #[schemars(regex(pattern = text::CURRENCY))]
        currency_code: Option<String>,
        /// Only receipts with a payment of this method.
        method: Option<Method>,
        /// Only receipts collected at or after this instant.
        from: Option<Instant>,
        /// Only receipts collected at or before this instant.
        to: Option<Instant>,
        total_min: Option<StatedTotal>,
        total_max: Option<StatedTotal>,
    }
}

impl ListPosReceipts {
    fn filter(&self) -> Filter {
        all([
            equals(ReceiptRow::session_id, self.session_id),
            equals(ReceiptRow::register_id, self.register_id),
            equals(ReceiptRow::order_id, self.order_id),
            equals(ReceiptRow::currency_code, self.currency_code.as_deref()),
            self.method.map(|method| ReceiptRow::method_flag(method).0.eq(true)).unwrap_or_default(),
            between(ReceiptRow::created_at, self.from, self.to),
            self.total_min.map(|total| at_least(total.0)).unwrap_or_default(),
            self.total_max.map(|total| at_most(total.0)).unwrap_or_default(),
        ])
    }
}

/// A millionth in units of a total.
const MILLIONTH: i128 = 1_000_000;
/// The largest total of a receipt, in millionths.
const LARGEST: i128 = 999_999_999_999_999_999;

/// Bounds may be finer and larger than money is.
fn at_least(total: Amount) -> Filter {
    let (whole, rest) = (total.units() / MILLIONTH, total.units() % MILLIONTH);
    let millionths = whole + i128::from(rest > 0);
    if millionths > LARGEST { any([]) } else { ReceiptRow::total.ge(Money::from_units(millionths)) }
}

fn at_most(total: Amount) -> Filter {
    ReceiptRow::total.le(Money::from_units((total.units() / MILLIONTH).min(LARGEST)))
}

pub fn list(call: &Call) -> Answer {
    let query: ListPosReceipts = call.query()?;
    let rows: Rows<ReceiptRow> = read_page(&query.filter(), query.cursor, query.limit)?;
    Caller::current().show_page::<PosReceiptHeader, ApiPosReceiptHeader, _>(rows, |row| row.id)
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let payments = select::<PaymentRow>(PaymentRow::receipt_id.eq(id)).by(PaymentRow::line_no).whole();
    let (receipt, payments) = run((get::<ReceiptRow>(id), payments))?;
    let receipt = receipt.ok_or_else(Problem::not_found)?;
    let reply = match Caller::current() {
        Caller::Person => Reply::json(&PosReceipt::from_row(receipt, &payments)),
        Caller::Client => Reply::json(&ApiPosReceipt::from_row(receipt, &payments)),
    };
    Ok(reply.resource(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_finer_than_money_lie_between_totals() {
        let bound = |text: &str| text.parse::<Amount>().unwrap();
        let money = |text: &str| text.parse::<Money>().unwrap();
        assert_eq!(at_least(bound("1.5")), ReceiptRow::total.ge(money("1.5")));
        assert_eq!(at_least(bound("1.5000001")), ReceiptRow::total.ge(money("1.500001")));
        assert_eq!(at_most(bound("1.5000009")), ReceiptRow::total.le(money("1.5")));
        assert_eq!(at_least(bound("1000000000000")), any([]));
        assert_eq!(at_most(bound("99999999999999999999999999")), ReceiptRow::total.le(money("999999999999.999999")));
    }
}
