//! Pairs of texts as a struct: path and query parameters arrive as texts and are read by the type that describes them.

use serde::de::value::{Error, MapDeserializer};
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Reads a struct from its members as texts.
///
/// # Errors
/// A text that its field does not take, a member that the struct does not have or one that it lacks.
pub fn read<T: DeserializeOwned>(pairs: &[(String, String)]) -> Result<T, Error> {
    T::deserialize(MapDeserializer::new(pairs.iter().map(|(name, value)| (name.as_str(), Parameter(value)))))
}

/// A text that becomes what its field asks for.
struct Parameter<'a>(&'a str);

impl<'de> IntoDeserializer<'de, Error> for Parameter<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

fn parse_value<T: std::str::FromStr>(text: &str) -> Result<T, Error> {
    text.parse().map_err(|_| serde::de::Error::custom("a parameter of another type"))
}

impl<'de> Deserializer<'de> for Parameter<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(parse_value(self.0)?)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u32(parse_value(self.0)?)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u64(parse_value(self.0)?)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(parse_value(self.0)?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map
        struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    enum Status {
        #[serde(rename = "ACTIVE")]
        Active,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(transparent)]
    struct Limit(u32);

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Query {
        cursor: Option<String>,
        limit: Limit,
        deep: bool,
        count: Option<u64>,
        status: Status,
        text: Option<String>,
        brand_id: Option<String>,
    }

    fn pairs(texts: &[(&str, &str)]) -> Vec<(String, String)> {
        texts.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn texts_become_what_the_fields_ask_for() {
        let id = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        let sent = [
            ("cursor", id),
            ("limit", "7"),
            ("deep", "true"),
            ("count", "1099511627776"),
            ("status", "ACTIVE"),
            ("text", "12"),
        ];
        let query: Query = read(&pairs(&sent)).unwrap();
        let expected = Query {
            cursor: Some(id.to_owned()),
            limit: Limit(7),
            deep: true,
            count: Some(1 << 40),
            status: Status::Active,
            text: Some("12".to_owned()),
            brand_id: None,
        };
        assert_eq!(query, expected);
        assert!(read::<Query>(&pairs(&[("limit", "x"), ("deep", "true"), ("status", "ACTIVE")])).is_err());
        assert!(
            read::<Query>(&pairs(&[("limit", "1"), ("deep", "true"), ("status", "ACTIVE"), ("other", "1")])).is_err()
        );
    }
}
