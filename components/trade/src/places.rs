//! Places of responses: the member `extensions` of a document, in which extensions show members of their own, each
//! below its name.
//!
//! The schema of such a member names the place (`x-stoa-place`). The contract has the member while a module shows
//! something there.

use std::collections::BTreeMap;

use stoa_sdk::{Id, Json, reject_extension, shows_at};

use crate::points::{ShownDocument, views};

/// The members that extensions add to one record: an object for each, by the name of its module.
pub type ShownMembers = BTreeMap<String, Json>;

/// Declares a place: the type of the member `extensions` of a response, and its name for extensions.
///
/// ```text
/// stoa_trade::place! {
///     /// The members that extensions add to an order.
///     pub SalesOrderExtensions at "sales.order";
/// }
/// ```
/// A document has the member as an `Option` that is left out where it is `None`:
/// `#[serde(skip_serializing_if = "Option::is_none")] #[schemars(transform = stoa_sdk::descriptor::schemas::never_null)]`.
#[macro_export]
macro_rules! place {
    ($($(#[$meta:meta])* $vis:vis $name:ident at $place:literal;)+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, stoa_sdk::macros::serde::Serialize)]
        #[serde(crate = "stoa_sdk::macros::serde", transparent)]
        $vis struct $name($crate::places::ShownMembers);

        impl $name {
            /// As a descriptor's `shows` names it.
            $vis const PLACE: &'static str = $place;

            /// The members of a record by all extensions that show something here; None where none does. Extensions are
            /// asked only if there are some.
            $vis fn read(id: stoa_sdk::Id) -> Option<Self> {
                $crate::places::read_members(Self::PLACE, id).map(Self)
            }
        }

        stoa_sdk::inline_schema!([] $name, |_| {
            stoa_sdk::macros::schemars::json_schema!({
                "type": "object",
                "x-stoa-place": $place,
                "additionalProperties": { "type": "object" },
            })
        });
    )+};
}

place! {
    /// The members that extensions add to a sales order.
    pub SalesOrderExtensions at "sales.order";
    /// The members that extensions add to a receipt.
    pub PosReceiptExtensions at "pos.receipt";
    /// The members that extensions add to a product.
    pub CatalogProductExtensions at "catalog.product";
}

/// For [`place!`](crate::place).
#[doc(hidden)]
pub fn read_members(place: &str, id: Id) -> Option<ShownMembers> {
    if !shows_at(place) {
        return None;
    }
    let mut members = ShownMembers::new();
    for ShownDocument { module, id: shown, json } in views::show(place, &[id.into()]) {
        if Id::from(shown) != id {
            reject_extension(&module, "a document of a record that was not asked for");
        }
        let Some(json) = Json::from_text(json) else { reject_extension(&module, "a document that is no JSON") };
        members.insert(module, json);
    }
    (!members.is_empty()).then_some(members)
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Serialize;
    use serde_json::json;
    use stoa_sdk::descriptor::schemas::never_null;
    use stoa_sdk::{Schemas, stand_in_extended};

    use super::*;

    #[derive(Serialize, JsonSchema)]
    struct PlacedOrder {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(transform = never_null)]
        extensions: Option<SalesOrderExtensions>,
    }

    fn show(modules: &'static [&'static str]) {
        views::stand_in::show(move |place, ids| {
            let document = |module: &&str| ShownDocument {
                module: (*module).to_owned(),
                id: ids[0],
                json: json!({ "place": place }).to_string(),
            };
            modules.iter().map(document).collect()
        });
    }

    #[test]
    fn members_are_below_the_name_of_their_module() {
        let read = || serde_json::to_value(PlacedOrder { extensions: SalesOrderExtensions::read(Id(1, 2)) }).unwrap();
        assert_eq!(read(), json!({}), "no module shows anything");
        stand_in_extended("sales.order");
        show(&[]);
        assert_eq!(read(), json!({}), "no module has anything of this order");
        show(&["loyalty", "credit-limit"]);
        let member = json!({ "place": "sales.order" });
        assert_eq!(read(), json!({ "extensions": { "credit-limit": member, "loyalty": member } }));
    }

    #[test]
    fn the_schema_names_the_place_and_requires_nothing() {
        let mut schemas = Schemas::default();
        schemas.response::<PlacedOrder>();
        let schema = &schemas.finish().unwrap()["PlacedOrder"];
        let member = json!({
            "type": "object", "x-stoa-place": "sales.order", "additionalProperties": { "type": "object" },
        });
        assert_eq!(schema["properties"], json!({ "extensions": member }));
        assert_eq!(schema.get("required"), None);
    }
}
