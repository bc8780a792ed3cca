//! JSON Schemas from Rust types: what an operation reads and answers is published as the types that do it.

use schemars::JsonSchema;
use schemars::generate::{Contract, SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value};

use crate::host::fault;

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
    /// What is read from a body: a reference to a named schema.
    pub fn read<T: JsonSchema>(&mut self) -> Value {
        self.read.subschema_for::<T>().to_value()
    }

    /// What is answered: a reference to a named schema.
    pub fn answered<T: JsonSchema>(&mut self) -> Value {
        self.answered.subschema_for::<T>().to_value()
    }

    /// An object of parameters, in place. One that is not sent is absent, never null.
    pub fn parameters<T: JsonSchema>(&mut self) -> Value {
        let mut schema = T::json_schema(&mut self.read).to_value();
        if let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            members.values_mut().for_each(without_null);
        }
        one_line(&mut schema);
        schema
    }

    /// The named schemas, by name. A name has one meaning in a module.
    pub fn finish(mut self) -> Map<String, Value> {
        let mut schemas = self.read.take_definitions(false);
        for (name, schema) in self.answered.take_definitions(false) {
            match schemas.get(&name) {
                Some(other) if *other != schema => fault(&format!("two schemas are named {name}")),
                _ => _ = schemas.insert(name, schema),
            }
        }
        schemas.sort_keys();
        schemas.values_mut().for_each(one_line);
        schemas
    }
}

/// Takes null out of the types and values of a schema.
fn without_null(schema: &mut Value) {
    if let Some(values) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|of| of != "null");
        if let [only] = types.as_mut_slice() {
            let only = only.take();
            schema["type"] = only;
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
    use crate::{Id, Limit};

    /// What a body
    /// may say.
    #[derive(serde::Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Query {
        cursor: Option<Id>,
        #[serde(default)]
        limit: Limit,
    }

    #[test]
    fn parameters_are_never_null() {
        let schema = Schemas::default().parameters::<Query>();
        assert_eq!(schema["properties"]["cursor"], serde_json::json!({ "type": "string", "format": "uuid" }));
        assert_eq!(schema["properties"]["limit"]["default"], 50);
        assert_eq!(schema["additionalProperties"], false);
    }

    #[test]
    fn bodies_are_named_and_described_in_one_line() {
        let mut schemas = Schemas::default();
        assert_eq!(schemas.read::<Query>(), serde_json::json!({ "$ref": "#/$defs/Query" }));
        let named = schemas.finish();
        assert_eq!(named["Query"]["description"], "What a body may say.");
        assert_eq!(named["Query"]["properties"]["cursor"]["type"], serde_json::json!(["string", "null"]));
    }
}
