//! The record that has a number or a code already, for the refusal of a write that states it again.

use stoa_sdk::store::{Row, find, run};
use stoa_sdk::{Entity, Field, Id, Problem, holds};
use stoa_trade::document::number::NumberRange;

use crate::records::permission::READ;

/// The record with this value of a unique key, if the caller holds all permissions that reading it takes.
pub fn find_owner<R: Entity>(reads: &[&str], key: &'static str, value: Row) -> Result<Option<Id>, Problem> {
    if !reads.iter().all(|permission| holds(permission)) {
        return Ok(None);
    }
    let named: Vec<R> = run(find(key, [value]))?;
    Ok(named.first().map(Entity::id))
}

/// The refusal of a number of the range; a DUPLICATE with the document that has it.
pub fn name_owner<R: Entity>(refusal: Problem, range: NumberRange<'_>, number_key: &str) -> Problem {
    if refusal.code != "DUPLICATE" {
        return refusal;
    }
    let value = vec![range.entity.put(), number_key.to_owned().put()];
    match find_owner::<R>(READ, "number", value) {
        Ok(owner) => Problem::conflict("DUPLICATE", range.pointer, owner),
        Err(failure) => failure,
    }
}
