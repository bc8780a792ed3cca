//! Decides if products can be written as stated: the unit and the lookups that they name, and the requested state. Faults are
//! gathered over all products of a request, so that one answer names every line.

use stoa_sdk::{Id, Item, Problem, item};
use stoa_trade::Status;
use stoa_trade::refusal::refuse;

use crate::records::lookup::{Kind, LookupHead, UnitHead};
use crate::records::product::{PublicationStatus, VariantMode};
use crate::records::product_type::Tracking;
use crate::rules::product::ProductInput;

/// The lookups that a product names, each with its kind and place.
pub fn references(input: &ProductInput) -> [(Option<Id>, Kind, &'static str); 3] {
    [
        (input.category_id, Kind::Categories, "categoryId"),
        (input.brand_id, Kind::Brands, "brandId"),
        (input.manufacturer_id, Kind::Manufacturers, "manufacturerId"),
    ]
}

/// Objections to a write: records that are missing, and what the state of others forbids.
#[derive(Default)]
pub struct Objections {
    missing: Vec<Item>,
    conflicts: Vec<Item>,
}

impl Objections {
    /// Lookups that are missing, of another kind or archived; those in `kept` stay whatever became of them.
    pub fn references(&mut self, pointer: &str, input: &ProductInput, found: &[LookupHead], kept: [Option<Id>; 3]) {
        for ((id, kind, member), kept) in references(input).into_iter().zip(kept) {
            let Some(id) = id.filter(|_| id != kept) else { continue };
            let lookup = found.iter().find(|lookup| lookup.id == id && lookup.kind == kind);
            self.usable(pointer, member, lookup.map(|lookup| lookup.status));
        }
    }

    /// A unit that is missing or archived, and decimal places under serial numbers.
    pub fn unit(&mut self, pointer: &str, input: &ProductInput, units: &[UnitHead]) {
        let unit = units.iter().find(|unit| unit.code == input.unit_of_measure);
        self.usable(pointer, "unitOfMeasure", unit.map(|unit| unit.status));
        let has_parts = unit.is_some_and(|unit| unit.status == Status::Active && unit.decimal_places > Some(0));
        if has_parts && input.tracking() == Tracking::Serialized {
            self.conflict(pointer, "unitOfMeasure", "ILLEGAL_STATE");
        }
    }

    /// A record that is missing, or archived; its status.
    fn usable(&mut self, pointer: &str, member: &str, status: Option<Status>) {
        match status {
            None => self.missing.push(item(format!("{pointer}/{member}"), "NOT_FOUND")),
            Some(Status::Archived) => self.conflict(pointer, member, "REFERENCE_INVALID"),
            Some(Status::Active) => {}
        }
    }

    /// SINGLE with more than one active variant, PUBLISHED without any.
    pub fn variants(&mut self, pointer: &str, input: &ProductInput, active: i64) {
        if input.variant_mode == Some(VariantMode::Single) && active > 1 {
            self.conflict(pointer, "variantMode", "ILLEGAL_STATE");
        }
        if input.publication_status == PublicationStatus::Published && active == 0 {
            self.conflict(pointer, "publicationStatus", "ILLEGAL_STATE");
        }
    }

    fn conflict(&mut self, pointer: &str, member: &str, code: &str) {
        self.conflicts.push(item(format!("{pointer}/{member}"), code));
    }

    /// # Errors
    /// NOT_FOUND with all that is missing, else the code of the first conflict with all of them.
    pub fn finish(self) -> Result<(), Problem> {
        let errors = if self.missing.is_empty() { self.conflicts } else { self.missing };
        match errors.first().map(|first| first.code.clone()) {
            Some(code) => refuse(&code, errors),
            None => Ok(()),
        }
    }
}

/// The effective mode: the stated one, else by the number of active variants.
pub fn mode(stated: Option<VariantMode>, active: i64) -> VariantMode {
    match stated {
        Some(stated) => stated,
        None if active > 1 => VariantMode::Multiple,
        None => VariantMode::Single,
    }
}
