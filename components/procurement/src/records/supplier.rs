//! Suppliers: as they are kept, and what people, API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection};
use stoa_trade::life::{Head, PublicHead};
use stoa_trade::party::{Address, Contact, PartyHead, PartyKind, Profile, SupplierTerms};
use stoa_trade::{Archivable, Caller, JsonList, Status, archivable, party_row};

use crate::records::EXAMPLE_ID;

/// Resource type of the audit entries and of the events.
pub const SUPPLIER: &str = "SUPPLIER";

collection! {
    /// The members of a profile are columns; without a profile they are null and empty.
    pub record SupplierRow in "supplier" {
        code: String,
        code_key: String,
        name: String,
        email: Option<String>,
        phone: Option<String>,
        notes: Option<String>,
        has_profile: bool,
        profile_kind: Option<PartyKind>,
        legal_name: Option<String>,
        tax_id_type: Option<String>,
        tax_id: Option<String>,
        language: Option<String>,
        payment_term_days: Option<i64>,
        contacts: JsonList<Contact>,
        addresses: JsonList<Address>,
        tags: JsonList<String>,
        website: Option<String>,
        default_currency_code: Option<String>,
        lead_time_days: Option<i64>,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [code_key] }
    index { [status, id], [tax_id], [updated_at] }
    search { text: [code, name, email, legal_name] }
    fixed [code]
    members {
        has_profile: "profile", profile_kind: "profile", legal_name: "profile", tax_id_type: "profile", tax_id: "profile",
        language: "profile", payment_term_days: "profile", contacts: "profile", addresses: "profile", tags: "profile",
        website: "profile", default_currency_code: "profile", lead_time_days: "profile"
    }
}
archivable!(SupplierRow);
party_row!(SupplierRow with SupplierTerms { website, default_currency_code, lead_time_days });

/// A supplier as returned to users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Supplier {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    party: PartyHead,
    notes: Option<String>,
    profile: Option<Profile<SupplierTerms>>,
}

impl Supplier {
    pub fn from_row(row: &SupplierRow) -> Supplier {
        Supplier { head: row.head(), party: row.party_head(), profile: row.profile(), notes: row.notes.clone() }
    }
}

/// A supplier in a single read, as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicSupplier")]
pub struct ApiSupplier {
    #[serde(flatten)]
    header: ApiSupplierHeader,
    profile: Option<Profile<SupplierTerms>>,
}

impl ApiSupplier {
    pub fn from_row(row: &SupplierRow) -> ApiSupplier {
        ApiSupplier { header: ApiSupplierHeader::from_row(row), profile: row.profile() }
    }
}

/// A supplier in a list, as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PublicSupplierHeader")]
pub struct ApiSupplierHeader {
    #[serde(flatten)]
    head: PublicHead,
    #[serde(flatten)]
    party: PartyHead,
}

impl ApiSupplierHeader {
    pub fn from_row(row: &SupplierRow) -> ApiSupplierHeader {
        ApiSupplierHeader { head: row.public_head(), party: row.party_head() }
    }
}

/// Receipt of a write by an API client.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SupplierReceipt {
    #[serde(flatten)]
    head: PublicHead,
}

/// The answer to a write: the record to people, its receipt to API clients.
pub fn show_write(row: &SupplierRow) -> Reply {
    let receipt = || SupplierReceipt { head: row.public_head() };
    Caller::current().show(|| Supplier::from_row(row), receipt).of(row.id, row.version)
}

/// Event data of a supplier. It contains no personal data.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SupplierEvent {
    supplier_id: Id,
    code: String,
    status: Status,
}

impl SupplierEvent {
    pub fn from_row(row: &SupplierRow) -> SupplierEvent {
        SupplierEvent { supplier_id: row.id, code: row.code.clone(), status: row.status }
    }
}

impl EventData for SupplierEvent {
    fn example() -> SupplierEvent {
        SupplierEvent { supplier_id: EXAMPLE_ID, code: "ACME".to_owned(), status: Status::Active }
    }
}

pub const SUPPLIER_CREATED: EventKind<SupplierEvent> =
    EventKind::new("procurement.supplier.created", SUPPLIER, "A supplier was created.");
pub const SUPPLIER_UPDATED: EventKind<SupplierEvent> =
    EventKind::new("procurement.supplier.updated", SUPPLIER, "A supplier was replaced.");
pub const SUPPLIER_ARCHIVED: EventKind<SupplierEvent> =
    EventKind::new("procurement.supplier.archived", SUPPLIER, "A supplier was archived.");
