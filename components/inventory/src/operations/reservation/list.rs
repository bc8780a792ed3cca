//! Reading reservations.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{Rows, get, run, select};
use stoa_sdk::{Answer, Call, Id, Instant, Limit, Page, Problem, Reply, all, facts, paged};

use crate::records::caller::{SERIALS_READ, may};
use crate::records::reservation::{
    PublicReservation, Reservation, ReservationRow, ReservationSource, ReservationStatus,
};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListReservations {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    status: Option<ReservationStatus>,
    variant_id: Option<Id>,
    warehouse_id: Option<Id>,
    source: Option<ReservationSource>,
    document_id: Option<Id>,
    /// Needs inventory.serials.read.
    inventory_unit_id: Option<Id>,
    /// Created at this instant or later.
    from: Option<Instant>,
    /// Created at this instant or before.
    to: Option<Instant>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPublicReservations {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    status: Option<ReservationStatus>,
    variant_id: Option<Id>,
    warehouse_id: Option<Id>,
    source: Option<ReservationSource>,
    document_id: Option<Id>,
    /// Created at this instant or later.
    from: Option<Instant>,
    /// Created at this instant or before.
    to: Option<Instant>,
}

impl From<ListPublicReservations> for ListReservations {
    fn from(query: ListPublicReservations) -> ListReservations {
        ListReservations {
            cursor: query.cursor,
            limit: query.limit,
            status: query.status,
            variant_id: query.variant_id,
            warehouse_id: query.warehouse_id,
            source: query.source,
            document_id: query.document_id,
            inventory_unit_id: None,
            from: query.from,
            to: query.to,
        }
    }
}

impl ListReservations {
    fn page(&self) -> Result<Rows<ReservationRow>, Problem> {
        let terms = [
            self.status.map(|status| ReservationRow::status.eq(status)),
            self.variant_id.map(|id| ReservationRow::variant_id.eq(id)),
            self.warehouse_id.map(|id| ReservationRow::warehouse_id.eq(id)),
            self.source.map(|source| ReservationRow::source.eq(source)),
            self.document_id.map(|id| ReservationRow::document_id.eq(id)),
            self.inventory_unit_id.map(|id| ReservationRow::unit_id.eq(id)),
            self.from.map(|from| ReservationRow::created_at.ge(from)),
            self.to.map(|to| ReservationRow::created_at.le(to)),
        ];
        let filter = all(terms.into_iter().flatten());
        paged(self.limit, |limit| run(select(filter.clone()).after(self.cursor).limit(limit)))
    }
}

pub fn list(call: &Call) -> Answer {
    let query: ListReservations = call.query()?;
    if query.inventory_unit_id.is_some() && !may(SERIALS_READ) {
        return Err(Problem::of("PERMISSION_DENIED"));
    }
    let rows = query.page()?;
    let tenant = Id::from(facts().tenant);
    let show = |row| Reservation::of(row, tenant);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row: &ReservationRow| row.id, show)))
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&Reservation::of(row, facts().tenant.into())))
}

pub fn list_public(call: &Call) -> Answer {
    let query = ListReservations::from(call.query::<ListPublicReservations>()?);
    let rows = query.page()?;
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, PublicReservation::of)))
}

pub fn read_public(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&PublicReservation::of(row)))
}
