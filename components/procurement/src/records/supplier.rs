//! Suppliers: as they are kept, and what people, API clients and events see of them.

use stoa_sdk::{Instant, collection, event_kinds};
use stoa_trade::life::PublicHead;
use stoa_trade::party::{Address, Contact, PartyHead, PartyKind, Profile, SupplierTerms};
use stoa_trade::{Archivable, JsonList, Status, archivable, party_row, party_views, resource};

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
    index { [status, id], [tax_id], [updated_at], [status, updated_at], [status, code_key] }
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

party_views! {
    SupplierRow with SupplierTerms, example EXAMPLE_ID;
    /// A supplier as returned to users.
    Supplier;
    /// Receipt of a write by an API client.
    SupplierReceipt;
    /// Event data of a supplier. It contains no personal data.
    SupplierEvent { supplier_id }
}

resource! {
    /// A supplier in a list, as returned to API clients.
    #[schemars(rename = "PublicSupplierHeader")]
    pub struct ApiSupplierHeader of row: SupplierRow {
        #[serde(flatten)]
        head: PublicHead = row.public_head(),
        #[serde(flatten)]
        party: PartyHead = row.party_head(),
    }
}

resource! {
    /// A supplier in a single read, as returned to API clients.
    #[schemars(rename = "PublicSupplier")]
    pub struct ApiSupplier of row: SupplierRow {
        #[serde(flatten)]
        header: ApiSupplierHeader = ApiSupplierHeader::from_row(row),
        profile: Option<Profile<SupplierTerms>> = row.profile(),
    }
}

event_kinds! { SupplierEvent of SUPPLIER:
    SUPPLIER_CREATED = "procurement.supplier.created", "A supplier was created.";
    SUPPLIER_UPDATED = "procurement.supplier.updated", "A supplier was replaced.";
    SUPPLIER_ARCHIVED = "procurement.supplier.archived", "A supplier was archived.";
}
