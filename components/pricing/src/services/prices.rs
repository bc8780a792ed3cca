//! The service `commerce:pricing/prices`: what other modules ask of pricing.

use stoa_sdk::store::{MOST_KEYS, get, read, select};
use stoa_sdk::{Id, Instant};

use crate::bindings::exports::commerce::pricing::prices as service;
use crate::bindings::exports::commerce::pricing::prices::Guest;
use crate::records::price::PriceRow;
use crate::records::price_list::{ListRow, Status, Visibility};
use crate::rules::period::effective;

pub use service::{Price, PriceList};

/// What answers.
pub struct Prices;

#[cfg(all(target_arch = "wasm32", feature = "component"))]
crate::bindings::export!(Prices with_types_in crate::bindings);

impl Guest for Prices {
    fn get_list(price_list: (u64, u64)) -> Option<PriceList> {
        read(get::<ListRow>(price_list.into())).map(|row| PriceList {
            id: row.id.into(),
            active: row.status == Status::Active,
            visibility: match row.visibility {
                Visibility::Internal => service::Visibility::Internal,
                Visibility::Public => service::Visibility::Public,
            },
            code: row.code,
            currency_code: row.currency_code,
        })
    }

    fn resolve(price_list: (u64, u64), variants: Vec<(u64, u64)>, at: i64) -> Vec<Price> {
        let list = Id::from(price_list);
        let ids: Vec<Id> = variants.into_iter().map(Id::from).collect();
        ids.chunks(MOST_KEYS).flat_map(|ids| in_list(list, ids, Instant(at))).collect()
    }
}

fn in_list(list: Id, variants: &[Id], at: Instant) -> Vec<Price> {
    let filter = effective(list, PriceRow::variant_id.one_of(variants.iter().copied()), at);
    let (list, prices) = read((get::<ListRow>(list), select::<PriceRow>(filter)));
    if list.is_none_or(|list| list.status == Status::Archived) {
        return Vec::new();
    }
    let price = |row: PriceRow| Price {
        variant_id: row.variant_id.into(),
        price_id: row.id.into(),
        amount: row.amount.to_string(),
    };
    prices.items.into_iter().map(price).collect()
}
