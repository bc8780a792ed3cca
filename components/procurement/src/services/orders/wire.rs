//! Values as callers of the service state and read them, in text.

use stoa_sdk::Problem;
use stoa_trade::goods::{Condition, Grade};
use stoa_trade::quantity::Tracking;
use stoa_trade::refusal::invalid;
use stoa_trade::unit_identity::UnitInput;

use crate::bindings::exports::commerce::procurement::orders as service;

pub fn tracking(mode: Tracking) -> service::Tracking {
    match mode {
        Tracking::None => service::Tracking::None,
        Tracking::Quantity => service::Tracking::Quantity,
        Tracking::Serialized => service::Tracking::Serialized,
    }
}

/// Reads the units of the line at this pointer, and refuses a condition or grade that there is not.
pub fn units(new_units: Vec<service::NewUnit>, pointer: &str) -> Result<Vec<UnitInput>, Problem> {
    new_units.into_iter().enumerate().map(|(nth, unit)| read_unit(unit, &format!("{pointer}/units/{nth}"))).collect()
}

fn read_unit(unit: service::NewUnit, pointer: &str) -> Result<UnitInput, Problem> {
    let conditions = [Condition::New, Condition::Used, Condition::Refurbished, Condition::OpenBox, Condition::AsIs];
    let condition = unit.condition.map(|text| {
        let found = conditions.into_iter().find(|condition| condition.as_str() == text);
        found.ok_or_else(|| invalid(format!("{pointer}/condition"), "FORMAT"))
    });
    let grade = unit.grade.map(|text| {
        let found = [Grade::A, Grade::B, Grade::C].into_iter().find(|grade| grade.as_str() == text);
        found.ok_or_else(|| invalid(format!("{pointer}/grade"), "FORMAT"))
    });
    Ok(UnitInput {
        serial_number: unit.serial_number,
        imei1: unit.imei1,
        imei2: unit.imei2,
        condition: condition.transpose()?,
        grade: grade.transpose()?,
    })
}
