//! The operations of reservations: what is held for somebody.

mod list;
mod release;
mod reserve;

use stoa_sdk::{Operation, Page};

use crate::operations::reservation::list::{ListPublicReservations, ListReservations};
use crate::operations::reservation::release::ReleaseInput;
use crate::operations::reservation::reserve::ReservationInput;
use crate::records::caller::{ADJUST, CLIENT_READ, CLIENT_WRITE, READ};
use crate::records::reservation::{PublicReservation, RESERVATION, ReleaseReceipt, Reservation, ReservationReceipt};
use crate::records::stock::UPDATED;

const ABOUT: &str = "Held goods stay on hand and leave what is available, until they are released: a reservation by hand does not \
    expire and is never sold. `referenceId` is the caller's own.";

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/tenants/{tenantId}/inventory/reservations", "listReservations", list::list).summary("Reservations")
        .description("`inventoryUnitId` needs inventory.serials.read.")
        .needs(READ).query::<ListReservations>().answers::<Page<Reservation>>(),
    Operation::read("/tenants/{tenantId}/inventory/reservations/{id}", "getReservation", list::read)
        .summary("A reservation").needs(READ).answers::<Reservation>(),
    Operation::create("/tenants/{tenantId}/inventory/reservations", "createReservation", reserve::create)
        .summary("Hold stock").description(ABOUT)
        .needs(ADJUST).body::<ReservationInput>().answers::<ReservationReceipt>().writes(RESERVATION, UPDATED)
        .problems(&["INSUFFICIENT_STOCK", "CUSTODY_CONFLICT", "ILLEGAL_STATE", "REFERENCE_INVALID"]),
    Operation::transition("/tenants/{tenantId}/inventory/reservations/{id}/release", "releaseReservation", release::release)
        .summary("Let go of held stock").description("Only a MANUAL reservation that is ACTIVE. `expectedVersion` is the unit's, \
            where one is held.")
        .needs(ADJUST).body::<ReleaseInput>().answers::<ReleaseReceipt>().writes(RESERVATION, UPDATED)
        .without_if_match().problems(&["ILLEGAL_STATE", "VERSION_CONFLICT"]),

    Operation::read("/api-client/inventory/reservations", "apiListReservations", list::list_public).summary("Reservations")
        .machine(CLIENT_READ).query::<ListPublicReservations>().answers::<Page<PublicReservation>>(),
    Operation::read("/api-client/inventory/reservations/{id}", "apiGetReservation", list::read_public)
        .summary("A reservation").machine(CLIENT_READ).answers::<PublicReservation>(),
    Operation::create("/api-client/inventory/reservations", "apiCreateReservation", reserve::create)
        .summary("Hold stock").description(ABOUT)
        .machine(CLIENT_WRITE).body::<ReservationInput>().answers::<ReservationReceipt>().writes(RESERVATION, UPDATED)
        .problems(&["INSUFFICIENT_STOCK", "CUSTODY_CONFLICT", "ILLEGAL_STATE", "REFERENCE_INVALID"]),
    Operation::transition("/api-client/inventory/reservations/{id}/release", "apiReleaseReservation", release::release_public)
        .summary("Let go of held stock").description("Only a MANUAL reservation of a quantity that is ACTIVE.")
        .machine(CLIENT_WRITE).body::<ReleaseInput>().answers::<ReservationReceipt>().writes(RESERVATION, UPDATED)
        .without_if_match().problems(&["ILLEGAL_STATE"]),
];
