//! The service `commerce:sales/customers`: what other modules ask of customers.

use stoa_sdk::Id;
use stoa_sdk::store::{MOST_KEYS, get_all, read};
use stoa_trade::Status;

use crate::bindings::exports::commerce::sales::customers::{Customer, Guest};
use crate::records::customer::CustomerRow;
use crate::services::Services;

impl Guest for Services {
    fn get(ids: Vec<(u64, u64)>) -> Vec<Customer> {
        let ids: Vec<Id> = ids.into_iter().map(Id::from).collect();
        ids.chunks(MOST_KEYS).flat_map(|ids| read(get_all(ids.iter().copied()))).map(to_wire).collect()
    }
}

fn to_wire(row: CustomerRow) -> Customer {
    Customer {
        id: row.id.into(),
        active: row.status == Status::Active,
        // 0 to 365.
        payment_term_days: row.payment_term_days.and_then(|days| u16::try_from(days).ok()),
        code: row.code,
        name: row.name,
    }
}
