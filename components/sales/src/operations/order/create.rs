//! Drafting sales orders. A draft holds nothing.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Problem, item, new_id};
use stoa_trade::document::number::next_figure;
use stoa_trade::refusal::refuse;

use crate::operations::order::input::SalesOrderInput;
use crate::records::customer::CustomerRow;
use crate::records::order::{SALE_CREATED, emit_sale, receipt};
use crate::records::price_figures::PriceOrigin;
use crate::work::order::{NewOrder, insert_order, new_items, new_order, number_range};
use crate::work::references::{Named, References};

pub fn create(call: &Call) -> Answer {
    create_for(call, false)
}

pub fn create_as_client(call: &Call) -> Answer {
    create_for(call, true)
}

fn create_for(call: &Call, by_client: bool) -> Answer {
    let stated = call.body::<SalesOrderInput>()?.state(by_client)?;
    let named = Named {
        entity: stated.entity,
        warehouse: Some(stated.warehouse),
        price_list: stated.price_list,
        lines: &stated.lines,
    };
    let references = References::read(&named);
    let mut missing = references.find_missing(&named, by_client);
    // A figure is asked for beside the last read, once it is sure whose number it will be.
    let figure = (missing.is_empty() && stated.number.is_none()).then(|| next_figure(number_range(stated.entity, "")));
    let (customer, figure) = run((get::<CustomerRow>(stated.customer), figure))?;
    missing.extend(customer.is_none().then(|| item("/customerId", "NOT_FOUND")));
    refuse("NOT_FOUND", missing)?;
    let customer = customer.ok_or_else(|| Problem::reference_missing("/customerId"))?;
    references.check(&named, &customer)?;
    let terms = references.price_lines(&stated.lines)?;

    let head = NewOrder {
        id: new_id(),
        entity: stated.entity,
        warehouse: stated.warehouse,
        customer: stated.customer,
        price_list: stated.price_list,
        notes: stated.notes,
        quotation: None,
        invoice: None,
    };
    let items = new_items(head.id, &stated.lines, &terms, PriceOrigin::SalesOrder)?;
    let mut order = new_order(head, &references, &items)?;
    insert_order(&mut order, &items, stated.number, figure, "/number")?;
    emit_sale(&SALE_CREATED, &order);
    Ok(receipt(&order).subjects(references.products()))
}
