//! Suppliers: as they are kept, and what people, API clients and events see of them.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{EventData, EventKind, Id, Instant, Reply, collection};
use stoa_trade::life::{Head, PublicHead};
use stoa_trade::party::{Address, Contact, PartyHead, PartyKind, Profile, SupplierTerms};
use stoa_trade::{Archivable, JsonList, Status, archivable};

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

impl SupplierRow {
    /// The profile; none where the supplier has none.
    pub fn profile(&self) -> Option<Profile<SupplierTerms>> {
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
            terms: SupplierTerms {
                website: self.website.clone(),
                default_currency_code: self.default_currency_code.clone(),
                lead_time_days: self.lead_time_days,
            },
        })
    }

    /// The row with this profile in place of its own.
    pub fn with_profile(self, profile: Option<Profile<SupplierTerms>>) -> SupplierRow {
        let has_profile = profile.is_some();
        let profile = profile.unwrap_or_default();
        SupplierRow {
            has_profile,
            profile_kind: profile.kind,
            legal_name: profile.legal_name,
            tax_id_type: profile.tax_id_type,
            tax_id: profile.tax_id,
            language: profile.language,
            payment_term_days: profile.payment_term_days,
            contacts: profile.contacts,
            addresses: profile.addresses,
            tags: profile.tags,
            website: profile.terms.website,
            default_currency_code: profile.terms.default_currency_code,
            lead_time_days: profile.terms.lead_time_days,
            ..self
        }
    }

    fn party(&self) -> PartyHead {
        PartyHead::new(&self.code, &self.name, self.email.as_deref(), self.phone.as_deref())
    }
}

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

impl From<SupplierRow> for Supplier {
    fn from(row: SupplierRow) -> Supplier {
        Supplier { head: row.head(), party: row.party(), profile: row.profile(), notes: row.notes }
    }
}

/// A supplier in a single read, as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublicSupplier {
    #[serde(flatten)]
    header: PublicSupplierHeader,
    profile: Option<Profile<SupplierTerms>>,
}

impl From<SupplierRow> for PublicSupplier {
    fn from(row: SupplierRow) -> PublicSupplier {
        PublicSupplier { profile: row.profile(), header: row.into() }
    }
}

/// A supplier in a list, as returned to API clients.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PublicSupplierHeader {
    #[serde(flatten)]
    head: PublicHead,
    #[serde(flatten)]
    party: PartyHead,
}

impl From<SupplierRow> for PublicSupplierHeader {
    fn from(row: SupplierRow) -> PublicSupplierHeader {
        PublicSupplierHeader { head: row.public_head(), party: row.party() }
    }
}

/// Receipt of a write by an API client.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SupplierReceipt {
    #[serde(flatten)]
    head: PublicHead,
}

/// The whole record as an answer to a person.
pub fn show(row: SupplierRow) -> Reply {
    let (id, version) = (row.id, row.version);
    Reply::json(&Supplier::from(row)).of(id, version)
}

/// The record as an answer to an API client.
pub fn show_public(row: SupplierRow) -> Reply {
    let (id, version) = (row.id, row.version);
    Reply::json(&PublicSupplier::from(row)).of(id, version)
}

/// The answer to a write of an API client.
pub fn show_receipt(row: SupplierRow) -> Reply {
    Reply::json(&SupplierReceipt { head: row.public_head() }).of(row.id, row.version)
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
