//! Texts of a bounded length as people write them, patterns of codes, and enumerations that are stored as text.

use schemars::json_schema;
use serde::{Deserialize, Serialize};

/// Codes of lookups: upper case.
pub const CODE: &str = "^[A-Z][A-Z0-9_.-]*$";
/// Codes that may be sent in any case: price lists, warehouses.
pub const ANY_CASE_CODE: &str = "^[A-Za-z][A-Za-z0-9_.-]*$";
/// Codes of units of measure.
pub const UNIT_CODE: &str = "^[A-Z][A-Z0-9_]{0,15}$";
/// Words of lower-case letters and digits joined by single hyphens.
pub const SLUG: &str = "^[a-z0-9]+(-[a-z0-9]+)*$";
/// Stock keeping units.
pub const SKU: &str = "^[A-Z0-9][A-Z0-9_./-]{0,99}$";
/// A currency as ISO 4217 spells it.
pub const CURRENCY: &str = "^[A-Z]{3}$";
/// A currency in any case.
pub const ANY_CASE_CURRENCY: &str = "^[A-Za-z]{3}$";

/// A text of `MIN` to `MAX` characters (Unicode scalar values), trimmed by the host before it counts them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Text<const MIN: usize, const MAX: usize>(pub String);

plain_text!([const MIN: usize, const MAX: usize] Text<MIN, MAX>);

inline_schema!([const MIN: usize, const MAX: usize] Text<MIN, MAX>, |_| {
    let mut schema = json_schema!({ "type": "string", "maxLength": MAX, "x-normalize": ["trim"] });
    if MIN > 0 {
        schema.insert("minLength".to_owned(), MIN.into());
    }
    schema
});

pub use stoa_descriptor::schemas::{CountryCode, CurrencyCode};

/// An enumeration whose values are texts in JSON, in schemas and in columns alike. The contract names its values by its name.
#[macro_export]
macro_rules! text_enum {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident => $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq,
            $crate::macros::serde::Serialize, $crate::macros::serde::Deserialize, $crate::macros::schemars::JsonSchema,
        )]
        #[serde(crate = "stoa_sdk::macros::serde")]
        #[schemars(crate = "stoa_sdk::macros::schemars", inline, extend("title" = stringify!($name)))]
        $vis enum $name { $($(#[$variant_meta])* #[serde(rename = $text)] $variant),+ }

        impl $name {
            /// The text of each value, in the order of declaration.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl $crate::Field for $name {
            type Plain = Self;
            const TYPE: $crate::descriptor::ColumnType = $crate::descriptor::ColumnType::Text;

            fn put(&self) -> $crate::store::Value {
                $crate::store::Value::Text(self.as_str().to_owned())
            }

            fn take(value: $crate::store::Value) -> Option<Self> {
                match value {
                    $crate::store::Value::Text(text) => match text.as_str() {
                        $($text => Some(Self::$variant),)+
                        _ => None,
                    },
                    _ => None,
                }
            }
        }
    };
}
