//! Revising a quotation: a new draft with the same lines and agreements. A sent one expires with it, both or neither.

use stoa_sdk::store::run;
use stoa_sdk::{Answer, Call, now};
use stoa_trade::Change;

use crate::operations::quotation::input::ReviseQuotation;
use crate::records::quotation::{QuotationItemRow, QuotationRow, QuotationStatus, draft_receipt};
use crate::work::priced_line::{lock_document, new_lines};
use crate::work::quotation::{insert_quotation, lapse, new_quotation, require_status, with_sums};
use crate::work::references::References;

pub fn revise(call: &Call) -> Answer {
    let body: ReviseQuotation = call.body()?;
    let now = now();
    let source = lock_document::<QuotationItemRow>(call.path_id("id")?)?;
    let row = &source.row;
    body.expected_version.check(row.version)?;
    require_status(row, now, &[QuotationStatus::Sent, QuotationStatus::Expired, QuotationStatus::Rejected])?;
    let lines = source.restate_lines();
    let named = source.name_references(&lines);
    let references = References::read(&named);
    references.check_again(&lines, &source.customer)?;
    let terms = references.price_lines(&lines)?;
    let draft = QuotationRow {
        valid_until: body.valid_until,
        notes: row.notes.clone(),
        revision_of: Some(row.id),
        ..new_quotation(&named, &references)
    };
    let items: Vec<QuotationItemRow> = new_lines(draft.id, &lines, &terms)?;
    let mut draft = with_sums(draft, &items, now)?;
    insert_quotation(&mut draft, &items, body.number, None)?;
    if row.status == QuotationStatus::Sent {
        run(Change::new(row, lapse(row, now))?.update())?;
    }
    Ok(draft_receipt(&draft, now, &items).subject(row.id).subjects(references.products()))
}
