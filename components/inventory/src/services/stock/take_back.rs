//! Goods come back from a customer, at what they cost when they left and as corrected since, the dearest first.

use std::collections::BTreeMap;

use stoa_sdk::store::{Failure, MOST_ROWS, Rows, get_all, run, select, update_by};
use stoa_sdk::{Field, Id, Problem, has, item, map, set};
use stoa_trade::arguments::parse_positive;
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::pages::for_each_row;
use stoa_trade::quantity::{self, Quantity, Tracking};

use crate::bindings::exports::commerce::inventory::stock as service;
use crate::records::cost::{CostEntryRow, CostKind, EntryOfGoods, SaleBalanceRow};
use crate::records::movement::{DocumentType, MovementRow, MovementType, ReferenceType};
use crate::records::warehouse::WarehouseRow;
use crate::rules::delta::Delta;
use crate::rules::draw::{Cost, add_costs};
use crate::rules::fragments::{self, Fragment, GoneGoods, Where};
use crate::rules::place::require_open;
use crate::services::stock::lines::check_count;
use crate::work::gates;
use crate::work::goods::{Goods, Inflow, Place, Settled, Sku};
use crate::work::units::changes::Changes;
use crate::work::units::effects::{self, Known};
use crate::work::units::returns;

/// A line as it is taken back.
struct Taken {
    sale: Id,
    sku: Sku,
    quantity: Quantity,
    movement: Id,
    unit: Option<Id>,
    /// A unit that comes back damaged is worth nothing.
    valued: bool,
}

pub fn take_back(
    to: &service::CustomerReturn,
    lines: &[service::ReturnLine],
) -> Result<Vec<service::Returned>, Problem> {
    check_count(lines.len())?;
    let sold = Sold::read(to, lines)?;
    let mut back = Back::default();
    for (nth, line) in lines.iter().enumerate() {
        let (sale, article) = sold.find_sale(to, line, nth)?;
        let quantity = parse_positive(&line.quantity);
        articles::check_scale(article, quantity, &format!("/lines/{nth}/quantity"))?;
        let sku = Sku::new(article);
        match line.unit_id {
            Some(unit) => back.add_unit(&sold, sale, sku, quantity, (unit.into(), line, nth)),
            None => {
                check_quantity(article, line, nth)?;
                back.add_quantity(&sold, sale, sku, quantity, (to, line, nth));
            }
        }
    }
    let mut changes = Changes::new(0);
    let moved = returns::take_back(to, &sold.warehouse, &back.units, &mut changes)?;
    for (line, movement) in back.taken.iter_mut().filter(|line| line.unit.is_some()).zip(moved) {
        line.movement = movement;
    }
    effects::collect(&changes.all, &mut back.goods, &Known::with([&sold.warehouse], &sold.articles))?;
    count_returns(&back.sales, lines)?;
    let mut settled = back.goods.settle()?;
    // The pools are ours now: the costs of the sales do not change.
    let mut slices = read_sold_parts(&back.sales)?;
    let mut returned = Vec::new();
    for line in back.taken {
        let cost = match line.valued {
            true => bring(&mut settled, &mut slices, &sold.place, &line, document_of(to))?,
            false => Cost::default(),
        };
        returned.push(service::Returned {
            movement_id: line.movement.into(),
            unit_id: line.unit.map(Into::into),
            cost: cost.amount.map(|amount| amount.to_string()),
            currency_code: cost.currency_code,
        });
    }
    settled.write(effects::rows(&changes.all, None))?;
    Ok(returned)
}

fn document_of(to: &service::CustomerReturn) -> (DocumentType, Id) {
    (DocumentType::CustomerReturn, to.id.into())
}

/// The sales that a return names, and the open place to which their goods come back.
struct Sold {
    warehouse: WarehouseRow,
    location: Option<Id>,
    place: Place,
    sales: BTreeMap<Id, MovementRow>,
    /// The legal entity of each warehouse that sold.
    entities: BTreeMap<Id, Id>,
    articles: BTreeMap<Id, Article>,
}

impl Sold {
    fn read(to: &service::CustomerReturn, lines: &[service::ReturnLine]) -> Result<Sold, Problem> {
        let (warehouse, location) = (Id::from(to.warehouse_id), to.location_id.map(Id::from));
        let sales = set(lines.iter().map(|line| Id::from(line.movement_id)));
        let sellers = has::<MovementRow, _, _>(
            WarehouseRow::id,
            MovementRow::from_warehouse_id,
            MovementRow::id.one_of(sales.iter().copied()),
        );
        let ((_, warehouses, locations), movements, sellers) = run((
            gates::enter(&[warehouse], location),
            get_all::<MovementRow>(sales.iter().copied()),
            select::<WarehouseRow>(sellers).whole(),
        ))?;
        let row = require_open(&warehouses, &locations, warehouse, location)?;
        Ok(Sold {
            warehouse: row.clone(),
            location,
            place: Place::from_row(row),
            articles: articles::get(movements.iter().map(|movement| movement.variant_id)),
            sales: map(movements.into_iter().map(|movement| (movement.id, movement))),
            entities: map(sellers.into_iter().map(|row| (row.id, row.legal_entity_id))),
        })
    }

    /// The sale of a line, by the order and the legal entity of the return, and its article.
    fn find_sale(
        &self,
        to: &service::CustomerReturn,
        line: &service::ReturnLine,
        nth: usize,
    ) -> Result<(&MovementRow, &Article), Problem> {
        let pointer = format!("/lines/{nth}/movementId");
        let sale = self
            .sales
            .get(&line.movement_id.into())
            .filter(|sale| sale.movement_type == MovementType::Sale && sale.reference_id == Some(to.order_id.into()));
        let sale = sale.ok_or_else(|| Problem::reference_missing(pointer.as_str()))?;
        let entity = sale.from_warehouse_id.and_then(|seller| self.entities.get(&seller));
        if entity != Some(&self.place.entity) {
            return Err(Problem::at("CUSTODY_CONFLICT", pointer));
        }
        Ok((sale, articles::require(&self.articles, sale.variant_id, &pointer)?))
    }
}

/// Refuses a line that cannot bring a quantity back without a unit.
fn check_quantity(article: &Article, line: &service::ReturnLine, nth: usize) -> Result<(), Problem> {
    if articles::tracking(article) == Tracking::Serialized {
        return Err(Problem::at("UNIT_UNAVAILABLE", format!("/lines/{nth}/unitId")));
    }
    match line.disposition {
        service::Disposition::Restock => Ok(()),
        _ => Err(Problem::illegal_state(format!("/lines/{nth}/disposition"))),
    }
}

/// Goods that come back, as they are collected line by line.
#[derive(Default)]
struct Back<'a> {
    goods: Goods,
    /// The quantity that comes back of each sale.
    sales: BTreeMap<Id, i128>,
    taken: Vec<Taken>,
    /// Lines that name a unit, with their places.
    units: Vec<(usize, &'a service::ReturnLine)>,
}

impl<'a> Back<'a> {
    fn add_unit(
        &mut self,
        sold: &Sold,
        sale: &MovementRow,
        sku: Sku,
        quantity: Quantity,
        (unit, line, nth): (Id, &'a service::ReturnLine, usize),
    ) {
        self.units.push((nth, line));
        let valued = line.disposition != service::Disposition::Damaged;
        // Its movement is made when the units are taken back.
        self.take(sold, Taken { sale: sale.id, sku, quantity, movement: sale.id, unit: Some(unit), valued });
    }

    fn add_quantity(
        &mut self,
        sold: &Sold,
        sale: &MovementRow,
        sku: Sku,
        quantity: Quantity,
        (to, line, nth): (&service::CustomerReturn, &service::ReturnLine, usize),
    ) {
        let (document_type, document_id) = document_of(to);
        let movement = MovementRow {
            to_warehouse_id: Some(sold.warehouse.id),
            to_location_id: sold.location,
            reference_type: ReferenceType::SalesOrder,
            reference_id: Some(to.order_id.into()),
            document_type: Some(document_type),
            document_id: Some(document_id),
            sale_allocation_id: Some(line.sale_allocation_id.into()),
            ..self.goods.movement(MovementType::AdjustmentIn, &sku, quantity, &to.reason)
        };
        let pointer = format!("/lines/{nth}/quantity");
        self.goods.change(&sold.place, &sku, Delta::on_hand(quantity.units()), &pointer);
        self.take(sold, Taken { sale: sale.id, sku, quantity, movement: movement.id, unit: None, valued: true });
        self.goods.record(movement);
    }

    fn take(&mut self, sold: &Sold, line: Taken) {
        self.goods.touch(&sold.place, &line.sku);
        *self.sales.entry(line.sale).or_default() += line.quantity.units();
        self.taken.push(line);
    }
}

/// Counts what comes back against what was sold.
fn count_returns(back: &BTreeMap<Id, i128>, lines: &[service::ReturnLine]) -> Result<(), Problem> {
    let amounts = back.values().map(|quantity| Quantity::from_units(*quantity));
    let counted = update_by::<SaleBalanceRow>("movement", back.keys().map(|sale| vec![sale.put()]))
        .add_each(SaleBalanceRow::returned, amounts);
    run(counted).map_err(|failure| match failure {
        Failure::RefusedChange(misses) => {
            let sale = |row: u32| usize::try_from(row).ok().and_then(|row| back.keys().nth(row));
            let sales = set(misses.iter().filter_map(|miss| sale(miss.row)));
            let line = lines.iter().position(|line| sales.contains(&Id::from(line.movement_id)));
            let pointer = format!("/lines/{}/quantity", line.unwrap_or_default());
            Problem { code: "LIMIT_EXCEEDED".to_owned(), errors: vec![item(pointer, "BEYOND_DELIVERED")] }
        }
        other => other.into(),
    })
}

/// Sold goods that have not come back, by sale, the dearest first.
fn read_sold_parts(sales: &BTreeMap<Id, i128>) -> Result<BTreeMap<Id, Vec<Fragment>>, Problem> {
    if sales.is_empty() {
        return Ok(BTreeMap::new());
    }
    let of_sales = || CostEntryRow::movement_id.one_of(sales.keys().copied());
    let of_slices = has::<CostEntryRow, _, _>(CostEntryRow::source_entry_id, CostEntryRow::id, of_sales());
    let (slices, changes): (Rows<EntryOfGoods>, Rows<EntryOfGoods>) =
        run((select(of_sales()).limit(MOST_ROWS), select(of_slices.clone()).limit(MOST_ROWS)))?;
    let mut gone = GoneGoods::default();
    for (first, filter) in [(slices, of_sales()), (changes, of_slices)] {
        match first.more {
            false => first.items.into_iter().for_each(|entry| gone.add(entry)),
            true => for_each_row(&filter, |entry: &EntryOfGoods| entry.id, |entry| gone.add(entry))?,
        }
    }
    let mut goods = gone.into_fragments();
    fragments::sort_for_dealing(&mut goods);
    let mut parts: BTreeMap<Id, Vec<Fragment>> = BTreeMap::new();
    for part in goods {
        if let Where::Gone(entry, _) = &part.whereabouts
            && let Some(sale) = entry.movement_id
        {
            parts.entry(sale).or_default().push(part);
        }
    }
    Ok(parts)
}

fn bring(
    held: &mut Settled,
    parts: &mut BTreeMap<Id, Vec<Fragment>>,
    place: &Place,
    line: &Taken,
    document: (DocumentType, Id),
) -> Result<Cost, Problem> {
    let mut left = line.quantity.units();
    let mut costs = Vec::new();
    for part in parts.entry(line.sale).or_default().iter_mut() {
        let quantity = left.min(part.quantity.units());
        let Where::Gone(slice, _) = &part.whereabouts else { continue };
        if quantity == 0 {
            continue;
        }
        left -= quantity;
        part.quantity = Quantity::from_units(part.quantity.units() - quantity);
        let quantity = Quantity::from_units(quantity);
        let amount = part.unit_cost.and_then(|cost| quantity::value(quantity, cost));
        costs.push((amount, slice.currency_code.clone()));
        held.bring(Inflow {
            unit: line.unit,
            unit_cost: part.unit_cost,
            currency_code: slice.currency_code.clone(),
            receipt_item: slice.receipt_item_id,
            document: Some(document),
            source_entry: Some(slice.id),
            ..Inflow::new(line.movement, *place, line.sku, quantity, CostKind::Back)
        })?;
    }
    if left > 0 {
        stoa_sdk::host::fault("a sale's slices hold less than its balance");
    }
    Ok(add_costs(costs.iter().map(|(amount, code)| (*amount, code))).unwrap_or_default())
}
