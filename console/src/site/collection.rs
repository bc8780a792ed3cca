//! Collections, records, actions and the navigation, derived from the operations (rules R1 to R8 and R10 to R13).

use std::collections::HashMap;

use http::Method;
use serde_json::Value;

use super::operation::{Operation, Parameter};
use super::{Site, reference, rest, words};

/// A list of records. Numbers are indexes into `Site::operations` and, for `parent`, `Site::collections`.
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
    pub group: String,
    pub position: u32,
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

/// How a module wants its lists to be shown.
#[derive(Default)]
pub struct ModuleHints {
    lists: HashMap<String, Value>,
    group: String,
    position: u32,
}

const MOST_COLUMNS: usize = 7;
/// Longer texts are no columns.
const LONGEST_COLUMN: u64 = 200;
/// Of entries without a hint, and of the host's own operations.
const POSITION: u32 = 500;
const HOST: (&str, &str, u32) = ("platform", "Company", 900);
const TITLES: &[&str] = &["name", "number", "code", "sku", "displayName", "email", "serialNumber", "title"];
const NO_COLUMNS: &[&str] = &["id", "tenantId", "version", "createdAt", "updatedAt", "archivedAt"];

impl ModuleHints {
    /// What a module's tag has as `x-stoa-console`.
    pub fn read(module: &str, written: Option<&Value>) -> ModuleHints {
        let (group, position) =
            if module == HOST.0 { (HOST.1.to_owned(), HOST.2) } else { (words::to_words(module), POSITION) };
        let lists = written.and_then(|hints| hints.get("lists")).and_then(Value::as_array).into_iter().flatten();
        let lists: Vec<&Value> = lists.collect();
        let positions = lists.iter().filter_map(|hint| hint.get("position")?.as_u64()?.try_into().ok());
        ModuleHints {
            group: lists.iter().find_map(|hint| text(hint, "group")).unwrap_or(group),
            position: positions.max().unwrap_or(position),
            lists: lists.iter().filter_map(|hint| Some((text(hint, "list")?, (*hint).clone()))).collect(),
        }
    }
}

fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}

impl Collection {
    /// The parameters of its list's path that have no value.
    pub fn unbound<'a>(&'a self, list: &'a Operation) -> impl Iterator<Item = &'a Parameter> {
        list.path_parameters().filter(|parameter| !self.bound.iter().any(|(name, _)| *name == parameter.name))
    }
}

/// R1: a GET whose response has `items`, an array of objects, and no `id`, which a record has. A path parameter with an enumeration
/// splits it.
pub fn find(site: &Site) -> Vec<Collection> {
    let mut found = Vec::new();
    for (number, operation) in site.operations.iter().enumerate().filter(|(_, one)| one.is_read() && one.of_company) {
        let Some((item, component)) = item_of(site, operation) else { continue };
        let values = |parameter: &Parameter| {
            let values = site.resolve(&parameter.schema).schema.get("enum")?.as_array()?.clone();
            Some((parameter.name.clone(), values))
        };
        let hints = site.hints.get(&operation.module);
        let hint = hints.and_then(|hints| hints.lists.get(&operation.id));
        let title = title_of(&item, hint);
        let add = |bound: Vec<(String, String)>| {
            let split = bound.first().map(|(_, value)| value.as_str());
            let last = operation.path.rsplit('/').find(|segment| !segment.starts_with('{')).unwrap_or_default();
            Collection {
                list: number,
                parent: None,
                noun: reference::to_noun(split.unwrap_or(last)),
                label: split.map_or_else(|| words::to_title(&operation.id, &operation.summary), words::to_words),
                record: None,
                create: None,
                actions: Vec::new(),
                columns: columns_of(site, &item, hint, &title),
                title: title.clone(),
                group: hint
                    .and_then(|hint| text(hint, "group"))
                    .or_else(|| Some(hints?.group.clone()))
                    .unwrap_or_default(),
                position: position_of(hint).unwrap_or_else(|| hints.map_or(POSITION, |hints| hints.position)),
                item: item.clone(),
                component: component.clone(),
                bound,
            }
        };
        match operation.path_parameters().find_map(values) {
            None => found.push(add(Vec::new())),
            Some((name, values)) => {
                let values = values.iter().filter_map(Value::as_str);
                found.extend(values.map(|value| add(vec![(name.clone(), value.to_owned())])));
            }
        }
    }
    let records: Vec<Option<usize>> = found.iter().map(|collection| record_of(site, &found, collection)).collect();
    for (collection, record) in found.iter_mut().zip(records) {
        collection.record = record;
        let Some(list) = site.operations.get(collection.list) else { continue };
        // R4 and R5.
        for (number, write) in site.operations.iter().enumerate().filter(|(_, one)| one.method == Method::POST) {
            match rest(&write.path, &list.path).as_deref() {
                Some([]) => collection.create = Some(number),
                Some([word]) if !word.starts_with('{') => collection.actions.push(number),
                _ => {}
            }
        }
    }
    found
}

/// R2: the longest proper prefix that is the path of a record; else the record to which its only parameter refers (R7).
pub fn find_parents(site: &Site) -> Vec<Option<usize>> {
    let record_path = |collection: &Collection| {
        let record = site.operations.get(collection.record?)?;
        Some(record.path.as_str())
    };
    let parent = |collection: &Collection| {
        let list = site.operations.get(collection.list)?;
        let unbound: Vec<&Parameter> = collection.unbound(list).collect();
        let lists = site.collections.iter().enumerate();
        let above = lists.filter_map(|(number, other)| Some((number, record_path(other)?)));
        let above = above.filter(|(_, path)| rest(&list.path, path).is_some_and(|rest| !rest.is_empty()));
        match (above.max_by_key(|(_, path)| path.len()), unbound.as_slice()) {
            (_, []) => None,
            (Some((number, path)), _) => {
                // Its own list before lists that borrow its record.
                let is_own = |other: &Collection| {
                    record_path(other) == Some(path)
                        && site.operations.get(other.list).is_some_and(|list| rest(path, &list.path).is_some())
                };
                site.collections.iter().position(is_own).or(Some(number))
            }
            (None, [only]) => position(site, reference::find(site, list, &[], &only.name)?),
            (None, _) => None,
        }
    };
    site.collections.iter().map(parent).collect()
}

pub fn position(site: &Site, collection: &Collection) -> Option<usize> {
    site.collections.iter().position(|other| std::ptr::eq(other, collection))
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
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.rsplit('/').next());
    name.unwrap_or_default().to_owned()
}

/// R3.
fn record_of(site: &Site, all: &[Collection], collection: &Collection) -> Option<usize> {
    let own = |collection: &Collection| {
        let list = site.operations.get(collection.list)?;
        let is_record = |one: &Operation| {
            let ends = rest(&one.path, &list.path);
            one.is_read() && ends.is_some_and(|rest| matches!(rest.as_slice(), [last] if last.starts_with('{')))
        };
        let found = site.operations.iter().position(is_record)?;
        // A list that ends with a parameter is none.
        all.iter().all(|other| other.list != found).then_some(found)
    };
    let one_parameter = |number: &usize| {
        site.operations
            .get(*number)
            .is_some_and(|record| record.path_parameters().count() == 1 && record.path.ends_with('}'))
    };
    let same = |other: &&Collection| !other.component.is_empty() && other.component == collection.component;
    own(collection).or_else(|| all.iter().filter(same).filter_map(own).find(one_parameter)).or_else(|| {
        let shows = |(_, one): &(usize, &Operation)| {
            one.is_read() && !collection.component.is_empty() && component(&one.response) == collection.component
        };
        site.operations.iter().enumerate().filter(shows).map(|(number, _)| number).find(one_parameter)
    })
}

/// R10.
fn title_of(item: &Value, hint: Option<&Value>) -> Vec<String> {
    if let Some(hinted) = names(hint, "title") {
        return hinted;
    }
    let has = |name: &&&str| item.get("properties").is_some_and(|members| members.get(**name).is_some());
    let first = TITLES.iter().find(has).map(|name| (*name).to_owned());
    let beside = ["sku", "code"].iter().find(has).map(|name| (*name).to_owned());
    match (first, beside) {
        (Some(first), Some(beside)) if first == "name" => vec![beside, first],
        (first, _) => first.into_iter().collect(),
    }
}

/// R11.
fn columns_of(site: &Site, item: &Value, hint: Option<&Value>, title: &[String]) -> Vec<String> {
    if let Some(hinted) = names(hint, "columns") {
        return hinted;
    }
    let members = item.get("properties").and_then(Value::as_object);
    let mut columns = title.to_vec();
    let scalars = members.into_iter().flatten().filter(|(name, schema)| {
        let resolved = site.resolve(schema);
        let is_short =
            resolved.schema.get("maxLength").and_then(Value::as_u64).is_none_or(|most| most <= LONGEST_COLUMN);
        is_short && !NO_COLUMNS.contains(&name.as_str()) && !matches!(resolved.kind(), "object" | "array" | "")
    });
    let scalars: Vec<&String> = scalars.map(|(name, _)| name).collect();
    let status = scalars.iter().filter(|name| name.as_str() == "status");
    for name in status.chain(&scalars) {
        if columns.len() < MOST_COLUMNS && !columns.contains(name) {
            columns.push((*name).clone());
        }
    }
    if columns.len() < MOST_COLUMNS && members.is_some_and(|members| members.contains_key("updatedAt")) {
        columns.push("updatedAt".to_owned());
    }
    columns
}

fn names(hint: Option<&Value>, name: &str) -> Option<Vec<String>> {
    let names = hint?.get(name)?.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned);
    Some(names.collect::<Vec<String>>()).filter(|names| !names.is_empty())
}

fn position_of(hint: Option<&Value>) -> Option<u32> {
    hint?.get("position")?.as_u64()?.try_into().ok()
}

/// R13: lists without a parent, then reads and actions without parameters (R8) at the end of their module's group.
pub fn list_groups(site: &Site) -> Vec<Group> {
    let mut entries: Vec<(u32, String, Entry)> = Vec::new();
    for collection in site.collections.iter().filter(|collection| collection.parent.is_none()) {
        let Some(list) = site.operations.get(collection.list) else { continue };
        if collection.unbound(list).next().is_none() {
            let values: Vec<&str> = collection.bound.iter().map(|(_, value)| value.as_str()).collect();
            let path = super::fill(&list.path, &values).unwrap_or_default();
            let entry = Entry { label: collection.label.clone(), path, operation: collection.list };
            entries.push((collection.position, collection.group.clone(), entry));
        }
    }
    for (number, operation) in site.operations.iter().enumerate() {
        let is_list = site.collections.iter().any(|collection| collection.list == number);
        let is_used =
            |collection: &Collection| collection.create == Some(number) || collection.actions.contains(&number);
        let is_edit = operation.method == Method::PUT && site.read_at(&operation.path).is_some();
        let has_parameters = operation.path_parameters().next().is_some();
        if is_list || is_edit || has_parameters || !operation.of_company || site.collections.iter().any(is_used) {
            continue;
        }
        let (label, path) = if operation.is_read() {
            (words::to_title(&operation.id, &operation.summary), operation.path.clone())
        } else {
            (operation.summary.clone(), format!("{}?_form={}", operation.path, operation.id))
        };
        let hints = site.hints.get(&operation.module);
        let (group, position) = hints.map_or((String::new(), POSITION), |hints| (hints.group.clone(), hints.position));
        entries.push((position, group, Entry { label, path, operation: number }));
    }
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
