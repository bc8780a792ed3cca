//! Making a lookup: for a person's or API client's request, and for a new company.

use stoa_sdk::store::{insert, run};
use stoa_sdk::{Problem, emit, new_id};
use stoa_trade::refusal::or_duplicate;
use stoa_trade::{Status, new_record};

use crate::records::lookup::{ApiCatalogLookup, CREATED, Kind, LookupRow};
use crate::rules::lookup::CatalogLookupInput;
use crate::work::category::{self, Place};

/// Inserts a lookup whose members were checked, and emits its event.
pub fn insert_lookup(kind: Kind, input: CatalogLookupInput) -> Result<LookupRow, Problem> {
    let id = new_id();
    let place = match kind {
        Kind::Categories => category::place(id, input.parent_id)?,
        _ => Place::default(),
    };
    let row = new_record!(LookupRow {
        id,
        kind,
        status: Status::Active,
        archived_at: None,
        parent_id: place.parent_id,
        lineage: place.lineage,
        decimal_places: input.places(kind),
        name: input.name.into(),
        code: input.code,
    });
    run(insert([&row])).map_err(or_duplicate("/code"))?;
    emit([CREATED.of(row.id, None, &ApiCatalogLookup::from_row(&row))]);
    Ok(row)
}
