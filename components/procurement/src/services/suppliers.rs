//! The service `commerce:procurement/suppliers`: suppliers as documents of others name them.

use stoa_sdk::Id;
use stoa_sdk::store::{MOST_KEYS, get_all, read};
use stoa_trade::Status;

use crate::bindings::exports::commerce::procurement::suppliers::{Guest, Supplier};
use crate::records::supplier::SupplierRow;
use crate::services::Services;

impl Guest for Services {
    fn get(ids: Vec<(u64, u64)>) -> Vec<Supplier> {
        let ids: Vec<Id> = ids.into_iter().map(Id::from).collect();
        ids.chunks(MOST_KEYS).flat_map(|ids| read(get_all(ids.iter().copied()))).map(to_wire).collect()
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
