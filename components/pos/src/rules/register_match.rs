//! Decides if a register may collect an order: it sells from its own warehouse, for its own entity, at its own list
//! (sales-pos.md 11.2).

use stoa_sdk::{Id, Problem, item};
use stoa_trade::refusal::refuse;

/// The place that a session and an order must have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    pub legal_entity_id: Id,
    pub warehouse_id: Id,
    pub price_list_id: Id,
    pub currency_code: &'a str,
}

/// Refuses an order of another place than the session's.
///
/// # Errors
/// REGISTER_MISMATCH with MISMATCH at each member of the order that differs.
pub fn check_place(session: Place<'_>, order: Place<'_>) -> Result<(), Problem> {
    let differs = [
        ("/legalEntityId", session.legal_entity_id != order.legal_entity_id),
        ("/warehouseId", session.warehouse_id != order.warehouse_id),
        ("/priceListId", session.price_list_id != order.price_list_id),
        ("/currencyCode", session.currency_code != order.currency_code),
    ];
    let differs = differs.into_iter().filter(|(_, differs)| *differs);
    refuse("REGISTER_MISMATCH", differs.map(|(pointer, _)| item(pointer, "MISMATCH")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Place<'static> =
        Place { legal_entity_id: Id(0, 1), warehouse_id: Id(0, 2), price_list_id: Id(0, 3), currency_code: "EUR" };

    #[test]
    fn e319_every_difference_is_named() {
        let other = Id(0, 9);
        for (order, expected) in [
            (HERE, vec![]),
            (Place { legal_entity_id: other, ..HERE }, vec!["/legalEntityId"]),
            (Place { warehouse_id: other, price_list_id: other, ..HERE }, vec!["/warehouseId", "/priceListId"]),
            (Place { currency_code: "USD", ..HERE }, vec!["/currencyCode"]),
        ] {
            let found = check_place(HERE, order).err().map_or_else(Vec::new, |problem| problem.errors);
            assert!(found.iter().all(|error| error.code == "MISMATCH"));
            assert_eq!(found.iter().map(|error| error.pointer.as_str()).collect::<Vec<_>>(), expected);
        }
    }
}
