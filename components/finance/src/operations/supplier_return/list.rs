//! Supplier returns as they are read.

use stoa_sdk::store::{get, run, select};
use stoa_sdk::{Answer, Call, Date, Id, Instant, Problem, Reply, Text, has, set};
use stoa_trade::clients::units;
use stoa_trade::document::currency::CurrencyCode;
use stoa_trade::ids::{Ids, among};
use stoa_trade::lists::{at_least, at_most, changed_since, mentions};
use stoa_trade::{Caller, list_query};

use crate::records::supplier_return::{
    ApiSupplierReturn, ApiSupplierReturnHeader, ApiSupplierReturnLine, SupplierReturn, SupplierReturnHeader,
    SupplierReturnLine, SupplierReturnLineRow, SupplierReturnRow, SupplierReturnStatus,
};
use crate::work::units::name_units;

list_query! {
    pub struct ListSupplierReturns of SupplierReturnRow {
        /// Only these documents, at most 100, separated by commas.
        ids: Option<Ids> = among(SupplierReturnRow::id, ids.as_ref()),
        status: Option<SupplierReturnStatus>,
        legal_entity_id: Option<Id>,
        party_id: Option<Id>,
        warehouse_id: Option<Id>,
        currency_code: Option<CurrencyCode>,
        /// Only documents whose number contains the text, ignoring case.
        number: Option<Text<1, 64>> = mentions("number", number.as_deref()),
        /// Only documents whose number or reason contains the text, ignoring case.
        text: Option<Text<1, 200>> = mentions("text", text.as_deref()),
        /// Only returns shipped on or after this day.
        from: Option<Date> = at_least(SupplierReturnRow::shipped_on, from),
        to: Option<Date> = at_most(SupplierReturnRow::shipped_on, to),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(SupplierReturnRow::updated_at, updated_since),
    }
}

pub fn list(call: &Call) -> Answer {
    let rows = call.query::<ListSupplierReturns>()?.page([])?;
    Caller::current().answer_page(rows, SupplierReturnHeader::from_row, ApiSupplierReturnHeader::from_row)
}

pub fn read(call: &Call) -> Answer {
    let id: Id = call.path_id("id")?;
    let standing = has::<SupplierReturnRow, _, _>(
        SupplierReturnLineRow::line_set_id,
        SupplierReturnRow::line_set_id,
        SupplierReturnRow::id.eq(id),
    );
    let (row, mut lines) = run((get::<SupplierReturnRow>(id), select::<SupplierReturnLineRow>(standing).whole()))?;
    let row = row.ok_or_else(Problem::not_found)?;
    lines.sort_by_key(|line| line.line_no);
    if Caller::current().is_client() {
        let lines = lines.iter().map(ApiSupplierReturnLine::from_row).collect();
        return Ok(Reply::json(&ApiSupplierReturn::from_row(&row, lines)).resource(id));
    }
    let known = units::read_known(set(lines.iter().flat_map(|line| line.unit_ids.0.iter().copied())));
    let line = |line: &SupplierReturnLineRow| SupplierReturnLine::from_row(line, name_units(&line.unit_ids.0, &known));
    Ok(Reply::json(&SupplierReturn::from_row(&row, lines.iter().map(line).collect())).resource(id))
}
