//! The kinds of records that ids name, and what the contract does not state of operations on them: a file for each module and one
//! for the host. A module that comes later adds its file here.

mod catalog;
mod finance;
mod host;
mod inventory;
mod ledger;
mod pos;
mod procurement;
mod sales;
mod transfers;
mod units;

pub use ledger::is_owing;

use serde_json::Value as Json;
use stoa_tests::Answer;

use super::fields::{Field, Form, Place};
use super::records::Records;

/// A kind of record.
pub struct Kind {
    pub name: &'static str,
    /// The path below which `{id}` names one; empty where its id always has a name of its own.
    pub collection: &'static str,
    /// Fields that name one anywhere.
    pub names: &'static [&'static str],
    pub make: fn(&Records) -> Answer,
    pub put_away: PutAway,
}

/// How a record comes to be one that cannot be used any more.
pub enum PutAway {
    /// POST to its collection, its id and `archive`.
    Archive,
    Other(fn(&Records, &str) -> Answer),
    Never,
}

/// The id of a good record of a kind.
pub type GoodId<'a> = &'a dyn Fn(&'static str) -> String;

/// Makes a body good that fits its schema.
pub type Amend = fn(&mut Json, GoodId);

/// The facts that a module's operations need.
pub struct Part {
    pub kinds: &'static [Kind],
    /// Fields whose name does not show their kind: an operation or how its path below the company begins, field, kind.
    pub special: &'static [(&'static str, &'static str, &'static str)],
    /// Fields that name no record of a company: a form, an operation or `*`, field, and why.
    pub exempt: &'static [(&'static str, &'static str, &'static str)],
    /// Records that an operation finds by way of others, and names nowhere: without them it has nothing to answer.
    pub needs: &'static [(&'static str, &'static str)],
    /// Values of members and parameters that a schema's pattern does not say.
    pub values: &'static [(&'static str, &'static str)],
    /// Changes that make a body of an operation good that fits its schema.
    pub amends: &'static [(&'static str, Amend)],
}

const PARTS: &[Part] = &[
    host::PART,
    catalog::PART,
    ledger::PART,
    inventory::PART,
    units::PART,
    transfers::PART,
    procurement::PART,
    sales::PART,
    finance::PART,
    pos::PART,
];

fn all() -> impl Iterator<Item = &'static Kind> {
    PARTS.iter().flat_map(|part| part.kinds)
}

#[track_caller]
pub fn named(name: &str) -> &'static Kind {
    all().find(|kind| kind.name == name).unwrap_or_else(|| panic!("no kind of record is a {name}"))
}

/// The kind of record that a field names.
pub fn kind_of(form: &Form, field: &Field) -> Option<&'static Kind> {
    let template = form.template();
    let here = |operation: &str| {
        operation == form.operation.id || (operation.ends_with('/') && template.starts_with(operation))
    };
    let mut special = PARTS.iter().flat_map(|part| part.special);
    if let Some((.., kind)) = special.find(|(operation, name, _)| here(operation) && *name == field.name) {
        return Some(named(kind));
    }
    if let Some(kind) = all().find(|kind| kind.names.contains(&field.name.as_str())) {
        return Some(kind);
    }
    let Place::Path(name) = &field.place else { return None };
    let (collection, _) = template.split_once(&format!("/{{{name}}}"))?;
    all().find(|kind| kind.collection == collection)
}

/// Why a field is left out, where it is.
pub fn exempt(form: &Form, field: &Field) -> Option<&'static str> {
    let writes = ["apiReplaceLookup", "apiCreateLookup", "replaceLookup"];
    let plain = writes.iter().fold(form.to_string(), |plain, write| plain.replace(write, "createLookup"));
    let here = |operation: &str| operation == "*" || operation == plain || operation == form.operation.id;
    let is_it = |name: &str| name == field.name || matches!(&field.place, Place::Body(pointer) if pointer == name);
    let mut exempt = PARTS.iter().flat_map(|part| part.exempt);
    exempt.find(|(operation, name, _)| here(operation) && is_it(name)).map(|(.., why)| *why)
}

/// The kinds that a form needs without naming them.
pub fn needs(form: &Form) -> impl Iterator<Item = &'static Kind> {
    let needs = PARTS.iter().flat_map(|part| part.needs);
    needs.filter(|(operation, _)| *operation == form.operation.id).map(|(_, kind)| named(kind))
}

/// The value of a member or parameter of this name, where its schema does not say.
pub fn value(name: &str) -> Option<&'static str> {
    PARTS.iter().flat_map(|part| part.values).find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// Makes a body good that fits its schema.
pub fn amend(form: &Form, body: &mut Json, good_id: GoodId) {
    let amends = PARTS.iter().flat_map(|part| part.amends);
    for (_, amend) in amends.filter(|(operation, _)| *operation == form.operation.id) {
        amend(body, good_id);
    }
}
