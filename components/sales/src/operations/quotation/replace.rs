//! Replacing a draft, priced now.

use stoa_sdk::store::{MOST_ROWS, get, insert, run, select, update_all};
use stoa_sdk::{Answer, Call, Problem, item, now, set};
use stoa_trade::Change;
use stoa_trade::document::draft::{Kept, replace_lines};
use stoa_trade::document::number::DocumentNumber;
use stoa_trade::pages::read_rest;
use stoa_trade::refusal::refuse;
use stoa_trade::text::key;

use crate::operations::quotation::input::{QuotationUpdate, StatedQuotation};
use crate::records::customer::CustomerRow;
use crate::records::quotation::{QuotationItemRow, QuotationRow, QuotationStatus, receipt};
use crate::work::quotation::{new_item, require_status, rewrite_items, with_sums};
use crate::work::references::{Named, References};

pub fn replace(call: &Call) -> Answer {
    replace_for(call, false)
}

pub fn replace_as_client(call: &Call) -> Answer {
    replace_for(call, true)
}

fn replace_for(call: &Call, by_client: bool) -> Answer {
    let (id, now) = (call.path_id("id")?, now());
    let body: QuotationUpdate = call.body()?;
    let expected = body.expected_version;
    let stated = body.state(by_client)?;
    // Also what was taken out of it before.
    let of_quotation = QuotationItemRow::quotation_id.eq(id);
    let (before, rows, customer) = run((
        get::<QuotationRow>(id).locked(),
        select::<QuotationItemRow>(of_quotation.clone()).limit(MOST_ROWS),
        get::<CustomerRow>(stated.customer),
    ))?;
    let before = before.ok_or_else(Problem::not_found)?;
    let rows = read_rest(rows, &of_quotation, |row| row.id)?;
    let named = Named {
        entity: stated.entity,
        warehouse: stated.warehouse,
        price_list: stated.price_list,
        lines: &stated.lines,
    };
    let references = References::read(&named);
    let mut missing = references.find_missing(&named, by_client);
    missing.extend(customer.is_none().then(|| item("/customerId", "NOT_FOUND")));
    refuse("NOT_FOUND", missing)?;
    let customer = customer.ok_or_else(|| Problem::reference_missing("/customerId"))?;
    expected.check(before.version)?;
    require_status(&before, now, &[QuotationStatus::Draft])?;
    check_fixed(&before, &stated)?;
    references.check(&named, &customer)?;
    let terms = references.price_lines(&stated.lines)?;

    let kept = |row: &QuotationItemRow| Kept { id: row.id, is_live: row.line_no.is_some(), key: row.variant_id };
    let redrawn = replace_lines(&rows, kept, &stated.lines, |line| line.variant);
    let (mut items, mut new, mut old) = (Vec::new(), Vec::new(), Vec::new());
    for (line, (stated, terms)) in redrawn.lines.iter().zip(stated.lines.iter().zip(&terms)) {
        let row = new_item(line.id, id, line.line_no, stated, terms)?;
        if line.before.is_some() { &mut old } else { &mut new }.push(row.clone());
        items.push(row);
    }
    let after = QuotationRow {
        customer_id: stated.customer,
        warehouse_id: stated.warehouse,
        price_list_id: stated.price_list,
        currency_code: references.currency_code(),
        valid_until: stated.valid_until,
        notes: if by_client { before.notes.clone() } else { stated.notes },
        ..before.clone()
    };
    let change = Change::new(&before, with_sums(after, &items, now)?)?;
    let dropped = update_all::<QuotationItemRow>(redrawn.dropped.iter().copied()).set(QuotationItemRow::line_no, &None);
    run((change.update(), rewrite_items(&old), dropped, insert(&new)))?;
    let mut changed = change.members();
    // Lines are named as one: which of them changed is in the record.
    changed.push("items".to_owned());
    // Also those of the lines that are gone now.
    let before = set(rows.iter().filter(|row| row.line_no.is_some()).map(|row| row.product_id));
    Ok(receipt(change.after(), now).subjects(before).subjects(references.products()).changed(changed))
}

/// # Errors
/// IMMUTABLE_FIELD where the body states another number, but for its case, or another entity.
fn check_fixed(quotation: &QuotationRow, stated: &StatedQuotation) -> Result<(), Problem> {
    let is_other = |number: &DocumentNumber| key(&number.0) != quotation.number_key;
    let fixed = [
        ("/number", stated.number.as_ref().is_some_and(is_other)),
        ("/legalEntityId", stated.entity != quotation.legal_entity_id),
    ];
    let fixed: Vec<String> =
        fixed.into_iter().filter(|(_, differs)| *differs).map(|(pointer, _)| pointer.to_owned()).collect();
    if fixed.is_empty() { Ok(()) } else { Err(Problem::immutable(fixed)) }
}
