//! Cost of units on their way in. Inside, each has a layer of its own while it is in custody and not damaged.

use std::collections::BTreeMap;

use stoa_sdk::store::{run, select};
use stoa_sdk::{Decimal, Field, Filter, Id, Problem, map};
use stoa_trade::clients::books::{self, Cost, Terms};
use stoa_trade::quantity::{self, UnitCost};

use crate::records::cost::LayerRow;
use crate::records::unit::UnitRow;

/// Worth of a piece. Both none: not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Worth {
    pub unit_cost: Option<UnitCost>,
    pub currency_code: Option<String>,
}

/// Worth of goods that come in at a stated cost, which the books, where they are kept, can post; `places`: digits after
/// the point of their unit of measure.
///
/// # Errors
/// VALUATION_COST_REQUIRED where books are kept and none is stated, ACCOUNTING_AMOUNT_PRECISION.
pub fn admit_worth(
    terms: Option<&Terms>,
    entity: Id,
    stated: Option<Decimal<6>>,
    places: u8,
    pointer: &str,
) -> Result<Worth, Problem> {
    if terms.is_some() {
        let stated = stated.ok_or_else(|| Problem::at("VALUATION_COST_REQUIRED", pointer))?;
        let cost = Cost { unit_cost: stated.to_string(), decimal_places: places, pointer: pointer.to_owned() };
        books::admit_costs(entity, &[cost])?;
    }
    let currency_code = terms.map(|terms| terms.currency_code.clone());
    Ok(Worth { unit_cost: stated.map(quantity::widen), currency_code })
}

/// Last worth of these units, also of those that are worth nothing now.
pub fn read_last_worth(units: &[Id]) -> Result<BTreeMap<Id, Worth>, Problem> {
    // A unit has a layer of each time that it came, or cost something else: the last of each is read.
    let keys = units.iter().map(|unit| vec![unit.put()]);
    let last = select::<LayerRow>(Filter::default()).by_descending(LayerRow::id);
    let layers = run(last.each(&[LayerRow::unit_id.name()], keys, 1).whole())?;
    Ok(map(layers.into_iter().filter_map(|layer| {
        let worth = Worth { unit_cost: layer.unit_cost, currency_code: layer.currency_code };
        Some((layer.unit_id?, worth))
    })))
}

/// Worth of a found unit: as stated, and without books as it was last.
pub fn worth_of_found(
    terms: Option<&Terms>,
    unit: &UnitRow,
    stated: Option<Decimal<6>>,
    pointer: &str,
) -> Result<Worth, Problem> {
    if stated.is_none() && terms.is_none() {
        return read_last_worth(&[unit.id]).map(|mut last| last.remove(&unit.id).unwrap_or_default());
    }
    admit_worth(terms, unit.legal_entity_id, stated, 0, pointer)
}
