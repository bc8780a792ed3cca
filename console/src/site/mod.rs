//! `Site`: the collections, records, forms and actions that the contract has, derived once for each ETag.

pub mod collection;
pub mod operation;
pub mod record;
pub mod reference;
pub mod words;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::host::Contract;
use collection::{Collection, Group, ModuleHints};
use operation::Operation;
use record::Record;

/// Everything that pages need of a contract.
pub struct Site {
    /// `components.schemas` of the contract, by name.
    pub schemas: Map<String, Value>,
    pub operations: Vec<Operation>,
    pub collections: Vec<Collection>,
    pub records: Vec<Record>,
    pub groups: Vec<Group>,
    /// By module.
    hints: HashMap<String, ModuleHints>,
}

/// Parameters of a path by name, encoded as they came.
type Values = Vec<(String, String)>;

/// A schema behind its `$ref`, and whether null is a value of it.
pub struct Resolved<'a> {
    pub schema: &'a Value,
    pub nullable: bool,
}

impl<'a> Resolved<'a> {
    /// The type that is not null: `string`. An enumeration without a type is a string; a union has none.
    pub fn kind(&self) -> &'a str {
        match self.schema.get("type") {
            Some(Value::String(kind)) => kind,
            Some(Value::Array(kinds)) => {
                kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or_default()
            }
            _ if self.schema.get("enum").is_some() => "string",
            _ if self.schema.get("properties").is_some() => "object",
            _ => "",
        }
    }
}

/// `$ref`s that are followed.
const DEPTH: usize = 8;

/// The site of the contract that was read last, with the ETag of that contract. None: it cannot be read.
#[derive(Default)]
pub struct SiteCache(Mutex<Option<(String, Option<Arc<Site>>)>>);

impl SiteCache {
    pub fn get(&self, contract: &Contract) -> Option<Arc<Site>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, site)) = kept.as_ref().filter(|(etag, _)| *etag == contract.etag) {
            return site.clone();
        }
        let site = tokio::task::block_in_place(|| Site::read(contract));
        let site = site.inspect_err(|fault| tracing::error!(%fault, "the console cannot read the contract"));
        let site = site.ok().map(Arc::new);
        *kept = Some((contract.etag.clone(), site.clone()));
        site
    }
}

impl Site {
    pub fn read(contract: &Contract) -> Result<Site, String> {
        let mut document: Value = serde_json::from_slice(&contract.bytes).map_err(|fault| fault.to_string())?;
        let paths = document["paths"].as_object().ok_or("the contract has no paths")?;
        let mut operations = Vec::new();
        for (path, methods) in paths {
            let methods = methods.as_object().into_iter().flatten();
            operations
                .extend(methods.filter_map(|(method, written)| Operation::read(method, path, written, &document)));
        }
        let hints = document["tags"].as_array().into_iter().flatten().filter_map(|tag| {
            let hints = ModuleHints::deserialize(&tag["x-stoa-console"]).unwrap_or_default();
            Some((tag["name"].as_str()?.to_owned(), hints))
        });
        let hints = hints.collect();
        let schemas = document.pointer_mut("/components/schemas").map(Value::take);
        let Some(Value::Object(schemas)) = schemas else { return Err("the contract has no schemas".to_owned()) };
        let (collections, records, groups) = Default::default();
        let mut site = Site { schemas, operations, collections, records, groups, hints };
        site.collections = collection::find(&site);
        let parents: Vec<_> = site.collections.iter().map(|one| collection::find_parent(&site, one)).collect();
        for (collection, parent) in site.collections.iter_mut().zip(parents) {
            collection.parent = parent;
        }
        site.records = record::find(&site);
        site.groups = collection::list_groups(&site);
        Ok(site)
    }

    pub fn operation(&self, id: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.id == id)
    }

    /// The GET at a path below the company. An address without parameters comes before one with them.
    pub fn read_at(&self, path: &str) -> Option<(&Operation, Values)> {
        let length = path.split('/').count();
        let at = self.operations.iter().filter(|one| one.of_company && one.path.split('/').count() == length);
        let at = at.filter_map(|one| Some((one, one.read_path(path)?)));
        let (first, values) = at.min_by_key(|(one, values)| (values.len(), !one.is_read()))?;
        first.is_read().then_some((first, values))
    }

    /// An operation by its id whose path begins as the address does, and the parameters that the address states.
    pub fn form_at(&self, id: &str, path: &str) -> Option<(&Operation, Values)> {
        let operation = self.operation(id).filter(|operation| operation.of_company)?;
        Some((operation, operation.read_path(path)?))
    }

    /// The collection of a list; `bound`: the value of the parameter that splits it.
    pub fn collection_of(&self, list: &str, bound: Option<&str>) -> Option<&Collection> {
        let is_list = |one: &Collection| self.operations.get(one.list).is_some_and(|operation| operation.id == list);
        let is_bound = |one: &Collection| one.bound.first().map(|(_, value)| value.as_str()) == bound;
        self.collections.iter().find(|one| is_list(one) && is_bound(one))
    }

    /// The collection whose list this is, of those that a value of the path splits the one of that value.
    pub fn collection_at(&self, operation: &Operation, values: &[(String, String)]) -> Option<&Collection> {
        self.collections.iter().find(|one| self.is_number(one.list, operation) && one.is_at(values))
    }

    /// The collection of a record, in the same way.
    pub fn collection_of_record(&self, operation: &Operation, values: &[(String, String)]) -> Option<&Collection> {
        let first = self.collections.get(self.record_at(operation)?.collection?)?;
        self.collections.iter().find(|one| one.list == first.list && one.is_at(values)).or(Some(first))
    }

    /// The record that this operation reads.
    pub fn record_at(&self, operation: &Operation) -> Option<&Record> {
        self.records.iter().find(|record| self.is_number(record.read, operation))
    }

    fn is_number(&self, number: usize, operation: &Operation) -> bool {
        self.operations.get(number).is_some_and(|other| other.id == operation.id)
    }

    /// The path of a collection's list where the parameters of an operation's path are known.
    pub fn list_path(&self, collection: &Collection, values: &[(String, String)]) -> Option<String> {
        let list = self.operations.get(collection.list)?;
        let mut known = values.iter();
        let stated = list.path_parameters().map(|parameter| {
            let bound = collection.bound.iter().find(|(name, _)| *name == parameter.name);
            bound.or_else(|| known.next()).map(|(_, value)| value.as_str())
        });
        fill(&list.path, &stated.collect::<Option<Vec<_>>>()?)
    }

    /// The path of a record of a collection: `values` are the parameters of its list's path.
    pub fn record_path(&self, collection: &Collection, values: &[(String, String)], id: &str) -> Option<String> {
        let record = self.operations.get(collection.record?)?;
        let above = if values.is_empty() { collection.bound.as_slice() } else { values };
        fill(&record.path, &above.iter().map(|(_, value)| value.as_str()).chain([id]).collect::<Vec<_>>())
    }

    /// R10: the name of a record.
    pub fn title_of(&self, collection: &Collection, record: &Value) -> String {
        let texts = collection.title.iter().filter_map(|member| match record.get(member)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        let title = texts.collect::<Vec<_>>().join(" ");
        let id = record["id"].as_str().unwrap_or_default();
        if title.is_empty() { id.chars().take(8).collect() } else { title }
    }

    pub fn resolve<'a>(&'a self, schema: &'a Value) -> Resolved<'a> {
        let mut resolved = Resolved { schema, nullable: false };
        for _ in 0..DEPTH {
            let schema = resolved.schema;
            if let Some(reference) = schema["$ref"].as_str() {
                let Some(named) = self.schemas.get(to_name(reference)) else { break };
                resolved.schema = named;
                continue;
            }
            let union = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
            let (nulls, others): (Vec<&Value>, Vec<&Value>) =
                union.into_iter().flatten().partition(|one| one["type"] == "null");
            let types = schema["type"].as_array();
            resolved.nullable |= !nulls.is_empty() || types.is_some_and(|types| types.iter().any(|one| one == "null"));
            match others.as_slice() {
                [only] if !nulls.is_empty() => resolved.schema = *only,
                _ => break,
            }
        }
        resolved
    }

    /// The sentence of an item's code.
    pub fn sentence(&self, operation: &Operation, code: &str) -> String {
        let shared = || {
            let codes = self.schemas.get("ItemCode")?;
            let number = codes["enum"].as_array()?.iter().position(|one| one == code)?;
            codes["x-enum-descriptions"].get(number)
        };
        let text = operation.sentences.get(code).or_else(shared).and_then(Value::as_str);
        text.filter(|text| !text.is_empty()).map_or_else(|| words::to_words(code), str::to_owned)
    }
}

/// The name of the schema to which a `$ref` leads.
fn to_name(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or_default()
}

/// The segments of a path behind those of another one. Parameters are equal, however they are named. None: it begins otherwise.
pub fn rest<'a>(path: &'a str, prefix: &str) -> Option<Vec<&'a str>> {
    let mut segments = path.split('/');
    for before in prefix.split('/') {
        let own = segments.next()?;
        if own != before && !(own.starts_with('{') && before.starts_with('{')) {
            return None;
        }
    }
    Some(segments.collect())
}

/// A path with its parameters filled in sequence. With too many values the last ones count. None: too few.
pub fn fill(path: &str, values: &[&str]) -> Option<String> {
    let mut values = values.get(values.len().checked_sub(path.matches('{').count())?..)?.iter().copied();
    let segments = path.split('/').map(|segment| if segment.starts_with('{') { values.next() } else { Some(segment) });
    Some(segments.collect::<Option<Vec<_>>>()?.join("/"))
}

#[cfg(test)]
mod tests;
