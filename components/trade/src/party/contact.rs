//! How a party is reached: e-mail, telephone, people and postal addresses.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use stoa_sdk::text::CountryCode;
use stoa_sdk::text_enum;

use crate::text::Line;

/// One `@`, no white space.
const EMAIL: &str = "^[^@\\s]+@[^@\\s]+$";

/// An e-mail address of 3 to 254 characters; its existence is not checked here.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline, extend("x-normalize" = ["trim"]))]
pub struct Email(#[schemars(regex(pattern = EMAIL), length(min = 3, max = 254))] pub String);

/// A telephone number as people write it: spaces, brackets, an extension.
pub type Phone = Line<1, 50>;

/// A telephone number as machines compare it: its digits, after `+` where the number begins with it; None where it has no digits.
pub fn normalize_phone(phone: &str) -> Option<String> {
    let digits: String = phone.chars().filter(char::is_ascii_digit).collect();
    let is_international = phone.chars().find(|c| *c == '+' || c.is_ascii_digit()) == Some('+');
    let prefix = if is_international { "+" } else { "" };
    (!digits.is_empty()).then(|| format!("{prefix}{digits}"))
}

/// A contact of the party.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ContactInput {
    /// Name of the contact.
    pub name: Line<1, 200>,
    /// Position of the contact at the party.
    pub role: Option<Line<0, 100>>,
    /// E-mail address of the contact.
    pub email: Option<Email>,
    /// Telephone number of the contact, as free text.
    pub phone: Option<Phone>,
    /// Read-only. Derived from `phone`; accepted in requests so that you can send a profile back unchanged.
    pub phone_normalized: Option<Line<0, 51>>,
}

/// A contact of the party, as returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Contact {
    /// Name of the contact.
    pub name: String,
    /// Position of the contact at the party.
    pub role: Option<String>,
    /// E-mail address of the contact.
    pub email: Option<String>,
    /// Telephone number of the contact, as free text.
    pub phone: Option<String>,
    /// Digits of `phone`, with a leading `+` if it has one; null without digits.
    pub phone_normalized: Option<String>,
}

/// A contact as a row keeps it; rows from before have no normalised number.
#[derive(Deserialize)]
struct KeptContact {
    name: String,
    role: Option<String>,
    email: Option<String>,
    phone: Option<String>,
}

impl<'de> Deserialize<'de> for Contact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Contact, D::Error> {
        let KeptContact { name, role, email, phone } = KeptContact::deserialize(deserializer)?;
        let phone_normalized = phone.as_deref().and_then(normalize_phone);
        Ok(Contact { name, role, email, phone, phone_normalized })
    }
}

impl From<ContactInput> for Contact {
    fn from(input: ContactInput) -> Contact {
        let phone = input.phone.map(String::from);
        Contact {
            name: input.name.into(),
            role: input.role.map(String::from),
            email: input.email.map(|email| email.0),
            phone_normalized: phone.as_deref().and_then(normalize_phone),
            phone,
        }
    }
}

text_enum! {
    /// The purpose of an address.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum AddressUse { Billing => "BILLING", Shipping => "SHIPPING", Other => "OTHER" }
}

/// A postal address.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddressInput {
    /// Name of the address, such as `Warehouse 2`.
    pub label: Option<Line<0, 100>>,
    /// Use of the address, such as billing or delivery.
    #[serde(rename = "use")]
    pub purpose: AddressUse,
    /// Street and number.
    pub line1: Line<1, 200>,
    /// Building, floor or care of.
    pub line2: Option<Line<0, 200>>,
    /// Town.
    pub city: Option<Line<0, 100>>,
    /// State or province.
    pub region: Option<Line<0, 100>>,
    /// Postal code in the format of the country.
    pub postal_code: Option<Line<0, 20>>,
    /// ISO 3166-1 alpha-2, in upper case.
    #[schemars(with = "CountryCode")]
    pub country_code: String,
}

/// A postal address as returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    /// Name of the address, such as `Warehouse 2`.
    pub label: Option<String>,
    /// Use of the address, such as billing or delivery.
    #[serde(rename = "use")]
    pub purpose: AddressUse,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_by_their_digits() {
        for (phone, expected) in [
            ("(5) 555-4729", Some("55554729")),
            ("+49 (30) 1-2.3", Some("+4930123")),
            ("(+49) 30 123", Some("+4930123")),
            ("030/123 ext. 4+", Some("0301234")),
            ("ask for Ada", None),
            ("+", None),
        ] {
            assert_eq!(normalize_phone(phone).as_deref(), expected, "{phone}");
        }
    }

    #[test]
    fn contacts_of_before_are_read_with_their_digits() {
        let kept = r#"{"name":"Ada","role":null,"email":null,"phone":"+49 30"}"#;
        let contact: Contact = serde_json::from_str(kept).unwrap();
        assert_eq!(contact.phone_normalized.as_deref(), Some("+4930"));
        let again: Contact = serde_json::from_str(&serde_json::to_string(&contact).unwrap()).unwrap();
        assert_eq!(again, contact);
    }
}
