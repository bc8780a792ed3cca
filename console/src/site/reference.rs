//! The collection to which a member or a parameter refers (rule R9).

use serde::Deserialize;

use super::collection::Collection;
use super::operation::Operation;
use super::{Site, words};

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
    let end = |ends: &[&str]| ends.iter().any(|end| segment.ends_with(end));
    let without = |end: &str| segment.strip_suffix(end).unwrap_or(segment);
    let one = if end(&["ies"]) {
        format!("{}y", without("ies"))
    } else if end(&["ches", "shes", "sses", "xes"]) {
        without("es").to_owned()
    } else if end(&["ss"]) {
        segment.to_owned()
    } else {
        without("s").to_owned()
    };
    to_member(&one)
}

/// A segment as the name of a member: `price-lists` is `priceLists`.
pub fn to_member(segment: &str) -> String {
    let mut words = segment.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |noun, word| noun + &words::capitalize(word))
}

/// `values`: the parameters of the operation's path that are known.
pub fn find<'a>(
    site: &'a Site,
    operation: &Operation,
    values: &[(String, String)],
    member: &str,
) -> Option<&'a Collection> {
    let name = member.strip_suffix("Ids").or_else(|| member.strip_suffix("Id")).filter(|name| !name.is_empty())?;
    let hints = site.hints.get(&operation.module).into_iter().flat_map(|hints| &hints.references);
    let own = hints.filter(|hint| hint.member == member && operation.path.starts_with(&hint.below));
    let hinted = own.max_by_key(|hint| hint.below.len()).and_then(|hint| site.collection_of(&hint.list, None));
    if hinted.is_some() {
        return hinted;
    }
    if name == "parent" {
        return find_own(site, operation, values);
    }
    let usable = || site.collections.iter().filter(|collection| is_usable(site, operation, collection));
    let exact: Vec<&Collection> = usable().filter(|collection| collection.noun == name).collect();
    if !exact.is_empty() {
        return choose(site, operation, exact);
    }
    let is_suffix = |noun: &str| !noun.is_empty() && name.ends_with(&words::capitalize(noun));
    let nouns = usable().map(|collection| collection.noun.as_str()).filter(|noun| is_suffix(noun));
    let longest = nouns.max_by_key(|noun| noun.len())?;
    choose(site, operation, usable().filter(|collection| collection.noun == longest).collect())
}

/// The collection below which the operation is; of those that a value of the path splits, the one of that value.
fn find_own<'a>(site: &'a Site, operation: &Operation, values: &[(String, String)]) -> Option<&'a Collection> {
    let above = site.collections.iter().filter(|collection| {
        let list = site.operations.get(collection.list);
        list.is_some_and(|list| super::rest(&operation.path, &list.path).is_some())
            && collection.bound.iter().all(|bound| values.contains(bound))
    });
    above.max_by_key(|collection| site.operations.get(collection.list).map_or(0, |list| list.path.len()))
}

/// A record of it can be named: its items have an id, and the form knows the parameters of its path.
fn is_usable(site: &Site, operation: &Operation, collection: &Collection) -> bool {
    let Some(list) = site.operations.get(collection.list) else { return false };
    let has_id = collection.item.pointer("/properties/id").is_some();
    has_id && (collection.free_parameters(list).next().is_none() || begins_alike(&operation.path, &list.path))
}

/// True if the path begins as the other one does up to its last parameter.
fn begins_alike(path: &str, list: &str) -> bool {
    let known = list.rfind('}').and_then(|end| list.get(..=end));
    known.is_some_and(|known| super::rest(path, known).is_some())
}

/// Of several with one noun: the one of the same first segment, then of the same module, then without parameters, else none.
fn choose<'a>(site: &'a Site, operation: &Operation, mut found: Vec<&'a Collection>) -> Option<&'a Collection> {
    let area = |path: &str| path.split('/').nth(1).map(str::to_owned);
    let list = |collection: &Collection| site.operations.get(collection.list);
    let rules: [&dyn Fn(&Collection) -> bool; 3] = [
        &|collection| list(collection).is_some_and(|list| area(&list.path) == area(&operation.path)),
        &|collection| list(collection).is_some_and(|list| list.module == operation.module),
        &|collection| list(collection).is_some_and(|list| collection.free_parameters(list).next().is_none()),
    ];
    for rule in rules {
        if found.len() > 1 && found.iter().any(|collection| rule(collection)) {
            found.retain(|collection| rule(collection));
        }
    }
    if found.len() == 1 { found.pop() } else { None }
}
