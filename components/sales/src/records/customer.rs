//! Customers: as they are kept, and as people, API clients and events see them (sales-pos.md 2).

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection};
use stoa_trade::life::{Archivable, Head, PublicHead};
use stoa_trade::party::{Address, Contact, CustomerTerms, PartyHead, PartyKind, Profile};
use stoa_trade::{JsonList, Status, archivable};

/// Audit name of customers.
pub const CUSTOMER: &str = "CUSTOMER";

collection! {
    /// `code_key` is the code as it is compared. The columns from `profile_kind` on are the profile, where there is one.
    pub record CustomerRow in "customer" {
        code: String,
        code_key: String,
        name: String,
        email: Option<String>,
        phone: Option<String>,
        notes: Option<String>,
        status: Status,
        archived_at: Option<Instant>,
        has_profile: bool,
        profile_kind: Option<PartyKind>,
        legal_name: Option<String>,
        tax_id_type: Option<String>,
        tax_id: Option<String>,
        language: Option<String>,
        payment_term_days: Option<i64>,
        default_price_list_id: Option<Id>,
        contacts: JsonList<Contact>,
        addresses: JsonList<Address>,
        tags: JsonList<String>,
    }
    unique { code: [code_key] }
    index { [status, id], [tax_id] }
    search { text: [name, code, email, phone, legal_name] }
    fixed [code_key]
    members {
        code_key: "code", has_profile: "profile", profile_kind: "profile", legal_name: "profile", tax_id_type: "profile",
        tax_id: "profile", language: "profile", payment_term_days: "profile", default_price_list_id: "profile",
        contacts: "profile", addresses: "profile", tags: "profile",
    }
}
archivable!(CustomerRow);

impl CustomerRow {
    /// None where it has none.
    pub fn profile(&self) -> Option<Profile<CustomerTerms>> {
        self.has_profile.then(|| Profile {
            kind: self.profile_kind,
            legal_name: self.legal_name.clone(),
            tax_id_type: self.tax_id_type.clone(),
            tax_id: self.tax_id.clone(),
            language: self.language.clone(),
            payment_term_days: self.payment_term_days,
            contacts: self.contacts.clone(),
            addresses: self.addresses.clone(),
            tags: self.tags.clone(),
            terms: CustomerTerms { default_price_list_id: self.default_price_list_id },
        })
    }

    /// The row with this profile, or without one.
    pub fn with_profile(self, profile: Option<Profile<CustomerTerms>>) -> CustomerRow {
        let has_profile = profile.is_some();
        let profile = profile.unwrap_or_default();
        CustomerRow {
            has_profile,
            profile_kind: profile.kind,
            legal_name: profile.legal_name,
            tax_id_type: profile.tax_id_type,
            tax_id: profile.tax_id,
            language: profile.language,
            payment_term_days: profile.payment_term_days,
            default_price_list_id: profile.terms.default_price_list_id,
            contacts: profile.contacts,
            addresses: profile.addresses,
            tags: profile.tags,
            ..self
        }
    }
}

/// A customer as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Customer {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    party: PartyHead,
    notes: Option<String>,
    profile: Option<Profile<CustomerTerms>>,
}

/// A customer as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApiCustomer {
    #[serde(flatten)]
    head: PublicHead,
    #[serde(flatten)]
    party: PartyHead,
    profile: Option<Profile<CustomerTerms>>,
}

/// Receipt of a write by an API client.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CustomerReceipt {
    #[serde(flatten)]
    head: PublicHead,
}

fn party(row: &CustomerRow) -> PartyHead {
    PartyHead::new(&row.code, &row.name, row.email.as_deref(), row.phone.as_deref())
}

impl Customer {
    pub fn from_row(row: &CustomerRow) -> Customer {
        Customer { head: row.head(), party: party(row), notes: row.notes.clone(), profile: row.profile() }
    }
}

impl ApiCustomer {
    pub fn from_row(row: &CustomerRow) -> ApiCustomer {
        ApiCustomer { head: row.public_head(), party: party(row), profile: row.profile() }
    }
}

/// The record, to people.
pub fn reply(row: &CustomerRow) -> Reply {
    Reply::json(&Customer::from_row(row)).of(row.id, row.version)
}

/// The receipt of a write, to API clients.
pub fn receipt(row: &CustomerRow) -> Reply {
    Reply::json(&CustomerReceipt { head: row.public_head() }).of(row.id, row.version)
}

/// Event data of a customer. It contains no personal data.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomerEvent {
    customer_id: Id,
    code: String,
    status: Status,
}

impl CustomerEvent {
    pub fn from_row(row: &CustomerRow) -> CustomerEvent {
        CustomerEvent { customer_id: row.id, code: row.code.clone(), status: row.status }
    }
}

impl EventData for CustomerEvent {
    fn example() -> CustomerEvent {
        CustomerEvent {
            customer_id: Id(0x0190_a1b2_c3d4_7e5f, 0x8a9b_0c1d_2e3f_4a5b),
            code: "ACME".to_owned(),
            status: Status::Active,
        }
    }
}

pub const CUSTOMER_CREATED: EventKind<CustomerEvent> =
    EventKind::new("sales.customer.created", CUSTOMER, "A customer was created.");
pub const CUSTOMER_UPDATED: EventKind<CustomerEvent> =
    EventKind::new("sales.customer.updated", CUSTOMER, "A customer was replaced.");
pub const CUSTOMER_ARCHIVED: EventKind<CustomerEvent> =
    EventKind::new("sales.customer.archived", CUSTOMER, "A customer was archived.");
