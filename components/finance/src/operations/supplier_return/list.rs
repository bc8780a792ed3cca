//! Supplier returns as they are read.

use serde::Serialize;
use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{Answer, Call, Date, Filter, Id, Problem, Reply, Text, all, has, set, text};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, between, equals, mentions, read_page};

use crate::records::supplier_return::{
    ApiSupplierReturn, ApiSupplierReturnHeader, ApiSupplierReturnLine, SupplierReturn, SupplierReturnHeader,
    SupplierReturnLine, SupplierReturnLineRow, SupplierReturnRow, SupplierReturnStatus,
};
use crate::work::units::{name_units, read_known_units};

list_query! {
    pub struct ListSupplierReturns {
        status: Option<SupplierReturnStatus>,
        legal_entity_id: Option<Id>,
        party_id: Option<Id>,
        warehouse_id: Option<Id>,
        #[schemars(regex(pattern = text::CURRENCY))]
        currency_code: Option<String>,
        /// Only documents whose number contains the text, ignoring case.
        number: Option<Text<1, 64>>,
        /// Only documents whose number or reason contains the text, ignoring case.
        text: Option<Text<1, 200>>,
        /// Only returns shipped on or after this day.
        from: Option<Date>,
        to: Option<Date>,
    }
}

impl ListSupplierReturns {
    fn filter(&self) -> Filter {
        all([
            equals(SupplierReturnRow::status, self.status),
            equals(SupplierReturnRow::legal_entity_id, self.legal_entity_id),
            equals(SupplierReturnRow::party_id, self.party_id),
            equals(SupplierReturnRow::warehouse_id, self.warehouse_id),
            equals(SupplierReturnRow::currency_code, self.currency_code.as_deref()),
            mentions("number", self.number.as_deref()),
            mentions("text", self.text.as_deref()),
            between(SupplierReturnRow::shipped_on, self.from, self.to),
        ])
    }
}

fn list_shown<T: Serialize>(call: &Call, show: fn(&SupplierReturnRow) -> T) -> Answer {
    let query: ListSupplierReturns = call.query()?;
    let rows: Rows<SupplierReturnRow> = read_page(&query.filter(), query.cursor, query.limit)?;
    answer_page(rows, |row| row.id, |row| show(&row))
}

pub fn list(call: &Call) -> Answer {
    list_shown(call, SupplierReturnHeader::from_row)
}

pub fn list_as_client(call: &Call) -> Answer {
    list_shown(call, ApiSupplierReturnHeader::from_row)
}

fn read_return(id: Id) -> Result<(SupplierReturnRow, Vec<SupplierReturnLineRow>), Problem> {
    let standing = has::<SupplierReturnRow, _, _>(
        SupplierReturnLineRow::line_set_id,
        SupplierReturnRow::line_set_id,
        SupplierReturnRow::id.eq(id),
    );
    let (row, mut lines) = run((get::<SupplierReturnRow>(id), select::<SupplierReturnLineRow>(standing).whole()))?;
    lines.sort_by_key(|line| line.line_no);
    Ok((row.ok_or_else(Problem::not_found)?, lines))
}

pub fn read(call: &Call) -> Answer {
    let (row, lines) = read_return(call.path_id("id")?)?;
    let known = read_known_units(set(lines.iter().flat_map(|line| line.unit_ids.0.iter().copied())));
    let line = |line: &SupplierReturnLineRow| SupplierReturnLine::from_row(line, name_units(&line.unit_ids.0, &known));
    let answer =
        SupplierReturn { header: SupplierReturnHeader::from_row(&row), lines: lines.iter().map(line).collect() };
    Ok(Reply::json(&answer).resource(row.id))
}

pub fn read_as_client(call: &Call) -> Answer {
    let (row, lines) = read_return(call.path_id("id")?)?;
    let lines = lines.iter().map(ApiSupplierReturnLine::from_row).collect();
    let answer = ApiSupplierReturn { header: ApiSupplierReturnHeader::from_row(&row), lines };
    Ok(Reply::json(&answer).resource(row.id))
}
