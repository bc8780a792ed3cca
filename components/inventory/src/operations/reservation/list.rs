//! Reading reservations.

use stoa_sdk::store::{Rows, get, run};
use stoa_sdk::{Answer, Call, Id, Instant, Problem, Reply, all, holds};
use stoa_trade::lists::{between, equals, read_page};
use stoa_trade::{Caller, list_query};

use crate::operations::query::client_query;
use crate::records::permission::SERIALS_READ;
use crate::records::reservation::{ApiReservation, Reservation, ReservationRow, ReservationSource, ReservationStatus};

list_query! {
    pub struct ListReservations {
        status: Option<ReservationStatus>,
        variant_id: Option<Id>,
        warehouse_id: Option<Id>,
        source: Option<ReservationSource>,
        document_id: Option<Id>,
        /// Requires `inventory.serials.read`.
        inventory_unit_id: Option<Id>,
        /// Only records created at or after this instant.
        from: Option<Instant>,
        /// Only records created at or before this instant.
        to: Option<Instant>,
    }
}

client_query! {
    /// As people ask, but for units.
    ListApiReservations of ListReservations without ["inventoryUnitId"]
}

impl ListReservations {
    fn page(&self) -> Result<Rows<ReservationRow>, Problem> {
        let filter = all([
            equals(ReservationRow::status, self.status),
            equals(ReservationRow::variant_id, self.variant_id),
            equals(ReservationRow::warehouse_id, self.warehouse_id),
            equals(ReservationRow::source, self.source),
            equals(ReservationRow::document_id, self.document_id),
            equals(ReservationRow::unit_id, self.inventory_unit_id),
            between(ReservationRow::created_at, self.from, self.to),
        ]);
        read_page(&filter, self.cursor, self.limit)
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListReservations = call.query()?;
    if query.inventory_unit_id.is_some() && !holds(SERIALS_READ) {
        return Err(Problem::new("PERMISSION_DENIED"));
    }
    Caller::current().show_page::<Reservation, ApiReservation, _>(query.page()?, |row| row.id)
}

pub fn read(call: &Call) -> Answer {
    let row: ReservationRow = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    Ok(match Caller::current() {
        Caller::Person => Reply::json(&Reservation::from(row)),
        Caller::Client => Reply::json(&ApiReservation::from(row)),
    })
}
