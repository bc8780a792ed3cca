//! The places of ids in a request: in the path, in the query, anywhere in the body, found by walking the contract.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value as Json;
use stoa_tests::contract::{Contract, Operation};

/// One way to call an operation: names of kinds in its path settled, one alternative of its body chosen.
#[derive(Clone)]
pub struct Form {
    pub operation: Operation,
    /// Path parameters that take one of a few words, with the word.
    pub settled: Vec<(String, String)>,
    /// Which alternative of the body, where there are several.
    pub alternative: Option<String>,
    pub body: Option<Json>,
}

/// A field that holds an id.
pub struct Field {
    pub place: Place,
    pub name: String,
    /// True for a parameter that no request is without.
    pub required: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The company in the path.
    Tenant,
    Path(String),
    Query(String),
    /// A pointer into the body; an array's members are at `0`.
    Body(String),
}

impl Form {
    /// The path's template with the settled words in it, below the company: `catalog/lookups/brands/{id}`.
    pub fn template(&self) -> String {
        let path = &self.operation.path;
        let below = path.strip_prefix("/v1/tenants/{tenantId}/").or(path.strip_prefix("/v1/api-client/"));
        let mut template = below.unwrap_or(path).to_string();
        for (name, word) in &self.settled {
            template = template.replace(&format!("{{{name}}}"), word);
        }
        template
    }
}

/// Every form of an operation.
pub fn forms(contract: &Contract, operation: &Operation) -> Vec<Form> {
    let mut settled: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for parameter in contract.parameters(operation).filter(|parameter| parameter["in"] == "path") {
        let schema = contract.resolve(&parameter["schema"]);
        let words: Vec<&str> = schema["enum"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        if !words.is_empty() {
            let name = parameter["name"].as_str().unwrap_or_default();
            let with = |word: &str| {
                settled
                    .iter()
                    .map(|known| [known.clone(), vec![(name.into(), word.into())]].concat())
                    .collect::<Vec<_>>()
            };
            settled = words.into_iter().flat_map(with).collect();
        }
    }
    let body = contract.resolve(&operation.document["requestBody"]);
    let schema = &body["content"]["application/json"]["schema"];
    let bodies: Vec<(Option<String>, Option<Json>)> = match schema {
        Json::Null => vec![(None, None)],
        schema => alternatives(contract, schema).into_iter().map(|(label, body)| (label, Some(body))).collect(),
    };
    let mut forms = Vec::new();
    for settled in &settled {
        for (alternative, body) in &bodies {
            forms.push(Form {
                operation: operation.clone(),
                settled: settled.clone(),
                alternative: alternative.clone(),
                body: body.clone(),
            });
        }
    }
    forms
}

/// The alternatives of a body, each with the constant that distinguishes it from the others.
fn alternatives(contract: &Contract, schema: &Json) -> Vec<(Option<String>, Json)> {
    let schema = contract.resolve(schema);
    let listed = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
    let Some(listed) = listed else { return vec![(None, schema.clone())] };
    let alternative = |(n, one): (usize, &Json)| {
        let one = contract.resolve(one);
        let members = one["properties"].as_object().into_iter().flatten();
        let reported = members.map(|(_, member)| contract.resolve(member)).find_map(|member| {
            let only = member["enum"].as_array().filter(|words| words.len() == 1).and_then(|words| words.first());
            member["const"].as_str().or(only.and_then(Json::as_str)).map(String::from)
        });
        (Some(reported.unwrap_or_else(|| n.to_string())), one.clone())
    };
    listed.iter().enumerate().map(alternative).collect()
}

/// Every field of a form that holds an id.
pub fn fields(contract: &Contract, form: &Form) -> Vec<Field> {
    let mut fields = Vec::new();
    for parameter in contract.parameters(&form.operation) {
        let name = parameter["name"].as_str().unwrap_or_default().to_string();
        if contract.resolve(&parameter["schema"])["format"] != "uuid" {
            continue;
        }
        let place = match parameter["in"].as_str() {
            Some("path") if name == "tenantId" => Place::Tenant,
            Some("path") => Place::Path(name.clone()),
            Some("query") => Place::Query(name.clone()),
            // The key of a retry is the caller's own.
            _ => continue,
        };
        fields.push(Field { place, name, required: parameter["required"] == true });
    }
    if let Some(body) = &form.body {
        let mut pointers = Vec::new();
        walk(contract, body, "", 0, &mut pointers);
        // Branches of a union have the same members.
        let mut known = BTreeSet::new();
        pointers.retain(|pointer| known.insert(pointer.clone()));
        for pointer in pointers {
            let named = pointer.rsplit('/').find(|part| *part != "0").unwrap_or_default();
            // An array's name says what its members are: `variantIds`.
            let name = named.strip_suffix("Ids").map_or(named.to_string(), |one| format!("{one}Id"));
            fields.push(Field { place: Place::Body(pointer), name, required: false });
        }
    }
    fields
}

fn walk(contract: &Contract, schema: &Json, pointer: &str, depth: u32, found: &mut Vec<String>) {
    let schema = contract.resolve(schema);
    // A schema may hold itself.
    if depth > 12 {
        return;
    }
    if schema["format"] == "uuid" {
        found.push(pointer.to_string());
    }
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        walk(contract, member, &format!("{pointer}/{name}"), depth + 1, found);
    }
    if schema["items"].is_object() {
        walk(contract, &schema["items"], &format!("{pointer}/0"), depth + 1, found);
    }
    for several in ["oneOf", "anyOf", "allOf", "prefixItems"] {
        for one in schema[several].as_array().into_iter().flatten() {
            walk(contract, one, pointer, depth + 1, found);
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.operation.id)?;
        for (name, word) in &self.settled {
            write!(out, " {name}={word}")?;
        }
        match &self.alternative {
            Some(alternative) => write!(out, " {alternative}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Tenant => write!(out, "path tenantId"),
            Place::Path(name) => write!(out, "path {name}"),
            Place::Query(name) => write!(out, "query {name}"),
            Place::Body(pointer) => write!(out, "body {pointer}"),
        }
    }
}
