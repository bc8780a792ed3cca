//! The operations of reservations: stock that is held for an order or a customer.

mod list;
mod release;
mod reserve;

use stoa_sdk::{Client, Operation, Page};

use crate::operations::reservation::list::{ListApiReservations, ListReservations};
use crate::operations::reservation::release::ReleaseInput;
use crate::operations::reservation::reserve::ReservationInput;
use crate::records::permission::{ADJUST, CLIENT_READ, CLIENT_WRITE, READ};
use crate::records::reservation::{ApiReservation, RESERVATION, ReleaseReceipt, Reservation, ReservationReceipt};
use crate::records::stock::UPDATED;

#[rustfmt::skip]
pub const OPERATIONS: &[Operation] = &[
    Operation::read("/inventory/reservations", "listReservations", list::list).summary("Reservations")
        .description("`inventoryUnitId` requires `inventory.serials.read`.")
        .needs(READ).query::<ListReservations>().answers::<Page<Reservation>>()
        .and_client(Client::new(CLIENT_READ).description("")
            .query::<ListApiReservations>().answers::<Page<ApiReservation>>()),
    Operation::read("/inventory/reservations/{id}", "getReservation", list::read).summary("A reservation")
        .needs(READ).answers::<Reservation>()
        .and_client(Client::new(CLIENT_READ).answers::<ApiReservation>()),
    Operation::create("/inventory/reservations", "createReservation", reserve::create).summary("Hold stock")
        .description("Held goods remain on hand and are not available until they are released. A MANUAL reservation does not \
            expire and is never sold. `referenceId` is an id that you choose.")
        .needs(ADJUST).body::<ReservationInput>().answers::<ReservationReceipt>().writes(RESERVATION, UPDATED)
        .problems(&["INSUFFICIENT_STOCK", "CUSTODY_CONFLICT", "ILLEGAL_STATE", "REFERENCE_INVALID"])
        .and_client(Client::new(CLIENT_WRITE)),
    Operation::transition("/inventory/reservations/{id}/release", "releaseReservation", release::release)
        .summary("Release held stock").description("Releases an ACTIVE reservation of source MANUAL. `expectedVersion` is \
            the version of the held unit, if it holds one.")
        .needs(ADJUST).body::<ReleaseInput>().answers::<ReleaseReceipt>().writes(RESERVATION, UPDATED)
        .without_if_match().problems(&["ILLEGAL_STATE", "VERSION_CONFLICT"])
        .and_client(Client::new(CLIENT_WRITE)
            .description("Releases an ACTIVE reservation of source MANUAL that holds a quantity. Any other one is rejected.")
            .answers::<ReservationReceipt>().problems(&["ILLEGAL_STATE"])),
];
