//! For tests: judges values by the schema of a type as the host does, so that patterns are tried by the engine that runs them.

use schemars::JsonSchema;
use serde_json::{Value, json};
use stoa_sdk::Schemas;

/// The schema by which a value of the type is read, with what it refers to.
pub fn schema<T: JsonSchema>() -> Value {
    let mut schemas = Schemas::default();
    let root = schemas.read::<T>();
    json!({ "allOf": [root], "$defs": schemas.finish().unwrap() })
}

/// Returns whether the schema takes the value.
pub fn admits<T: JsonSchema>(value: &Value) -> bool {
    let options = jsonschema::draft202012::options().offline().should_validate_formats(true);
    let patterns = options.with_pattern_options(jsonschema::PatternOptions::regex());
    patterns.build(&schema::<T>()).unwrap().is_valid(value)
}
