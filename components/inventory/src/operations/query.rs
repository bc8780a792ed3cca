//! Queries of API clients that are those of people, less what only people may ask.

use schemars::{JsonSchema, Schema, SchemaGenerator};

/// The schema of a query without some of its parameters; the handler reads the whole one, in which they are left out.
pub fn without<T: JsonSchema>(generator: &mut SchemaGenerator, parameters: &[&str]) -> Schema {
    let mut schema = T::json_schema(generator);
    if let Some(properties) = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut) {
        properties.retain(|name, _| !parameters.contains(&name.as_str()));
    }
    schema
}
