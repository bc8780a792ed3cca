//! Calls of other modules to pricing.

use stoa_sdk::scripted::{rows, script, whole};
use stoa_trade::Status;

use super::{list, price};
use crate::bindings::exports::commerce::pricing::prices::Guest;
use crate::records::price::PriceRow;
use crate::records::price_list::ListRow;
use crate::services::prices::Prices;

#[test]
fn a_quotation_is_the_list_and_its_prices_in_one_round_trip() {
    let PriceRow { id, list_id, variant_id, .. } = PriceRow::example();
    let ask = || Prices::quote(list_id.into(), vec![variant_id.into()], 0);
    let log = script(vec![vec![rows(vec![list()]), rows(vec![price(id, None, None)])]]);
    let quotation = ask().expect("there is the list");
    assert_eq!((quotation.price_list.code.as_str(), quotation.price_list.active), ("RETAIL", true));
    let prices: Vec<_> = quotation.prices.iter().map(|price| (price.variant_id, price.amount.as_str())).collect();
    assert_eq!(prices, [(variant_id.into(), "12.500000")]);
    assert_eq!(log.borrow().runs.len(), 1);

    let archived = whole(&ListRow { status: Status::Archived, ..ListRow::example() }, 1);
    script(vec![vec![rows(vec![archived]), rows(vec![price(id, None, None)])]]);
    let quotation = ask().expect("there is the list");
    assert!(!quotation.price_list.active && quotation.prices.is_empty());
    script(vec![vec![rows(Vec::new()), rows(vec![price(id, None, None)])]]);
    assert_eq!(ask(), None);
}
