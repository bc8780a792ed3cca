//! How a party is reached: e-mail, telephone, people and postal addresses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::text_enum;

use crate::text::Line;

/// One `@`, no white space.
const EMAIL: &str = "^[^@\\s]+@[^@\\s]+$";
const PHONE: &str = "^\\+?[0-9][0-9 ().-]{2,30}$";
/// ISO 3166-1 alpha-2; which codes there are is a table's to say.
const COUNTRY: &str = "^[A-Z]{2}$";

/// An e-mail address of 3 to 254 characters; whether it exists is nobody's to say here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("x-normalize" = ["trim"]))]
pub struct Email(#[schemars(regex(pattern = EMAIL), length(min = 3, max = 254))] pub String);

/// A telephone number as people write it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("x-normalize" = ["trim"]))]
pub struct Phone(#[schemars(regex(pattern = PHONE))] pub String);

/// Somebody to speak to.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContactInput {
    /// The person's.
    pub name: Line<1, 200>,
    /// What the person does there.
    #[serde(default)]
    pub role: Option<Line<0, 100>>,
    /// The person's own.
    #[serde(default)]
    pub email: Option<Email>,
    /// The person's own.
    #[serde(default)]
    pub phone: Option<Phone>,
}

/// Somebody to speak to, as it is kept and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// The person's.
    pub name: String,
    /// What the person does there.
    pub role: Option<String>,
    /// The person's own.
    pub email: Option<String>,
    /// The person's own.
    pub phone: Option<String>,
}

impl From<ContactInput> for Contact {
    fn from(input: ContactInput) -> Contact {
        Contact {
            name: input.name.into(),
            role: input.role.map(String::from),
            email: input.email.map(|email| email.0),
            phone: input.phone.map(|phone| phone.0),
        }
    }
}

text_enum! {
    /// What an address is for.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum AddressUse { Billing => "BILLING", Shipping => "SHIPPING", Other => "OTHER" }
}

/// A postal address.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddressInput {
    /// What people call it.
    #[serde(default)]
    pub label: Option<Line<0, 100>>,
    /// What it is for.
    #[serde(rename = "use")]
    pub purpose: AddressUse,
    /// Street and number.
    pub line1: Line<1, 200>,
    /// Building, floor, care of.
    #[serde(default)]
    pub line2: Option<Line<0, 200>>,
    /// Town.
    #[serde(default)]
    pub city: Option<Line<0, 100>>,
    /// State or province.
    #[serde(default)]
    pub region: Option<Line<0, 100>>,
    /// As the country writes it.
    #[serde(default)]
    pub postal_code: Option<Line<0, 20>>,
    /// ISO 3166-1 alpha-2, in upper case.
    #[schemars(regex(pattern = COUNTRY))]
    pub country_code: String,
}

/// A postal address, as it is kept and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// What people call it.
    pub label: Option<String>,
    /// What it is for.
    #[serde(rename = "use")]
    pub purpose: AddressUse,
    /// Street and number.
    pub line1: String,
    /// Building, floor, care of.
    pub line2: Option<String>,
    /// Town.
    pub city: Option<String>,
    /// State or province.
    pub region: Option<String>,
    /// As the country writes it.
    pub postal_code: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country_code: String,
}

impl From<AddressInput> for Address {
    fn from(input: AddressInput) -> Address {
        Address {
            label: input.label.map(String::from),
            purpose: input.purpose,
            line1: input.line1.into(),
            line2: input.line2.map(String::from),
            city: input.city.map(String::from),
            region: input.region.map(String::from),
            postal_code: input.postal_code.map(String::from),
            country_code: input.country_code,
        }
    }
}
