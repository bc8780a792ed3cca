//! A schema in the form that can be compared: references followed, `allOf` joined, unions laid out, null apart, and one shape
//! for each way in which a value of one type may look. So two spellings of one meaning (`type: [string, null]` and `anyOf` with
//! null, `const`s in `oneOf` and `enum`) are one form. `oneOf` is read as `anyOf`: it does not judge whether branches
//! exclude each other.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Number, Value};

use crate::contract::{bounds, refs};

/// Schemas that all hold for one value; none: any value. Borrowed, so that a position that was met is known by its
/// addresses.
pub type AllOf<'a> = Vec<&'a Value>;

/// Most ways that one value may look before they are no longer distinguished.
const MOST: usize = 300;

/// A type of JSON without null; integers are numbers that are whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Boolean,
    Number,
    String,
    Array,
    Object,
}

pub const CLASSES: [Class; 5] = [Class::Boolean, Class::Number, Class::String, Class::Array, Class::Object];

impl Class {
    fn from_value(value: &Value) -> Option<Class> {
        match value {
            Value::Null => None,
            Value::Bool(_) => Some(Class::Boolean),
            Value::Number(_) => Some(Class::Number),
            Value::String(_) => Some(Class::String),
            Value::Array(_) => Some(Class::Array),
            Value::Object(_) => Some(Class::Object),
        }
    }
}

/// All values of a position.
#[derive(Debug)]
pub struct Form<'a> {
    pub nullable: bool,
    pub shapes: Vec<Shape<'a>>,
}

/// Values of one type that meet all of this.
#[derive(Debug, Clone)]
pub struct Shape<'a> {
    pub class: Class,
    /// The schema that it is referred to by, the innermost.
    pub name: Option<&'a str>,
    pub facts: Facts<'a>,
}

/// Facts of schemas that hold together.
#[derive(Debug, Clone, Default)]
pub struct Facts<'a> {
    /// None: every type. Null is the `None` within.
    types: Option<BTreeSet<Option<Class>>>,
    /// Only whole numbers.
    pub integer: bool,
    pub values: Option<Vec<&'a Value>>,
    /// By keyword: the strictest.
    pub limits: BTreeMap<&'static str, Number>,
    pub patterns: BTreeSet<&'a str>,
    pub formats: BTreeSet<&'a str>,
    pub normalized: BTreeSet<&'a str>,
    pub unique: bool,
    pub members: BTreeMap<&'a str, AllOf<'a>>,
    pub required: BTreeSet<&'a str>,
    pub others: Others<'a>,
    pub items: AllOf<'a>,
    /// Keywords that are compared as they are.
    pub rules: BTreeMap<&'a str, Vec<&'a Value>>,
    seen: Vec<&'a str>,
}

/// Members that no keyword names.
#[derive(Debug, Clone, Default)]
pub enum Others<'a> {
    #[default]
    Any,
    None,
    Of(AllOf<'a>),
}

/// Keywords that bound a number, with whether they bound it from below and the type they speak of.
pub const LIMITS: [(&str, bool, Class); 13] = [
    ("minimum", true, Class::Number),
    ("maximum", false, Class::Number),
    ("exclusiveMinimum", true, Class::Number),
    ("exclusiveMaximum", false, Class::Number),
    ("minLength", true, Class::String),
    ("maxLength", false, Class::String),
    ("minItems", true, Class::Array),
    ("maxItems", false, Class::Array),
    ("minProperties", true, Class::Object),
    ("maxProperties", false, Class::Object),
    (bounds::VALUES, false, Class::Object),
    (bounds::DEPTH, false, Class::Object),
    (bounds::CHARACTERS, false, Class::Object),
];

/// Keywords whose schemas are compared as they are, by the type they speak of; none: every type.
const RULES: [(&str, Option<Class>); 17] = [
    ("not", None),
    ("if", None),
    ("then", None),
    ("else", None),
    ("multipleOf", Some(Class::Number)),
    ("contentEncoding", Some(Class::String)),
    ("contentMediaType", Some(Class::String)),
    ("prefixItems", Some(Class::Array)),
    ("contains", Some(Class::Array)),
    ("minContains", Some(Class::Array)),
    ("maxContains", Some(Class::Array)),
    ("unevaluatedItems", Some(Class::Array)),
    ("patternProperties", Some(Class::Object)),
    ("propertyNames", Some(Class::Object)),
    ("dependentRequired", Some(Class::Object)),
    ("dependentSchemas", Some(Class::Object)),
    ("unevaluatedProperties", Some(Class::Object)),
];

/// The form of a position, or nothing where it may look in too many ways.
pub fn form<'a>(schemas: &[&'a Value], defs: &'a Map<String, Value>) -> Option<Form<'a>> {
    let mut open: Vec<(Facts<'a>, AllOf<'a>)> = vec![(Facts::default(), schemas.iter().rev().copied().collect())];
    let mut done = Vec::new();
    while let Some((mut facts, mut waiting)) = open.pop() {
        if open.len() + done.len() > MOST {
            return None;
        }
        match waiting.pop() {
            None => done.push(facts),
            Some(Value::Object(keywords)) => {
                facts.take(keywords);
                if let Some(reference) = keywords.get("$ref").and_then(Value::as_str).and_then(refs::name)
                    && !facts.seen.contains(&reference)
                {
                    facts.seen.push(reference);
                    waiting.extend(defs.get(reference));
                }
                waiting.extend(list(keywords, "allOf"));
                let mut ways = vec![waiting];
                for union in ["anyOf", "oneOf"] {
                    if keywords.contains_key(union) {
                        let branches = list(keywords, union);
                        let with = |way: &AllOf<'a>, branch| way.iter().copied().chain([branch]).collect::<AllOf<'a>>();
                        ways =
                            ways.iter().flat_map(|way| branches.iter().map(move |branch| with(way, branch))).collect();
                    }
                }
                open.extend(ways.into_iter().rev().map(|way| (facts.clone(), way)));
            }
            // No value meets it.
            Some(Value::Bool(false)) => {}
            Some(_) => open.push((facts, waiting)),
        }
    }
    Some(laid_out(done))
}

fn laid_out(ways: Vec<Facts<'_>>) -> Form<'_> {
    let mut form = Form { nullable: false, shapes: Vec::new() };
    for facts in ways {
        let has = |class: Option<Class>| {
            facts.types.as_ref().is_none_or(|types| types.contains(&class))
                && facts
                    .values
                    .as_ref()
                    .is_none_or(|values| values.iter().any(|value| Class::from_value(value) == class))
        };
        form.nullable |= has(None);
        for class in CLASSES.into_iter().filter(|class| has(Some(*class))) {
            let shape = Shape { class, name: facts.seen.last().copied(), facts: facts.clone().only(class) };
            // Enumerations of one type are one.
            let same =
                form.shapes.iter_mut().find(|other| other.class == class && other.is_values() && shape.is_values());
            match same.and_then(|other| other.facts.values.as_mut()) {
                Some(values) => {
                    for value in shape.facts.values.unwrap_or_default() {
                        if !values.contains(&value) {
                            values.push(value);
                        }
                    }
                }
                None => form.shapes.push(shape),
            }
        }
    }
    form
}

impl<'a> Shape<'a> {
    /// Nothing but a list of texts, numbers or booleans.
    fn is_values(&self) -> bool {
        let facts = &self.facts;
        let plain = matches!(self.class, Class::Boolean | Class::Number | Class::String);
        let bare = facts.limits.is_empty() && facts.patterns.is_empty() && facts.formats.is_empty();
        plain && facts.values.is_some() && bare && facts.rules.is_empty() && facts.normalized.is_empty()
    }
}

impl<'a> Facts<'a> {
    /// Joins what a schema itself says; its references and unions are the caller's.
    fn take(&mut self, keywords: &'a Map<String, Value>) {
        if let Some(types) = keywords.get("type") {
            self.take_types(types.as_array().map_or(std::slice::from_ref(types), Vec::as_slice));
        }
        let one = keywords.get("const").map(|value| vec![value]);
        let many = keywords.get("enum").and_then(Value::as_array).map(|values| values.iter().collect());
        for values in [one, many].into_iter().flatten() {
            self.values = Some(match self.values.take() {
                None => values,
                Some(before) => before.into_iter().filter(|value| values.contains(value)).collect(),
            });
        }
        for (keyword, below, _) in LIMITS {
            if let Some(Value::Number(limit)) = keywords.get(keyword) {
                self.limit(keyword, below, limit.clone());
            }
        }
        let text = |keyword: &str| keywords.get(keyword).and_then(Value::as_str);
        self.patterns.extend(text("pattern"));
        if let Some(format) = text("format") {
            match integers(format) {
                // Not judged, but reported: what fits.
                Some((least, most)) => {
                    self.limit("minimum", true, least);
                    self.limit("maximum", false, most);
                }
                None if !matches!(format, "float" | "double") => _ = self.formats.insert(format),
                None => {}
            }
        }
        self.normalized.extend(list(keywords, "x-normalize").into_iter().filter_map(Value::as_str));
        self.unique |= keywords.get("uniqueItems") == Some(&Value::Bool(true));
        self.required.extend(list(keywords, "required").into_iter().filter_map(Value::as_str));
        for (name, schema) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.members.entry(name).or_default().push(schema);
        }
        match keywords.get("additionalProperties") {
            None | Some(Value::Bool(true)) => {}
            Some(Value::Bool(false)) => self.others = Others::None,
            Some(schema) => match &mut self.others {
                Others::Any => self.others = Others::Of(vec![schema]),
                Others::Of(schemas) => schemas.push(schema),
                Others::None => {}
            },
        }
        self.items.extend(keywords.get("items"));
        for (keyword, _) in RULES {
            if let Some((keyword, value)) = keywords.get_key_value(keyword) {
                self.rules.entry(keyword).or_default().push(value);
            }
        }
    }

    fn take_types(&mut self, names: &[Value]) {
        let mut types = BTreeSet::new();
        let mut integer = false;
        for name in names.iter().filter_map(Value::as_str) {
            types.insert(match name {
                "null" => None,
                "boolean" => Some(Class::Boolean),
                "integer" | "number" => Some(Class::Number),
                "string" => Some(Class::String),
                "array" => Some(Class::Array),
                "object" => Some(Class::Object),
                _ => continue,
            });
            integer |= name == "integer";
        }
        self.integer |= integer && !names.iter().any(|name| name == "number");
        self.types = Some(match self.types.take() {
            None => types,
            Some(before) => before.intersection(&types).copied().collect(),
        });
    }

    fn limit(&mut self, keyword: &'static str, below: bool, limit: Number) {
        let stricter = self.limits.get(keyword).is_none_or(|before| is_less(before, &limit) == below);
        if stricter {
            self.limits.insert(keyword, limit);
        }
    }

    /// Facts about this type only.
    fn only(mut self, class: Class) -> Facts<'a> {
        self.types = None;
        if let Some(values) = &mut self.values {
            values.retain(|value| Class::from_value(value) == Some(class));
        }
        self.limits.retain(|keyword, _| LIMITS.iter().any(|(name, _, other)| name == keyword && *other == class));
        self.rules.retain(|keyword, _| {
            RULES.iter().any(|(name, other)| name == keyword && other.is_none_or(|other| other == class))
        });
        self.integer &= class == Class::Number;
        if self.integer {
            // Among whole numbers, more than 0 is at least 1.
            for (exclusive, inclusive, below) in
                [("exclusiveMinimum", "minimum", true), ("exclusiveMaximum", "maximum", false)]
            {
                if let Some(bound) = self.limits.get(exclusive).and_then(Number::as_i64) {
                    self.limits.remove(exclusive);
                    let step = if below { 1 } else { -1 };
                    self.limit(inclusive, below, Number::from(bound.saturating_add(step)));
                }
            }
        }
        if class != Class::String {
            (self.patterns, self.formats, self.normalized) = Default::default();
        }
        if class != Class::Array {
            (self.unique, self.items) = Default::default();
        }
        if class != Class::Object {
            (self.members, self.required, self.others) = Default::default();
        }
        self
    }

    /// Returns whether the schema states nothing but the type.
    pub fn is_free(&self) -> bool {
        let numbers = !self.integer && self.limits.is_empty();
        let texts = self.patterns.is_empty() && self.formats.is_empty() && self.normalized.is_empty();
        let objects = self.members.is_empty() && self.required.is_empty() && matches!(self.others, Others::Any);
        numbers
            && texts
            && objects
            && !self.unique
            && self.items.is_empty()
            && self.values.is_none()
            && self.rules.is_empty()
    }
}

fn list<'a>(keywords: &'a Map<String, Value>, keyword: &str) -> Vec<&'a Value> {
    keywords.get(keyword).and_then(Value::as_array).into_iter().flatten().collect()
}

/// Range of an integer format.
fn integers(format: &str) -> Option<(Number, Number)> {
    let signed = |least: i64, most: i64| Some((Number::from(least), Number::from(most)));
    let unsigned = |most: u64| Some((Number::from(0), Number::from(most)));
    match format {
        "int8" => signed(i8::MIN.into(), i8::MAX.into()),
        "int16" => signed(i16::MIN.into(), i16::MAX.into()),
        "int32" => signed(i32::MIN.into(), i32::MAX.into()),
        "int64" => signed(i64::MIN, i64::MAX),
        "uint8" => unsigned(u8::MAX.into()),
        "uint16" => unsigned(u16::MAX.into()),
        "uint32" | "uint" => unsigned(u32::MAX.into()),
        "uint64" => unsigned(u64::MAX),
        _ => None,
    }
}

/// Whole numbers exactly, others as the doubles that JSON makes of them.
pub fn is_less(a: &Number, b: &Number) -> bool {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a < b),
    }
}
