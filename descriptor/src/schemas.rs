//! JSON Schemas from Rust types: what an operation reads and answers is published as the types that do it, a module's and the
//! host's own alike.

use schemars::generate::{Contract, SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

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
        subschema::<T>(&mut self.read)
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
        for (name, schema) in self.answered.take_definitions(false) {
            match schemas.get(&name) {
                Some(other) if *other != schema => return Err(format!("two schemas are named {name}")),
                _ => _ = schemas.insert(name, schema),
            }
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

    /// What a body
    /// may say.
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
    fn bodies_are_named_and_described_in_one_line() {
        let mut schemas = Schemas::default();
        assert_eq!(schemas.read::<Query>(), serde_json::json!({ "$ref": "#/$defs/Query" }));
        let named = schemas.finish().unwrap();
        assert_eq!(named["Query"]["description"], "What a body may say.");
        assert_eq!(named["Query"]["properties"]["cursor"]["type"], serde_json::json!(["string", "null"]));
    }
}
