//! How Rust values become column values and back, and the typed names of columns.

use std::marker::PhantomData;

use stoa_descriptor::ColumnType;

use crate::bindings::commerce::platform::store::Value;
use crate::date::Date;
use crate::decimal::Decimal;
use crate::id::Id;
use crate::instant::Instant;
use crate::json::Json;

/// A type that a column can hold.
pub trait Field: Sized {
    /// The type without null.
    type Plain: Field;
    /// The type of its column.
    const TYPE: ColumnType;
    /// True if the column takes null.
    const NULLABLE: bool = false;

    /// As the store takes it.
    fn put(&self) -> Value;
    /// None where the store answered a value of another type.
    fn take(value: Value) -> Option<Self>;
}

/// The name of a column together with its type. The macro `collection!` declares one per column.
pub struct Column<T> {
    name: &'static str,
    type_: PhantomData<fn() -> T>,
}

impl<T> Clone for Column<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Column<T> {}

impl<T> Column<T> {
    /// For the macros: a column of this name.
    pub const fn new(name: &'static str) -> Self {
        Column { name, type_: PhantomData }
    }

    /// As the descriptor spells it.
    pub const fn name(self) -> &'static str {
        self.name
    }
}

macro_rules! plain_field {
    ($type:ty, $column:expr, $self:ident => $put:expr, $pattern:pat => $take:expr) => {
        impl Field for $type {
            type Plain = Self;
            const TYPE: ColumnType = $column;

            fn put(&$self) -> Value {
                $put
            }

            fn take(value: Value) -> Option<Self> {
                match value {
                    $pattern => $take,
                    _ => None,
                }
            }
        }
    };
}

plain_field!(Id, ColumnType::Uuid, self => Value::Id((self.0, self.1)), Value::Id(id) => Some(id.into()));
plain_field!(String, ColumnType::Text, self => Value::Text(self.clone()), Value::Text(text) => Some(text));
plain_field!(bool, ColumnType::Boolean, self => Value::Boolean(*self), Value::Boolean(flag) => Some(flag));
plain_field!(i64, ColumnType::Integer, self => Value::Integer(*self), Value::Integer(number) => Some(number));
plain_field!(Instant, ColumnType::Timestamp, self => Value::Instant(self.0), Value::Instant(ms) => Some(Instant(ms)));
plain_field!(Date, ColumnType::Date, self => Value::Date(self.to_string()), Value::Date(text) => text.parse().ok());
plain_field!(Json, ColumnType::Json, self => Value::Json(self.text().to_owned()), Value::Json(text) => Json::from_text(text));

impl<const SCALE: u32, const DIGITS: u8> Field for Decimal<SCALE, DIGITS> {
    type Plain = Self;
    // A scale is at most 38, so it fits.
    const TYPE: ColumnType = ColumnType::Decimal { precision: Self::PRECISION, scale: SCALE as u8 };

    fn put(&self) -> Value {
        Value::Decimal(self.to_string())
    }

    fn take(value: Value) -> Option<Self> {
        match value {
            Value::Decimal(text) => text.parse().ok(),
            _ => None,
        }
    }
}

impl<T: Field> Field for Option<T> {
    type Plain = T::Plain;
    const TYPE: ColumnType = T::TYPE;
    const NULLABLE: bool = true;

    fn put(&self) -> Value {
        self.as_ref().map_or(Value::Null, Field::put)
    }

    fn take(value: Value) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::take(value).map(Some),
        }
    }
}
