//! Reading movements.

use stoa_sdk::store::{MOST_ROWS, Rows, get, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Problem, fit_page, holds};
use stoa_trade::lists::{ask_nothing, made_since};
use stoa_trade::{Caller, client_query, list_query};

use crate::records::movement::{ApiMovement, DocumentType, Movement, MovementRow, MovementType, ReferenceType};
use crate::records::permission::SERIALS_READ;

list_query! {
    pub struct ListMovements of MovementRow {
        variant_id: Option<Id>,
        product_id: Option<Id>,
        /// Only movements from or to this warehouse.
        warehouse_id: Option<Id> = ask_nothing(warehouse_id),
        movement_type: Option<MovementType>,
        reference_type: Option<ReferenceType>,
        reference_id: Option<Id>,
        document_type: Option<DocumentType>,
        document_id: Option<Id>,
        /// Requires `inventory.serials.read`.
        inventory_unit_id: Option<Id>,
        /// Only movements made at or after this instant. A movement never changes.
        updated_since: Option<Instant> = made_since(MovementRow::id, updated_since),
    } by creation {}
}

client_query! {
    /// As people ask, but for products and units.
    ListApiMovements of ListMovements without ["productId", "inventoryUnitId"]
}

impl ListMovements {
    /// A warehouse is asked for on both sides in two selects that an index answers, and the two are merged.
    fn read_sides(&self) -> Result<Rows<MovementRow>, Problem> {
        let Some(warehouse) = self.warehouse_id else {
            return self.page([]);
        };
        let side = |filter: Filter, limit: u32| {
            select::<MovementRow>(self.filter([filter])).page(self.cursor).limit(limit.min(MOST_ROWS))
        };
        let read = |limit: u32| {
            let from = side(MovementRow::from_warehouse_id.eq(warehouse), limit);
            let to = side(MovementRow::to_warehouse_id.eq(warehouse), limit);
            run((from, to)).map(|(from, to)| merge_sides(from, to, limit))
        };
        fit_page(self.limit, read)
    }
}

fn merge_sides(one: Rows<MovementRow>, other: Rows<MovementRow>, limit: u32) -> Rows<MovementRow> {
    let mut has_more = one.more || other.more;
    let mut items = one.items;
    items.extend(other.items);
    items.sort_by_key(|row| row.id);
    items.dedup_by_key(|row| row.id);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    has_more |= items.len() > limit;
    items.truncate(limit);
    Rows { items, more: has_more, reached: None }
}

pub fn list(call: &Call) -> Answer {
    let query: ListMovements = call.query()?;
    let caller = Caller::current();
    let with_units = !caller.is_client() && holds(SERIALS_READ);
    if query.inventory_unit_id.is_some() && !with_units {
        return Err(Problem::new("PERMISSION_DENIED"));
    }
    let rows = query.read_sides()?;
    caller.answer_page(rows, |row| Movement::from_row(row, with_units), ApiMovement::from_row)
}

pub fn read(call: &Call) -> Answer {
    let row: MovementRow = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    let person = || Movement::from_row(&row, holds(SERIALS_READ));
    Ok(Caller::current().show(person, || ApiMovement::from_row(&row)))
}
