//! Price lists: how they are kept, and what people, API clients and events see of them.

use stoa_sdk::{EventKind, Id, Instant, Reply, collection, text_enum, view};
use stoa_trade::life::{Head, PublicHead};
use stoa_trade::{Archivable, Caller, Identity, Status, archivable, event_data, resource};

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "PRICE_LIST";

pub const CREATED: EventKind<PriceListEvent> =
    EventKind::new("pricing.list.created", AUDIT, "A price list was created.");
pub const UPDATED: EventKind<PriceListEvent> =
    EventKind::new("pricing.list.updated", AUDIT, "A price list was replaced.");
pub const ARCHIVED: EventKind<Identity> = EventKind::new("pricing.list.archived", AUDIT, "A price list was archived.");

text_enum! {
    /// API clients can read PUBLIC lists.
    #[derive(Default)]
    pub enum Visibility { #[default] Internal => "INTERNAL", Public => "PUBLIC" }
}

collection! {
    pub record ListRow in "price_list" {
        code: String,
        name: String,
        description: Option<String>,
        currency_code: String,
        visibility: Visibility,
        status: Status,
        archived_at: Option<Instant>,
    }
    unique { code: [code] }
    index { [status, id], [visibility, status] }
    search { text: [name, code] }
    fixed [code, currency_code]
}
archivable!(ListRow);

view! { pub ListId of ListRow { id: Id } }

impl ListRow {
    /// Returns whether API clients may read it.
    pub fn is_public(&self) -> bool {
        self.status == Status::Active && self.visibility == Visibility::Public
    }

    /// A list as there may be one: what the contract shows, and what tests begin with.
    pub fn example() -> ListRow {
        ListRow {
            id: Id(0x0198_2f0a_51c0_7000, 0x8000_0000_0000_0001),
            version: 1,
            created_at: Instant(1_767_225_600_000),
            updated_at: Instant(1_767_225_600_000),
            code: "RETAIL".to_owned(),
            name: "Retail".to_owned(),
            description: None,
            currency_code: "EUR".to_owned(),
            visibility: Visibility::Public,
            status: Status::Active,
            archived_at: None,
        }
    }
}

resource! {
    /// A price list as returned to users.
    pub struct PriceList of row: ListRow {
        #[serde(flatten)]
        head: Head = row.head(),
        code: String,
        name: String,
        description: Option<String>,
        currency_code: String,
        visibility: Visibility,
    }
}

resource! {
    /// A price list as returned to API clients.
    #[schemars(rename = "PublicPriceList")]
    pub struct ApiPriceList of row: ListRow {
        #[serde(flatten)]
        head: PublicHead = row.public_head(),
        code: String,
        name: String,
        currency_code: String,
        visibility: Visibility,
    }
}

/// The record as an answer.
pub fn show(row: &ListRow) -> Reply {
    let reply = Caller::current().show(|| PriceList::from_row(row), || ApiPriceList::from_row(row));
    reply.of(row.id, row.version)
}

event_data! {
    /// Event data of a price list: all members while it is active and PUBLIC, else its id only.
    pub enum PriceListEvent of row: ListRow {
        Public(ApiPriceList) = ApiPriceList::from_row(row), if row.is_public();
        Hidden(Identity) = Identity { id: row.id },
    }
}
