//! The body that replaces a document: the body that makes one, after the version that the caller read.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};
use serde_json::{Value, json};

use super::version::ExpectedVersion;

/// The member before those of the body.
const VERSION: &str = "expectedVersion";

/// The body of a new document that can be replaced as a whole. The names are those of the replacement in the contract.
pub trait Replaceable: DeserializeOwned + JsonSchema {
    /// Name of the schema, such as `PaymentUpdate`.
    const UPDATE: &'static str;
    /// Its description.
    const DESCRIPTION: &'static str;
}

/// A full replacement of a document: `expectedVersion`, then the members of the body that makes one.
#[derive(Debug)]
pub struct FullReplacement<B> {
    /// The version that the caller believes to be current.
    pub expected_version: ExpectedVersion,
    /// The document as it is to be.
    pub body: B,
}

impl<'de, B: Replaceable> Deserialize<'de> for FullReplacement<B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut version = None;
        let body = B::deserialize(Rest { inner: deserializer, version: &mut version })?;
        let expected_version = version.ok_or_else(|| D::Error::missing_field(VERSION))?;
        Ok(FullReplacement { expected_version, body })
    }
}

/// A reader of the other members, which takes the version out as it passes: the body is read from the text itself. `T` is
/// serde's deserializer of the replacement, then its visitor, then its members.
struct Rest<'a, T> {
    inner: T,
    version: &'a mut Option<ExpectedVersion>,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Rest<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_map(Rest { inner: visitor, version: self.version })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Rest<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Rest { inner: members, version: self.version })
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Rest<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(name) = self.inner.next_key::<String>()? {
            if name != VERSION {
                return seed.deserialize(name.into_deserializer()).map(Some);
            }
            *self.version = Some(self.inner.next_value()?);
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}

impl<B: Replaceable> JsonSchema for FullReplacement<B> {
    fn schema_name() -> Cow<'static, str> {
        B::UPDATE.into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = B::json_schema(generator);
        let version = Value::from(generator.subschema_for::<ExpectedVersion>());
        schema.insert("description".to_owned(), B::DESCRIPTION.into());
        let object = schema.ensure_object();
        if let Value::Object(members) = object.entry("properties").or_insert_with(|| json!({})) {
            members.shift_insert(0, VERSION.to_owned(), version);
        }
        if let Value::Array(required) = object.entry("required").or_insert_with(|| json!([])) {
            required.insert(0, VERSION.into());
        }
        schema
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_types, reason = "the code that serde derives for `flatten` can take floats")]
mod tests {
    use stoa_sdk::Schemas;

    use super::*;

    /// A shelf.
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct ShelfInput {
        shelf_code: String,
        #[serde(flatten)]
        texts: Texts,
    }

    /// Members that bodies share.
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Texts {
        #[serde(default)]
        notes: Option<String>,
    }

    impl Replaceable for ShelfInput {
        const UPDATE: &'static str = "ShelfUpdate";
        const DESCRIPTION: &'static str = "Full replacement of a shelf.";
    }

    /// Full replacement of a shelf.
    #[derive(JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    #[allow(dead_code, reason = "only its schema is asked for")]
    struct ShelfUpdate {
        expected_version: ExpectedVersion,
        shelf_code: String,
        #[serde(default)]
        notes: Option<String>,
    }

    fn read(body: Value) -> Option<(i64, String, Option<String>)> {
        let read: Option<FullReplacement<ShelfInput>> = serde_json::from_str(&body.to_string()).ok();
        read.map(|read| (read.expected_version.0, read.body.shelf_code, read.body.texts.notes))
    }

    #[test]
    fn a_replacement_states_the_version_and_the_body() {
        let read = read(json!({ "shelfCode": "A", "expectedVersion": 3, "notes": "B" }));
        assert_eq!(read, Some((3, "A".to_owned(), Some("B".to_owned()))));
    }

    #[test]
    fn a_member_that_is_missing_or_unknown_is_refused() {
        for body in [
            json!({ "shelfCode": "A" }),
            json!({ "expectedVersion": 3 }),
            json!({ "shelfCode": "A", "expectedVersion": 3, "colour": "red" }),
            json!({ "shelfCode": "A", "expectedVersion": "3" }),
        ] {
            assert_eq!(read(body.clone()), None, "{body}");
        }
    }

    #[test]
    fn the_contract_reads_as_if_it_were_spelled_out() {
        let mut schemas = Schemas::default();
        assert_eq!(schemas.read::<FullReplacement<ShelfInput>>(), json!({ "$ref": "#/$defs/ShelfUpdate" }));
        let mut spelled = Schemas::default();
        spelled.read::<ShelfUpdate>();
        // As texts: the order of the members counts.
        let text = |schemas: Schemas| schemas.finish().map(|named| Value::from(named).to_string());
        assert_eq!(text(schemas), text(spelled));
    }
}
