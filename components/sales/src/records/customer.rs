//! Customers: as they are kept, and as people, API clients and events see them (sales-pos.md 2).

use stoa_sdk::{Id, Instant, collection, event_kinds};
use stoa_trade::life::{Archivable, PublicHead};
use stoa_trade::party::{Address, Contact, CustomerTerms, PartyHead, PartyKind, Profile};
use stoa_trade::{JsonList, Status, archivable, party_row, party_views, resource};

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

party_views! {
    CustomerRow with CustomerTerms, example EXAMPLE_ID;
    /// A customer as returned to users.
    Customer;
    /// Receipt of a write by an API client.
    CustomerReceipt;
    /// Event data of a customer. It contains no personal data.
    CustomerEvent { customer_id }
}

resource! {
    /// A customer as returned to API clients.
    pub struct ApiCustomer of row: CustomerRow {
        #[serde(flatten)]
        head: PublicHead = row.public_head(),
        #[serde(flatten)]
        party: PartyHead = row.party_head(),
        profile: Option<Profile<CustomerTerms>> = row.profile(),
    }
}

event_kinds! { CustomerEvent of CUSTOMER:
    CUSTOMER_CREATED = "sales.customer.created", "A customer was created.";
    CUSTOMER_UPDATED = "sales.customer.updated", "A customer was replaced.";
    CUSTOMER_ARCHIVED = "sales.customer.archived", "A customer was archived.";
}
