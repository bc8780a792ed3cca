//! Reading customer returns: lists of headers, and one with its lines; to people with its units, to API clients never.

use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Problem, Reply, all, set};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, between, equals, read_page};

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

    fn page(&self) -> Result<Rows<SalesReturnRow>, Problem> {
        read_page(&self.filter(), self.cursor, self.limit)
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListSalesReturns = call.query()?;
    answer_page(query.page()?, |row| row.id, |row| SalesReturnHeader::from_row(&row))
}

pub fn list_as_client(call: &Call) -> Answer {
    let query: ListSalesReturns = call.query()?;
    answer_page(query.page()?, |row| row.id, |row| ApiSalesReturnHeader::from_row(&row))
}

fn read_return(id: Id) -> Result<(SalesReturnRow, Vec<SalesReturnItemRow>), Problem> {
    let live = all([SalesReturnItemRow::return_id.eq(id), SalesReturnItemRow::line_no.not_null()]);
    let (row, mut items) = run((get::<SalesReturnRow>(id), select::<SalesReturnItemRow>(live).whole()))?;
    items.sort_by_key(|item| item.line_no);
    Ok((row.ok_or_else(Problem::not_found)?, items))
}

pub fn read(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let (row, items) = read_return(id)?;
    let known = read_known_units(set(items.iter().flat_map(|item| item.units.0.iter().copied())));
    let item =
        |row: &SalesReturnItemRow| SalesReturnItem::from_row(row, |unit| known.get(&unit).map(KnownUnit::from_unit));
    let items = items.iter().map(item).collect();
    Ok(Reply::json(&SalesReturn { header: SalesReturnHeader::from_row(&row), items }).resource(id))
}

pub fn read_as_client(call: &Call) -> Answer {
    let id = call.path_id("id")?;
    let (row, items) = read_return(id)?;
    let items = items.iter().map(ApiSalesReturnItem::from_row).collect();
    Ok(Reply::json(&ApiSalesReturn { header: ApiSalesReturnHeader::from_row(&row), items }).resource(id))
}
