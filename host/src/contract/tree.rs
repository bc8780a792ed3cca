//! A schema compiled for walking: what to trim, to rewrite and to fill in, and what each place demands. The walk of a request
//! follows this tree together with the body and looks nothing up in the schema's text.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::OnceLock,
};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value};

use super::bounds::Bounds;
use super::{format, refs};

/// A node's position in its tree.
pub type Id = usize;

pub struct Tree {
    nodes: Vec<Node>,
    pub root: Id,
    defs: Map<String, Value>,
}

/// One schema object: what it says itself, and where its parts are.
#[derive(Default)]
pub struct Node {
    pub types: Types,
    /// The only value it takes (`const`, or `enum` of one): what distinguishes the branches of a union.
    pub constant: Option<Value>,
    pub trim: bool,
    pub case: Option<Case>,
    pub decimal: bool,
    pub uuid: bool,
    pub integer: bool,
    /// Sorted by name.
    pub members: Vec<Member>,
    /// No other members.
    pub closed: bool,
    /// Schema of other members.
    pub other: Option<Id>,
    pub items: Option<Id>,
    /// Most items of an array.
    pub most_items: Option<usize>,
    /// Bounds of the value and all that it holds.
    pub bounds: Option<Bounds>,
    /// Schemas that hold for the same value: `$ref`, `allOf`.
    pub all: Vec<Id>,
    pub unions: Vec<Union>,
    /// True if anything at or below this node is trimmed, rewritten, or has a default.
    pub trims: bool,
    pub rewrites: bool,
    pub defaults: bool,
    /// True if anything at or below this node has bounds.
    pub bounded: bool,
    own_keywords: Option<Own>,
}

pub struct Member {
    pub name: String,
    pub node: Id,
    /// Complete: normalized and with its own defaults filled in.
    pub default: Option<Value>,
}

/// `anyOf` or `oneOf`.
pub struct Union {
    /// Exactly one branch must hold.
    pub one: bool,
    pub branches: Vec<Id>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Upper,
    Lower,
}

/// The keywords of a node that no walk takes over, judged by jsonschema. Compiled when a first body is refused here.
struct Own {
    schema: Value,
    validator: OnceLock<Option<Validator>>,
}

/// A set of JSON types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Types(u8);

impl Types {
    pub const NULL: Types = Types(1);
    pub const BOOLEAN: Types = Types(2);
    pub const INTEGER: Types = Types(4);
    pub const NUMBER: Types = Types(8);
    pub const STRING: Types = Types(16);
    pub const ARRAY: Types = Types(32);
    pub const OBJECT: Types = Types(64);
    pub const ANY: Types = Types(127);

    pub fn meets(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }

    pub fn and(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }

    pub fn or(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    pub fn without_null(self) -> Types {
        Types(self.0 & !Types::NULL.0)
    }

    /// The types that a value is of: `1.0` is a number and an integer.
    pub fn from_value(value: &Value) -> Types {
        match value {
            Value::Null => Types::NULL,
            Value::Bool(_) => Types::BOOLEAN,
            Value::Number(number) => match number.as_f64() {
                Some(double) if number.is_f64() && double.fract() != 0.0 => Types::NUMBER,
                _ => Types::NUMBER.or(Types::INTEGER),
            },
            Value::String(_) => Types::STRING,
            Value::Array(_) => Types::ARRAY,
            Value::Object(_) => Types::OBJECT,
        }
    }

    fn of_name(name: &str) -> Option<Types> {
        Some(match name {
            "null" => Types::NULL,
            "boolean" => Types::BOOLEAN,
            "integer" => Types::INTEGER,
            "number" => Types::NUMBER,
            "string" => Types::STRING,
            "array" => Types::ARRAY,
            "object" => Types::OBJECT,
            _ => return None,
        })
    }
}

impl Default for Types {
    fn default() -> Types {
        Types::ANY
    }
}

/// Keywords that the walks take over.
const WALKED: &[&str] = &["$ref", "properties", "additionalProperties", "items", "allOf", "anyOf", "oneOf"];
/// Keywords that say nothing about a value.
const ANNOTATIONS: &[&str] = &[
    "$schema",
    "$comment",
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];
/// Keywords whose schemas are judged, but not walked: nothing below them can be normalized or filled in. `unevaluated...`
/// depends on what other keywords saw, so that only the whole schema's validator judges it.
const JUDGED: &[&str] = &[
    "if",
    "then",
    "else",
    "not",
    "contains",
    "patternProperties",
    "prefixItems",
    "dependentSchemas",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contentSchema",
];
const REFUSED: &[&str] = &["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$defs", "definitions"];
/// Largest compiled form of one pattern, and of the states that a search builds from it, in bytes.
pub const PATTERN_BYTES: usize = 64 << 10;
const SEARCH_BYTES: usize = 1 << 20;
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

impl Tree {
    /// Compiles `schema`; `defs` holds what its references name, directly or through others.
    pub fn compile(schema: &Value, defs: Map<String, Value>) -> Result<Tree, String> {
        let mut build = Build { nodes: Vec::new(), named: HashMap::new(), defs: &defs };
        let root = build.node(schema)?;
        let nodes = build.nodes;
        let mut tree = Tree { nodes, root, defs };
        tree.refuse_endless()?;
        tree.mark();
        tree.complete_defaults()?;
        Ok(tree)
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id]
    }

    /// Compiles a schema that refers to definitions of this one.
    pub fn validator(&self, schema: &Value) -> Result<Validator, String> {
        validator(schema, &self.defs)
    }

    /// The node's own keywords as a validator; none if it has none.
    pub fn own(&self, id: Id) -> Option<&Validator> {
        let keywords = self.node(id).own_keywords.as_ref()?;
        keywords.validator.get_or_init(|| self.validator(&keywords.schema).ok()).as_ref()
    }

    /// The types that the schema takes, as far as they are stated.
    pub fn types(&self, id: Id) -> Types {
        let node = self.node(id);
        let all = node.all.iter().fold(node.types, |types, part| types.and(self.types(*part)));
        node.unions.iter().fold(all, |types, union| {
            types.and(union.branches.iter().fold(Types(0), |sum, branch| sum.or(self.types(*branch))))
        })
    }

    /// Returns whether the value's type and constants fit: the quick test that distinguishes the branches of a union.
    pub fn may_be(&self, id: Id, value: &Value) -> bool {
        let node = self.node(id);
        node.types.meets(Types::from_value(value))
            && node.constant.as_ref().is_none_or(|constant| constant == value)
            && node.all.iter().all(|part| self.may_be(*part, value))
            && value.as_object().is_none_or(|object| {
                node.members.iter().all(|member| {
                    !self.is_tag(member.node)
                        || object.get(&member.name).is_none_or(|value| self.may_be(member.node, value))
                })
            })
    }

    /// Returns whether the node takes only one value.
    pub fn is_tag(&self, id: Id) -> bool {
        let node = self.node(id);
        node.constant.is_some() || node.all.iter().any(|part| self.is_tag(*part))
    }

    /// The node and all that hold, or may hold, for the same value.
    pub fn expand(&self, id: Id, into: &mut Vec<Id>) {
        if into.contains(&id) {
            return;
        }
        into.push(id);
        let node = self.node(id);
        for part in node.all.iter().chain(node.unions.iter().flat_map(|union| &union.branches)) {
            self.expand(*part, into);
        }
    }

    /// Most values that a lawful value has, itself included; `usize::MAX` where the schema bounds it nowhere.
    pub fn most_values(&self, id: Id) -> usize {
        self.count_values(id, &mut HashMap::new())
    }

    /// `counted`: by node, so far. One that is under way is within itself, and has no end.
    fn count_values(&self, id: Id, counted: &mut HashMap<Id, usize>) -> usize {
        if let Some(most) = counted.get(&id) {
            return *most;
        }
        counted.insert(id, usize::MAX);
        let node = self.node(id);
        if node.constant.as_ref().is_some_and(|constant| !constant.is_object() && !constant.is_array()) {
            counted.insert(id, 1);
            return 1;
        }
        let stated = node.bounds.map_or(usize::MAX, |bounds| bounds.values);
        let of_object = match (node.closed, node.types.meets(Types::OBJECT)) {
            (_, false) => 0,
            (false, true) => usize::MAX,
            (true, true) => {
                let members = node.members.iter().map(|member| self.count_values(member.node, counted));
                members.fold(0, usize::saturating_add)
            }
        };
        let of_array = match (node.types.meets(Types::ARRAY), node.most_items, node.items) {
            (false, ..) => 0,
            (true, Some(most), Some(item)) => most.saturating_mul(self.count_values(item, counted)),
            (true, ..) => usize::MAX,
        };
        // All of these hold, so the least counts.
        let mut most = stated.min(of_object.max(of_array).saturating_add(1));
        for part in &node.all {
            most = most.min(self.count_values(*part, counted));
        }
        for union in &node.unions {
            let branches = union.branches.iter().map(|branch| self.count_values(*branch, counted));
            most = most.min(branches.max().unwrap_or(0));
        }
        counted.insert(id, most);
        most
    }

    /// A schema that is its own part would be walked for ever.
    fn refuse_endless(&self) -> Result<(), String> {
        fn visit(tree: &Tree, id: Id, open: &mut Vec<bool>, done: &mut Vec<bool>) -> Result<(), String> {
            if std::mem::replace(&mut open[id], true) {
                return Err("a schema refers to itself without a member or item between".into());
            }
            if !done[id] {
                let node = tree.node(id);
                for part in node.all.iter().chain(node.unions.iter().flat_map(|union| &union.branches)) {
                    visit(tree, *part, open, done)?;
                }
            }
            open[id] = false;
            done[id] = true;
            Ok(())
        }
        let (mut open, mut done) = (vec![false; self.nodes.len()], vec![false; self.nodes.len()]);
        (0..self.nodes.len()).try_for_each(|id| visit(self, id, &mut open, &mut done))
    }

    /// Carries the marks upwards until nothing changes, so that the walks leave out what needs nothing.
    fn mark(&mut self) {
        loop {
            let mut changed = false;
            for id in 0..self.nodes.len() {
                let node = &self.nodes[id];
                let marks = node.parts().fold(
                    (
                        node.bounds.is_some(),
                        node.trim,
                        node.case.is_some() || node.decimal || node.uuid || node.integer,
                        node.members.iter().any(|member| member.default.is_some()),
                    ),
                    |sum, part| {
                        let part = &self.nodes[part];
                        (sum.0 || part.bounded, sum.1 || part.trims, sum.2 || part.rewrites, sum.3 || part.defaults)
                    },
                );
                let marks = (marks.0, marks.1, marks.2 || marks.3, marks.3);
                changed |= marks != (node.bounded, node.trims, node.rewrites, node.defaults);
                let node = &mut self.nodes[id];
                (node.bounded, node.trims, node.rewrites, node.defaults) = marks;
            }
            if !changed {
                return;
            }
        }
    }

    /// Fills the defaults within defaults in, so that a request inserts them whole, and holds them to their own schemas.
    fn complete_defaults(&mut self) -> Result<(), String> {
        let written: Vec<(Id, usize, Value)> = self
            .nodes
            .iter()
            .enumerate()
            .flat_map(|(id, node)| node.members.iter().enumerate().map(move |(index, member)| (id, index, member)))
            .filter_map(|(id, index, member)| Some((id, index, member.default.clone()?)))
            .collect();
        for _ in 0..8 {
            let mut changed = false;
            for (id, index, raw) in &written {
                let member = &self.nodes[*id].members[*index];
                let mut whole = raw.clone();
                if !self.rewrite(member.node, &mut whole).is_empty() || !self.accepts(member.node, &whole) {
                    return Err(format!("the default of {} does not meet its schema", member.name));
                }
                if member.default.as_ref() != Some(&whole) {
                    changed = true;
                    self.nodes[*id].members[*index].default = Some(whole);
                }
            }
            if !changed {
                return Ok(());
            }
        }
        Err("a default holds defaults without end".into())
    }
}

impl Node {
    fn read_types(&mut self, keywords: &Map<String, Value>) {
        let Some(types) = keywords.get("type") else { return };
        let names = types.as_array().map_or(std::slice::from_ref(types), Vec::as_slice);
        let named = names.iter().filter_map(|name| Types::of_name(name.as_str()?));
        self.types = named.fold(Types(0), Types::or);
        self.integer = self.types.meets(Types::INTEGER) && !self.types.meets(Types::NUMBER);
        if self.types.meets(Types::NUMBER) {
            self.types = self.types.or(Types::INTEGER);
        }
    }

    fn read_normalization(&mut self, keywords: &Map<String, Value>) -> Result<(), String> {
        let Some(names) = keywords.get("x-normalize") else { return Ok(()) };
        for name in names.as_array().ok_or("x-normalize is a list")? {
            match name.as_str() {
                Some("trim") => self.trim = true,
                Some("upper") => self.case = Some(Case::Upper),
                Some("lower") => self.case = Some(Case::Lower),
                Some("decimal") => self.decimal = true,
                _ => return Err(format!("x-normalize knows no {name}")),
            }
        }
        Ok(())
    }

    pub fn member(&self, name: &str) -> Option<&Member> {
        let index = self.members.binary_search_by(|member| member.name.as_str().cmp(name)).ok()?;
        self.members.get(index)
    }

    fn parts(&self) -> impl Iterator<Item = Id> {
        let members = self.members.iter().map(|member| member.node);
        let branches = self.unions.iter().flat_map(|union| union.branches.iter().copied());
        members.chain(self.other).chain(self.items).chain(self.all.iter().copied()).chain(branches)
    }
}

/// A validator of the interface's dialect: draft 2020-12, formats asserted, no network, patterns of linear time and bounded size.
pub fn validator(schema: &Value, defs: &Map<String, Value>) -> Result<Validator, String> {
    let mut document = schema.clone();
    let mut references = BTreeSet::new();
    refs::collect(schema, &mut references);
    if let (false, Some(members)) = (references.is_empty(), document.as_object_mut()) {
        members.insert("$defs".into(), Value::Object(defs.clone()));
    }
    jsonschema::draft202012::options()
        .offline()
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(SEARCH_BYTES))
        .with_format("uuid", format::is_uuid)
        .with_format("date", format::is_date)
        .with_format("date-time", format::is_instant)
        .build(&document)
        .map_err(|error| describe_invalid(&error))
}

/// A pattern that is too large is reported like one that is malformed: the sentence names both.
fn describe_invalid(error: &ValidationError<'_>) -> String {
    match error.kind() {
        ValidationErrorKind::Format { format } if format == "regex" => {
            format!("{error}, or takes more than {PATTERN_BYTES} bytes when compiled: state lengths with maxLength")
        }
        _ => error.to_string(),
    }
}

struct Build<'a> {
    nodes: Vec<Node>,
    named: HashMap<&'a str, Id>,
    defs: &'a Map<String, Value>,
}

impl<'a> Build<'a> {
    fn node(&mut self, schema: &'a Value) -> Result<Id, String> {
        let id = self.nodes.len();
        self.nodes.push(Node::default());
        self.nodes[id] = match schema {
            Value::Bool(true) => Node::default(),
            Value::Bool(false) => Node { own_keywords: own(schema.clone()), ..Node::default() },
            Value::Object(keywords) => self.object(keywords)?,
            _ => return Err("a schema is an object or a boolean".into()),
        };
        Ok(id)
    }

    fn definition(&mut self, reference: &Value) -> Result<Id, String> {
        let name = reference.as_str().and_then(refs::name).ok_or("a reference is of the form #/$defs/Name")?;
        if let Some(id) = self.named.get(name) {
            return Ok(*id);
        }
        let (name, schema) = self.defs.get_key_value(name).ok_or_else(|| format!("there is no schema {name}"))?;
        // The position is taken before its content is read, so that a recursive schema finds itself.
        let id = self.nodes.len();
        self.nodes.push(Node::default());
        self.named.insert(name, id);
        let target = self.node(schema)?;
        self.nodes[id].all.push(target);
        Ok(id)
    }

    fn object(&mut self, keywords: &'a Map<String, Value>) -> Result<Node, String> {
        if let Some(keyword) = REFUSED.iter().find(|keyword| keywords.contains_key(**keyword)) {
            return Err(format!("{keyword} has no place in a schema of the contract"));
        }
        if keywords.get("$schema").is_some_and(|draft| draft.as_str() != Some(DRAFT)) {
            return Err("schemas are of draft 2020-12".into());
        }
        let mut node = Node::default();
        node.read_types(keywords);
        node.constant = match (keywords.get("const"), keywords.get("enum").and_then(Value::as_array).map(Vec::as_slice))
        {
            (Some(only), _) | (None, Some([only])) => Some(only.clone()),
            _ => None,
        };
        node.uuid = keywords.get("format").and_then(Value::as_str) == Some("uuid");
        node.most_items = keywords.get("maxItems").and_then(Value::as_u64).and_then(|most| usize::try_from(most).ok());
        node.bounds = Bounds::from_keywords(keywords)?;
        node.read_normalization(keywords)?;
        if let Some(reference) = keywords.get("$ref") {
            node.all.push(self.definition(reference)?);
        }
        for part in list(keywords, "allOf")? {
            node.all.push(self.node(part)?);
        }
        for (keyword, one) in [("anyOf", false), ("oneOf", true)] {
            let branches =
                list(keywords, keyword)?.iter().map(|branch| self.node(branch)).collect::<Result<Vec<_>, _>>()?;
            if !branches.is_empty() {
                node.unions.push(Union { one, branches });
            }
        }
        let mut left: Map<String, Value> = keywords
            .iter()
            .filter(|(key, _)| !WALKED.contains(&key.as_str()) && !ANNOTATIONS.contains(&key.as_str()))
            .filter(|(key, _)| !key.starts_with("x-") && !key.starts_with("unevaluated"))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        self.members(keywords, &mut node, &mut left)?;
        if let Some(items) = keywords.get("items") {
            // Behind a tuple `items` means the rest; such arrays are judged whole.
            if keywords.contains_key("prefixItems") {
                left.insert("items".into(), items.clone());
            } else {
                node.items = Some(self.node(items)?);
            }
        }
        for keyword in JUDGED.iter().copied().chain(left.contains_key("items").then_some("items")) {
            if keywords.get(keyword).is_some_and(|schema| self.normalizes(schema, &mut HashSet::new())) {
                return Err(format!("nothing below {keyword} can be normalized or have a default"));
            }
        }
        if !left.is_empty() {
            node.own_keywords = own(Value::Object(left));
        }
        Ok(node)
    }

    fn members(
        &mut self,
        keywords: &'a Map<String, Value>,
        node: &mut Node,
        left: &mut Map<String, Value>,
    ) -> Result<(), String> {
        if let Some(properties) = keywords.get("properties") {
            for (name, schema) in properties.as_object().ok_or("properties is an object")? {
                let default = self.default(schema);
                node.members.push(Member { name: name.clone(), node: self.node(schema)?, default });
            }
            node.members.sort_by(|a, b| a.name.cmp(&b.name));
        }
        match keywords.get("additionalProperties") {
            Some(other) if keywords.contains_key("patternProperties") => {
                // Additional members depend on the patterns too: judged whole, names only.
                let names = node.members.iter().map(|member| (member.name.clone(), Value::Bool(true))).collect();
                left.insert("properties".into(), Value::Object(names));
                left.insert("additionalProperties".into(), other.clone());
                if self.normalizes(other, &mut HashSet::new()) {
                    return Err("nothing next to patternProperties can be normalized or have a default".into());
                }
            }
            Some(Value::Bool(false)) => node.closed = true,
            Some(Value::Bool(true)) | None => {}
            Some(other) => node.other = Some(self.node(other)?),
        }
        Ok(())
    }

    /// Value of a member that is left out: its own default, else that of the schema it refers to.
    fn default(&self, schema: &Value) -> Option<Value> {
        let mut schema = schema;
        for _ in 0..8 {
            if let Some(default) = schema.get("default") {
                return Some(default.clone());
            }
            schema = self.defs.get(refs::name(schema.get("$ref")?.as_str()?)?)?;
        }
        None
    }

    /// Returns whether a schema that is not walked asks for what only a walk can do.
    fn normalizes(&self, schema: &'a Value, seen: &mut HashSet<&'a str>) -> bool {
        match schema {
            Value::Array(schemas) => schemas.iter().any(|schema| self.normalizes(schema, seen)),
            Value::Object(keywords) => keywords.iter().any(|(key, value)| match (key.as_str(), value) {
                ("x-normalize" | "default", _) => true,
                ("const" | "enum" | "example" | "examples", _) => false,
                ("$ref", Value::String(reference)) => refs::name(reference)
                    .filter(|name| seen.insert(name))
                    .and_then(|name| self.defs.get(name))
                    .is_some_and(|schema| self.normalizes(schema, seen)),
                ("properties" | "patternProperties" | "dependentSchemas", Value::Object(named)) => {
                    named.values().any(|schema| self.normalizes(schema, seen))
                }
                (_, value) => self.normalizes(value, seen),
            }),
            _ => false,
        }
    }
}

fn own(schema: Value) -> Option<Own> {
    Some(Own { schema, validator: OnceLock::new() })
}

fn list<'a>(keywords: &'a Map<String, Value>, keyword: &str) -> Result<&'a [Value], String> {
    match keywords.get(keyword) {
        None => Ok(&[]),
        Some(Value::Array(schemas)) => Ok(schemas),
        Some(_) => Err(format!("{keyword} is a list")),
    }
}
