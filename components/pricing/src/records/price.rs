//! Prices: how they are kept, and what people, API clients and events see of them.

use stoa_sdk::{Decimal, EventData, EventKind, Id, Instant, Reply, collection, view};
use stoa_trade::life::{Head, PublicHead};
use stoa_trade::{Archivable, Caller, Status, archivable, event_data, resource};

use crate::records::price_list::ListRow;

/// Resource type of the audit entries and of the events.
pub const AUDIT: &str = "PRICE";

pub const CREATED: EventKind<PriceEvent> = EventKind::new("pricing.price.created", AUDIT, "A price was created.");
pub const UPDATED: EventKind<PriceEvent> = EventKind::new("pricing.price.updated", AUDIT, "A price was changed.");
pub const ARCHIVED: EventKind<PriceIdentity> = EventKind::new("pricing.price.archived", AUDIT, "A price was archived.");

/// Amounts: at most 12 integer digits, exactly 6 after the point.
pub type Amount = Decimal<6>;

collection! {
    pub record PriceRow in "price" {
        list_id: Id,
        variant_id: Id,
        currency_code: String,
        amount: Amount,
        valid_from: Option<Instant>,
        valid_to: Option<Instant>,
        status: Status,
        archived_at: Option<Instant>,
    }
    index { [list_id, variant_id, status, valid_from], [variant_id] }
    fixed [list_id, variant_id, currency_code]
}
archivable!(PriceRow);

view! { pub PriceId of PriceRow { id: Id } }

impl PriceRow {
    /// A price as there may be one, in the list of the same name: what the contract shows, and what tests begin with.
    pub fn example() -> PriceRow {
        let list = ListRow::example();
        PriceRow {
            id: Id(0x0198_2f0a_51c0_7000, 0x8000_0000_0000_0002),
            version: 1,
            created_at: list.created_at,
            updated_at: list.updated_at,
            list_id: list.id,
            variant_id: Id(0x0198_2f0a_51c0_7000, 0x8000_0000_0000_0003),
            currency_code: list.currency_code,
            amount: Amount::from_units(12_500_000),
            valid_from: None,
            valid_to: None,
            status: Status::Active,
            archived_at: None,
        }
    }
}

/// The name of the lock for changes to which prices of a variant are active in a list, or when.
pub fn lock_name(list: Id, variant: Id) -> String {
    format!("price:{list}:{variant}")
}

resource! {
    /// The members of a price that people, API clients and events see alike.
    struct PriceBody of row: PriceRow {
        price_list_id: Id = row.list_id,
        variant_id: Id,
        currency_code: String,
        amount: Amount,
        valid_from: Option<Instant>,
        valid_to: Option<Instant>,
    }
}

resource! {
    /// A price as returned to users.
    pub struct Price of row: PriceRow {
        #[serde(flatten)]
        head: Head = row.head(),
        #[serde(flatten)]
        body: PriceBody = PriceBody::from_row(row),
    }
}

resource! {
    /// A price as returned to API clients.
    #[schemars(rename = "PublicPrice")]
    pub struct ApiPrice of row: PriceRow {
        #[serde(flatten)]
        head: PublicHead = row.public_head(),
        #[serde(flatten)]
        body: PriceBody = PriceBody::from_row(row),
    }
}

/// The record as an answer, audited under its list. A client that writes a price sees it, whatever is on sale.
pub fn show(row: &PriceRow) -> Reply {
    let reply = Caller::current().show(|| Price::from_row(row), || ApiPrice::from_row(row));
    reply.of(row.id, row.version).subject(row.list_id)
}

event_data! {
    /// Event data of a price: all members while it is active in a public list and its variant is on sale, else ids only.
    pub enum PriceEvent of row: PriceRow, is_public {
        Public(ApiPrice) = ApiPrice::from_row(row), if row.status == Status::Active && is_public;
        Hidden(PriceIdentity) = PriceIdentity::from_row(row),
    }
}

resource! {
    /// Event data of a price that is not public: ids only.
    pub struct PriceIdentity of row: PriceRow {
        id: Id,
        price_list_id: Id = row.list_id,
        variant_id: Id,
    }
}

impl EventData for PriceIdentity {
    fn example() -> PriceIdentity {
        PriceIdentity::from_row(&PriceRow::example())
    }
}
