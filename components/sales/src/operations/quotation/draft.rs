//! Drafting quotations: creating and replacing them, priced now.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Problem, new_id, now, set};
use stoa_trade::change::{find_fixed, refuse_immutable};
use stoa_trade::text::restate_code;
use stoa_trade::{Caller, Change};

use crate::operations::quotation::input::{QuotationInput, QuotationUpdate};
use crate::records::customer::CustomerRow;
use crate::records::quotation::{QuotationItemRow, QuotationRow, QuotationStatus, receipt};
use crate::work::priced_line::{first_lines, new_lines, read_lines, redraw_lines};
use crate::work::quotation::{NewQuotation, insert_quotation, new_quotation, number_range, require_status, with_sums};
use crate::work::references::References;

pub fn create(call: &Call) -> Answer {
    let stated = call.body::<QuotationInput>()?.state()?;
    let range = stated.number.is_none().then(|| number_range(stated.entity));
    let (references, terms, figure) =
        References::read_new(&stated.name_references(), stated.customer, Caller::current(), range)?;

    let head = NewQuotation {
        id: new_id(),
        entity: stated.entity,
        customer: stated.customer,
        price_list: stated.price_list,
        warehouse: stated.warehouse,
        valid_until: stated.valid_until,
        notes: stated.notes,
        revision_of: None,
    };
    let items: Vec<QuotationItemRow> = new_lines(head.id, &stated.lines, &terms)?;
    let mut quotation = new_quotation(head, &references, &items)?;
    insert_quotation(&mut quotation, &items, stated.number, figure)?;
    Ok(receipt(&quotation, now()).subjects(references.products()))
}

pub fn replace(call: &Call) -> Answer {
    let (id, now, caller) = (call.path_id("id")?, now(), Caller::current());
    let body: QuotationUpdate = call.body()?;
    let expected = body.expected_version;
    let stated = body.state()?;
    let (before, rows, customer) = run((
        get::<QuotationRow>(id).locked(),
        first_lines::<QuotationItemRow>(id),
        get::<CustomerRow>(stated.customer),
    ))?;
    let before = before.ok_or_else(Problem::not_found)?;
    let rows = read_lines(id, rows)?;
    let named = stated.name_references();
    let references = References::read(&named);
    let customer = references.require(&named, customer, caller)?;
    expected.check(before.version)?;
    require_status(&before, now, &[QuotationStatus::Draft])?;
    let after = QuotationRow {
        number: restate_code(&before.number, stated.number.as_ref().map(|number| number.0.clone())),
        legal_entity_id: stated.entity,
        customer_id: stated.customer,
        warehouse_id: stated.warehouse,
        price_list_id: stated.price_list,
        currency_code: references.currency_code(),
        valid_until: stated.valid_until,
        notes: if caller.is_client() { before.notes.clone() } else { stated.notes.clone() },
        ..before.clone()
    };
    refuse_immutable(find_fixed(&before, &after, &[]))?;
    references.check(&named, &customer)?;
    let terms = references.price_lines(&stated.lines)?;

    let redrawn = redraw_lines(id, &rows, &stated.lines, &terms, |item, _, _: Option<&QuotationItemRow>| item)?;
    let change = Change::new(&before, with_sums(after, &redrawn.lines, now)?)?;
    run((change.update(), redrawn.write()))?;
    // Also those of the lines that are gone now.
    let products = set(rows.iter().filter(|row| row.line_no.is_some()).map(|row| row.product_id));
    // Lines are named as one: which of them changed is in the record.
    let changed = change.members().into_iter().chain(["items".to_owned()]);
    Ok(receipt(change.after(), now).subjects(products).subjects(references.products()).changed(changed))
}
