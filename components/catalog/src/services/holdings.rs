//! The service `commerce:catalog/holdings`: the module that counts goods says which variants there are goods of.

use stoa_sdk::store::{MOST_KEYS, Row, find, read, run, update_by};
use stoa_sdk::{Field, Id, set, view};

use crate::bindings::exports::commerce::catalog::holdings as service;
use crate::bindings::exports::commerce::catalog::holdings::Guest;
use crate::records::holding::HoldingRow;
use crate::services::Services;

pub use service::Holding;

view! { HeldPair of HoldingRow { place_id: Id, variant_id: Id, held: bool } }

impl Guest for Services {
    fn note(holdings: Vec<Holding>) {
        holdings.chunks(MOST_KEYS).for_each(note);
    }

    fn read(pairs: Vec<((u64, u64), (u64, u64))>) -> Vec<bool> {
        let key = |(place, variant): &((u64, u64), (u64, u64))| pair_key(*place, *variant);
        let held = pairs.chunks(MOST_KEYS).flat_map(|some| read(find::<HeldPair>("pair", some.iter().map(key))));
        let held = set(held.filter(|pair| pair.held).map(|pair| (pair.place_id, pair.variant_id)));
        pairs.into_iter().map(|(place, variant)| held.contains(&(place.into(), variant.into()))).collect()
    }
}

fn note(holdings: &[Holding]) {
    let keys = holdings.iter().map(|holding| pair_key(holding.place_id, holding.variant_id));
    let first = holdings.iter().map(|holding| Some(vec![Id::from(holding.product_id).put(), holding.held.put()]));
    let noted = update_by::<HoldingRow>("pair", keys)
        .set_each(HoldingRow::held, holdings.iter().map(|holding| holding.held))
        .or_insert(&[HoldingRow::product_id.name(), HoldingRow::held.name()], first);
    if let Err(problem) = run(noted).map_err(stoa_sdk::Problem::from) {
        stoa_sdk::host::fault(&format!("a holding was not noted: {}", problem.code));
    }
}

fn pair_key(place: (u64, u64), variant: (u64, u64)) -> Row {
    vec![Id::from(place).put(), Id::from(variant).put()]
}
