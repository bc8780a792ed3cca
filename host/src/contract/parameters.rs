//! Path and query parameters: text by nature, judged by an object schema as bodies are, handed on in one spelling.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Map, Number, Value, json};

use super::{
    expected,
    explain::Faults,
    refs,
    schema::{Judged, Schema},
    tree::Types,
};
use crate::problem::Problem;

/// Parameters of one operation, compiled once a generation.
pub struct Parameters {
    template: String,
    path: Schema,
    query: Schema,
}

/// Path parameters as they were accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// By name, sorted.
    pub values: Vec<(String, String)>,
    /// The template with the canonical values in it: for the fingerprint.
    pub canonical: String,
}

/// Query parameters as they were accepted, defaults filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// By name, sorted.
    pub values: Vec<(String, String)>,
    /// Sorted, without those that equal their defaults: for the fingerprint.
    pub canonical: String,
}

/// All but what RFC 3986 leaves as it is.
pub const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl Parameters {
    /// `template`: the route's path, `/tenants/{tenantId}/...`. A path parameter that `path_schema` does not name is a
    /// uuid; without `query` no query parameter is taken. Parameters are texts, integers or booleans.
    pub fn compile(
        judged: Judged,
        template: &str,
        path_schema: Option<&Value>,
        query: Option<&Value>,
        defs: &Map<String, Value>,
    ) -> Result<Parameters, String> {
        let stated = object(path_schema, defs)?;
        let stated = stated.get("properties").and_then(Value::as_object);
        let names = names(template);
        if let Some(name) =
            stated.into_iter().flatten().map(|(name, _)| name).find(|name| !names.contains(&name.as_str()))
        {
            return Err(format!("the path has no parameter {name}"));
        }
        let schema_of = |name: &str| stated.and_then(|all| all.get(name)).cloned();
        let properties: Map<String, Value> = names
            .iter()
            .map(|name| ((*name).to_owned(), schema_of(name).unwrap_or(json!({"type": "string", "format": "uuid"}))))
            .collect();
        let path =
            json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false});
        let mut query = object(query, defs)?;
        query.insert("type".into(), "object".into());
        query.insert("additionalProperties".into(), false.into());
        let parameters = Parameters {
            template: template.to_owned(),
            path: Schema::compile_as(judged, &path, defs)?,
            query: Schema::compile_as(judged, &Value::Object(query.clone()), defs)?,
        };
        let texts = Types::STRING.or(Types::INTEGER).or(Types::BOOLEAN);
        for (schema, properties) in
            [(&parameters.path, path.get("properties")), (&parameters.query, query.get("properties"))]
        {
            for name in properties.and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name) {
                let types = schema.tree().member_types(name);
                if types.is_none_or(|types| types.and(texts) != types.without_null()) {
                    return Err(format!("the parameter {name} is no text, integer or boolean"));
                }
            }
        }
        Ok(parameters)
    }

    /// Drops the validators until a request comes.
    pub fn forget_validators(&mut self) {
        self.path.forget_validator();
        self.query.forget_validator();
    }

    #[cfg(test)]
    pub fn has_validator(&self) -> bool {
        self.path.has_validator() || self.query.has_validator()
    }

    /// Judges the path's parameters, given by name as they are in the path, percent-encoded. Faults point to
    /// `/path/<name>`.
    pub fn path<'a>(&self, raw: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Path, Problem> {
        let mut faults = Faults::default();
        let mut object = Map::new();
        for (name, text) in raw {
            read(&self.path, name, decode(text, false), &mut object, &mut faults, "/path");
        }
        let values =
            judge(&self.path, object, faults, "/path").map_err(|faults| refusal("VALIDATION_FAILED", faults))?;
        let values = texts(&values);
        let mut canonical = String::new();
        let mut rest = self.template.as_str();
        while let Some((before, name, after)) = next_name(rest) {
            canonical.push_str(before);
            if let Some((_, value)) = values.iter().find(|(known, _)| known == name) {
                canonical.extend(utf8_percent_encode(value, ESCAPED));
            }
            rest = after;
        }
        canonical.push_str(rest);
        Ok(Path { values, canonical })
    }

    /// Judges a query as it is behind the `?`; `+` is a space, as in forms. Faults point to `/query/<name>`; one
    /// unknown parameter makes the whole refusal UNKNOWN_QUERY_PARAMETER.
    pub fn query(&self, raw: &str) -> Result<Query, Problem> {
        let mut faults = Faults::default();
        let mut object = Map::new();
        let mut unknown = Vec::new();
        for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
            let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
            match decode(name, true) {
                Some(name) if self.query.tree().member_types(&name).is_some() => {
                    read(&self.query, &name, decode(text, true), &mut object, &mut faults, "/query");
                }
                name => unknown.push(name.unwrap_or_default()),
            }
        }
        if !unknown.is_empty() {
            let names = unknown.iter().map(|name| &**name);
            let reported = expected::members(self.query.tree().member_names().into_iter(), names);
            faults.add_expected("/query".into(), "NOT_ALLOWED", Some(reported));
        }
        let values = judge(&self.query, object, faults, "/query").map_err(|faults| {
            refusal(if !unknown.is_empty() { "UNKNOWN_QUERY_PARAMETER" } else { "VALIDATION_FAILED" }, faults)
        })?;
        let stated = texts(&self.query.fingerprint_form(values.clone()));
        let pairs: Vec<String> = stated
            .iter()
            .map(|(name, value)| {
                format!("{}={}", utf8_percent_encode(name, ESCAPED), utf8_percent_encode(value, ESCAPED))
            })
            .collect();
        Ok(Query { values: texts(&values), canonical: pairs.join("&") })
    }
}

/// The names in a path template, in order.
pub fn names(template: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = template;
    while let Some((_, name, after)) = next_name(rest) {
        names.push(name);
        rest = after;
    }
    names
}

fn next_name(template: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = template.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

/// An object schema with its reference resolved; an empty one if there is none.
pub fn object(schema: Option<&Value>, defs: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut schema = schema;
    for _ in 0..8 {
        let Some(Value::Object(keywords)) = schema else { break };
        let Some(reference) = keywords.get("$ref") else { return Ok(keywords.clone()) };
        let name = reference.as_str().and_then(refs::name).ok_or("a reference is of the form #/$defs/Name")?;
        schema = Some(defs.get(name).ok_or_else(|| format!("there is no schema {name}"))?);
    }
    if schema.is_none() { Ok(Map::new()) } else { Err("parameters are described by an object schema".into()) }
}

/// Percent-decodes; nothing if an escape is broken or the bytes are not UTF-8.
fn decode(text: &str, form: bool) -> Option<Cow<'_, str>> {
    let bytes = text.as_bytes();
    let whole = |index: usize| bytes.get(index + 1..index + 3).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
    if bytes.iter().enumerate().any(|(index, byte)| *byte == b'%' && !whole(index)) {
        return None;
    }
    if form && text.contains('+') {
        let spaced = text.replace('+', " ");
        return Some(percent_decode_str(&spaced).decode_utf8().ok()?.into_owned().into());
    }
    percent_decode_str(text).decode_utf8().ok()
}

/// Adds one parameter to the object, as the type that its schema takes. Text that does not look like that type stays text,
/// for the schema to refuse.
fn read(
    schema: &Schema,
    name: &str,
    text: Option<Cow<str>>,
    object: &mut Map<String, Value>,
    faults: &mut Faults,
    root: &str,
) {
    if object.contains_key(name) {
        return faults.add(format!("{root}/{name}"), "REPEATED");
    }
    let types = schema.tree().member_types(name).unwrap_or_default();
    let value = match text {
        None => {
            faults.add(format!("{root}/{name}"), "FORMAT");
            Value::String(String::new())
        }
        Some(text) if types.meets(Types::STRING) => Value::String(text.into_owned()),
        Some(text) => match &*text {
            "true" if types.meets(Types::BOOLEAN) => Value::Bool(true),
            "false" if types.meets(Types::BOOLEAN) => Value::Bool(false),
            digits if types.meets(Types::INTEGER) => integer(digits).unwrap_or_else(|| Value::String(digits.into())),
            other => Value::String(other.into()),
        },
    };
    object.insert(name.to_owned(), value);
}

fn integer(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits == "0" || (!digits.starts_with('0') && !digits.is_empty());
    if !plain || text == "-0" || digits.len() > 40 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // Beyond 64 bits it is an integer still, out of any range.
    text.parse::<i64>().map(Value::from).ok().or_else(|| Number::from_f64(text.parse().ok()?).map(Value::Number))
}

fn judge(schema: &Schema, object: Map<String, Value>, mut faults: Faults, root: &str) -> Result<Value, Faults> {
    let mut value = Value::Object(object);
    faults.add_below(root, schema.judge(&mut value));
    if faults.is_empty() { Ok(value) } else { Err(faults) }
}

fn refusal(code: &'static str, faults: Faults) -> Problem {
    Problem::new(code).with(faults.into_items())
}

/// The members as text, sorted by name; null is an absent parameter.
fn texts(values: &Value) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = values
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| match value {
            Value::String(text) => Some((name.clone(), text.clone())),
            Value::Number(number) => Some((name.clone(), number.to_string())),
            Value::Bool(yes) => Some((name.clone(), yes.to_string())),
            _ => None,
        })
        .collect();
    all.sort();
    all
}

/// A path template with its parameters anonymous: two that differ only in names are one route.
pub fn template_shape(path: &str) -> String {
    path.split('/').map(|segment| if segment.starts_with('{') { "{}" } else { segment }).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list_parameters() -> Parameters {
        let query = json!({"$ref": "#/$defs/ListQuery"});
        let defs = json!({
            "ListQuery": {"type": "object", "properties": {
                "cursor": {"type": "string", "format": "uuid"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 50},
                "status": {"$ref": "#/$defs/Status", "default": "ACTIVE"},
                "text": {"type": "string", "minLength": 1, "maxLength": 10, "x-normalize": ["trim"]},
                "deep": {"type": ["boolean", "null"], "default": null},
                "at": {"type": "string", "format": "date-time"},
            }},
            "Status": {"type": "string", "enum": ["ACTIVE", "ARCHIVED"]},
        });
        let path = json!({"type": "object", "properties": {"kind": {"type": "string", "enum": ["brands", "units"]}}});
        let template = "/tenants/{tenantId}/catalog/lookups/{kind}";
        Parameters::compile(Judged::Now, template, Some(&path), Some(&query), defs.as_object().unwrap()).unwrap()
    }

    fn expect_refusal<T: std::fmt::Debug>(answer: Result<T, Problem>) -> (String, Vec<String>) {
        let problem = answer.unwrap_err();
        let items = problem.errors.iter().map(|item| format!("{} {}", item.pointer, item.code)).collect();
        (problem.code.into_owned(), items)
    }

    #[test]
    fn queries_that_are_taken() {
        let parameters = list_parameters();
        for (raw, values, canonical) in [
            ("", "limit=50 status=ACTIVE", ""),
            ("limit=50&status=ACTIVE&", "limit=50 status=ACTIVE", ""),
            ("limit=7&deep=true", "deep=true limit=7 status=ACTIVE", "deep=true&limit=7"),
            ("text=a%20b&status=ARCHIVED", "limit=50 status=ARCHIVED text=a b", "status=ARCHIVED&text=a%20b"),
            ("text=+%C3%A9%26+", "limit=50 status=ACTIVE text=é&", "text=%C3%A9%26"),
            ("%74ext=a%2Bb", "limit=50 status=ACTIVE text=a+b", "text=a%2Bb"),
            (
                "cursor=0192F0C1-7E57-7ABC-8DEF-0123456789AB",
                "cursor=0192f0c1-7e57-7abc-8def-0123456789ab limit=50 status=ACTIVE",
                "cursor=0192f0c1-7e57-7abc-8def-0123456789ab",
            ),
        ] {
            let query = parameters.query(raw).unwrap();
            let pairs: Vec<String> = query.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
            assert_eq!((pairs.join(" ").as_str(), query.canonical.as_str()), (values, canonical), "{raw}");
        }
    }

    #[test]
    fn queries_that_are_refused() {
        let parameters = list_parameters();
        for (raw, code, items) in [
            ("x=1", "UNKNOWN_QUERY_PARAMETER", vec!["/query NOT_ALLOWED"]),
            ("Limit=1", "UNKNOWN_QUERY_PARAMETER", vec!["/query NOT_ALLOWED"]),
            ("=1", "UNKNOWN_QUERY_PARAMETER", vec!["/query NOT_ALLOWED"]),
            ("%zz=1", "UNKNOWN_QUERY_PARAMETER", vec!["/query NOT_ALLOWED"]),
            ("x&limit=0", "UNKNOWN_QUERY_PARAMETER", vec!["/query NOT_ALLOWED", "/query/limit RANGE"]),
            ("limit=5&limit=5", "VALIDATION_FAILED", vec!["/query/limit REPEATED"]),
            ("limit=101", "VALIDATION_FAILED", vec!["/query/limit RANGE"]),
            ("limit=99999999999999999999", "VALIDATION_FAILED", vec!["/query/limit RANGE"]),
            ("limit=1.0", "VALIDATION_FAILED", vec!["/query/limit TYPE"]),
            ("limit=07", "VALIDATION_FAILED", vec!["/query/limit TYPE"]),
            ("limit=%2B7", "VALIDATION_FAILED", vec!["/query/limit TYPE"]),
            ("limit=", "VALIDATION_FAILED", vec!["/query/limit TYPE"]),
            ("limit", "VALIDATION_FAILED", vec!["/query/limit TYPE"]),
            ("deep=1", "VALIDATION_FAILED", vec!["/query/deep TYPE"]),
            ("cursor=x&status=y", "VALIDATION_FAILED", vec!["/query/cursor FORMAT", "/query/status FORMAT"]),
            ("text=+", "VALIDATION_FAILED", vec!["/query/text RANGE"]),
            ("text=%00a", "VALIDATION_FAILED", vec!["/query/text FORMAT"]),
            ("text=%C3", "VALIDATION_FAILED", vec!["/query/text FORMAT"]),
            ("text=%4", "VALIDATION_FAILED", vec!["/query/text FORMAT"]),
            ("text=%ED%A0%80", "VALIDATION_FAILED", vec!["/query/text FORMAT"]),
            ("at=2026-01-01T00:00:00%2B00:00", "VALIDATION_FAILED", vec!["/query/at FORMAT"]),
        ] {
            let (reported, all) = expect_refusal(parameters.query(raw));
            assert_eq!((reported.as_str(), all), (code, items.iter().map(|item| item.to_string()).collect()), "{raw}");
        }
        let none = Parameters::compile(Judged::Now, "/x", None, None, &Map::new()).unwrap();
        assert!(none.query("").is_ok());
        assert_eq!(expect_refusal(none.query("a=1")).0, "UNKNOWN_QUERY_PARAMETER");
    }

    #[test]
    fn paths() {
        let parameters = list_parameters();
        let id = "0192F0C1-7E57-7ABC-8DEF-0123456789AB";
        let path = parameters.path([("tenantId", id), ("kind", "%62rands")].into_iter()).unwrap();
        assert_eq!(path.canonical, "/tenants/0192f0c1-7e57-7abc-8def-0123456789ab/catalog/lookups/brands");
        assert_eq!(path.values[0], ("kind".into(), "brands".into()));
        let (code, items) = expect_refusal(parameters.path([("tenantId", "x"), ("kind", "%zz")].into_iter()));
        assert_eq!(
            (code.as_str(), items),
            ("VALIDATION_FAILED", vec!["/path/kind FORMAT".into(), "/path/tenantId FORMAT".into()])
        );
        // In a path `+` is a plus.
        assert!(parameters.path([("tenantId", id), ("kind", "bra+nds")].into_iter()).is_err());
    }

    #[test]
    fn what_cannot_be_a_parameter() {
        let compile = |template: &str, path: Option<Value>, query: Option<Value>| {
            Parameters::compile(Judged::Now, template, path.as_ref(), query.as_ref(), &Map::new())
                .map(|_| ())
                .unwrap_err()
        };
        let query = |schema: Value| compile("/x", None, Some(json!({"type": "object", "properties": {"a": schema}})));
        assert!(query(json!({"type": "array"})).contains("no text"));
        assert!(query(json!({"type": "number"})).contains("no text"));
        assert!(query(json!({})).contains("no text"));
        assert!(query(json!({"$ref": "#/$defs/None"})).contains("no schema"));
        assert!(compile("/x/{id}", Some(json!({"properties": {"other": {"type": "string"}}})), None).contains("other"));
    }
}
