//! The service `commerce:sales/orders`: orders that are billed, delivered and sold on behalf of other documents, and
//! what was sold.

mod bill;
mod figures;
mod read;
mod sell;
mod wire;

use stoa_sdk::{Id, Problem};
use stoa_trade::document::version::ExpectedVersion;

use crate::bindings::exports::commerce::sales::orders as service;
use crate::bindings::exports::commerce::sales::orders::Guest;
use crate::services::Services;
use crate::work::completion::{complete_order, lock_order};

type WireId = (u64, u64);

impl Guest for Services {
    fn items(order_ids: Vec<WireId>, item_ids: Vec<WireId>, for_update: bool) -> Result<Vec<service::Order>, Problem> {
        read::read_orders(&ids(order_ids), &ids(item_ids), for_update)
    }

    fn bill(lines: Vec<service::BillLine>) -> Result<(), Problem> {
        bill::bill(&lines)
    }

    fn deliver(order: WireId, expected_version: i64, receipt: Option<WireId>) -> Result<service::Order, Problem> {
        let completed =
            complete_order(lock_order(order.into())?, ExpectedVersion(expected_version), receipt.map(Id::from))?;
        wire::order_to_wire(&completed.row, &completed.items, &completed.allocations)
    }

    fn sell(sale: service::Sale) -> Result<service::Order, Problem> {
        sell::sell(sale)
    }

    fn position(entity: WireId, currency_code: String) -> Result<String, Problem> {
        figures::sum_delivered(entity.into(), &currency_code)
    }

    fn figures(what: service::Question) -> Result<service::Report, Problem> {
        figures::report(what)
    }
}

fn ids(ids: Vec<WireId>) -> Vec<Id> {
    ids.into_iter().map(Id::from).collect()
}
