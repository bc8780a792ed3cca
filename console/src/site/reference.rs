//! The collection to which a member or a parameter refers (rule R9).

use serde::Deserialize;

use super::collection::Collection;
use super::operation::Operation;
use super::{Site, rest, words};

/// The member holds the id of a record of a list, where the names do not say it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct ReferenceHint {
    member: String,
    list: String,
    /// Only for operations below this path.
    below: String,
}

/// The name of a record of the collection at a segment: `price-lists` is `priceList`, `branches` is `branch`.
pub fn to_noun(segment: &str) -> String {
    let is_es = ["ches", "shes", "sses", "xes"].iter().any(|end| segment.ends_with(end));
    let end = if is_es { "es" } else { "s" };
    match segment.strip_suffix("ies") {
        Some(stem) => to_member(&format!("{stem}y")),
        None if segment.ends_with("ss") => to_member(segment),
        None => to_member(segment.strip_suffix(end).unwrap_or(segment)),
    }
}

/// A segment as the name of a member: `price-lists` is `priceLists`.
pub fn to_member(segment: &str) -> String {
    let mut words = segment.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |noun, word| noun + &words::capitalize(word))
}

impl Site {
    /// The collection of the records whose ids a member or parameter of an operation holds. `values`: the parameters of
    /// its path that are known.
    pub fn refers_at(&self, operation: &Operation, values: &[(String, String)], member: &str) -> Option<&Collection> {
        let name = member.strip_suffix("Ids").or_else(|| member.strip_suffix("Id")).filter(|name| !name.is_empty())?;
        let hints = self.hints.get(&operation.module).into_iter().flat_map(|hints| &hints.references);
        let own = hints.filter(|hint| hint.member == member && operation.path.starts_with(&hint.below));
        let hinted = own.max_by_key(|hint| hint.below.len()).and_then(|hint| self.collection_of(&hint.list, None));
        if hinted.is_some() {
            return hinted;
        }
        let lists = self.collections.iter().filter_map(|one| Some((one, self.operations.get(one.list)?)));
        if name == "parent" {
            // The collection below which the operation is.
            let own = lists.filter(|(one, list)| rest(&operation.path, &list.path).is_some() && one.is_at(values));
            return own.max_by_key(|(_, list)| list.path.len()).map(|(one, _)| one);
        }
        let named = lists.filter(|(one, list)| {
            let is_end = !one.noun.is_empty() && name.ends_with(&words::capitalize(&one.noun));
            (one.noun == name || is_end) && is_usable(operation, one, list)
        });
        // The longest noun; then the one of the same first segment, of the same module, without parameters; else none.
        let rank = |one: &Collection, list: &Operation| {
            let is_near = list.path.split('/').nth(1) == operation.path.split('/').nth(1);
            let is_free = one.free_parameters(list).next().is_none();
            (one.noun.len(), is_near, list.module == operation.module, is_free)
        };
        let ranked: Vec<_> = named.map(|(one, list)| (rank(one, list), one)).collect();
        let best = ranked.iter().map(|(rank, _)| rank).max()?;
        let mut found = ranked.iter().filter(|(rank, _)| rank == best).map(|(_, one)| *one);
        found.next().filter(|_| found.next().is_none())
    }

    pub fn refers_to(&self, operation: &Operation, member: &str) -> Option<&Collection> {
        self.refers_at(operation, &[], member)
    }
}

/// A record of it can be named: its items have an id, and the path begins as the list's does up to its last parameter.
fn is_usable(operation: &Operation, collection: &Collection, list: &Operation) -> bool {
    let begins_alike = || {
        let known = list.path.rfind('}').and_then(|end| list.path.get(..=end));
        known.is_some_and(|known| rest(&operation.path, known).is_some())
    };
    let has_id = collection.item.pointer("/properties/id").is_some();
    has_id && (collection.free_parameters(list).next().is_none() || begins_alike())
}
