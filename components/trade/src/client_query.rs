//! Queries of API clients that are those of people, less what only people may ask. One handler reads both: members that
//! a client cannot ask for are left out.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::life::OnlyActive;

/// The parameters that replace those of the same name where API clients read active records alone.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is asked for")]
struct ActiveAlone {
    /// Only ACTIVE records are listed.
    #[serde(default)]
    status: OnlyActive,
}

/// The schema of a query without some of its parameters, and with other descriptions of some.
pub fn without<T: JsonSchema>(
    generator: &mut SchemaGenerator,
    parameters: &[&str],
    descriptions: &[(&str, &str)],
) -> Schema {
    let mut schema = T::json_schema(generator);
    if let Some(properties) = properties_of(&mut schema) {
        properties.retain(|name, _| !parameters.contains(&name.as_str()));
        for (name, description) in descriptions {
            if let Some(Value::Object(parameter)) = properties.get_mut(*name) {
                parameter.insert("description".to_owned(), Value::from(*description));
            }
        }
    }
    schema
}

/// As [`without`], of only active records.
pub fn active_without<T: JsonSchema>(
    generator: &mut SchemaGenerator,
    parameters: &[&str],
    descriptions: &[(&str, &str)],
) -> Schema {
    let mut schema = without::<T>(generator, parameters, descriptions);
    let mut active = ActiveAlone::json_schema(generator);
    if let (Some(properties), Some(active)) = (properties_of(&mut schema), properties_of(&mut active)) {
        properties.append(active);
    }
    schema
}

fn properties_of(schema: &mut Schema) -> Option<&mut Map<String, Value>> {
    schema.get_mut("properties")?.as_object_mut()
}

/// Declares the query of API clients that is another one without some of its parameters; `of active`: with the one
/// status that clients may ask for. Parameters that mean something else to clients have a description of their own.
///
/// ```
/// # use stoa_trade::{Status, client_query, list_query};
/// # use stoa_sdk::{Id, collection};
/// # collection! { record ShelfRow in "shelf" { warehouse_id: Id, status: Status } }
/// list_query! {
///     pub struct ListShelves of ShelfRow {
///         #[serde(default)]
///         status: Status = ShelfRow::status.eq(status),
///         warehouse_id: Option<Id>,
///     }
/// }
///
/// client_query! {
///     /// All active ones.
///     ListApiShelves of active ListShelves without ["warehouseId"] but { "limit": "Most shelves of a page." }
/// }
/// ```
#[macro_export]
macro_rules! client_query {
    ($(#[$doc:meta])* $name:ident of active $whole:ident without $($rest:tt)*) => {
        $crate::client_query! { @schema active_without $(#[$doc])* $name $whole $($rest)* }
    };
    ($(#[$doc:meta])* $name:ident of $whole:ident without $($rest:tt)*) => {
        $crate::client_query! { @schema without $(#[$doc])* $name $whole $($rest)* }
    };
    (
        @schema $schema:ident $(#[$doc:meta])* $name:ident $whole:ident [$($parameter:literal),* $(,)?]
        $(but { $($described:literal: $description:literal),* $(,)? })?
    ) => {
        $(#[$doc])*
        pub struct $name;

        impl ::schemars::JsonSchema for $name {
            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                let descriptions: &[(&str, &str)] = &[$($(($described, $description)),*)?];
                $crate::client_query::$schema::<$whole>(generator, &[$($parameter),*], descriptions)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use stoa_sdk::{Id, collection};

    use super::*;
    use crate::{Status, list_query};

    collection! {
        record ShelfRow in "shelf" {
            kind: String,
            warehouse_id: Id,
            status: Status,
        }
    }

    list_query! {
        struct ListShelves of ShelfRow {
            #[serde(default)]
            status: Status = ShelfRow::status.eq(status),
            /// Only this warehouse.
            warehouse_id: Option<Id>,
            kind: Option<String>,
        }
    }

    list_query! {
        #[allow(dead_code, reason = "only its schema is asked for")]
        struct Spelled of OnlyActive {
            /// Only this warehouse, if clients may read it.
            warehouse_id: Option<Id>,
        }
    }

    client_query! {
        ListApiShelves of active ListShelves without ["kind"] but {
            "warehouseId": "Only this warehouse, if clients may read it.",
        }
    }

    #[test]
    fn the_query_of_clients_reads_as_if_it_were_spelled_out() {
        let mut generator = SchemaGenerator::default();
        let mut text = |read: fn(&mut SchemaGenerator) -> Schema| {
            // As text: the order of the parameters counts.
            Value::from(read(&mut generator)).to_string()
        };
        assert_eq!(text(ListApiShelves::json_schema), text(Spelled::json_schema));
    }
}
