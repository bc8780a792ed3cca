//! The body that replaces a document: the body that makes one, after the version that the caller read.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::version::ExpectedVersion;

/// The member before those of the body.
const VERSION: &str = "expectedVersion";

/// The body of a new document that can be replaced as a whole. The names are those of the replacement in the contract.
pub trait Replaceable: DeserializeOwned + JsonSchema {
    /// Name of the schema, such as `PaymentUpdate`.
    const UPDATE: &'static str;
    /// Its description.
    const DESCRIPTION: &'static str = "Full replacement of a draft.";
}

/// A full replacement of a document: `expectedVersion`, then the members of the body that makes one.
#[derive(Debug)]
pub struct FullReplacement<B> {
    /// The version that the caller believes to be current.
    pub expected_version: ExpectedVersion,
    /// The document as it is to be.
    pub body: B,
}

// The version is taken out of a tree of the body, because serde's `flatten` rejects unknown members either of bodies that
// flatten a part themselves or of those that do not. No number changes on the way: the host prints the body from such a tree
// itself, integers fit an `i64`, and decimals are texts.
impl<'de, B: Replaceable> Deserialize<'de> for FullReplacement<B> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members: Map<String, Value> = Map::deserialize(deserializer)?;
        let version = members.remove(VERSION).ok_or_else(|| D::Error::missing_field(VERSION))?;
        let expected_version = ExpectedVersion::deserialize(version).map_err(D::Error::custom)?;
        let body = B::deserialize(Value::Object(members)).map_err(D::Error::custom)?;
        Ok(FullReplacement { expected_version, body })
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
