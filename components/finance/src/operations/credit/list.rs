//! Credits as they are read.

use serde::Serialize;
use stoa_sdk::store::{Rows, find, get, run, select};
use stoa_sdk::{Answer, Call, Date, Field, Filter, Id, Problem, Reply, Text, all, has, text};
use stoa_trade::list_query;
use stoa_trade::lists::{answer_page, between, equals, mentions, read_page};
use stoa_trade::quantity::Money;

use crate::operations::payment::list::read_funds;
use crate::records::credit::{
    ApiCredit, CostLine, Credit, CreditCostLineRow, CreditHeader, CreditReason, CreditRow, CreditStatus,
};
use crate::records::funds::FundsRow;
use crate::records::side::Side;

list_query! {
    pub struct ListCredits {
        status: Option<CreditStatus>,
        legal_entity_id: Option<Id>,
        party_id: Option<Id>,
        #[schemars(regex(pattern = text::CURRENCY))]
        currency_code: Option<String>,
        /// Only documents whose number contains the text, ignoring case.
        number: Option<Text<1, 64>>,
        /// Only credits whose number, reason or document number contains the text, ignoring case.
        text: Option<Text<1, 200>>,
        reason_type: Option<CreditReason>,
        origin_invoice_id: Option<Id>,
        supplier_return_id: Option<Id>,
        /// Only credits recognised on or after this day.
        from: Option<Date>,
        to: Option<Date>,
        total_min: Option<Money>,
        total_max: Option<Money>,
    }
}

impl ListCredits {
    fn filter(&self, side: Side) -> Filter {
        all([
            CreditRow::side.eq(side),
            equals(CreditRow::status, self.status),
            equals(CreditRow::legal_entity_id, self.legal_entity_id),
            equals(CreditRow::party_id, self.party_id),
            equals(CreditRow::currency_code, self.currency_code.as_deref()),
            mentions("number", self.number.as_deref()),
            mentions("text", self.text.as_deref()),
            equals(CreditRow::reason_type, self.reason_type),
            equals(CreditRow::origin_invoice_id, self.origin_invoice_id),
            equals(CreditRow::supplier_return_id, self.supplier_return_id),
            between(CreditRow::recognized_on, self.from, self.to),
            between(CreditRow::amount, self.total_min, self.total_max),
        ])
    }
}

fn list<T: Serialize>(call: &Call, side: Side, show: fn(&CreditRow, Option<&FundsRow>) -> T) -> Answer {
    let query: ListCredits = call.query()?;
    let rows: Rows<CreditRow> = read_page(&query.filter(side), query.cursor, query.limit)?;
    let funds = read_funds(rows.items.iter().map(|row| row.id))?;
    answer_page(rows, |row| row.id, |row| show(&row, funds.get(&row.id)))
}

pub fn list_sales(call: &Call) -> Answer {
    list(call, Side::Sales, CreditHeader::from_row)
}

pub fn list_sales_as_client(call: &Call) -> Answer {
    list(call, Side::Sales, ApiCredit::from_row)
}

pub fn list_purchases(call: &Call) -> Answer {
    list(call, Side::Purchases, CreditHeader::from_row)
}

pub fn list_purchases_as_client(call: &Call) -> Answer {
    list(call, Side::Purchases, ApiCredit::from_row)
}

fn read(call: &Call, side: Side) -> Answer {
    let id = call.path_id("id")?;
    let standing = has::<CreditRow, _, _>(CreditCostLineRow::line_set_id, CreditRow::line_set_id, CreditRow::id.eq(id));
    let (row, funds, mut lines) = run((
        get::<CreditRow>(id),
        find::<FundsRow>("source", [vec![id.put()]]),
        select::<CreditCostLineRow>(standing).whole(),
    ))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    lines.sort_by_key(|line| line.line_no);
    let line = |line: &CreditCostLineRow| CostLine {
        receipt_item_id: line.receipt_item_id,
        inventory_unit_id: line.inventory_unit_id,
        amount: line.amount,
    };
    let cost_lines = lines.iter().map(line).collect();
    Ok(Reply::json(&Credit { header: CreditHeader::from_row(&row, funds.first()), cost_lines }).resource(id))
}

pub fn read_sales(call: &Call) -> Answer {
    read(call, Side::Sales)
}

pub fn read_purchase(call: &Call) -> Answer {
    read(call, Side::Purchases)
}

fn read_as_client(call: &Call, side: Side) -> Answer {
    let id = call.path_id("id")?;
    let (row, funds) = run((get::<CreditRow>(id), find::<FundsRow>("source", [vec![id.put()]])))?;
    let row = row.filter(|row| row.side == side).ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&ApiCredit::from_row(&row, funds.first())).resource(id))
}

pub fn read_sales_as_client(call: &Call) -> Answer {
    read_as_client(call, Side::Sales)
}

pub fn read_purchase_as_client(call: &Call) -> Answer {
    read_as_client(call, Side::Purchases)
}
