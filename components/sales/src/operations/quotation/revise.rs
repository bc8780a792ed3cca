//! Revising a quotation: a new draft with the same lines and agreements. A sent one expires with it, both or neither.

use stoa_sdk::store::run;
use stoa_sdk::{Answer, Call, new_id, now};
use stoa_trade::Change;

use crate::operations::quotation::input::ReviseQuotation;
use crate::records::quotation::{QuotationStatus, receipt};
use crate::work::quotation::{
    NewQuotation, insert_quotation, lapse, lock_quotation, new_items, new_quotation, require_status, restate_items,
};
use crate::work::references::{Named, References};

pub fn revise(call: &Call) -> Answer {
    let body: ReviseQuotation = call.body()?;
    let now = now();
    let source = lock_quotation(call.path_id("id")?)?;
    let row = &source.row;
    body.expected_version.check(row.version)?;
    require_status(row, now, &[QuotationStatus::Sent, QuotationStatus::Expired, QuotationStatus::Rejected])?;
    let lines = restate_items(&source.items);
    let named = Named {
        entity: row.legal_entity_id,
        warehouse: row.warehouse_id,
        price_list: row.price_list_id,
        lines: &lines,
    };
    let references = References::read(&named);
    references.check_again(&lines, &source.customer)?;
    let terms = references.price_lines(&lines)?;
    let head = NewQuotation {
        id: new_id(),
        entity: row.legal_entity_id,
        customer: row.customer_id,
        price_list: row.price_list_id,
        warehouse: row.warehouse_id,
        valid_until: body.valid_until,
        notes: row.notes.clone(),
        revision_of: Some(row.id),
    };
    let items = new_items(head.id, &lines, &terms)?;
    let mut draft = new_quotation(head, &references, &items)?;
    insert_quotation(&mut draft, &items, body.number, None)?;
    if row.status == QuotationStatus::Sent {
        run(Change::new(row, lapse(row, now))?.update())?;
    }
    Ok(receipt(&draft, now).subject(row.id).subjects(references.products()))
}
