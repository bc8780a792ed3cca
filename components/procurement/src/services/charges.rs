//! The service `commerce:procurement/charges`: charges of import orders as invoices name them.

use stoa_sdk::store::{MOST_KEYS, get_all, read};
use stoa_sdk::{Id, map, set};

use crate::bindings::exports::commerce::procurement::charges::{Charge, Guest};
use crate::records::charge::ChargeRow;
use crate::records::order::OrderRow;
use crate::services::Services;

impl Guest for Services {
    fn get(ids: Vec<(u64, u64)>) -> Vec<Charge> {
        let ids: Vec<Id> = ids.into_iter().map(Id::from).collect();
        ids.chunks(MOST_KEYS).flat_map(read_charges).collect()
    }
}

fn read_charges(ids: &[Id]) -> Vec<Charge> {
    let charges: Vec<ChargeRow> = read(get_all(ids.iter().copied()));
    let orders: Vec<OrderRow> = read(get_all(set(charges.iter().map(|charge| charge.order_id))));
    let orders = map(orders.into_iter().map(|order| (order.id, order)));
    let to_wire = |charge: ChargeRow| {
        let order = orders.get(&charge.order_id)?;
        Some(Charge {
            id: charge.id.into(),
            order_id: charge.order_id.into(),
            kind: charge.kind.as_str().to_owned(),
            amount: charge.amount.to_string(),
            allocated: charge.allocated.to_string(),
            currency_code: order.currency_code.clone(),
            legal_entity_id: order.legal_entity_id.into(),
            supplier_id: charge.supplier_id.map(Into::into),
            status: charge.status.as_str().to_owned(),
        })
    };
    charges.into_iter().filter_map(to_wire).collect()
}
