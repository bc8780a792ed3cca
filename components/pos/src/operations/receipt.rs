//! Receipts as they are read: lists without payments, one with them (sales-pos.md 11.1).

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Client, Filter, Id, Instant, Operation, Page, Problem, any};
use stoa_trade::document::currency::CurrencyCode;
use stoa_trade::lists;
use stoa_trade::payment_method::Method;
use stoa_trade::places::PosReceiptExtensions;
use stoa_trade::quantity::{Amount, Money, StatedTotal};
use stoa_trade::{Caller, list_query, points};

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
        .needs(READ).answers::<PosReceipt>().cache_control("no-store").reaches(&[points::VIEWS.0])
        .and_client(Client::new(READ).answers::<ApiPosReceipt>()),
];

list_query! {
    pub struct ListPosReceipts of ReceiptRow {
        session_id: Option<Id>,
        register_id: Option<Id>,
        order_id: Option<Id>,
        currency_code: Option<CurrencyCode>,
        /// Only receipts with a payment of this method.
        method: Option<Method> = method.map(|it| ReceiptRow::method_flag(it).0.eq(true)).unwrap_or_default(),
        /// Only receipts collected at or after this instant.
        from: Option<Instant> = lists::at_least(ReceiptRow::created_at, from),
        /// Only receipts collected at or before this instant.
        to: Option<Instant> = lists::at_most(ReceiptRow::created_at, to),
        total_min: Option<StatedTotal> = total_min.map(|total| at_least(total.0)).unwrap_or_default(),
        total_max: Option<StatedTotal> = total_max.map(|total| at_most(total.0)).unwrap_or_default(),
        /// Only receipts collected at or after this instant. A receipt never changes.
        updated_since: Option<Instant> = lists::made_since(ReceiptRow::id, updated_since),
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
    let rows = call.query::<ListPosReceipts>()?.page([])?;
    Caller::current().answer_page(rows, PosReceiptHeader::from_row, ApiPosReceiptHeader::from_row)
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let payments = select::<PaymentRow>(PaymentRow::receipt_id.eq(id)).by(PaymentRow::line_no).whole();
    let (receipt, payments) = run((get::<ReceiptRow>(id), payments))?;
    let receipt = receipt.ok_or_else(Problem::not_found)?;
    let extensions = || PosReceiptExtensions::read(id);
    let person = || PosReceipt::from_row(&receipt, &payments, extensions());
    Ok(Caller::current().show(person, || ApiPosReceipt::from_row(&receipt, &payments, extensions())).resource(id))
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
