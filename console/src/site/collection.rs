//! Collections, records, actions and the navigation, derived from the operations (rules R1 to R8 and R10 to R13).

use std::cmp::Reverse;

use http::Method;
use serde::Deserialize;
use serde_json::Value;

use super::operation::{Operation, Parameter};
use super::reference::ReferenceHint;
use super::{Site, reference, rest, to_name, words};

/// A list of records. Numbers are indexes into `Site::operations` and, for `parent`, `Site::collections`.
#[derive(Default)]
pub struct Collection {
    pub list: usize,
    /// Path parameters that have one value in this collection: `kind` = `brands`.
    pub bound: Vec<(String, String)>,
    pub parent: Option<usize>,
    /// Schema of an item.
    pub item: Value,
    /// Name of the item's schema.
    pub component: String,
    pub noun: String,
    pub label: String,
    pub record: Option<usize>,
    pub create: Option<usize>,
    pub actions: Vec<usize>,
    pub title: Vec<String>,
    pub columns: Vec<String>,
}

/// A heading of the navigation with its entries.
pub struct Group {
    pub label: String,
    pub entries: Vec<Entry>,
}

pub struct Entry {
    pub label: String,
    /// Below the company: `/catalog/products`.
    pub path: String,
    /// The operation that must be permitted.
    pub operation: usize,
}

/// How a module's lists are shown (`x-stoa-console` of its tag).
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct ModuleHints {
    lists: Vec<ListHint>,
    pub references: Vec<ReferenceHint>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ListHint {
    list: String,
    title: Vec<String>,
    columns: Vec<String>,
    group: Option<String>,
    position: Option<u32>,
}

const MOST_COLUMNS: usize = 7;
/// Longer texts are not columns.
const LONGEST_COLUMN: u64 = 200;
const TITLES: &[&str] = &["name", "number", "code", "sku", "displayName", "email", "serialNumber", "title"];
const NO_COLUMNS: &[&str] = &["id", "tenantId", "version", "createdAt", "updatedAt", "archivedAt"];

fn hints_of<'a>(site: &'a Site, operation: &Operation) -> &'a [ListHint] {
    site.hints.get(&operation.module).map_or(&[], |hints| hints.lists.as_slice())
}

/// Position and heading in the navigation: of the list's own hint, else at the end of its module's group. The host's are the last.
fn place_of(site: &Site, operation: &Operation) -> (u32, String) {
    let (hints, module) = (hints_of(site, operation), operation.module.as_str());
    let own = hints.iter().find(|hint| hint.list == operation.id);
    let group = own.and_then(|hint| hint.group.as_ref()).or_else(|| hints.iter().find_map(|hint| hint.group.as_ref()));
    let position = own.and_then(|hint| hint.position).or_else(|| hints.iter().filter_map(|hint| hint.position).max());
    let (last, name) = if module == "platform" { (900, "Company".to_owned()) } else { (500, words::to_words(module)) };
    (position.unwrap_or(last), group.cloned().unwrap_or(name))
}

impl Collection {
    /// The parameters of its list's path that have no value.
    pub fn free_parameters<'a>(&'a self, list: &'a Operation) -> impl Iterator<Item = &'a Parameter> {
        list.path_parameters().filter(|parameter| !self.bound.iter().any(|(name, _)| *name == parameter.name))
    }

    /// True if a path with these parameters is of this collection, not of another one that the same list splits into.
    pub fn is_at(&self, values: &[(String, String)]) -> bool {
        self.bound.iter().all(|bound| values.contains(bound))
    }
}

/// R1: a GET whose response has `items`, an array of objects, and no `id`, which a record has. A path parameter with an
/// enumeration splits it.
pub fn find(site: &Site) -> Vec<Collection> {
    let mut found = Vec::new();
    for (number, operation) in site.operations.iter().enumerate().filter(|(_, one)| one.is_read() && one.of_company) {
        let Some((item, component)) = item_of(site, operation) else { continue };
        let hint = hints_of(site, operation).iter().find(|hint| hint.list == operation.id);
        let title = title_of(&item, hint);
        let columns = columns_of(site, &item, hint, &title);
        let split = operation.path_parameters().find_map(|parameter| {
            let values = site.resolve(&parameter.schema).schema["enum"].as_array()?.iter().filter_map(Value::as_str);
            Some(values.map(|value| vec![(parameter.name.clone(), value.to_owned())]).collect())
        });
        let last = operation.path.rsplit('/').find(|segment| !segment.starts_with('{')).unwrap_or_default();
        for bound in split.unwrap_or_else(|| vec![Vec::new()]) {
            let value = bound.first().map(|(_, value)| value.as_str());
            found.push(Collection {
                list: number,
                noun: reference::to_noun(value.unwrap_or(last)),
                label: value.map_or_else(|| words::to_title(&operation.id, &operation.summary), words::to_words),
                bound,
                item: item.clone(),
                component: component.clone(),
                title: title.clone(),
                columns: columns.clone(),
                ..Collection::default()
            });
        }
    }
    let records: Vec<Option<usize>> = found.iter().map(|collection| record_of(site, &found, collection)).collect();
    for (collection, record) in found.iter_mut().zip(records) {
        collection.record = record;
        let Some(list) = site.operations.get(collection.list) else { continue };
        // R4 and R5.
        let writes = site.operations.iter().enumerate().filter(|(_, one)| one.of_company && one.method == Method::POST);
        for (number, write) in writes {
            match rest(&write.path, &list.path).as_deref() {
                Some([]) => collection.create = Some(number),
                Some([word]) if !word.starts_with('{') => collection.actions.push(number),
                _ => {}
            }
        }
    }
    found
}

/// R2: the longest proper prefix that is the path of a record, of its own list before lists that borrow it; else the
/// record to which its only parameter refers (R7).
pub fn find_parent(site: &Site, collection: &Collection) -> Option<usize> {
    let list = site.operations.get(collection.list)?;
    let mut unbound = collection.free_parameters(list);
    let (first, second) = (unbound.next()?, unbound.next());
    let above = site.collections.iter().enumerate().filter_map(|(number, other)| {
        let record = site.operations.get(other.record?)?;
        let below = rest(&list.path, &record.path).filter(|below| !below.is_empty())?;
        let is_own = rest(&record.path, &site.operations.get(other.list)?.path).is_some();
        Some((Reverse(below.len()), is_own, number))
    });
    if let Some((.., number)) = above.max() {
        return Some(number);
    }
    let named = site.refers_to(list, &first.name).filter(|_| second.is_none())?;
    site.collections.iter().position(|other| std::ptr::eq(other, named))
}

fn item_of(site: &Site, operation: &Operation) -> Option<(Value, String)> {
    let response = site.resolve(&operation.response).schema;
    let properties = response.get("properties")?;
    let item = site.resolve(properties.get("items")?).schema.get("items")?;
    let schema = site.resolve(item).schema;
    let is_record = properties.get("id").is_some();
    (!is_record && schema.get("properties").is_some()).then(|| (schema.clone(), component(item)))
}

fn component(schema: &Value) -> String {
    schema["$ref"].as_str().map(to_name).unwrap_or_default().to_owned()
}

/// R3: the GET below its list; else the one below another list of such items, else one that responds with such an item.
fn record_of(site: &Site, all: &[Collection], collection: &Collection) -> Option<usize> {
    let own = |collection: &Collection| {
        let list = site.operations.get(collection.list)?;
        let found = site.operations.iter().position(|one| {
            let below = rest(&one.path, &list.path);
            one.is_read() && matches!(below.as_deref(), Some([last]) if last.starts_with('{'))
        })?;
        // A list whose path ends with a parameter is not one.
        all.iter().all(|other| other.list != found).then_some(found)
    };
    let has_one = |read: &Operation| read.path_parameters().count() == 1 && read.path.ends_with('}');
    let is_same = |name: &str| !name.is_empty() && name == collection.component;
    let mut others = all.iter().filter(|other| is_same(&other.component)).filter_map(own);
    let other = || others.find(|number| site.operations.get(*number).is_some_and(has_one));
    let shows = |one: &Operation| one.is_read() && has_one(one) && is_same(&component(&one.response));
    own(collection).or_else(other).or_else(|| site.operations.iter().position(shows))
}

/// R10.
fn title_of(item: &Value, hint: Option<&ListHint>) -> Vec<String> {
    if let Some(hint) = hint.filter(|hint| !hint.title.is_empty()) {
        return hint.title.clone();
    }
    let has = |name: &&&str| item["properties"].get(**name).is_some();
    let first = TITLES.iter().find(has);
    let code = ["sku", "code"].iter().find(has).filter(|_| first == Some(&"name"));
    code.into_iter().chain(first).map(ToString::to_string).collect()
}

/// R11.
fn columns_of(site: &Site, item: &Value, hint: Option<&ListHint>, title: &[String]) -> Vec<String> {
    if let Some(hint) = hint.filter(|hint| !hint.columns.is_empty()) {
        return hint.columns.clone();
    }
    let members = item["properties"].as_object();
    let scalars = members.into_iter().flatten().filter(|(name, schema)| {
        let resolved = site.resolve(schema);
        let is_short = resolved.schema["maxLength"].as_u64().is_none_or(|most| most <= LONGEST_COLUMN);
        let is_scalar = !matches!(resolved.kind(), "object" | "array" | "");
        is_scalar && is_short && !NO_COLUMNS.contains(&name.as_str())
    });
    let (status, others): (Vec<&String>, Vec<&String>) =
        scalars.map(|(name, _)| name).partition(|name| name.as_str() == "status");
    let last = members.and_then(|members| members.get_key_value("updatedAt")).map(|(name, _)| name);
    let names = status.into_iter().chain(others).chain(last).filter(|name| !title.contains(name));
    title.iter().chain(names).take(MOST_COLUMNS).cloned().collect()
}

/// R13: lists without a parent, then reads and actions without parameters (R8) at the end of their module's group.
pub fn list_groups(site: &Site) -> Vec<Group> {
    let lists = site.collections.iter().filter(|collection| collection.parent.is_none());
    let lists = lists.filter_map(|collection| {
        let path = site.list_path(collection, &[])?;
        Some(Entry { label: collection.label.clone(), path, operation: collection.list })
    });
    let others = site.operations.iter().enumerate().filter(|(number, operation)| {
        let uses =
            |one: &Collection| one.list == *number || one.create == Some(*number) || one.actions.contains(number);
        let is_edit = operation.method == Method::PUT && site.read_at(&operation.path).is_some();
        let has_parameters = operation.path_parameters().next().is_some();
        operation.of_company && !is_edit && !has_parameters && !site.collections.iter().any(uses)
    });
    let others = others.map(|(number, operation)| {
        let (label, path) = match operation.is_read() {
            true => (words::to_title(&operation.id, &operation.summary), operation.path.clone()),
            false => (operation.summary.clone(), format!("{}?_form={}", operation.path, operation.id)),
        };
        Entry { label, path, operation: number }
    });
    let placed = lists.chain(others).filter_map(|entry| {
        let (position, group) = place_of(site, site.operations.get(entry.operation)?);
        Some((position, group, entry))
    });
    let mut entries: Vec<(u32, String, Entry)> = placed.collect();
    entries.sort_by_key(|(position, ..)| *position);
    let mut groups: Vec<Group> = Vec::new();
    for (_, label, entry) in entries {
        match groups.iter_mut().find(|group| group.label == label) {
            Some(group) => group.entries.push(entry),
            None => groups.push(Group { label, entries: vec![entry] }),
        }
    }
    groups
}
