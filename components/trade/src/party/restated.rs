//! A member of a replacement that older callers do not send: left out it keeps what is there, so that they cannot erase what they
//! cannot see (inventory-procurement.md B1, sales-pos.md 2.1).

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use stoa_sdk::keep_if_omitted;

/// The value of such a member in a replacement. Its field is `#[serde(default)]`. It has no default in the schema: the host
/// would put that in, and an omitted member would look like null.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Restated<T> {
    /// The member is left out.
    #[default]
    Keep,
    /// The member is null.
    Remove,
    /// The member is stated.
    Set(T),
}

impl<T> Restated<T> {
    /// The stated value.
    pub fn new_value(&self) -> Option<&T> {
        match self {
            Restated::Set(stated) => Some(stated),
            Restated::Keep | Restated::Remove => None,
        }
    }

    /// The stated value as another type.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Restated<U> {
        match self {
            Restated::Keep => Restated::Keep,
            Restated::Remove => Restated::Remove,
            Restated::Set(stated) => Restated::Set(make(stated)),
        }
    }

    /// The value after the replacement; before a creation there is none.
    pub fn replace(self, before: Option<T>) -> Option<T> {
        match self {
            Restated::Keep => before,
            Restated::Remove => None,
            Restated::Set(stated) => Some(stated),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Restated<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Restated<T>, D::Error> {
        Ok(match Option::deserialize(deserializer)? {
            None => Restated::Remove,
            Some(stated) => Restated::Set(stated),
        })
    }
}

stoa_sdk::inline_schema!([T: JsonSchema] Restated<T>, |generator| {
    let mut schema = <Option<T>>::json_schema(generator);
    keep_if_omitted(&mut schema);
    schema
});

#[cfg(test)]
mod tests {
    use serde_json::json;
    use stoa_sdk::Schemas;

    use super::*;

    #[test]
    fn the_schema_has_no_default() {
        #[derive(Deserialize, JsonSchema)]
        #[allow(dead_code, reason = "only its schema is asked for")]
        struct Body {
            #[serde(default)]
            member: Restated<i64>,
            other: Option<i64>,
        }
        let mut schemas = Schemas::default();
        schemas.read::<Body>();
        let named = schemas.finish().unwrap();
        let members = &named["Body"]["properties"];
        assert_eq!(members["member"], json!({ "type": ["integer", "null"], "format": "int64" }));
        assert_eq!(members["other"], json!({ "type": ["integer", "null"], "format": "int64", "default": null }));
    }

    #[test]
    fn left_out_null_and_stated_are_three_things() {
        #[derive(Deserialize)]
        struct Body {
            #[serde(default)]
            member: Restated<i64>,
        }
        for (body, before, after) in [
            ("{}", None, None),
            ("{}", Some(1), Some(1)),
            (r#"{"member":null}"#, Some(1), None),
            (r#"{"member":2}"#, Some(1), Some(2)),
            (r#"{"member":2}"#, None, Some(2)),
        ] {
            let read: Body = serde_json::from_str(body).unwrap();
            assert_eq!(read.member.replace(before), after, "{body} after {before:?}");
        }
    }
}
