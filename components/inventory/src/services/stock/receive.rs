//! Goods that were ordered arrive: one movement and one layer per line, two where charges do not divide evenly.

use stoa_sdk::store::run;
use stoa_sdk::{Field, Id, Problem};
use stoa_trade::arguments::parse_unsigned;
use stoa_trade::clients::articles::{self, Article};
use stoa_trade::clients::books;
use stoa_trade::quantity::{Quantity, Tracking, UnitCost};
use stoa_trade::refusal::invalid;

use crate::bindings::exports::commerce::inventory::stock as service;
use crate::records::cost::CostKind;
use crate::records::movement::{MovementRow, MovementType, ReferenceType};
use crate::rules::condition;
use crate::rules::delta::Delta;
use crate::rules::place::require_open;
use crate::rules::recost::spread_charge;
use crate::services::stock::lines::{check_count, read_goods};
use crate::work::gates;
use crate::work::goods::{Goods, Inflow, Place, Sku};
use crate::work::units::changes::Changes;
use crate::work::units::effects::{self, Known};
use crate::work::units::receipts::{self, NewUnits};
use crate::work::units::worth::Worth;
use stoa_trade::unit_identity::UnitInput;

pub fn receive(from: &service::Receipt, lines: &[service::ReceiptLine]) -> Result<Vec<service::Received>, Problem> {
    check_count(lines.len())?;
    let articles = articles::get(lines.iter().map(|line| line.variant_id.into()));
    let (warehouse, location) = (Id::from(from.warehouse_id), from.location_id.map(Id::from));
    let (_, warehouses, locations) = run(gates::enter(&[warehouse], location))?;
    let row = require_open(&warehouses, &locations, warehouse, location)?;
    let place = Place::from_row(row);
    let grain = if books::admit(place.entity)?.is_some() { 1_000_000 } else { 1 };
    let (mut goods, mut changes) = (Goods::default(), Changes::new(0));
    let mut received = Vec::new();
    let mut serialized = Vec::new();
    for (nth, line) in lines.iter().enumerate() {
        let (article, quantity) = read_goods(&articles, nth, line.variant_id.into(), &line.quantity, line.units.len())?;
        let receipt_item_id = line.receipt_item_id;
        let mut answer = service::Received { receipt_item_id, movement_ids: Vec::new(), unit_ids: Vec::new() };
        let sku = Sku::new(article);
        let pointer = format!("/lines/{nth}/quantity");
        match articles::tracking(article) {
            Tracking::None => {}
            Tracking::Serialized => {
                let costs = spread_costs(article, line, quantity, grain, nth)?;
                goods.change(&place, &sku, Delta::of_incoming(-quantity.units()), &pointer);
                serialized.push(NewUnits {
                    receipt_item: receipt_item_id.into(),
                    article,
                    units: new_units(&line.units, nth)?,
                    worth: worth_of_pieces(&costs, &from.currency_code),
                    pointer: format!("/lines/{nth}"),
                });
            }
            Tracking::Quantity => {
                let costs = spread_costs(article, line, quantity, grain, nth)?;
                let came = Delta::on_hand(quantity.units()).and(Delta::of_incoming(-quantity.units()));
                goods.change(&place, &sku, came, &pointer);
                let movement = bring_quantity(&mut goods, from, line, (place, sku), quantity, &costs);
                answer.movement_ids.push(movement.into());
            }
        }
        received.push(answer);
    }
    let (new, of_lines) = receipts::receive(from, row, &serialized, &mut changes)?;
    for (line, units) in serialized.iter().zip(of_lines) {
        let Some(answer) = received.iter_mut().find(|answer| Id::from(answer.receipt_item_id) == line.receipt_item)
        else {
            continue;
        };
        let moved = changes.all.iter().filter(|change| units.contains(&change.after.id));
        answer.movement_ids = moved.filter_map(|change| change.movement.as_ref()).map(|row| row.id.into()).collect();
        answer.unit_ids = units.into_iter().map(Into::into).collect();
    }
    effects::collect(&changes.all, &mut goods, &Known::with([row], &articles))?;
    let settled = goods.settle()?;
    settled
        .write_or(effects::rows(&changes.all, Some(&new)), |failure| effects::refuse_duplicates(failure, Some(&new)))?;
    Ok(received)
}

/// The cost of each part of a line: two parts where a charge does not divide evenly.
fn spread_costs(
    article: &Article,
    line: &service::ReceiptLine,
    quantity: Quantity,
    grain: i128,
    nth: usize,
) -> Result<Vec<(Quantity, UnitCost)>, Problem> {
    let charge = line.charge.as_deref().map(parse_unsigned).unwrap_or(Quantity::ZERO);
    spread_charge(quantity, parse_unsigned(&line.unit_cost), charge, u32::from(article.decimal_places), grain)
        .ok_or_else(|| Problem::at("ACCOUNTING_AMOUNT_PRECISION", format!("/lines/{nth}/charge")))
}

/// Brings a quantity in with a layer for each cost; answers the movement.
fn bring_quantity(
    goods: &mut Goods,
    from: &service::Receipt,
    line: &service::ReceiptLine,
    (place, sku): (Place, Sku),
    quantity: Quantity,
    costs: &[(Quantity, UnitCost)],
) -> Id {
    let movement = MovementRow {
        to_warehouse_id: Some(place.warehouse),
        to_location_id: from.location_id.map(Id::from),
        reference_type: ReferenceType::GoodsReceipt,
        reference_id: Some(from.id.into()),
        purchase_receipt_item_id: Some(line.receipt_item_id.into()),
        ..goods.movement(MovementType::PurchaseReceipt, &sku, quantity, &from.reason)
    };
    let id = movement.id;
    for (part, unit_cost) in costs {
        goods.bring(Inflow {
            unit_cost: Some(*unit_cost),
            currency_code: Some(from.currency_code.clone()),
            receipt_item: Some(line.receipt_item_id.into()),
            ..Inflow::new(id, place, sku, *part, CostKind::Received)
        });
    }
    goods.record(movement);
    id
}

/// The units of a line as they are stated.
fn new_units(units: &[service::NewUnit], line: usize) -> Result<Vec<UnitInput>, Problem> {
    let unit = |(nth, unit): (usize, &service::NewUnit)| {
        let pointer = format!("/lines/{line}/units/{nth}");
        Ok(UnitInput {
            serial_number: unit.serial_number.clone(),
            imei1: unit.imei1.clone(),
            imei2: unit.imei2.clone(),
            condition: read_text(unit.condition.as_deref(), &pointer, "condition")?,
            grade: read_text(unit.grade.as_deref(), &pointer, "grade")?,
        })
    };
    units.iter().enumerate().map(unit).collect()
}

fn read_text<T: Field>(text: Option<&str>, pointer: &str, member: &str) -> Result<Option<T>, Problem> {
    let unknown = || invalid(format!("{pointer}/{member}"), "FORMAT");
    text.map(|text| condition::parse(text).ok_or_else(unknown)).transpose()
}

/// Cost of each piece of a line.
fn worth_of_pieces(costs: &[(Quantity, UnitCost)], currency_code: &str) -> Vec<Worth> {
    let pieces = |(quantity, unit_cost): &(Quantity, UnitCost)| {
        let worth = Worth { unit_cost: Some(*unit_cost), currency_code: Some(currency_code.to_owned()) };
        std::iter::repeat_n(worth, usize::try_from(quantity.units() / 1_000_000).unwrap_or(0))
    };
    costs.iter().flat_map(pieces).collect()
}
