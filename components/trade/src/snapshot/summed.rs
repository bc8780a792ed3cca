//! How far the lines of an entity are in its totals.

use stoa_sdk::{Id, Instant, collection, new_id, view};

collection! {
    /// Lines of an entity whose ids were made before `until` are in its totals, all others are not. No row: none is.
    pub record SummedLinesRow in "summed_lines" {
        legal_entity_id: Id,
        until: Instant,
    }
    unique { entity: [legal_entity_id] }
}

view! {
    /// Up to where an entity's lines are in its totals: those made before `until` are.
    #[derive(Copy, PartialEq, Eq)]
    pub Summed of SummedLinesRow { legal_entity_id: Id, until: Instant }
}

impl SummedLinesRow {
    /// The row of an entity of which no line is summed.
    pub fn new(entity: Id) -> SummedLinesRow {
        crate::new_record!(SummedLinesRow { id: new_id(), legal_entity_id: entity, until: Instant(0) })
    }
}
