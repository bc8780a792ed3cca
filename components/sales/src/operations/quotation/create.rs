//! Drafting quotations.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Problem, item, new_id, now};
use stoa_trade::document::number::next_figure;
use stoa_trade::refusal::refuse;

use crate::operations::quotation::input::QuotationInput;
use crate::records::customer::CustomerRow;
use crate::records::quotation::receipt;
use crate::work::quotation::{NewQuotation, insert_quotation, new_items, new_quotation, number_range};
use crate::work::references::{Named, References};

pub fn create(call: &Call) -> Answer {
    create_for(call, false)
}

pub fn create_as_client(call: &Call) -> Answer {
    create_for(call, true)
}

fn create_for(call: &Call, by_client: bool) -> Answer {
    let stated = call.body::<QuotationInput>()?.state(by_client)?;
    let named = Named {
        entity: stated.entity,
        warehouse: stated.warehouse,
        price_list: stated.price_list,
        lines: &stated.lines,
    };
    let references = References::read(&named);
    let mut missing = references.find_missing(&named, by_client);
    // A figure is asked for beside the last read, once it is sure whose number it will be.
    let figure = (missing.is_empty() && stated.number.is_none()).then(|| next_figure(number_range(stated.entity)));
    let (customer, figure) = run((get::<CustomerRow>(stated.customer), figure))?;
    missing.extend(customer.is_none().then(|| item("/customerId", "NOT_FOUND")));
    refuse("NOT_FOUND", missing)?;
    let customer = customer.ok_or_else(|| Problem::reference_missing("/customerId"))?;
    references.check(&named, &customer)?;
    let terms = references.price_lines(&stated.lines)?;

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
    let items = new_items(head.id, &stated.lines, &terms)?;
    let mut quotation = new_quotation(head, &references, &items)?;
    insert_quotation(&mut quotation, &items, stated.number, figure)?;
    Ok(receipt(&quotation, now()).subjects(references.products()))
}
