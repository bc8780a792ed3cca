//! The tree of fields that a schema has.

use serde_json::Value;

use super::Values;
use crate::site::collection::Collection;
use crate::site::operation::{Operation, Parameter};
use crate::site::{Site, words};

/// A schema below this depth is a field of JSON.
const DEEPEST: usize = 6;
/// Rows of a list in a form, at most.
const MOST_ROWS: usize = 100;
/// Characters above which a text has a field of several lines.
const LONG: u64 = 300;

pub struct Field<'a> {
    pub name: &'a str,
    pub label: String,
    pub help: &'a str,
    pub required: bool,
    pub nullable: bool,
    pub kind: Kind<'a>,
}

pub enum Kind<'a> {
    /// True: it has several lines.
    Text(bool),
    Decimal,
    Integer,
    /// A check box with this default. None: true, false, or not stated.
    Boolean(Option<bool>),
    Choice(Vec<&'a str>),
    /// A list of values of an enumeration.
    Choices(Vec<&'a str>),
    /// A list of texts.
    Lines,
    Date,
    Instant,
    Reference(&'a Collection),
    References(&'a Collection),
    Object(Vec<Field<'a>>),
    /// A list of this field, with its least and its greatest number.
    Rows(Box<Field<'a>>, usize, usize),
    /// The value of a member chooses the fields.
    Branches(&'a str, Vec<(&'a str, Vec<Field<'a>>)>),
    Json,
    Fixed(&'a Value),
}

impl<'a> Field<'a> {
    /// The field of an operation's body. None: the operation takes none. `known`: the parameters of its path.
    pub fn from_body(site: &'a Site, operation: &'a Operation, known: &'a [(String, String)]) -> Option<Field<'a>> {
        Some(Source { site, operation, known }.make("", operation.body.as_ref()?, true, 0))
    }

    pub fn from_parameter(site: &'a Site, operation: &'a Operation, parameter: &'a Parameter) -> Field<'a> {
        let source = Source { site, operation, known: &[] };
        let mut field = source.make(&parameter.name, &parameter.schema, parameter.required, 0);
        // A parameter that is absent is not false, and its default is the operation's.
        if let Kind::Boolean(default) = &mut field.kind {
            *default = None;
        }
        if field.help.is_empty() {
            field.help = words::first_sentence(&parameter.description);
        }
        field
    }

    /// The fields in it; none for a field with one control.
    pub fn members(&self) -> Vec<&Field<'a>> {
        match &self.kind {
            Kind::Object(members) => members.iter().collect(),
            Kind::Rows(item, ..) => vec![&**item],
            Kind::Branches(_, branches) => branches.iter().flat_map(|(_, members)| members).collect(),
            _ => Vec::new(),
        }
    }

    /// Those that a form has, with their pointers: of each row, and of the branch that is chosen.
    pub fn members_at(&self, pointer: &str, values: &Values<'_>) -> Vec<(String, &Field<'a>)> {
        let members = match &self.kind {
            Kind::Rows(item, ..) => {
                let rows = 0..values.count(pointer);
                return rows.map(|row| (format!("{pointer}/{row}"), &**item)).collect();
            }
            Kind::Branches(property, branches) => {
                let chosen = values.text(&format!("v{pointer}/{property}"));
                let branch = branches.iter().find(|(value, _)| *value == chosen);
                branch.into_iter().flat_map(|(_, members)| members).collect()
            }
            _ => self.members(),
        };
        members.into_iter().map(|member| (format!("{pointer}/{}", member.name), member)).collect()
    }

    /// The collection to which its values refer.
    pub fn collection(&self) -> Option<&'a Collection> {
        match self.kind {
            Kind::Reference(collection) | Kind::References(collection) => Some(collection),
            _ => None,
        }
    }
}

struct Source<'a> {
    site: &'a Site,
    operation: &'a Operation,
    known: &'a [(String, String)],
}

impl<'a> Source<'a> {
    fn make(&self, name: &'a str, schema: &'a Value, required: bool, depth: usize) -> Field<'a> {
        let resolved = self.site.resolve(schema);
        let (inner, nullable) = (resolved.schema, resolved.nullable);
        let find = |key: &str| schema.get(key).or_else(|| inner.get(key));
        let mut kind = self.find_kind(name, inner, resolved.kind(), depth);
        match kind {
            Kind::Boolean(_) if !nullable => {
                kind = Kind::Boolean(find("x-default").and_then(Value::as_bool).or(required.then_some(false)));
            }
            Kind::Fixed(value) if nullable || !required => {
                kind = value.as_str().map_or(Kind::Json, |value| Kind::Choice(vec![value]));
            }
            _ => {}
        }
        let help = words::first_sentence(find("description").and_then(Value::as_str).unwrap_or_default());
        Field { name, label: words::to_label(name), help, required, nullable, kind }
    }

    fn find_kind(&self, name: &'a str, schema: &'a Value, kind: &str, depth: usize) -> Kind<'a> {
        if let Some(value) = find_constant(schema) {
            return Kind::Fixed(value);
        }
        if let Some(values) = list(schema, "enum") {
            let texts = values.iter().filter(|value| !value.is_null()).map(Value::as_str);
            return texts.collect::<Option<_>>().map_or(Kind::Json, Kind::Choice);
        }
        if depth > DEEPEST {
            return Kind::Json;
        }
        if let Some(alternatives) = list(schema, "oneOf").or_else(|| list(schema, "anyOf")) {
            return self.find_branches(alternatives, depth);
        }
        match kind {
            "boolean" => Kind::Boolean(None),
            "integer" => Kind::Integer,
            "string" => self.find_text(name, schema),
            "array" => self.find_list(name, schema, depth),
            // Without members: the body of a transition.
            "object"
                if schema.get("properties").is_some() || schema.get("additionalProperties") == Some(&false.into()) =>
            {
                Kind::Object(self.list_members(schema, None, depth))
            }
            _ => Kind::Json,
        }
    }

    fn find_text(&self, name: &str, schema: &'a Value) -> Kind<'a> {
        let text = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        if list(schema, "x-normalize").is_some_and(|rules| rules.iter().any(|rule| rule == "decimal")) {
            return Kind::Decimal;
        }
        match text("format") {
            "date" => Kind::Date,
            "date-time" => Kind::Instant,
            "uuid" => {
                let collection = self.site.refers_at(self.operation, self.known, name);
                collection.map_or(Kind::Text(false), Kind::Reference)
            }
            // A pattern that leaves out line feeds where it lists control characters takes them.
            _ => Kind::Text(
                schema.get("maxLength").and_then(Value::as_u64) > Some(LONG) || text("pattern").contains(r"\x08\x0b"),
            ),
        }
    }

    fn find_list(&self, name: &'a str, schema: &'a Value, depth: usize) -> Kind<'a> {
        let Some(items) = schema.get("items") else { return Kind::Json };
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok());
        let item = self.make(name, items, true, depth + 1);
        match item.kind {
            Kind::Choice(values) => Kind::Choices(values),
            // An enumeration with one value.
            Kind::Fixed(Value::String(value)) => Kind::Choices(vec![value]),
            Kind::Reference(collection) => Kind::References(collection),
            Kind::Text(_) | Kind::Date => Kind::Lines,
            Kind::Object(_) | Kind::Branches(..) => {
                let most = bound("maxItems").unwrap_or(MOST_ROWS).min(MOST_ROWS);
                Kind::Rows(Box::new(item), bound("minItems").unwrap_or(0).min(most), most)
            }
            _ => Kind::Json,
        }
    }

    /// The branches of a union: one member has another constant in each.
    fn find_branches(&self, alternatives: &'a [Value], depth: usize) -> Kind<'a> {
        let branches: Vec<&'a Value> = alternatives.iter().map(|one| self.site.resolve(one).schema).collect();
        if branches.iter().any(|branch| branch.get("format").is_some_and(|format| format == "date")) {
            return Kind::Date;
        }
        let value = |branch: &&'a Value, name: &str| find_constant(branch.get("properties")?.get(name)?)?.as_str();
        let members = branches.first().and_then(|branch| branch.get("properties")?.as_object()).into_iter().flatten();
        let mut names = members.map(|(name, _)| name.as_str());
        let Some(property) = names.find(|name| branches.iter().all(|branch| value(branch, name).is_some())) else {
            return Kind::Json;
        };
        let branches = branches
            .iter()
            .filter_map(|branch| Some((value(branch, property)?, self.list_members(branch, Some(property), depth))));
        Kind::Branches(property, branches.collect())
    }

    fn list_members(&self, schema: &'a Value, without: Option<&str>, depth: usize) -> Vec<Field<'a>> {
        let required = list(schema, "required").unwrap_or_default();
        let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        members
            .filter(|(name, _)| Some(name.as_str()) != without)
            .map(|(name, member)| self.make(name, member, required.iter().any(|one| one == name), depth + 1))
            .collect()
    }
}

/// A keyword of a schema that is a list.
fn list<'a>(schema: &'a Value, key: &str) -> Option<&'a [Value]> {
    schema.get(key)?.as_array().map(Vec::as_slice)
}

/// The only value of a schema.
fn find_constant(schema: &Value) -> Option<&Value> {
    schema.get("const").or_else(|| list(schema, "enum").filter(|values| values.len() == 1)?.first())
}
