//! The service `commerce:sales/customers`: what other modules ask of customers.

use stoa_trade::Status;
use stoa_trade::services::read_rows;

use crate::bindings::exports::commerce::sales::customers::{Customer, Guest};
use crate::records::customer::CustomerRow;
use crate::services::Services;

impl Guest for Services {
    fn get(ids: Vec<(u64, u64)>) -> Vec<Customer> {
        read_rows(ids).into_iter().map(to_wire).collect()
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
