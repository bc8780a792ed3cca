//! The service `commerce:pricing/prices`: what other modules ask of pricing.

use stoa_sdk::store::{MOST_KEYS, find, get, read, select};
use stoa_sdk::{Field, Id, Instant};
use stoa_trade::Status;

use crate::bindings::exports::commerce::pricing::prices as service;
use crate::bindings::exports::commerce::pricing::prices::Guest;
use crate::records::price::PriceRow;
use crate::records::price_list::{ListRow, Visibility};
use crate::rules::period::effective;

pub use service::{Price, PriceList, Quotation};

/// The implementation of the services of pricing.
pub struct Prices;

#[cfg(all(target_arch = "wasm32", feature = "component"))]
crate::bindings::export!(Prices with_types_in crate::bindings);

impl Guest for Prices {
    fn get_list(price_list: (u64, u64)) -> Option<PriceList> {
        read(get::<ListRow>(price_list.into())).map(list)
    }

    fn find_list(code: String) -> Option<PriceList> {
        let rows = read(find::<ListRow>("code", [vec![code.to_ascii_uppercase().put()]]));
        rows.into_iter().next().map(list)
    }

    fn resolve(price_list: (u64, u64), variants: Vec<(u64, u64)>, time: i64) -> Vec<Price> {
        let quoted = quote(price_list.into(), &ids(variants), Instant(time));
        quoted.map(|(_, prices)| prices.into_iter().map(price).collect()).unwrap_or_default()
    }

    fn quote(price_list: (u64, u64), variants: Vec<(u64, u64)>, time: i64) -> Option<Quotation> {
        let (row, prices) = quote(price_list.into(), &ids(variants), Instant(time))?;
        Some(Quotation { price_list: list(row), prices: prices.into_iter().map(price).collect() })
    }
}

/// The list and its prices in effect: none for an archived list. Both in one round trip.
pub(super) fn quote(list: Id, variants: &[Id], time: Instant) -> Option<(ListRow, Vec<PriceRow>)> {
    let prices = |ids: &[Id]| {
        let variants = PriceRow::variant_id.one_of(ids.iter().copied());
        select::<PriceRow>(effective(list, variants, time)).whole()
    };
    let (row, prices) = read((get::<ListRow>(list), variants.chunks(MOST_KEYS).map(prices).collect::<Vec<_>>()));
    let row = row?;
    let prices = match row.status {
        Status::Active => prices.into_iter().flatten().collect(),
        Status::Archived => Vec::new(),
    };
    Some((row, prices))
}

fn ids(variants: Vec<(u64, u64)>) -> Vec<Id> {
    variants.into_iter().map(Id::from).collect()
}

pub(super) fn list(row: ListRow) -> PriceList {
    PriceList {
        id: row.id.into(),
        active: row.status == Status::Active,
        visibility: match row.visibility {
            Visibility::Internal => service::Visibility::Internal,
            Visibility::Public => service::Visibility::Public,
        },
        code: row.code,
        currency_code: row.currency_code,
    }
}

fn price(row: PriceRow) -> Price {
    Price { variant_id: row.variant_id.into(), price_id: row.id.into(), amount: row.amount.to_string() }
}
