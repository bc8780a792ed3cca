//! The tree of fields that a schema has.

use serde_json::Value;

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
    Text {
        long: bool,
    },
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
    Rows {
        item: Box<Field<'a>>,
        least: usize,
        most: usize,
    },
    /// The value of `property` chooses the fields.
    Branches {
        property: &'a str,
        branches: Vec<(&'a str, Vec<Field<'a>>)>,
    },
    Json,
    Fixed(&'a Value),
}

impl<'a> Field<'a> {
    /// The field of an operation's body. None: the operation takes none.
    /// `known`: the parameters of its path.
    pub fn of_body(site: &'a Site, operation: &'a Operation, known: &'a [(String, String)]) -> Option<Field<'a>> {
        Some(Source { site, operation, known }.make("", operation.body.as_ref()?, true, 0))
    }

    pub fn of_parameter(site: &'a Site, operation: &'a Operation, parameter: &'a Parameter) -> Field<'a> {
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

    /// The fields in it; none of a field that has one control.
    pub fn members(&self) -> Vec<&Field<'a>> {
        match &self.kind {
            Kind::Object(members) => members.iter().collect(),
            Kind::Rows { item, .. } => vec![&**item],
            Kind::Branches { branches, .. } => branches.iter().flat_map(|(_, members)| members).collect(),
            _ => Vec::new(),
        }
    }

    /// True if its value may be absent or null.
    pub fn may_lack(&self) -> bool {
        !self.required || self.nullable
    }

    /// The value of a field in which nothing was typed. None: it is left out.
    pub fn blank(&self) -> Option<Value> {
        match (self.required, self.nullable) {
            (false, _) => None,
            (true, true) => Some(Value::Null),
            // The host rejects it at this field.
            (true, false) => Some(Value::String(String::new())),
        }
    }
}

/// The schemas of a union.
fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array)
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
        let described = schema.get("description").or_else(|| inner.get("description")).and_then(Value::as_str);
        let default = ["x-default", "default"].iter().find_map(|key| schema.get(*key).or_else(|| inner.get(*key)));
        let kind = match resolved.kind() {
            "boolean" if inner.get("const").is_none() && inner.get("enum").is_none() => {
                let default = default.and_then(Value::as_bool);
                Kind::Boolean(if nullable { None } else { default.or(required.then_some(false)) })
            }
            kind => self.find_kind(name, (inner, kind), required && !nullable, depth),
        };
        let help = words::first_sentence(described.unwrap_or_default());
        Field { name, label: words::to_label(name), help, required, nullable, kind }
    }

    fn find_kind(&self, name: &'a str, (schema, kind): (&'a Value, &str), must_have: bool, depth: usize) -> Kind<'a> {
        let values = schema.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        let values = values.or_else(|| schema.get("const").map(std::slice::from_ref));
        if let Some(values) = values {
            return match values {
                [value] if must_have => Kind::Fixed(value),
                _ => texts(values).map_or(Kind::Json, Kind::Choice),
            };
        }
        if depth > DEEPEST {
            return Kind::Json;
        }
        if let Some(alternatives) = alternatives(schema) {
            return self.find_branches(schema, alternatives, depth);
        }
        match kind {
            "integer" => Kind::Integer,
            "string" => self.find_text(name, schema),
            "array" => self.find_list(name, schema, depth),
            "object" => match schema.get("additionalProperties") {
                // An object without members, such as the body of a transition.
                Some(Value::Bool(false)) => Kind::Object(self.list_members(schema, None, depth)),
                _ if schema.get("properties").is_some() => Kind::Object(self.list_members(schema, None, depth)),
                _ => Kind::Json,
            },
            _ => Kind::Json,
        }
    }

    fn find_text(&self, name: &str, schema: &'a Value) -> Kind<'a> {
        let text = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        let rules = schema.get("x-normalize").and_then(Value::as_array);
        if rules.is_some_and(|rules| rules.iter().any(|rule| rule == "decimal")) {
            return Kind::Decimal;
        }
        match text("format") {
            "date" => Kind::Date,
            "date-time" => Kind::Instant,
            "uuid" => match self.site.refers_at(self.operation, self.known, name) {
                Some(collection) => Kind::Reference(collection),
                None => Kind::Text { long: false },
            },
            // A pattern that leaves out line feeds where it lists control characters takes them.
            _ => {
                let most = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(0);
                Kind::Text { long: most > LONG || text("pattern").contains(r"\x08\x0b") }
            }
        }
    }

    fn find_list(&self, name: &'a str, schema: &'a Value, depth: usize) -> Kind<'a> {
        let Some(items) = schema.get("items") else { return Kind::Json };
        let bound = |key: &str, none: u64| schema.get(key).and_then(Value::as_u64).unwrap_or(none) as usize;
        let item = self.make(name, items, true, depth + 1);
        match item.kind {
            Kind::Choice(values) => Kind::Choices(values),
            Kind::Reference(collection) => Kind::References(collection),
            Kind::Text { .. } | Kind::Date => Kind::Lines,
            Kind::Object(_) | Kind::Branches { .. } => {
                let most = bound("maxItems", MOST_ROWS as u64).min(MOST_ROWS);
                Kind::Rows { item: Box::new(item), least: bound("minItems", 0).min(most), most }
            }
            // An enumeration with one value.
            Kind::Fixed(Value::String(value)) => Kind::Choices(vec![value.as_str()]),
            _ => Kind::Json,
        }
    }

    fn find_branches(&self, schema: &'a Value, alternatives: &'a [Value], depth: usize) -> Kind<'a> {
        let branches: Vec<&'a Value> = alternatives.iter().map(|one| self.site.resolve(one).schema).collect();
        if branches.iter().any(|branch| branch.get("format").is_some_and(|format| format == "date")) {
            return Kind::Date;
        }
        let stated = schema.pointer("/discriminator/propertyName").and_then(Value::as_str);
        let Some(property) = stated.or_else(|| find_shared_property(&branches)) else { return Kind::Json };
        let make = |branch: &&'a Value| {
            let value = find_constant(branch, property)?;
            Some((value, self.list_members(branch, Some(property), depth)))
        };
        match branches.iter().map(make).collect::<Option<Vec<_>>>() {
            Some(branches) => Kind::Branches { property, branches },
            None => Kind::Json,
        }
    }

    fn list_members(&self, schema: &'a Value, without: Option<&str>, depth: usize) -> Vec<Field<'a>> {
        let required: Vec<&str> =
            schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        members
            .filter(|(name, _)| Some(name.as_str()) != without)
            .map(|(name, member)| self.make(name, member, required.contains(&name.as_str()), depth + 1))
            .collect()
    }
}

/// All of them as texts, null left out.
fn texts(values: &[Value]) -> Option<Vec<&str>> {
    values.iter().filter(|value| !value.is_null()).map(Value::as_str).collect()
}

/// The member that has one value in each branch.
fn find_shared_property<'a>(branches: &[&'a Value]) -> Option<&'a str> {
    let members = branches.first()?.get("properties")?.as_object()?;
    let is_shared = |name: &str| branches.iter().all(|branch| find_constant(branch, name).is_some());
    members.keys().map(String::as_str).find(|name| is_shared(name))
}

fn find_constant<'a>(branch: &'a Value, property: &str) -> Option<&'a str> {
    let member = branch.get("properties")?.get(property)?;
    match (member.get("const"), member.get("enum").and_then(Value::as_array).map(Vec::as_slice)) {
        (Some(value), _) | (None, Some([value])) => value.as_str(),
        _ => None,
    }
}
