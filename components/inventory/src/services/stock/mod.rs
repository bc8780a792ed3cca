//! The service `commerce:inventory/stock`: stock that is held, sold, received and returned for the documents of others.

mod incoming;
mod levels;
mod lines;
mod orders;
mod receive;
mod send_back;
mod take_back;

use stoa_sdk::Problem;

use crate::bindings::exports::commerce::inventory::stock::{self as service, Guest};
use crate::services::Services;

type WireId = (u64, u64);

impl Guest for Services {
    fn levels(pairs: Vec<service::Pair>) -> Vec<service::Level> {
        levels::levels(&pairs)
    }

    fn transferred_incoming(pairs: Vec<service::Pair>) -> Vec<service::Transferred> {
        levels::transferred_incoming(&pairs)
    }

    fn reserve(
        order: service::SalesOrder,
        warehouse: WireId,
        lines: Vec<service::ReserveLine>,
    ) -> Result<Vec<service::Reserved>, Problem> {
        orders::reserve(&order, warehouse.into(), &lines)
    }

    fn release(order: WireId, reservations: Vec<WireId>, reason: String) -> Result<(), Problem> {
        orders::release(order.into(), &reservations, &reason)
    }

    fn deliver(
        order: service::SalesOrder,
        lines: Vec<service::DeliveryLine>,
    ) -> Result<Vec<service::Delivered>, Problem> {
        orders::deliver(&order, &lines)
    }

    fn return_from_customer(
        to: service::CustomerReturn,
        lines: Vec<service::ReturnLine>,
    ) -> Result<Vec<service::Returned>, Problem> {
        take_back::take_back(&to, &lines)
    }

    fn receive(from: service::Receipt, lines: Vec<service::ReceiptLine>) -> Result<Vec<service::Received>, Problem> {
        receive::receive(&from, &lines)
    }

    fn change_incoming(lines: Vec<service::IncomingLine>) -> Result<(), Problem> {
        incoming::change(&lines)
    }

    fn return_to_supplier(
        to: service::SupplierReturn,
        lines: Vec<service::SupplierReturnLine>,
    ) -> Result<Vec<service::SentBack>, Problem> {
        send_back::send_back(&to, &lines)
    }
}
