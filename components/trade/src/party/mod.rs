//! Customers and suppliers: one shape for the parties of commerce. Their bodies, their records, and the faults that a
//! schema cannot express (sales-pos.md 2.1; inventory-procurement.md B1, Supplier; decisions.md A29, F1, G17).

mod contact;
#[allow(
    clippy::disallowed_types,
    reason = "what serde derives for `flatten` can take in floats; no member here is one"
)]
mod profile;
mod restated;
mod row;
mod views;

pub use contact::{Address, AddressInput, AddressUse, Contact, ContactInput, Email, Phone, normalize_phone};
pub use profile::{CustomerTerms, PartyKind, Profile, ProfileInput, SupplierTerms, check_profile};
pub use restated::Restated;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Item, text};

use crate::text::{Line, Prose};

/// A customer or supplier in a request.
//
// The body of creation and replacement. `T` is the part of the profile that the kind of party adds: `CustomerTerms` or
// `SupplierTerms`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "{T}Input")]
pub struct PartyInput<T> {
    /// Stored as typed. Unique for ever, ignoring case, archived parties included. Immutable.
    #[schemars(regex(pattern = text::ANY_CASE_CODE), length(min = 1, max = 64))]
    pub code: String,
    /// Name of the customer or supplier.
    pub name: Line<1, 200>,
    /// Need not be unique: households and companies share addresses.
    pub email: Option<Email>,
    /// Telephone number, as free text.
    pub phone: Option<Phone>,
    /// For users of the company only. API clients cannot read them.
    pub notes: Option<Prose<0, 2000>>,
    /// In a replacement: omitted keeps the profile, null removes it, an object replaces it.
    #[serde(default)]
    pub profile: Restated<ProfileInput<T>>,
}

/// The members that every reader of a party sees, lists and API clients included; a record shows them after its own head, by
/// `#[serde(flatten)]`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartyHead {
    /// Code, with the upper and lower case of its creation.
    pub code: String,
    /// Name of the customer or supplier.
    pub name: String,
    /// E-mail address for messages.
    pub email: Option<String>,
    /// Telephone number, as free text.
    pub phone: Option<String>,
    /// Digits of `phone`, with a leading `+` if it has one; null without digits.
    pub phone_normalized: Option<String>,
}

impl PartyHead {
    /// The head of a row with these columns.
    pub fn new(code: &str, name: &str, email: Option<&str>, phone: Option<&str>) -> PartyHead {
        PartyHead {
            code: code.to_owned(),
            name: name.to_owned(),
            email: email.map(str::to_owned),
            phone: phone.map(str::to_owned),
            phone_normalized: phone.and_then(normalize_phone),
        }
    }
}

/// Faults of a customer's body that the schema cannot express.
pub fn check_customer(input: &PartyInput<CustomerTerms>) -> Vec<Item> {
    input.profile.new_value().map(|profile| check_profile(profile, "/profile")).unwrap_or_default()
}

/// Faults of a supplier's body that the schema cannot express.
pub fn check_supplier(input: &PartyInput<SupplierTerms>) -> Vec<Item> {
    let Some(profile) = input.profile.new_value() else { return Vec::new() };
    let mut faults = check_profile(profile, "/profile");
    faults.extend(profile.terms.check("/profile"));
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::judge::{admits, schema};

    fn supplier(profile: Value) -> Value {
        json!({ "code": "ACME", "name": "Acme", "profile": profile })
    }

    #[test]
    fn bodies_are_judged_to_the_last_member() {
        // [E81, E206]
        let contacts = |count: usize| json!({ "contacts": vec![json!({ "name": "A" }); count] });
        for (body, is_one) in [
            (json!({ "code": "ACME", "name": "Acme" }), true),
            (supplier(json!(null)), true),
            (supplier(json!({})), true),
            (supplier(json!({ "website": "https://acme.example/shop?a=b#c", "leadTimeDays": 365 })), true),
            (supplier(json!({ "website": "http://acme.example" })), true),
            (supplier(json!({ "website": "ftp://acme.example" })), false),
            (supplier(json!({ "leadTimeDays": 366 })), false),
            (supplier(json!({ "defaultPriceListId": null })), false),
            (supplier(json!({ "nickname": "A" })), false),
            (supplier(contacts(20)), true),
            (supplier(contacts(21)), false),
            (supplier(json!({ "addresses": [{ "use": "BILLING", "line1": "Main 1", "countryCode": "DE" }] })), true),
            (supplier(json!({ "addresses": [{ "use": "BILLING", "line1": "Main 1", "countryCode": "de" }] })), false),
            (supplier(json!({ "addresses": [{ "line1": "Main 1", "countryCode": "DE" }] })), false),
            (supplier(json!({ "tags": ["a", "b"] })), true),
            (supplier(json!({ "tags": [""] })), false),
            (json!({ "code": "1A", "name": "Acme" }), false),
            (json!({ "code": "A", "name": "x".repeat(201) }), false),
            (json!({ "code": "A", "name": "" }), false),
            (json!({ "code": "A", "name": "Acme", "email": "a@b", "phone": "+49 (30) 123" }), true),
            (json!({ "code": "A", "name": "Acme", "email": "a b@c" }), false),
            (json!({ "code": "A", "name": "Acme", "email": "a@b@c" }), false),
            (json!({ "code": "A", "name": "Acme", "phone": "(5) 555-4729" }), true),
            (json!({ "code": "A", "name": "Acme", "phone": "5".repeat(50) }), true),
            (json!({ "code": "A", "name": "Acme", "phone": "5".repeat(51) }), false),
            (json!({ "code": "A", "name": "Acme", "phone": "" }), false),
            (json!({ "code": "A", "name": "Acme", "phone": "5\n5" }), false),
            (json!({ "code": "A", "name": "Acme", "notes": "x".repeat(2000) }), true),
            (json!({ "code": "A", "name": "Acme", "other": 1 }), false),
        ] {
            assert_eq!(admits::<PartyInput<SupplierTerms>>(&body), is_one, "{body}");
        }
        let id = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        assert!(admits::<PartyInput<CustomerTerms>>(&supplier(json!({ "defaultPriceListId": id }))));
        assert!(!admits::<PartyInput<CustomerTerms>>(&supplier(json!({ "website": null }))));
    }

    #[test]
    fn languages_are_well_formed_tags() {
        for (language, is_one) in [
            ("de", true),
            ("pt-BR", true),
            ("zh-Hans-CN", true),
            ("sl-rozaj-biske", true),
            ("es-419", true),
            ("en-a-bbb-x-a-ccc", true),
            ("x-private", true),
            ("", false),
            ("d", false),
            ("de_DE", false),
            ("de-", false),
            ("de-DE-DE-DE", false),
            ("en-x-aaaaaaaa-bbbbbbbb-cccccccc-dddd", false),
        ] {
            let body = supplier(json!({ "language": language }));
            assert_eq!(admits::<PartyInput<SupplierTerms>>(&body), is_one, "{language}");
        }
    }

    #[test]
    fn what_is_omitted_stays_apart_from_null() {
        // A default in the schema would be put in by the host, and the two would look alike.
        let schema = schema::<PartyInput<CustomerTerms>>();
        let input = &schema["$defs"]["CustomerInput"];
        assert_eq!(input["required"], json!(["code", "name"]));
        assert!(input["properties"]["profile"].get("default").is_none(), "{input}");
        assert_eq!(schema["$defs"]["CustomerProfileInput"]["additionalProperties"], json!(false));
        // [E77, E204]
        let read = |body: Value| serde_json::from_value::<PartyInput<CustomerTerms>>(body).unwrap().profile;
        let before =
            || Some(Profile::<CustomerTerms> { legal_name: Some("Acme Ltd".to_owned()), ..Profile::default() });
        let replaced = |body: Value| read(body).map(Profile::from).replace(before());
        assert_eq!(replaced(json!({ "code": "A", "name": "A" })), before());
        assert_eq!(replaced(supplier(json!(null))), None);
        assert_eq!(replaced(supplier(json!({}))), Some(Profile::default()));
    }

    #[test]
    fn faults_that_a_schema_cannot_tell_have_their_pointers() {
        let body = supplier(json!({
            "taxId": "123",
            "defaultCurrencyCode": "DEM",
            "addresses": [
                { "use": "SHIPPING", "line1": "a", "countryCode": "FR" },
                { "use": "OTHER", "line1": "b", "countryCode": "ZZ" },
            ],
            "tags": ["Key", "other", "KEY"],
        }));
        let input: PartyInput<SupplierTerms> = serde_json::from_value(body).unwrap();
        let faults: Vec<String> =
            check_supplier(&input).into_iter().map(|fault| format!("{} {}", fault.pointer, fault.code)).collect();
        let expected = [
            "/profile/taxIdType REQUIRED",
            "/profile/addresses/1/countryCode FORMAT",
            "/profile/tags/2 REPEATED",
            "/profile/defaultCurrencyCode FORMAT",
        ];
        assert_eq!(faults, expected);
        let lone = supplier(json!({ "taxIdType": "VAT" }));
        let lone: PartyInput<CustomerTerms> = serde_json::from_value(lone).unwrap();
        assert_eq!(check_customer(&lone)[0].pointer, "/profile/taxId");
    }

    #[test]
    fn a_profile_is_shown_with_every_member() {
        let body = json!({ "contacts": [{ "name": "Ada", "email": "ada@acme.example" }], "leadTimeDays": 3 });
        let input: ProfileInput<SupplierTerms> = serde_json::from_value(body).unwrap();
        let shown = serde_json::to_value(Profile::from(input)).unwrap();
        let expected = json!({
            "kind": null, "legalName": null, "taxIdType": null, "taxId": null, "language": null, "paymentTermDays": null,
            "contacts": [{ "name": "Ada", "role": null, "email": "ada@acme.example", "phone": null, "phoneNormalized": null }],
            "addresses": [], "tags": [],
            "website": null, "defaultCurrencyCode": null, "leadTimeDays": 3,
        });
        assert_eq!(shown, expected);
        let mut schemas = stoa_sdk::Schemas::default();
        schemas.response::<Profile<SupplierTerms>>();
        schemas.read::<ProfileInput<SupplierTerms>>();
        let named = schemas.finish().unwrap();
        let judge = jsonschema::validator_for(&json!({ "$ref": "#/$defs/SupplierProfile", "$defs": named })).unwrap();
        assert!(judge.is_valid(&expected));
    }
}
