//! JSON Schemas from Rust types: the bodies that an operation reads and returns are published as the types that do it,
//! a module's and the host's own alike.

use std::borrow::Cow;

use schemars::generate::{Contract, SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema, json_schema};
use serde_json::{Map, Value, json};
use stoa_iso::{country, currency};

/// Instants as the interface takes them: UTC, to the millisecond, from the year 1.
pub const INSTANT_PATTERN: &str = "^([0-9]{3}[1-9]|[0-9]{2}[1-9][0-9]|[0-9][1-9][0-9]{2}|[1-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,3})?Z$";

/// The schema of a country in a request: every assigned code of ISO 3166-1 alpha-2. A record may hold a code that was
/// withdrawn since, so that a response is any text.
pub enum CountryCode {}

/// The schema of a currency in a request, likewise: every active code of ISO 4217.
pub enum CurrencyCode {}

macro_rules! code_schema {
    ($name:ident, $codes:expr) => {
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                if generator.contract().is_serialize() {
                    return json_schema!({ "type": "string" });
                }
                let codes: Vec<&str> = $codes.collect();
                json_schema!({ "type": "string", "title": stringify!($name), "enum": codes })
            }
        }
    };
}

code_schema!(CountryCode, country::list_assigned());
code_schema!(CurrencyCode, currency::list_active());

/// Collects the named schemas of a module while its operations are described.
pub struct Schemas {
    read: SchemaGenerator,
    answered: SchemaGenerator,
}

impl Default for Schemas {
    fn default() -> Schemas {
        let settings = |contract: Contract| {
            let mut settings = SchemaSettings::draft2020_12();
            settings.contract = contract;
            settings.meta_schema = None;
            settings
        };
        Schemas {
            read: settings(Contract::Deserialize).into_generator(),
            answered: settings(Contract::Serialize).into_generator(),
        }
    }
}

impl Schemas {
    /// The schema of a body: a reference to a named schema, or one that is marked as `inline` itself.
    pub fn read<T: JsonSchema>(&mut self) -> Value {
        let mut schema = subschema::<T>(&mut self.read);
        default_to_null(&mut schema);
        schema
    }

    /// The schema of an answer, likewise.
    pub fn response<T: JsonSchema>(&mut self) -> Value {
        subschema::<T>(&mut self.answered)
    }

    /// An object of parameters, in place. One that is not sent is absent, never null.
    pub fn parameters<T: JsonSchema>(&mut self) -> Value {
        let mut schema = T::json_schema(&mut self.read).to_value();
        if let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            members.values_mut().filter_map(Value::as_object_mut).for_each(drop_null);
        }
        one_line(&mut schema);
        schema
    }

    /// The named schemas, by name.
    ///
    /// # Errors
    /// A name with two meanings.
    pub fn finish(mut self) -> Result<Map<String, Value>, String> {
        let mut schemas = self.read.take_definitions(false);
        let answered = self.answered.take_definitions(false);
        let differs = |(name, schema): &(&String, &Value)| schemas.get(*name).is_some_and(|read| read != *schema);
        if let Some((name, _)) = answered.iter().find(differs) {
            return Err(format!("two schemas are named {name}"));
        }
        schemas.values_mut().for_each(default_to_null);
        for (name, schema) in answered {
            schemas.entry(name).or_insert(schema);
        }
        schemas.sort_keys();
        schemas.values_mut().for_each(one_line);
        Ok(schemas)
    }
}

fn subschema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    let mut schema = generator.subschema_for::<T>().to_value();
    one_line(&mut schema);
    schema
}

/// For members that may be absent but are never null: `#[schemars(transform = never_null)]` on an `Option`.
pub fn never_null(schema: &mut Schema) {
    drop_null(schema.ensure_object());
}

/// Takes null out of the types and values of a schema.
fn drop_null(schema: &mut Map<String, Value>) {
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_mut_slice() {
            let only = only.take();
            schema.insert("type".to_owned(), only);
        }
    }
}

/// Marks a member that differs if it is omitted and if it is null. No descriptor has it.
const KEPT: &str = "kept if omitted";

/// For the schema of a type that distinguishes an omitted member from null: the host must not put null in its place.
pub fn keep_if_omitted(schema: &mut Schema) {
    schema.insert(KEPT.to_owned(), true.into());
}

/// A member of a body that may be omitted and may be null is null by default, so that both requests mean the same. A body
/// declares it as an `Option`, without `#[serde(default)]`.
fn default_to_null(schema: &mut Value) {
    let Value::Object(schema) = schema else { return };
    let required: Vec<Value> = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    for (keyword, value) in schema.iter_mut() {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(members)) => {
                for (name, member) in members {
                    default_to_null(member);
                    let is_optional = !required.iter().any(|required| required == name.as_str());
                    let is_null = is_optional && takes_null(member);
                    let Value::Object(member) = member else { continue };
                    let is_kept = member.shift_remove(KEPT).is_some();
                    if is_null && !is_kept {
                        member.entry("default").or_insert(Value::Null);
                    }
                }
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(parts)) => parts.iter_mut().for_each(default_to_null),
            ("items" | "additionalProperties", part) => default_to_null(part),
            _ => {}
        }
    }
}

/// Returns whether a schema takes null, as that of an `Option` does.
fn takes_null(schema: &Value) -> bool {
    let lists_null =
        |keyword: &str, null: &Value| schema.get(keyword).and_then(Value::as_array).map(|listed| listed.contains(null));
    match lists_null("type", &"null".into()) {
        Some(takes_null) => takes_null && lists_null("enum", &Value::Null) != Some(false),
        None => lists_null("anyOf", &json!({ "type": "null" })) == Some(true),
    }
}

/// Descriptions come from comments, which are broken into lines.
fn one_line(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == "description" => *text = text.replace('\n', " "),
                    other => one_line(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(one_line),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, serde::Serialize, serde::Deserialize, JsonSchema)]
    #[schemars(inline)]
    struct Limit(u32);

    /// The members
    /// of a body.
    #[derive(serde::Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Query {
        cursor: Option<String>,
        #[serde(default)]
        limit: Limit,
    }

    #[test]
    fn parameters_are_never_null() {
        let schema = Schemas::default().parameters::<Query>();
        assert_eq!(schema["properties"]["cursor"], serde_json::json!({ "type": "string" }));
        assert_eq!(schema["properties"]["limit"]["default"], 0);
        assert_eq!(schema["additionalProperties"], false);
    }

    #[test]
    fn a_member_of_a_body_that_may_be_omitted_is_null_by_default() {
        /// A line of a body.
        #[derive(serde::Deserialize, JsonSchema)]
        #[allow(dead_code)]
        struct Row {
            text: Option<String>,
            query: Option<Query>,
            #[schemars(transform = keep_if_omitted)]
            kept: Option<String>,
            level: u32,
            queries: Vec<Query>,
        }
        let mut schemas = Schemas::default();
        schemas.read::<Row>();
        let named = schemas.finish().unwrap();
        let members = &named["Row"]["properties"];
        for member in ["text", "query"] {
            assert_eq!(members[member].get("default"), Some(&Value::Null), "{member}");
        }
        assert_eq!(members["kept"], json!({ "type": ["string", "null"] }));
        assert_eq!(members["level"].get("default"), None);
        assert_eq!(named["Query"]["properties"]["cursor"].get("default"), Some(&Value::Null));
        assert_eq!(named["Query"]["properties"]["limit"]["default"], 0);
    }

    #[test]
    fn bodies_are_named_and_described_in_one_line() {
        let mut schemas = Schemas::default();
        assert_eq!(schemas.read::<Query>(), serde_json::json!({ "$ref": "#/$defs/Query" }));
        let named = schemas.finish().unwrap();
        assert_eq!(named["Query"]["description"], "The members of a body.");
        assert_eq!(named["Query"]["properties"]["cursor"]["type"], serde_json::json!(["string", "null"]));
    }
}
