//! Goods come back from a customer, at what they cost when they left and as corrected since, the dearest first.

use std::collections::BTreeMap;

use stoa_sdk::store::{Failure, MOST_ROWS, Rows, get_all, run, select, update_by};
use stoa_sdk::{Field, Id, Problem, has, item, map, set};
use stoa_trade::arguments::parse_positive;
use stoa_trade::clients::articles;
use stoa_trade::pages::for_each_row;
use stoa_trade::quantity::{self, Amount, Quantity, Tracking};

use crate::bindings::exports::commerce::inventory::stock as service;
use crate::records::cost::{CostEntryRow, CostKind, EntryOfGoods, SaleBalanceRow};
use crate::records::movement::{DocumentType, MovementRow, MovementType, ReferenceType};
use crate::records::warehouse::WarehouseRow;
use crate::rules::delta::Delta;
use crate::rules::draw::Cost;
use crate::rules::fragments::{self, Fragment, GoneGoods, Where};
use crate::rules::place::require_open;
use crate::services::stock::lines::check_count;
use crate::work::gates;
use crate::work::goods::{Goods, Inflow, Place, Settled, Sku};
use crate::work::units::changes::Changes;
use crate::work::units::effects::{self, Known};
use crate::work::units::returns::{self, CustomerReturn, Disposition, Return};

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
    let (warehouse, location) = (Id::from(to.warehouse_id), to.location_id.map(Id::from));
    let sales = set(lines.iter().map(|line| Id::from(line.movement_id)));
    let sold = has::<MovementRow, _, _>(
        WarehouseRow::id,
        MovementRow::from_warehouse_id,
        MovementRow::id.one_of(sales.iter().copied()),
    );
    let ((_, warehouses, locations), movements, origins) = run((
        gates::enter(&[warehouse], location),
        get_all::<MovementRow>(sales.iter().copied()),
        select::<WarehouseRow>(sold).whole(),
    ))?;
    let row = require_open(&warehouses, &locations, warehouse, location)?;
    let place = Place::from_row(row);
    let sales = map(movements.into_iter().map(|movement| (movement.id, movement)));
    let origins = map(origins.into_iter().map(|row| (row.id, row.legal_entity_id)));
    let articles = articles::get(sales.values().map(|movement: &MovementRow| movement.variant_id));

    let document = (DocumentType::CustomerReturn, Id::from(to.id));
    let (mut goods, mut changes) = (Goods::default(), Changes::new(0));
    let mut back: BTreeMap<Id, i128> = BTreeMap::new();
    let mut taken: Vec<Taken> = Vec::new();
    let mut units = Vec::new();
    for (nth, line) in lines.iter().enumerate() {
        let pointer = format!("/lines/{nth}/movementId");
        let sale = sales
            .get(&line.movement_id.into())
            .filter(|sale| sale.movement_type == MovementType::Sale && sale.reference_id == Some(to.order_id.into()));
        let sale = sale.ok_or_else(|| Problem::reference_missing(pointer.as_str()))?;
        let entity = sale.from_warehouse_id.and_then(|origin| origins.get(&origin));
        if entity != Some(&place.entity) {
            return Err(Problem::at("CUSTODY_CONFLICT", pointer));
        }
        let article = articles::require(&articles, sale.variant_id, &pointer)?;
        let quantity = parse_positive(&line.quantity);
        articles::check_scale(article, quantity, &format!("/lines/{nth}/quantity"))?;
        let sku = Sku::new(article);
        if let Some(unit) = line.unit_id {
            let disposition = match line.disposition {
                service::Disposition::Restock => Disposition::Restock,
                service::Disposition::Inspect => Disposition::Inspect,
                service::Disposition::Damaged => Disposition::Damaged,
            };
            units.push(Return {
                unit: unit.into(),
                sold_by: sale.id,
                allocation: line.sale_allocation_id.into(),
                disposition,
                pointer: format!("/lines/{nth}/unitId"),
            });
            goods.touch(&place, &sku);
            *back.entry(sale.id).or_default() += quantity.units();
            let valued = disposition != Disposition::Damaged;
            taken.push(Taken { sale: sale.id, sku, quantity, movement: sale.id, unit: Some(unit.into()), valued });
            continue;
        }
        if articles::tracking(article) == Tracking::Serialized {
            return Err(Problem::at("UNIT_UNAVAILABLE", format!("/lines/{nth}/unitId")));
        }
        if line.disposition != service::Disposition::Restock {
            return Err(Problem::illegal_state(format!("/lines/{nth}/disposition")));
        }
        let movement = MovementRow {
            to_warehouse_id: Some(warehouse),
            to_location_id: location,
            reference_type: ReferenceType::SalesOrder,
            reference_id: Some(to.order_id.into()),
            document_type: Some(document.0),
            document_id: Some(document.1),
            sale_allocation_id: Some(line.sale_allocation_id.into()),
            ..goods.movement(MovementType::AdjustmentIn, &sku, quantity, &to.reason)
        };
        goods.change(&place, &sku, Delta::on_hand(quantity.units()), &format!("/lines/{nth}/quantity"));
        goods.touch(&place, &sku);
        *back.entry(sale.id).or_default() += quantity.units();
        let movement_id = movement.id;
        taken.push(Taken { sale: sale.id, sku, quantity, movement: movement_id, unit: None, valued: true });
        goods.record(movement);
    }
    let from =
        CustomerReturn { id: to.id.into(), order: to.order_id.into(), warehouse: row, location, reason: &to.reason };
    let moved = returns::take_back(&from, &units, &mut changes)?;
    for (line, movement) in taken.iter_mut().filter(|line| line.unit.is_some()).zip(moved) {
        line.movement = movement;
    }
    effects::collect(&changes.all, &mut goods, &Known::with([row], &articles))?;
    count_returns(&back, lines)?;
    let mut settled = goods.settle()?;
    // The pools are ours now: what the sales cost stands still.
    let mut slices = read_sold_parts(&back)?;
    let mut returned = Vec::new();
    for line in taken {
        let cost = match line.valued {
            true => bring(&mut settled, &mut slices, &place, &line, document)?,
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
    let mut total = Some(0_i128);
    let mut currencies = std::collections::BTreeSet::new();
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
        total = total.zip(amount).and_then(|(total, amount)| total.checked_add(amount.units()));
        currencies.insert(slice.currency_code.clone());
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
    if currencies.len() > 1 {
        return Ok(Cost::default());
    }
    let currency_code = currencies.into_iter().next().flatten().filter(|_| total.is_some());
    Ok(Cost { amount: total.map(Amount::from_units), currency_code })
}
