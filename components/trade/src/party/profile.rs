//! The optional extended profile of a party: the members that customers and suppliers share, and what each kind adds. Its members
//! are columns of the party's collection, with `has_profile` next to them; lists are JSON columns (sales-pos.md 7,
//! inventory-procurement.md B5).

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Id, Item, item, text, text_enum};

use super::contact::{Address, AddressInput, Contact, ContactInput};
use crate::document::lines::Lines;
use crate::text::Line;
use crate::{JsonList, country, currency};

const TAX_ID_TYPE: &str = "^[A-Z][A-Z0-9_]{0,19}$";
const TAX_ID: &str = "^[A-Za-z0-9][A-Za-z0-9./-]{0,39}$";
/// A well-formed tag of BCP 47 (RFC 5646, 2.1), without the irregular ones that it keeps for history's sake.
const LANGUAGE: &str = "^(([A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?\
    (-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[0-9A-WY-Za-wy-z](-[A-Za-z0-9]{2,8})+)*(-[xX](-[A-Za-z0-9]{1,8})+)?\
    |[xX](-[A-Za-z0-9]{1,8})+)$";
/// An absolute address of the web without a user (RFC 3986).
const WEBSITE: &str = "^https?://(\\[[0-9A-Fa-f:.]+\\]|([A-Za-z0-9._~-]|%[0-9A-Fa-f]{2})+)(:[0-9]{1,5})?\
    (/([A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?(\\?([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?\
    (#([A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$";

text_enum! {
    /// Kind of a party.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    pub enum PartyKind { Person => "PERSON", Company => "COMPANY" }
}

/// A profile in a request. An omitted member becomes null or empty.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "{T}ProfileInput")]
pub struct ProfileInput<T> {
    /// `PERSON` or `COMPANY`.
    pub kind: Option<PartyKind>,
    /// Name in the commercial register.
    pub legal_name: Option<Line<1, 200>>,
    /// Kind of `taxId`, such as `VAT`. State both or neither.
    #[schemars(regex(pattern = TAX_ID_TYPE))]
    pub tax_id_type: Option<String>,
    /// Label only: the service verifies, computes and issues nothing with it.
    #[schemars(regex(pattern = TAX_ID))]
    pub tax_id: Option<String>,
    /// BCP 47 language tag.
    #[schemars(regex(pattern = LANGUAGE), length(max = 35))]
    pub language: Option<String>,
    /// Days from the issue date of an invoice to its due date, if the invoice states no due date.
    #[schemars(range(min = 0, max = 365))]
    pub payment_term_days: Option<i64>,
    /// Contacts of the party.
    #[serde(default)]
    #[schemars(length(max = crate::limits::CONTACTS), extend("default" = []))]
    pub contacts: Vec<ContactInput>,
    /// Postal addresses for goods and letters.
    #[serde(default)]
    #[schemars(length(max = crate::limits::ADDRESSES), extend("default" = []))]
    pub addresses: Vec<AddressInput>,
    /// Additional search words, each once regardless of case.
    #[serde(default)]
    #[schemars(length(max = crate::limits::TAGS))]
    pub tags: Vec<Line<1, 40>>,
    /// Members that only this kind of party has.
    #[serde(flatten)]
    pub terms: T,
}

/// A profile as returned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{T}Profile")]
pub struct Profile<T> {
    /// `PERSON` or `COMPANY`.
    pub kind: Option<PartyKind>,
    /// Name in the commercial register.
    pub legal_name: Option<String>,
    /// Kind of `taxId`; null without one.
    pub tax_id_type: Option<String>,
    /// Label only: the service verifies, computes and issues nothing with it.
    pub tax_id: Option<String>,
    /// BCP 47 language tag.
    pub language: Option<String>,
    /// Days until an invoice is due.
    pub payment_term_days: Option<i64>,
    /// Contacts of the party.
    pub contacts: JsonList<Contact>,
    /// Postal addresses for goods and letters.
    pub addresses: JsonList<Address>,
    /// Additional search words.
    pub tags: JsonList<String>,
    /// Members that only this kind of party has.
    #[serde(flatten)]
    pub terms: T,
}

impl<T> From<ProfileInput<T>> for Profile<T> {
    fn from(input: ProfileInput<T>) -> Profile<T> {
        Profile {
            kind: input.kind,
            legal_name: input.legal_name.map(String::from),
            tax_id_type: input.tax_id_type,
            tax_id: input.tax_id,
            language: input.language,
            payment_term_days: input.payment_term_days,
            contacts: input.contacts.into_iter().map(Contact::from).collect(),
            addresses: input.addresses.into_iter().map(Address::from).collect(),
            tags: input.tags.into_iter().map(String::from).collect(),
            terms: input.terms,
        }
    }
}

/// Members that only a customer's profile has.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Customer")]
pub struct CustomerTerms {
    /// Suggestion for clients, never applied by the service. An active price list.
    pub default_price_list_id: Option<Id>,
}

/// Members that only a supplier's profile has.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Supplier")]
pub struct SupplierTerms {
    /// Absolute https or http address.
    #[schemars(regex(pattern = WEBSITE), length(max = 2048))]
    pub website: Option<String>,
    /// Suggestion for clients: an active ISO 4217 code.
    #[schemars(with = "Option<text::CurrencyCode>")]
    pub default_currency_code: Option<String>,
    /// Days from an order to the arrival of its goods.
    #[schemars(range(min = 0, max = 365))]
    pub lead_time_days: Option<i64>,
}

impl SupplierTerms {
    /// A fault that the schema cannot express; `pointer` is the profile's pointer.
    pub fn check(&self, pointer: &str) -> Option<Item> {
        let code = self.default_currency_code.as_deref()?;
        (!currency::is_active(code)).then(|| item(format!("{pointer}/defaultCurrencyCode"), "FORMAT"))
    }
}

/// Faults of a profile that the schema cannot express: half a tax identity, countries that there are not, a tag twice.
/// `pointer` is the profile's pointer.
pub fn check_profile<T>(profile: &ProfileInput<T>, pointer: &str) -> Vec<Item> {
    let mut faults = Vec::new();
    match (&profile.tax_id_type, &profile.tax_id) {
        (None, Some(_)) => faults.push(item(format!("{pointer}/taxIdType"), "REQUIRED")),
        (Some(_), None) => faults.push(item(format!("{pointer}/taxId"), "REQUIRED")),
        (None, None) | (Some(_), Some(_)) => {}
    }
    let addresses = format!("{pointer}/addresses");
    let addresses = Lines::at(&addresses, &profile.addresses);
    faults.extend(addresses.faults("countryCode", "FORMAT", |address| !country::is_assigned(&address.country_code)));
    let mut seen = BTreeSet::new();
    let again = profile.tags.iter().enumerate().filter(|(_, tag)| !seen.insert(tag.to_lowercase()));
    faults.extend(again.map(|(nth, _)| item(format!("{pointer}/tags/{nth}"), "REPEATED")));
    faults
}
