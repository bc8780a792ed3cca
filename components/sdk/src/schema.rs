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

    /// An object of parameters, in place.
    pub fn parameters<T: JsonSchema>(&mut self) -> Value {
        T::json_schema(&mut self.read).to_value()
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
        schemas
    }
}
