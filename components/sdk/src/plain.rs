//! The wire form that small types of one value have in common: their schema is inlined wherever they are used, and those that are
//! texts are written and read as such.

/// The schema of a type, which is written in place wherever the type is used.
///
/// ```
/// # use schemars::json_schema;
/// struct Percent(u8);
/// stoa_sdk::inline_schema!([] Percent, |_| json_schema!({ "type": "integer", "minimum": 0, "maximum": 100 }));
/// struct Code<const MOST: usize>(String);
/// stoa_sdk::inline_schema!([const MOST: usize] Code<MOST>, |_| json_schema!({ "type": "string", "maxLength": MOST }));
/// ```
#[macro_export]
macro_rules! inline_schema {
    ([$($parameters:tt)*] $type:ty, $schema:expr) => {
        impl<$($parameters)*> $crate::macros::schemars::JsonSchema for $type {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(
                generator: &mut $crate::macros::schemars::SchemaGenerator,
            ) -> $crate::macros::schemars::Schema {
                let schema: fn(&mut $crate::macros::schemars::SchemaGenerator) -> $crate::macros::schemars::Schema = $schema;
                schema(generator)
            }
        }
    };
}

/// A type that is a JSON text: written by its `Display`, read by its `FromStr`.
#[macro_export]
macro_rules! json_text {
    ([$($parameters:tt)*] $type:ty) => {
        impl<$($parameters)*> $crate::macros::serde::Serialize for $type {
            fn serialize<S: $crate::macros::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de, $($parameters)*> $crate::macros::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::macros::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <::std::borrow::Cow<'de, str> as $crate::macros::serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err($crate::macros::serde::de::Error::custom)
            }
        }
    };
}

/// The error of a text that is not a value of its type, with what is expected in its place.
macro_rules! parse_error {
    ($(#[$meta:meta])* pub struct $name:ident: $expected:literal) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name;

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str($expected)
            }
        }
    };
}

/// A type that is a text of its own kind: read as the text it holds.
#[macro_export]
macro_rules! plain_text {
    ([$($parameters:tt)*] $type:ty) => {
        impl<$($parameters)*> ::std::ops::Deref for $type {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl<$($parameters)*> From<$type> for String {
            fn from(text: $type) -> String {
                text.0
            }
        }
    };
}
