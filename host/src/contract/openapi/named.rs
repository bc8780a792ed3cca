//! Names for what schemas state in place and generators need names for: enumerations with a title, and the branches of a
//! union that a member distinguishes. Only the document changes: the code that judges a request keeps the values in
//! place, so that a rejection lists them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::schemas::{Schemas, pascal};

const SCHEMAS: &str = "#/components/schemas/";

/// Keywords of an enumeration that the place keeps when the values move.
const OF_THE_PLACE: &[&str] = &["description", "default", "x-default", "deprecated"];

/// Keywords below which there are values and no schemas.
const VALUES: &[&str] = &["default", "x-default", "const", "enum", "example", "examples", "discriminator", "required"];

/// An enumeration: the partner's module that it is of, its title and its values.
type Enumeration = (Option<String>, String, Vec<String>);

/// Gives every titled branch of a union a component, and the union its `discriminator`, where a required member has one
/// constant value in each branch.
pub fn name_branches(schemas: &mut Schemas) -> Result<(), String> {
    let names: Vec<String> = schemas.components.keys().cloned().collect();
    for name in names {
        let Some((_, module)) = schemas.owner(&name) else { continue };
        let Some(mut schema) = schemas.components.get_mut(&name).map(std::mem::take) else { continue };
        name_unions(&mut schema, &module, schemas)?;
        schemas.components.insert(name, schema);
    }
    Ok(())
}

fn name_unions(schema: &mut Value, module: &str, schemas: &mut Schemas) -> Result<(), String> {
    match schema {
        Value::Object(keywords) => {
            for (_, value) in keywords.iter_mut().filter(|(keyword, _)| !VALUES.contains(&keyword.as_str())) {
                name_unions(value, module, schemas)?;
            }
            name_union(keywords, module, schemas)
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| name_unions(item, module, schemas)),
        _ => Ok(()),
    }
}

fn name_union(union: &mut Map<String, Value>, module: &str, schemas: &mut Schemas) -> Result<(), String> {
    let Some(Value::Array(branches)) = union.get_mut("oneOf") else { return Ok(()) };
    let Some((member, values)) = find_tag(branches, &schemas.components) else { return Ok(()) };
    let mut mapping = Map::new();
    for (branch, value) in branches.iter_mut().zip(values) {
        if let Some(title) = branch.as_object_mut().and_then(|keywords| keywords.shift_remove("title")) {
            let component = schemas.take_name(module, title.as_str().unwrap_or_default())?;
            let reference = json!({"$ref": format!("{SCHEMAS}{component}")});
            schemas.components.insert(component, std::mem::replace(branch, reference));
        }
        mapping.insert(value, branch.get("$ref").cloned().unwrap_or_default());
    }
    union.insert("discriminator".into(), json!({"propertyName": member, "mapping": mapping}));
    Ok(())
}

/// The member that distinguishes the branches, and its value in each: required, constant, and different everywhere.
/// Every branch is a component or can become one.
fn find_tag(branches: &[Value], components: &BTreeMap<String, Value>) -> Option<(String, Vec<String>)> {
    let resolved: Option<Vec<&Value>> = branches
        .iter()
        .map(|branch| match branch.get("$ref").and_then(Value::as_str) {
            Some(reference) => components.get(reference.strip_prefix(SCHEMAS)?),
            None => branch.get("title").and_then(Value::as_str).filter(|title| is_name(title)).map(|_| branch),
        })
        .collect();
    let resolved = resolved.filter(|branches| branches.len() > 1)?;
    let members = resolved.first()?.get("properties")?.as_object()?;
    members.keys().find_map(|member| {
        let values: Option<Vec<String>> = resolved.iter().map(|branch| constant(branch, member)).collect();
        let values = values?;
        let differ = values.iter().collect::<BTreeSet<_>>().len() == values.len();
        differ.then(|| (member.clone(), values))
    })
}

/// The one text that a required member may have.
fn constant(branch: &Value, member: &str) -> Option<String> {
    let required = branch.get("required")?.as_array()?;
    let schema = branch.get("properties")?.get(member)?;
    let only = schema.get("enum").and_then(Value::as_array).filter(|values| values.len() == 1);
    let value = schema.get("const").or_else(|| only.and_then(|values| values.first()))?;
    required.iter().any(|name| name == member).then(|| value.as_str().map(str::to_owned)).flatten()
}

/// Moves every titled enumeration of the components and parameters to a component of its title. Equal ones are one
/// component. Where different ones have one title, the first keeps it, in the order of the modules. Those of a partner's
/// module always bear its name, so that no other name depends on them.
pub fn name_enumerations(schemas: &mut Schemas, paths: &mut Map<String, Value>) -> Result<(), String> {
    let mut found: Vec<(usize, String, Enumeration)> = Vec::new();
    for (name, schema) in &schemas.components {
        let Some((rank, module)) = schemas.owner(name) else { continue };
        let partner = schemas.is_by_partner(&module).then(|| module.clone());
        let mut all = Vec::new();
        collect_enumerations(schema, partner.as_deref(), &mut all);
        found.extend(all.into_iter().map(|one| (rank, module.clone(), one)));
    }
    for operation in paths.values().filter_map(Value::as_object).flat_map(Map::values) {
        let module = module_of(operation);
        let (rank, partner) = (schemas.rank(module), schemas.is_by_partner(module).then_some(module));
        let mut all = Vec::new();
        collect_enumerations(&operation["parameters"], partner, &mut all);
        found.extend(all.into_iter().map(|one| (rank, module.to_owned(), one)));
    }
    // The components of a module come before its parameters, by name.
    found.sort_by_key(|(rank, ..)| *rank);
    let mut names: BTreeMap<Enumeration, String> = BTreeMap::new();
    for (_, module, one) in found {
        if names.contains_key(&one) {
            continue;
        }
        let (partner, title, values) = &one;
        let prefix =
            partner.as_deref().map(pascal).filter(|prefix| !title.starts_with(prefix.as_str())).unwrap_or_default();
        let component = schemas.take_name(&module, &format!("{prefix}{title}"))?;
        schemas.components.insert(component.clone(), json!({"type": "string", "enum": values}));
        names.insert(one, component);
    }
    let owners: Vec<(String, Option<String>)> = schemas
        .components
        .keys()
        .filter_map(|name| {
            let (_, module) = schemas.owner(name)?;
            Some((name.clone(), Some(module).filter(|module| schemas.is_by_partner(module))))
        })
        .collect();
    for (name, partner) in owners {
        if let Some(schema) = schemas.components.get_mut(&name) {
            move_enumerations(schema, partner.as_deref(), &names);
        }
    }
    for operation in paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        let module = module_of(operation).to_owned();
        let partner = schemas.is_by_partner(&module).then_some(module.as_str());
        if let Some(parameters) = operation.get_mut("parameters") {
            move_enumerations(parameters, partner, &names);
        }
    }
    Ok(())
}

fn module_of(operation: &Value) -> &str {
    operation["tags"].get(0).and_then(Value::as_str).unwrap_or_default()
}

fn collect_enumerations(schema: &Value, partner: Option<&str>, found: &mut Vec<Enumeration>) {
    match schema {
        Value::Object(keywords) => {
            if let Some((title, values, _)) = read_enumeration(keywords) {
                found.push((partner.map(str::to_owned), title, values));
            }
            for (keyword, value) in keywords {
                if !VALUES.contains(&keyword.as_str()) {
                    collect_enumerations(value, partner, found);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_enumerations(item, partner, found)),
        _ => {}
    }
}

fn move_enumerations(schema: &mut Value, partner: Option<&str>, names: &BTreeMap<Enumeration, String>) {
    match schema {
        Value::Object(keywords) => {
            if let Some((title, values, is_nullable)) = read_enumeration(keywords)
                && let Some(component) = names.get(&(partner.map(str::to_owned), title, values))
            {
                let reference = json!({"$ref": format!("{SCHEMAS}{component}")});
                keywords.retain(|keyword, _| OF_THE_PLACE.contains(&keyword.as_str()));
                let (keyword, value) = match (is_nullable, reference) {
                    (true, reference) => ("anyOf", json!([reference, {"type": "null"}])),
                    (false, reference) => ("$ref", reference["$ref"].clone()),
                };
                keywords.insert(keyword.into(), value);
                return;
            }
            for (keyword, value) in keywords {
                if !VALUES.contains(&keyword.as_str()) {
                    move_enumerations(value, partner, names);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| move_enumerations(item, partner, names)),
        _ => {}
    }
}

/// Title and values of an enumeration of at least two texts that limits its values in no other way, and whether null is
/// allowed too. A single value stays in place: there it distinguishes the branches of a union.
fn read_enumeration(keywords: &Map<String, Value>) -> Option<(String, Vec<String>, bool)> {
    let is_plain = |keyword: &String| {
        ["title", "type", "enum"].contains(&keyword.as_str()) || OF_THE_PLACE.contains(&keyword.as_str())
    };
    let title = keywords.get("title")?.as_str().filter(|title| is_name(title))?;
    let stated = keywords.get("enum")?.as_array().filter(|_| keywords.keys().all(is_plain))?;
    let is_nullable = stated.iter().any(Value::is_null);
    let values = stated.iter().filter(|value| !value.is_null()).map(|value| value.as_str().map(str::to_owned));
    let values = values.collect::<Option<Vec<String>>>().filter(|values| values.len() > 1)?;
    Some((title.to_owned(), values, is_nullable))
}

/// Returns whether a title can name a type.
fn is_name(title: &str) -> bool {
    title.starts_with(|first: char| first.is_ascii_uppercase())
        && title.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
