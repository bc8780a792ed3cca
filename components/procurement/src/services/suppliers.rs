//! The service `commerce:procurement/suppliers`: suppliers as documents of others name them.

use stoa_trade::Status;
use stoa_trade::services::read_rows;

use crate::bindings::exports::commerce::procurement::suppliers::{Guest, Supplier};
use crate::records::supplier::SupplierRow;
use crate::services::Services;

impl Guest for Services {
    fn get(ids: Vec<(u64, u64)>) -> Vec<Supplier> {
        read_rows(ids).into_iter().map(to_wire).collect()
    }
}

fn to_wire(row: SupplierRow) -> Supplier {
    Supplier {
        id: row.id.into(),
        code: row.code,
        name: row.name,
        active: row.status == Status::Active,
        // At most 365.
        payment_term_days: row.payment_term_days.and_then(|days| u16::try_from(days).ok()),
    }
}
