//! Values of the host's own records as the interface writes them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use stoa_descriptor::schemas::INSTANT_PATTERN;

use crate::calendar::time;
use crate::identity::Environment;
use crate::problem::{Item, Problem};

/// Milliseconds since 1970, as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant(pub i64);

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&time(self.0))
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Instant, D::Error> {
        let text = String::deserialize(deserializer)?;
        let instant = chrono::DateTime::parse_from_rfc3339(&text).map_err(serde::de::Error::custom)?;
        Ok(Instant(instant.timestamp_millis()))
    }
}

impl JsonSchema for Instant {
    fn schema_name() -> Cow<'static, str> {
        "Instant".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        match generator.contract().is_serialize() {
            true => json_schema!({ "type": "string", "format": "date-time" }),
            false => json_schema!({ "type": "string", "format": "date-time", "pattern": INSTANT_PATTERN }),
        }
    }
}

/// The schema of an integer of whatever type: its width is no business of callers.
pub enum Integer {}

impl JsonSchema for Integer {
    fn schema_name() -> Cow<'static, str> {
        "Integer".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer" })
    }
}

/// The schema of one of these texts, which the contract names so: what is read says its type too, as parameters must.
pub fn one_of(name: &str, texts: &[&str], generator: &SchemaGenerator) -> Schema {
    match generator.contract().is_serialize() {
        true => json_schema!({ "title": name, "enum": texts }),
        false => json_schema!({ "title": name, "type": "string", "enum": texts }),
    }
}

/// Refuses what has the right shape and names nothing: each pointer with whether what is there is known.
pub fn refuse_unknown(judged: &[(&str, bool)]) -> Result<(), Problem> {
    let faults: Vec<Item> =
        judged.iter().filter(|(_, known)| !known).map(|(pointer, _)| Item::new(*pointer, "FORMAT")).collect();
    if faults.is_empty() { Ok(()) } else { Err(Problem::new("VALIDATION_FAILED").with(faults)) }
}

/// Leaves out the type next to the texts: a value of another type is rejected as one that is not among them.
pub fn drop_type(schema: &mut Schema) {
    schema.remove("type");
}

impl JsonSchema for Environment {
    fn schema_name() -> Cow<'static, str> {
        "Environment".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        one_of("Environment", &["test", "live"], generator)
    }
}

/// An enumeration whose values are texts in JSON, in schemas and in columns alike.
macro_rules! text_enum {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($value:ident => $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        $vis enum $name { $(#[serde(rename = $text)] $value),+ }

        impl $name {
            /// The text of a value.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$value => $text),+ }
            }

            /// The value that a column holds.
            #[allow(dead_code, reason = "what is only sent is in no column")]
            pub fn read(row: &$crate::database::Row, index: usize) -> Result<Self, $crate::database::Error> {
                match row.text(index)?.as_str() {
                    $($text => Ok(Self::$value),)+
                    _ => Err($crate::database::Error::Fault(concat!("a column without a ", stringify!($name)).into())),
                }
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::platform::values::one_of(stringify!($name), &[$($text),+], generator)
            }
        }
    };
}

pub(super) use text_enum;
