//! Changes for callers, integrators and other modules when a candidate takes a module's place: every difference by its
//! code and item, and whether it breaks any of them. A pure function of two surfaces.
//!
//! In doubt a change counts as breaking: an operator can allow its code. A difference in parts that are
//! neither reported nor relied on (descriptions, summaries, examples, hints for the console) is no change.

pub mod codes;
mod declared;
mod extensions;
mod facets;
mod routes;
pub mod schema;
mod services;
mod shape;
mod tables;
#[cfg(test)]
mod tests;

use serde::Serialize;

pub use codes::Code;
pub use routes::describe_callers;
pub use services::name_needs;
pub use tables::collections;

use super::surface::Surface;

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// One of `codes`.
    pub code: &'static str,
    /// The changed item: `createThing`, `createThing body /lines/*/quantity`, `commerce:area/service@1.0.0#function`.
    pub item: String,
    /// Old and new value, for a person.
    pub detail: String,
    /// True if activation refuses it unless its code is allowed.
    pub breaking: bool,
}

impl Change {
    pub fn new(code: Code, item: impl Into<String>, detail: impl Into<String>) -> Change {
        Change { code: code.name, item: item.into(), detail: detail.into(), breaking: code.breaking }
    }
}

/// Every difference between what is active under the module's name and a candidate: the breaking ones first, then by code and
/// item. Without an active one all that the candidate brings is new, and nothing breaks; its imports from others are asked
/// for by name.
pub fn diff(active: Option<&Surface>, candidate: &Surface) -> Vec<Change> {
    let nothing = Surface::nothing(&candidate.descriptor);
    let old = active.unwrap_or(&nothing);
    let mut changes = Vec::new();
    if active.is_some() {
        declared::version(old, candidate, &mut changes);
        declared::signer(old, candidate, &mut changes);
    }
    declared::changes(old, candidate, &mut changes);
    routes::changes(&old.descriptor, &candidate.descriptor, &mut changes);
    changes.extend(collections(&old.descriptor.collections, &candidate.descriptor));
    services::changes(old, candidate, &mut changes);
    extensions::changes(old, candidate, &mut changes);
    changes.sort_by(|a, b| (!a.breaking, a.code, &a.item, &a.detail).cmp(&(!b.breaking, b.code, &b.item, &b.detail)));
    changes.dedup();
    changes
}

/// The changes as lines for a person, the breaking ones first.
pub fn text(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "no changes\n".to_owned();
    }
    let (breaking, compatible): (Vec<&Change>, Vec<&Change>) = changes.iter().partition(|change| change.breaking);
    let mut text = format!("{} breaking, {} compatible\n", breaking.len(), compatible.len());
    for (title, changes) in [("breaking", breaking), ("compatible", compatible)] {
        if changes.is_empty() {
            continue;
        }
        text.push_str(title);
        text.push_str(":\n");
        for change in changes {
            text.push_str(&format!("  {}  {}", change.code, change.item));
            if !change.detail.is_empty() {
                text.push_str(": ");
                text.push_str(&change.detail);
            }
            text.push('\n');
        }
    }
    text
}
