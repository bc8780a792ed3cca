//! The postal address that the goods of an order go to. It is the order's own: a customer may have many, and moves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::descriptor::ColumnType;
use stoa_sdk::store::Value;
use stoa_sdk::{Field, Json};

/// A postal address that goods go to, as returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryAddress {
    /// Name of the recipient or of the place, such as `Reception`.
    pub label: Option<String>,
    /// Street and number.
    pub line1: String,
    /// Building, floor or care of.
    pub line2: Option<String>,
    /// Town.
    pub city: Option<String>,
    /// State or province.
    pub region: Option<String>,
    /// Postal code in the format of the country.
    pub postal_code: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country_code: String,
}

impl Field for DeliveryAddress {
    type Plain = Self;
    const TYPE: ColumnType = ColumnType::Json;

    fn put(&self) -> Value {
        // A struct of texts always serializes.
        serde_json::to_value(self).map_or(Value::Null, |address| Json::from_value(&address).put())
    }

    fn take(value: Value) -> Option<Self> {
        Json::take(value)?.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_comes_back_from_its_column() {
        let address = DeliveryAddress {
            label: None,
            line1: "Hafenstr. 7".to_owned(),
            line2: None,
            city: Some("Hamburg".to_owned()),
            region: None,
            postal_code: Some("20457".to_owned()),
            country_code: "DE".to_owned(),
        };
        for stated in [Some(address), None] {
            assert_eq!(<Option<DeliveryAddress> as Field>::take(stated.put()), Some(stated));
        }
        assert_eq!(DeliveryAddress::take(Value::Json("[]".to_owned())), None);
    }
}
