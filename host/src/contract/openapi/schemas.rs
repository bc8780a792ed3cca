//! Modules' schemas as components of one document. Each module names its schemas for itself; here they share one list: equal
//! schemas of one name are one component, different ones are distinguished by their module's name.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::words::Words;
use super::{DocumentedModule, DocumentedOperation};
use crate::contract::{canonical, parameters, refs};

/// The host's own schemas go by this name, as its tables do.
const HOST: &str = "stoa";

/// The keyword of a member to which other modules add members of their own, and what the member is if its schema does not say it.
const PLACE: &str = "x-stoa-place";
const PLACE_DESCRIPTION: &str = "Members that extensions add, each below the name of its module.";

pub struct Schemas<'a> {
    /// Modules in the order in which they get their names.
    ranks: Vec<&'a str>,
    modules: HashMap<&'a str, &'a Map<String, Value>>,
    words: HashMap<&'a str, Words<'a>>,
    /// Component of (module, name).
    names: HashMap<(&'a str, &'a str), String>,
    /// Module of each component.
    owners: HashMap<String, String>,
    /// Modules of partners.
    partners: HashSet<&'a str>,
    /// The modules that show members at a place, by name, with the schema of these members.
    shown: BTreeMap<&'a str, BTreeMap<&'a str, &'a Value>>,
    pub(super) components: BTreeMap<String, Value>,
}

/// A schema of a module that the document needs.
struct Needed<'a> {
    module: &'a str,
    name: &'a str,
    schema: &'a Value,
    /// Places in the list of the schemas that it refers to.
    uses: Vec<usize>,
}

impl<'a> Schemas<'a> {
    /// Takes in what the operations refer to, directly or through others, and gives every schema its component.
    pub fn new(
        host: &'a Map<String, Value>,
        modules: &[DocumentedModule<'a>],
        operations: &[DocumentedOperation<'a>],
    ) -> Result<Schemas<'a>, String> {
        let all: Vec<(&str, &Map<String, Value>)> =
            std::iter::once((HOST, host)).chain(modules.iter().map(|module| (module.name, module.schemas))).collect();
        let shown = find_shown(modules, operations);
        let mut needed: Vec<Needed> = Vec::new();
        for (module, defs) in &all {
            let mut roots: Vec<Value> = Vec::new();
            roots.extend(shown.values().filter_map(|by_module| by_module.get(module)).map(|schema| (*schema).clone()));
            if *module == HOST {
                roots.push(json!({"$ref": "#/$defs/ProblemDetails"}));
            }
            for route in operations.iter().filter(|op| op.module == *module).map(|op| op.route) {
                roots.extend(route.body.iter().chain([&route.response]).cloned());
                for schema in [&route.path_schema, &route.query] {
                    // Each parameter is described by itself: their object schema is not a component.
                    roots.extend(parameters::object(schema.as_ref(), defs)?.get("properties").cloned());
                }
            }
            let kinds = modules.iter().filter(|other| other.name == *module).flat_map(|other| other.events);
            roots.extend(kinds.map(|kind| kind.data.clone()));
            let names = refs::closure(&Value::Array(roots), defs).map_err(|why| format!("{module}: {why}"))?;
            let known = defs.iter().filter(|(name, _)| names.contains_key(*name));
            needed.extend(known.map(|(name, schema)| Needed { module, name, schema, uses: Vec::new() }));
        }
        let indexes: HashMap<(&str, &str), usize> =
            needed.iter().enumerate().map(|(index, entry)| ((entry.module, entry.name), index)).collect();
        for entry in &mut needed {
            let mut references = BTreeSet::new();
            refs::collect(entry.schema, &mut references);
            let names = references.into_iter().filter_map(refs::name);
            entry.uses = names.filter_map(|name| indexes.get(&(entry.module, name)).copied()).collect();
        }
        let words = modules.iter().map(|module| (module.name, Words::new(module.words)));
        let mut schemas = Schemas {
            ranks: all.iter().map(|(module, _)| *module).collect(),
            modules: all.into_iter().collect(),
            words: std::iter::once((HOST, Words::new(&[]))).chain(words).collect(),
            names: HashMap::new(),
            owners: HashMap::new(),
            partners: modules.iter().filter(|module| module.by_partner).map(|module| module.name).collect(),
            shown,
            components: BTreeMap::new(),
        };
        let kinds = kinds(&needed);
        let mut component_of: HashMap<usize, String> = HashMap::new();
        for (entry, kind) in needed.iter().zip(&kinds) {
            let component = match component_of.get(kind) {
                Some(component) => component.clone(),
                None => schemas.take_name(entry.module, entry.name)?,
            };
            component_of.insert(*kind, component.clone());
            schemas.names.insert((entry.module, entry.name), component);
        }
        for entry in &needed {
            let component = schemas.names.get(&(entry.module, entry.name)).cloned().unwrap_or_default();
            let schema = schemas.rewrite(entry.module, entry.schema)?;
            schemas.components.insert(component, schema);
        }
        Ok(schemas)
    }

    /// The module of a component, and its place among the modules.
    pub fn owner(&self, component: &str) -> Option<(usize, String)> {
        let module = self.owners.get(component)?;
        Some((self.rank(module), module.clone()))
    }

    /// The place of a module among the modules.
    pub fn rank(&self, module: &str) -> usize {
        self.ranks.iter().position(|other| *other == module).unwrap_or(self.ranks.len())
    }

    pub fn is_by_partner(&self, module: &str) -> bool {
        self.partners.contains(module)
    }

    /// The definitions of a module.
    pub fn of_module(&self, module: &str) -> Result<&'a Map<String, Value>, String> {
        self.modules.get(module).copied().ok_or_else(|| format!("there is no module {module}"))
    }

    /// A schema of a route as it is in the document.
    pub fn rewrite(&self, module: &str, schema: &Value) -> Result<Value, String> {
        Ok(match schema {
            Value::Object(members) => {
                let mut all = Map::new();
                // That a member without a value is null needs no saying, and makes generators ask for it.
                let is_published =
                    |key: &str, value: &Value| key != "$schema" && !(key == "default" && value.is_null());
                for (key, value) in members.iter().filter(|(key, value)| is_published(key, value)) {
                    let value = match value {
                        Value::String(reference) if key == "$ref" => {
                            let name = refs::name(reference).ok_or("a reference is of the form #/$defs/Name")?;
                            let component =
                                self.names.get(&(module, name)).ok_or_else(|| format!("there is no schema {name}"))?;
                            Value::String(format!("#/components/schemas/{component}"))
                        }
                        Value::Object(stated) if key == "properties" => self.rewrite_members(module, stated)?,
                        value => self.rewrite(module, value)?,
                    };
                    all.insert(key.clone(), value);
                }
                let is_closed = all.get("additionalProperties") == Some(&Value::Bool(false));
                if let (Some(Value::Object(stated)), Some(words)) = (all.get_mut("properties"), self.words.get(module))
                {
                    words.describe_members(stated);
                    if is_closed {
                        // A member that may only be null has no use. Generators make a type of it that they do not write.
                        stated.retain(|_, member| member.get("type").and_then(Value::as_str) != Some("null"));
                        stated.values_mut().for_each(tell_default);
                    }
                }
                Value::Object(all)
            }
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.rewrite(module, item)).collect::<Result<_, _>>()?)
            }
            other => other.clone(),
        })
    }

    /// The same of an object's members. One that is a place has the members of the modules that show something there,
    /// and is left out where none does.
    fn rewrite_members(&self, module: &str, members: &Map<String, Value>) -> Result<Value, String> {
        let mut all = Map::new();
        for (name, schema) in members {
            match schema.get(PLACE).and_then(Value::as_str) {
                None => drop(all.insert(name.clone(), self.rewrite(module, schema)?)),
                Some(place) => {
                    let Some(shown) = self.shown.get(place) else { continue };
                    let properties: Map<String, Value> = shown
                        .iter()
                        .map(|(module, schema)| Ok(((*module).to_owned(), self.rewrite(module, schema)?)))
                        .collect::<Result<_, String>>()?;
                    let description = schema.get("description").and_then(Value::as_str).unwrap_or(PLACE_DESCRIPTION);
                    let member = json!({"type": "object", "description": description, "properties": properties});
                    all.insert(name.clone(), member);
                }
            }
        }
        Ok(Value::Object(all))
    }

    /// The same of a parameter.
    pub fn rewrite_parameter(&self, module: &str, name: &str, schema: &Value) -> Result<Value, String> {
        let mut schema = self.rewrite(module, schema)?;
        if let Some(words) = self.words.get(module) {
            words.describe(name, &mut schema);
        }
        Ok(schema)
    }

    /// A body's schema. One that a route spells out gets a name, since generators make poor types of anonymous objects.
    pub fn add_named(&mut self, module: &str, schema: &Value, name: &str) -> Result<Value, String> {
        let written = self.rewrite(module, schema)?;
        let is_structure =
            ["properties", "items", "allOf", "anyOf", "oneOf"].iter().any(|key| written.get(*key).is_some());
        if is_structure { self.add(module, written, name) } else { Ok(written) }
    }

    /// Makes a schema that refers only to components a component, under this name or one like it.
    pub fn add(&mut self, module: &str, schema: Value, name: &str) -> Result<Value, String> {
        let component = self.take_name(module, name)?;
        let reference = json!({"$ref": format!("#/components/schemas/{component}")});
        self.components.insert(component, schema);
        Ok(reference)
    }

    /// Takes this name for a component, or if another has it, one like it. A name of another module is not changed for
    /// a partner's module: clients would find their types under other names when it comes or leaves.
    pub fn take_name(&mut self, module: &str, name: &str) -> Result<String, String> {
        if let Some(owner) = self.owners.get(name).filter(|owner| *owner != module)
            && [module, owner].iter().any(|either| self.partners.contains(either))
        {
            return Err(format!("{module}: schema `{name}` is claimed twice: `{owner}` has another of this name"));
        }
        let component = unique(module, name, |name| self.owners.contains_key(name));
        self.owners.insert(component.clone(), module.to_owned());
        Ok(component)
    }

    pub fn into_components(self) -> Value {
        Value::Object(self.components.into_iter().collect())
    }
}

/// The modules that show members at each place that the operations or the schemas of a module have.
fn find_shown<'a>(
    modules: &[DocumentedModule<'a>],
    operations: &[DocumentedOperation<'a>],
) -> BTreeMap<&'a str, BTreeMap<&'a str, &'a Value>> {
    let mut shown: BTreeMap<&str, BTreeMap<&str, &Value>> = BTreeMap::new();
    for module in modules {
        for one in module.shows {
            shown.entry(&one.place).or_default().insert(module.name, &one.schema);
        }
    }
    let responses = operations.iter().map(|op| &op.route.response);
    let schemas: Vec<&Value> = modules.iter().flat_map(|module| module.schemas.values()).chain(responses).collect();
    shown.retain(|place, _| schemas.iter().any(|schema| has_place(schema, place)));
    shown
}

fn has_place(schema: &Value, place: &str) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(|item| has_place(item, place)),
        Value::Object(members) => {
            members.get(PLACE).and_then(Value::as_str) == Some(place)
                || members.values().any(|member| has_place(member, place))
        }
        _ => false,
    }
}

/// Says the default of a request's member in its description and as `x-default`. Generators turn a member with `default`
/// into one that every caller has to send. The schema that bodies are judged by keeps the keyword: the host fills it in.
fn tell_default(member: &mut Value) {
    let Some(keywords) = member.as_object_mut() else { return };
    let Some(default) = keywords.shift_remove("default") else { return };
    let text = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
    let sentence = format!("Default: `{text}`.");
    let description = match keywords.get("description").and_then(Value::as_str) {
        Some(said) => format!("{said} {sentence}"),
        None => sentence,
    };
    keywords.insert("description".into(), description.into());
    keywords.insert("x-default".into(), default);
}

/// Numbers the schemas so that equal numbers mean one component: same name, same text, and references to the same.
fn kinds(needed: &[Needed]) -> Vec<usize> {
    fn number<K: std::hash::Hash + Eq>(keys: impl Iterator<Item = K>) -> (Vec<usize>, usize) {
        let mut seen = HashMap::new();
        let numbers = keys.map(|key| {
            let next = seen.len();
            *seen.entry(key).or_insert(next)
        });
        let numbers: Vec<usize> = numbers.collect();
        let count = seen.len();
        (numbers, count)
    }
    let (mut kinds, mut count) = number(needed.iter().map(|entry| (entry.name, canonical::text(entry.schema))));
    loop {
        let reported = needed.iter().zip(&kinds).map(|(entry, kind)| {
            let uses: Vec<usize> = entry.uses.iter().filter_map(|used| kinds.get(*used).copied()).collect();
            (*kind, uses)
        });
        let (finer, finer_count) = number(reported);
        if finer_count == count {
            return finer;
        }
        (kinds, count) = (finer, finer_count);
    }
}

/// `name`, or if that is taken `ModuleName`, or that with a number.
fn unique(module: &str, name: &str, taken: impl Fn(&String) -> bool) -> String {
    let prefixed = format!("{}{name}", pascal(module));
    let mut candidates = [name.to_owned(), prefixed.clone()].into_iter().chain((2..).map(|n| format!("{prefixed}{n}")));
    candidates.find(|candidate| !taken(candidate)).unwrap_or(prefixed)
}

/// `price-list`, `createProduct` or `price.created` as `PriceList`, `CreateProduct`, `PriceCreated`.
pub fn pascal(name: &str) -> String {
    name.split(['-', '_', '.'])
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters)
        })
        .collect()
}
