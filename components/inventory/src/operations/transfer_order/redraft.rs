//! A draft of a transfer order with everything that it ever listed, and the changes of its lines and units by a
//! replacement.

use stoa_sdk::store::{MOST_ROWS, Update, get, insert, run, select, update_all};
use stoa_sdk::{Id, Problem};
use stoa_trade::document::draft::{Kept, Redrawn, replace_lines};
use stoa_trade::pages::read_rest;
use stoa_trade::quantity::{Quantity, Tracking};
use stoa_trade::{Caller, new_record};

use crate::operations::transfer_order::input::TransferItemInput;
use crate::operations::transfer_order::references::References;
use crate::records::transfer_order::{TransferItemRow, TransferOrderRow, TransferUnitRow};
use crate::work::units::changes::ONE;

/// A draft and every row of it, the lines and units that were taken out of it too.
pub struct Draft {
    pub order: TransferOrderRow,
    items: Vec<TransferItemRow>,
    units: Vec<TransferUnitRow>,
}

impl Draft {
    /// A draft without lines.
    pub fn new(order: TransferOrderRow) -> Draft {
        Draft { order, items: Vec::new(), units: Vec::new() }
    }

    /// The draft, held until the request ends. One that is changed again and again has any number of rows.
    pub fn lock(id: Id) -> Result<Draft, Problem> {
        let (item_filter, unit_filter) = (TransferItemRow::order_id.eq(id), TransferUnitRow::order_id.eq(id));
        let (order, items, units) = run((
            get::<TransferOrderRow>(id).locked(),
            select::<TransferItemRow>(item_filter.clone()).limit(MOST_ROWS),
            select::<TransferUnitRow>(unit_filter.clone()).limit(MOST_ROWS),
        ))?;
        Ok(Draft {
            order: order.ok_or_else(Problem::not_found)?,
            items: read_rest(items, &item_filter, |item| item.id)?,
            units: read_rest(units, &unit_filter, |unit| unit.id)?,
        })
    }

    /// The lines that the draft has now.
    pub fn live_items(&self) -> impl Iterator<Item = &TransferItemRow> {
        self.items.iter().filter(|item| item.line_no.is_some())
    }

    /// The changes of lines and units that make the draft list these lines.
    pub fn redraw(&self, stated: &[TransferItemInput], known: &References, caller: Caller) -> Redraft {
        let kept = |row: &TransferItemRow| Kept { id: row.id, is_live: row.line_no.is_some(), key: row.variant_id };
        let replacement = replace_lines(&self.items, kept, stated, |line| line.variant_id);
        let mut redraft = Redraft::default();
        for (line, input) in replacement.lines.iter().zip(stated) {
            match line.before {
                Some(_) => redraft.kept.push((line.id, line.line_no, input.quantity.0)),
                None => redraft.items.push(self.new_item(line, input, known.tracking(input.variant_id))),
            }
            let chosen: Vec<&TransferUnitRow> = self.units.iter().filter(|unit| unit.item_id == line.id).collect();
            match caller {
                Caller::Person => redraft.choose_units(&chosen, input, |id, unit| self.new_unit(id, line.id, unit)),
                Caller::Client => redraft.keep_units(&chosen, input.quantity.0),
            }
        }
        let is_live = |item: Id| replacement.lines.iter().any(|line| line.id == item);
        let left = self.units.iter().filter(|unit| !is_live(unit.item_id) && !unit.dropped);
        redraft.dropped.extend(left.map(|unit| unit.id));
        redraft.gone = replacement.dropped;
        redraft
    }

    fn new_item(
        &self,
        line: &Redrawn<'_, TransferItemRow>,
        input: &TransferItemInput,
        tracking: Tracking,
    ) -> TransferItemRow {
        new_record!(TransferItemRow {
            id: line.id,
            order_id: self.order.id,
            line_no: Some(line.line_no),
            variant_id: input.variant_id,
            tracking,
            quantity: input.quantity.0,
            received: Quantity::ZERO,
            lost: Quantity::ZERO,
            returned: Quantity::ZERO,
        })
    }

    fn new_unit(&self, id: Id, item_id: Id, unit_id: Id) -> TransferUnitRow {
        new_record!(TransferUnitRow {
            id,
            order_id: self.order.id,
            item_id,
            unit_id,
            outcome: None,
            dropped: false,
            live_slot: None,
        })
    }
}

/// Changes of lines and chosen units by a replacement.
#[derive(Default)]
pub struct Redraft {
    kept: Vec<(Id, i64, Quantity)>,
    gone: Vec<Id>,
    pub items: Vec<TransferItemRow>,
    pub units: Vec<TransferUnitRow>,
    dropped: Vec<Id>,
    taken_back: Vec<Id>,
}

impl Redraft {
    /// A person states the units of a line.
    fn choose_units(
        &mut self,
        chosen: &[&TransferUnitRow],
        line: &TransferItemInput,
        new_unit: impl Fn(Id, Id) -> TransferUnitRow,
    ) {
        let kept = |row: &&TransferUnitRow| Kept { id: row.id, is_live: !row.dropped, key: row.unit_id };
        let replacement = replace_lines(chosen, kept, &line.unit_ids, |id| *id);
        for (unit, stated) in replacement.lines.iter().zip(&line.unit_ids) {
            match unit.before {
                None => self.units.push(new_unit(unit.id, *stated)),
                Some(_) => self.taken_back.extend(unit.is_revived.then_some(unit.id)),
            }
        }
        self.dropped.extend(replacement.dropped);
    }

    /// An API client states no units: those that people chose stay, as far as they fit.
    fn keep_units(&mut self, chosen: &[&TransferUnitRow], quantity: Quantity) {
        let fitting = usize::try_from(quantity.units() / ONE.units()).unwrap_or(0);
        let surplus = chosen.iter().filter(|unit| !unit.dropped).skip(fitting);
        self.dropped.extend(surplus.map(|unit| unit.id));
    }

    /// Writes the changes after that of the order.
    pub fn write(self, order: Update<TransferOrderRow>) -> Result<(), Problem> {
        let kept = update_all::<TransferItemRow>(self.kept.iter().map(|(id, ..)| *id))
            .set_each(TransferItemRow::line_no, self.kept.iter().map(|(_, line_no, _)| Some(*line_no)))
            .set_each(TransferItemRow::quantity, self.kept.iter().map(|(.., quantity)| *quantity));
        let gone = update_all::<TransferItemRow>(self.gone).set(TransferItemRow::line_no, &None);
        let dropped = update_all::<TransferUnitRow>(self.dropped).set(TransferUnitRow::dropped, &true);
        let back = update_all::<TransferUnitRow>(self.taken_back).set(TransferUnitRow::dropped, &false);
        run((order, kept, gone, insert(&self.items), dropped, back, insert(&self.units)))?;
        Ok(())
    }
}
