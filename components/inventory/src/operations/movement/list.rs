//! Reading movements.

use schemars::JsonSchema;
use serde::Deserialize;
use stoa_sdk::store::{MOST_ROWS, Rows, get, run, select};
use stoa_sdk::{Answer, Call, Filter, Id, Instant, Limit, Page, Problem, Reply, all, facts, paged};

use crate::records::caller::{SERIALS_READ, may};
use crate::records::movement::{DocumentType, Movement, MovementRow, MovementType, PublicMovement, ReferenceType};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListMovements {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    variant_id: Option<Id>,
    product_id: Option<Id>,
    /// On either side.
    warehouse_id: Option<Id>,
    movement_type: Option<MovementType>,
    reference_type: Option<ReferenceType>,
    reference_id: Option<Id>,
    document_type: Option<DocumentType>,
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
pub struct ListPublicMovements {
    cursor: Option<Id>,
    #[serde(default)]
    limit: Limit,
    variant_id: Option<Id>,
    /// On either side.
    warehouse_id: Option<Id>,
    movement_type: Option<MovementType>,
    reference_type: Option<ReferenceType>,
    reference_id: Option<Id>,
    document_type: Option<DocumentType>,
    document_id: Option<Id>,
    /// Created at this instant or later.
    from: Option<Instant>,
    /// Created at this instant or before.
    to: Option<Instant>,
}

impl From<ListPublicMovements> for ListMovements {
    fn from(query: ListPublicMovements) -> ListMovements {
        ListMovements {
            cursor: query.cursor,
            limit: query.limit,
            variant_id: query.variant_id,
            product_id: None,
            warehouse_id: query.warehouse_id,
            movement_type: query.movement_type,
            reference_type: query.reference_type,
            reference_id: query.reference_id,
            document_type: query.document_type,
            document_id: query.document_id,
            inventory_unit_id: None,
            from: query.from,
            to: query.to,
        }
    }
}

impl ListMovements {
    fn terms(&self) -> Vec<Filter> {
        let terms = [
            self.variant_id.map(|id| MovementRow::variant_id.eq(id)),
            self.product_id.map(|id| MovementRow::product_id.eq(id)),
            self.movement_type.map(|kind| MovementRow::movement_type.eq(kind)),
            self.reference_type.map(|kind| MovementRow::reference_type.eq(kind)),
            self.reference_id.map(|id| MovementRow::reference_id.eq(id)),
            self.document_type.map(|kind| MovementRow::document_type.eq(kind)),
            self.document_id.map(|id| MovementRow::document_id.eq(id)),
            self.inventory_unit_id.map(|id| MovementRow::inventory_unit_id.eq(id)),
            self.from.map(|from| MovementRow::created_at.ge(from)),
            self.to.map(|to| MovementRow::created_at.le(to)),
        ];
        terms.into_iter().flatten().collect()
    }

    /// A warehouse is asked for on both sides in two selects that an index answers, and the two are merged.
    fn page(&self) -> Result<Rows<MovementRow>, Problem> {
        let Some(warehouse) = self.warehouse_id else {
            return paged(self.limit, |limit| run(select(all(self.terms())).after(self.cursor).limit(limit)));
        };
        let side = |term: Filter, limit: u32| {
            let terms = self.terms().into_iter().chain([term]);
            select::<MovementRow>(all(terms)).after(self.cursor).limit(limit.min(MOST_ROWS))
        };
        let read = |limit: u32| {
            let from = side(MovementRow::from_warehouse_id.eq(warehouse), limit);
            let to = side(MovementRow::to_warehouse_id.eq(warehouse), limit);
            run((from, to)).map(|(from, to)| merge_sides(from, to, limit))
        };
        paged(self.limit, read)
    }
}

fn merge_sides(one: Rows<MovementRow>, other: Rows<MovementRow>, limit: u32) -> Rows<MovementRow> {
    let mut more = one.more || other.more;
    let mut items = one.items;
    items.extend(other.items);
    items.sort_by_key(|row| row.id);
    items.dedup_by_key(|row| row.id);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    more |= items.len() > limit;
    items.truncate(limit);
    Rows { items, more }
}

pub fn list(call: &Call) -> Answer {
    let query: ListMovements = call.query()?;
    let units = may(SERIALS_READ);
    if query.inventory_unit_id.is_some() && !units {
        return Err(Problem::of("PERMISSION_DENIED"));
    }
    let rows = query.page()?;
    let tenant = Id::from(facts().tenant);
    let show = |row| Movement::of(row, tenant, units);
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row: &MovementRow| row.id, show)))
}

pub fn read(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&Movement::of(row, facts().tenant.into(), may(SERIALS_READ))))
}

pub fn list_public(call: &Call) -> Answer {
    let query = ListMovements::from(call.query::<ListPublicMovements>()?);
    let rows = query.page()?;
    Ok(Reply::json(&Page::of(rows.items, rows.more, |row| row.id, PublicMovement::of)))
}

pub fn read_public(call: &Call) -> Answer {
    let row = run(get(call.path_id("id")?))?.ok_or_else(Problem::not_found)?;
    Ok(Reply::json(&PublicMovement::of(row)))
}
