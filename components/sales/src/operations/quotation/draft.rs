//! Drafting quotations: creating and replacing them, priced now.

use stoa_sdk::store::run;
use stoa_sdk::{Answer, Call, now};
use stoa_trade::document::replacement::FullReplacement;
use stoa_trade::text::restate_code;
use stoa_trade::{Caller, Change, points};

use crate::operations::quotation::input::QuotationInput;
use crate::records::quotation::{QuotationItemRow, QuotationRow, QuotationStatus, draft_receipt};
use crate::work::priced_line::{lock_draft, name_changes, new_lines};
use crate::work::quotation::{insert_quotation, new_quotation, number_range, require_status, with_sums};
use crate::work::references::References;

pub fn create(call: &Call) -> Answer {
    let body: QuotationInput = call.body()?;
    let lines = body.read_lines()?;
    let named = body.name_references(&lines);
    // A figure is asked for together with the last read, unless an extension may return the number.
    let is_generated = body.number.is_none() && !points::numbers_are_extended();
    let range = is_generated.then(|| number_range(named.entity));
    let (references, terms, figure) = References::read_new(&named, Caller::current(), range)?;

    let (valid_until, notes) = (body.valid_until, body.notes.map(String::from));
    let quotation = QuotationRow { valid_until, notes, ..new_quotation(&named, &references) };
    let items: Vec<QuotationItemRow> = new_lines(quotation.id, &lines, &terms)?;
    let mut quotation = with_sums(quotation, &items, now())?;
    insert_quotation(&mut quotation, &items, body.number, figure)?;
    Ok(draft_receipt(&quotation, now(), &items).subjects(references.products()))
}

pub fn replace(call: &Call) -> Answer {
    let (id, now) = (call.path_id("id")?, now());
    let FullReplacement { expected_version, body }: FullReplacement<QuotationInput> = call.body()?;
    let lines = body.read_lines()?;
    let named = body.name_references(&lines);
    let (draft, ()) = lock_draft::<QuotationItemRow, _>(id, &named, ())?;
    let before = &draft.row;
    expected_version.check(before.version)?;
    require_status(before, now, &[QuotationStatus::Draft])?;
    let after = QuotationRow {
        number: restate_code(&before.number, body.number.map(|number| number.0)),
        legal_entity_id: named.entity,
        customer_id: named.customer,
        warehouse_id: named.warehouse,
        price_list_id: named.price_list,
        currency_code: draft.references.currency_code(),
        valid_until: body.valid_until,
        notes: if Caller::current().is_client() { before.notes.clone() } else { body.notes.map(String::from) },
        ..before.clone()
    };
    let redrawn = draft.redraw_lines(&named, &after, |item, _, _| item)?;
    let change = Change::new(before, with_sums(after, &redrawn.lines, now)?)?;
    run((change.update(), redrawn.write()))?;
    let reply = draft_receipt(change.after(), now, &redrawn.lines);
    Ok(reply.subjects(draft.products()).changed(name_changes(&change)))
}
