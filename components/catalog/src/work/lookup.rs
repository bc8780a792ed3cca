//! Making a lookup: for a person's or API client's request, and for a new company.

use stoa_sdk::store::{find, insert, run};
use stoa_sdk::{Field, Problem, emit, new_id};
use stoa_trade::taken::show_readable;
use stoa_trade::{Caller, Status, new_record};

use crate::records::lookup::{ApiCatalogLookup, CREATED, Kind, LookupHead, LookupRow};
use crate::records::permission::READ;
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
    if run(insert([&row]).unless_taken())? != [true] {
        return Err(reject_taken(&row)?);
    }
    emit([CREATED.of(row.id, None, &ApiCatalogLookup::from_row(&row))]);
    Ok(row)
}

/// DUPLICATE with the lookup that has the code. API clients read active lookups only.
fn reject_taken(row: &LookupRow) -> Result<Problem, Problem> {
    let named = run(find::<LookupHead>("code", [vec![row.kind.put(), row.code.clone().put()]]))?;
    let shown = named.first().filter(|other| other.status == Status::Active || !Caller::current().is_client());
    Ok(Problem::conflict("DUPLICATE", "/code", shown.and_then(|other| show_readable(other.id, READ))))
}
