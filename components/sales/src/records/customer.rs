//! Customers: as they are kept, and as people, API clients and events see them (sales-pos.md 2).

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection};
use stoa_trade::life::{Archivable, Head, PublicHead};
use stoa_trade::party::{Address, Contact, CustomerTerms, PartyHead, PartyKind, Profile};
use stoa_trade::{Caller, JsonList, Status, archivable, party_row};

use crate::records::EXAMPLE_ID;

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
    fixed [code]
    members {
        has_profile: "profile", profile_kind: "profile", legal_name: "profile", tax_id_type: "profile",
        tax_id: "profile", language: "profile", payment_term_days: "profile", default_price_list_id: "profile",
        contacts: "profile", addresses: "profile", tags: "profile",
    }
}
archivable!(CustomerRow);
party_row!(CustomerRow with CustomerTerms { default_price_list_id });

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

impl Customer {
    pub fn from_row(row: &CustomerRow) -> Customer {
        Customer { head: row.head(), party: row.party_head(), notes: row.notes.clone(), profile: row.profile() }
    }
}

impl ApiCustomer {
    pub fn from_row(row: &CustomerRow) -> ApiCustomer {
        ApiCustomer { head: row.public_head(), party: row.party_head(), profile: row.profile() }
    }
}

/// The answer to a write: the record to people, its receipt to API clients.
pub fn show_write(row: &CustomerRow) -> Reply {
    let receipt = || CustomerReceipt { head: row.public_head() };
    Caller::current().show(|| Customer::from_row(row), receipt).of(row.id, row.version)
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
        CustomerEvent { customer_id: EXAMPLE_ID, code: "ACME".to_owned(), status: Status::Active }
    }
}

pub const CUSTOMER_CREATED: EventKind<CustomerEvent> =
    EventKind::new("sales.customer.created", CUSTOMER, "A customer was created.");
pub const CUSTOMER_UPDATED: EventKind<CustomerEvent> =
    EventKind::new("sales.customer.updated", CUSTOMER, "A customer was replaced.");
pub const CUSTOMER_ARCHIVED: EventKind<CustomerEvent> =
    EventKind::new("sales.customer.archived", CUSTOMER, "A customer was archived.");
