//! Queries of API clients that are those of people, less what only people may ask; and parameters that are no filter.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use stoa_sdk::Filter;

/// The schema of a query without some of its parameters; the handler reads the whole one, in which they are left out.
pub fn without<T: JsonSchema>(generator: &mut SchemaGenerator, parameters: &[&str]) -> Schema {
    let mut schema = T::json_schema(generator);
    if let Some(properties) = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut) {
        properties.retain(|name, _| !parameters.contains(&name.as_str()));
    }
    schema
}

/// Asks nothing of the rows: the handler reads what the parameter asks for in another way.
pub fn ask_nothing<T>(_: Option<T>) -> Filter {
    Filter::default()
}

/// Declares the query of API clients that is another one without some of its parameters.
macro_rules! client_query {
    ($(#[$doc:meta])* $name:ident of $whole:ident without [$($parameter:literal),+ $(,)?]) => {
        $(#[$doc])*
        pub struct $name;

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::operations::query::without::<$whole>(generator, &[$($parameter),+])
            }
        }
    };
}
pub(crate) use client_query;
