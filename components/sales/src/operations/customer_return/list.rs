//! Reading customer returns: lists of headers, and one with its lines; to people with its units, to API clients never.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Id, Problem, Reply, set};
use stoa_trade::clients::units;
use stoa_trade::{Caller, list_query};

use crate::records::customer_return::{
    ApiSalesReturn, ApiSalesReturnHeader, ApiSalesReturnItem, ReturnStatus, SalesReturn, SalesReturnHeader,
    SalesReturnItem, SalesReturnItemRow, SalesReturnRow,
};
use crate::records::order_item::KnownUnit;

list_query! {
    pub struct ListSalesReturns of SalesReturnRow {
        status: Option<ReturnStatus>,
        order_id: Option<Id>,
        customer_id: Option<Id>,
        warehouse_id: Option<Id>,
        legal_entity_id: Option<Id>,
    } by creation {}
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListSalesReturns>()?.page([])?;
    Caller::current().answer_page(rows, SalesReturnHeader::from_row, ApiSalesReturnHeader::from_row)
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let (row, mut items) =
        run((get::<SalesReturnRow>(id), select::<SalesReturnItemRow>(SalesReturnItemRow::live_of(id)).whole()))?;
    let row = row.ok_or_else(Problem::not_found)?;
    items.sort_by_key(|item| item.line_no);
    let reply = match Caller::current() {
        Caller::Person => {
            let known = units::read_known(set(items.iter().flat_map(|item| item.units.0.iter().copied())));
            let known = |unit: Id| known.get(&unit).map(KnownUnit::from_row);
            let items = items.iter().map(|row| SalesReturnItem::from_row(row, known)).collect();
            Reply::json(&SalesReturn::from_row(&row, items))
        }
        Caller::Client => {
            let items = items.iter().map(ApiSalesReturnItem::from_row).collect();
            Reply::json(&ApiSalesReturn::from_row(&row, items))
        }
    };
    Ok(reply.resource(id))
}
