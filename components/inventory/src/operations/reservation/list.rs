//! Reading reservations.

use stoa_sdk::store::{get, run};
use stoa_sdk::{Answer, Call, Id, Instant, Problem, holds};
use stoa_trade::lists::{changed_since, equals};
use stoa_trade::{Caller, client_query, list_query};

use crate::records::permission::SERIALS_READ;
use crate::records::reservation::{ApiReservation, Reservation, ReservationRow, ReservationSource, ReservationStatus};

list_query! {
    pub struct ListReservations of ReservationRow {
        status: Option<ReservationStatus>,
        variant_id: Option<Id>,
        warehouse_id: Option<Id>,
        source: Option<ReservationSource>,
        document_id: Option<Id>,
        /// Requires `inventory.serials.read`.
        inventory_unit_id: Option<Id> = equals(ReservationRow::unit_id, inventory_unit_id),
        /// Only records changed at or after this instant.
        updated_since: Option<Instant> = changed_since(ReservationRow::updated_at, updated_since),
    } by creation {}
}

client_query! {
    /// As people ask, but for units.
    ListApiReservations of ListReservations without ["inventoryUnitId"]
}

pub fn list(call: &Call) -> Answer {
    let query: ListReservations = call.query()?;
    if query.inventory_unit_id.is_some() && !holds(SERIALS_READ) {
        return Err(Problem::new("PERMISSION_DENIED"));
    }
    Caller::current().answer_page(query.page([])?, Reservation::from_row, ApiReservation::from_row)
}

pub fn read(call: &Call) -> Answer {
    let row: ReservationRow = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    Ok(Caller::current().show(|| Reservation::from_row(&row), || ApiReservation::from_row(&row)))
}
