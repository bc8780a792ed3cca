//! `Site`: the collections, records, forms and actions that the contract has, derived once for each ETag.

pub mod collection;
pub mod operation;
pub mod record;
pub mod reference;
pub mod words;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};

use crate::host::Contract;
use collection::{Collection, Group, ModuleHints};
use operation::Operation;
use record::Record;

/// Everything that pages need of a contract.
pub struct Site {
    pub etag: String,
    /// `components.schemas` of the contract, by name.
    pub schemas: Map<String, Value>,
    pub operations: Vec<Operation>,
    pub collections: Vec<Collection>,
    pub records: Vec<Record>,
    pub groups: Vec<Group>,
    hints: HashMap<String, ModuleHints>,
    /// Sentences of item codes.
    pub(crate) sentences: HashMap<String, String>,
    /// By path: the operations there. Parameters are named by their place, since operations name them differently.
    pub(crate) addresses: matchit::Router<Vec<usize>>,
}

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

/// By the ETag of its contract: a site, or why it cannot be read.
type Kept = (String, Result<Arc<Site>, String>);

/// The site of the contract that was read last.
#[derive(Default)]
pub struct SiteCache(Mutex<Option<Kept>>);

impl SiteCache {
    /// The site of this contract. The error is logged once and shown as a page with status 503.
    pub fn get(&self, contract: &Contract) -> Result<Arc<Site>, String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, site)) = kept.as_ref().filter(|(etag, _)| *etag == contract.etag) {
            return site.clone();
        }
        let site = tokio::task::block_in_place(|| Site::read(contract)).map(Arc::new);
        if let Err(fault) = &site {
            tracing::error!(%fault, "the console cannot read the contract");
        }
        *kept = Some((contract.etag.clone(), site.clone()));
        site
    }
}

impl Site {
    pub fn read(contract: &Contract) -> Result<Site, String> {
        let mut document: Value = serde_json::from_slice(&contract.bytes).map_err(|fault| fault.to_string())?;
        let mut operations = Vec::new();
        let paths = document.get("paths").and_then(Value::as_object).ok_or("the contract has no paths")?;
        for (path, methods) in paths {
            for (method, written) in methods.as_object().into_iter().flatten() {
                operations.extend(Operation::read(method, path, written, &document));
            }
        }
        let mut shapes: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, operation) in operations.iter().enumerate().filter(|(_, one)| one.of_company) {
            shapes.entry(shape(&operation.path)).or_default().push(number);
        }
        let mut addresses = matchit::Router::new();
        for (shape, numbers) in shapes {
            addresses.insert(shape, numbers).map_err(|fault| fault.to_string())?;
        }
        let tags = document.get("tags").and_then(Value::as_array).into_iter().flatten();
        let hints = tags.filter_map(|tag| {
            let module = tag.get("name")?.as_str()?;
            Some((module.to_owned(), ModuleHints::read(module, tag.get("x-stoa-console"))))
        });
        let hints: HashMap<String, ModuleHints> = hints.collect();
        let schemas = document.pointer_mut("/components/schemas").map(Value::take);
        let Some(Value::Object(schemas)) = schemas else { return Err("the contract has no schemas".to_owned()) };
        let sentences = schemas.get("ItemCode").map(words::read_sentences).unwrap_or_default();
        let (collections, records, groups) = Default::default();
        let etag = contract.etag.clone();
        let mut site = Site { etag, schemas, operations, collections, records, groups, hints, sentences, addresses };
        site.collections = collection::find(&site);
        let parents: Vec<Option<usize>> =
            site.collections.iter().map(|one| collection::find_parent(&site, one)).collect();
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

    /// The operations at a path below the company, and the parameters of the path.
    pub fn at(&self, path: &str) -> Option<(Vec<usize>, Vec<(String, String)>)> {
        let found = self.addresses.at(path).ok()?;
        let names =
            self.operations.get(*found.value.first()?)?.path_parameters().map(|parameter| parameter.name.clone());
        let values = found.params.iter().map(|(_, value)| value.to_owned());
        Some((found.value.clone(), names.zip(values).collect()))
    }

    /// The GET at a path.
    pub fn read_at(&self, path: &str) -> Option<(&Operation, Vec<(String, String)>)> {
        let (numbers, values) = self.at(path)?;
        let read =
            numbers.iter().filter_map(|number| self.operations.get(*number)).find(|operation| operation.is_read())?;
        Some((read, values))
    }

    /// An operation by its id whose path begins as the address does, and the parameters that the address states.
    pub fn form_at(&self, id: &str, path: &str) -> Option<(&Operation, Vec<(String, String)>)> {
        let operation = self.operation(id).filter(|operation| operation.of_company)?;
        let mut stated = operation.path.split('/');
        let mut values = Vec::new();
        for segment in path.split('/') {
            let own = stated.next()?;
            match own.strip_prefix('{').and_then(|own| own.strip_suffix('}')) {
                Some(name) if !segment.is_empty() => values.push((name.to_owned(), segment.to_owned())),
                None if own == segment => {}
                _ => return None,
            }
        }
        Some((operation, values))
    }

    /// The collection of a list; `bound`: the value of the parameter that splits it.
    pub fn collection_of(&self, list: &str, bound: Option<&str>) -> Option<&Collection> {
        self.collections.iter().find(|collection| {
            self.operations.get(collection.list).is_some_and(|operation| operation.id == list)
                && collection.bound.first().map(|(_, value)| value.as_str()) == bound
        })
    }

    /// The collection whose list this is, of those that a value of the path splits the one of that value.
    pub fn collection_at(&self, operation: &Operation, values: &[(String, String)]) -> Option<&Collection> {
        let is_of = |one: &&Collection| one.bound.iter().all(|bound| values.contains(bound));
        self.collections.iter().filter(|one| self.is_number(one.list, operation)).find(is_of)
    }

    /// The collection of a record, in the same way.
    pub fn collection_of_record(&self, operation: &Operation, values: &[(String, String)]) -> Option<&Collection> {
        let of = self.record_at(operation).and_then(|record| self.collections.get(record.collection?))?;
        let is_of = |one: &&Collection| one.list == of.list && one.bound.iter().all(|bound| values.contains(bound));
        self.collections.iter().find(is_of).or(Some(of))
    }

    /// The record that this operation reads.
    pub fn record_at(&self, operation: &Operation) -> Option<&Record> {
        self.records.iter().find(|record| self.is_number(record.read, operation))
    }

    fn is_number(&self, number: usize, operation: &Operation) -> bool {
        self.operations.get(number).is_some_and(|other| other.id == operation.id)
    }

    /// The collection of the records whose ids a member or parameter of an operation holds.
    pub fn refers_to(&self, operation: &Operation, member: &str) -> Option<&Collection> {
        reference::find(self, operation, &[], member)
    }

    /// The same where the parameters of the operation's path are known: `parentId` of a collection that they choose.
    pub fn refers_at(&self, operation: &Operation, values: &[(String, String)], member: &str) -> Option<&Collection> {
        reference::find(self, operation, values, member)
    }

    /// The path of a collection's list where the parameters of an operation's path are known.
    pub fn list_path(&self, collection: &Collection, values: &[(String, String)]) -> Option<String> {
        let list = self.operations.get(collection.list)?;
        let mut known = values.iter();
        let stated = list.path_parameters().map(|parameter| {
            let bound = collection.bound.iter().find(|(name, _)| *name == parameter.name);
            bound.or_else(|| known.next()).map(|(_, value)| value.as_str())
        });
        fill(&list.path, &stated.collect::<Option<Vec<&str>>>()?)
    }

    /// The path of a record of a collection: `values` are the parameters of its list's path.
    pub fn record_path(&self, collection: &Collection, values: &[(String, String)], id: &str) -> Option<String> {
        let record = self.operations.get(collection.record?)?;
        let above = if values.is_empty() { collection.bound.as_slice() } else { values };
        let above = above.iter().map(|(_, value)| value.as_str());
        fill(&record.path, &above.chain([id]).collect::<Vec<_>>())
    }

    /// R10: the name of a record.
    pub fn title_of(&self, collection: &Collection, record: &Value) -> String {
        let texts = collection.title.iter().filter_map(|member| match record.get(member)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        });
        let title = texts.collect::<Vec<_>>().join(" ");
        let id = record.get("id").and_then(Value::as_str).unwrap_or_default();
        if title.is_empty() { id.chars().take(8).collect() } else { title }
    }

    pub fn resolve<'a>(&'a self, schema: &'a Value) -> Resolved<'a> {
        let mut resolved = Resolved { schema, nullable: false };
        for _ in 0..DEPTH {
            let schema = resolved.schema;
            if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
                let name = reference.rsplit('/').next().unwrap_or_default();
                let Some(named) = self.schemas.get(name) else { break };
                resolved.schema = named;
                continue;
            }
            let union = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
            let is_null = |one: &&Value| one.get("type").and_then(Value::as_str) == Some("null");
            let (nulls, others): (Vec<&Value>, Vec<&Value>) = union.into_iter().flatten().partition(is_null);
            let types = schema.get("type").and_then(Value::as_array);
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
        let own = operation.sentences.get(code).and_then(Value::as_str).filter(|text| !text.is_empty());
        let shared = || self.sentences.get(code).map(String::as_str);
        own.or_else(shared).map_or_else(|| words::to_words(code), str::to_owned)
    }
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

/// A path with its parameters filled in sequence. Of more values than parameters the last ones count. None: there are too few.
pub fn fill(path: &str, values: &[&str]) -> Option<String> {
    let count = path.split('/').filter(|segment| segment.starts_with('{')).count();
    let mut values = values.get(values.len().checked_sub(count)?..)?.iter();
    let segments =
        path.split('/').map(|segment| if segment.starts_with('{') { values.next().copied() } else { Some(segment) });
    Some(segments.collect::<Option<Vec<&str>>>()?.join("/"))
}

/// A path whose parameters are named by their place.
fn shape(path: &str) -> String {
    let mut count = 0;
    let named = path.split('/').map(|segment| {
        if !segment.starts_with('{') {
            return segment.to_owned();
        }
        count += 1;
        format!("{{p{count}}}")
    });
    named.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests;
