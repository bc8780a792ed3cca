//! Reading customer returns: lists of headers, and one with its lines; to people with its units, to API clients never.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Problem, Reply, all, set};
use stoa_trade::lists::{between, equals, read_page};
use stoa_trade::{Caller, list_query};

use crate::records::customer_return::{
    ApiSalesReturn, ApiSalesReturnHeader, ApiSalesReturnItem, ReturnStatus, SalesReturn, SalesReturnHeader,
    SalesReturnItem, SalesReturnItemRow, SalesReturnRow,
};
use crate::records::order_item::KnownUnit;
use crate::work::units::read_known_units;

list_query! {
    pub struct ListSalesReturns {
        status: Option<ReturnStatus>,
        order_id: Option<Id>,
        customer_id: Option<Id>,
        warehouse_id: Option<Id>,
        legal_entity_id: Option<Id>,
        /// Only records created at or after this instant.
        from: Option<Instant>,
        /// Only records created at or before this instant.
        to: Option<Instant>,
    }
}

impl ListSalesReturns {
    fn filter(&self) -> Filter {
        all([
            equals(SalesReturnRow::status, self.status),
            equals(SalesReturnRow::order_id, self.order_id),
            equals(SalesReturnRow::customer_id, self.customer_id),
            equals(SalesReturnRow::warehouse_id, self.warehouse_id),
            equals(SalesReturnRow::legal_entity_id, self.legal_entity_id),
            between(SalesReturnRow::created_at, self.from, self.to),
        ])
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListSalesReturns = call.query()?;
    let rows = read_page(&query.filter(), query.cursor, query.limit)?;
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
            let known = read_known_units(set(items.iter().flat_map(|item| item.units.0.iter().copied())));
            let known = |unit: Id| known.get(&unit).map(KnownUnit::from_unit);
            let items = items.iter().map(|row| SalesReturnItem::from_row(row, known)).collect();
            Reply::json(&SalesReturn { header: SalesReturnHeader::from_row(&row), items })
        }
        Caller::Client => {
            let items = items.iter().map(ApiSalesReturnItem::from_row).collect();
            Reply::json(&ApiSalesReturn { header: ApiSalesReturnHeader::from_row(&row), items })
        }
    };
    Ok(reply.resource(id))
}
