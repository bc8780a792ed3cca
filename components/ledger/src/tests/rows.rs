//! Rows that a company with books may have.

use stoa_sdk::scripted::{NOW, whole};
use stoa_sdk::store::Row;
use stoa_sdk::{Date, Field, Id, Instant};

use crate::records::account::Postability;
use crate::records::entity::EntityRow;
use crate::records::entry::{BranchKey, LineRow};
use crate::records::mapping::RoleMappingRow;
use crate::records::role::{AccountType, Role};
use stoa_trade::dates::Month;
use stoa_trade::life::Status;
use stoa_trade::quantity::Amount;

pub const ENTITY: Id = Id(3, 3);

pub fn entity(keeps_books: bool) -> EntityRow {
    EntityRow {
        id: ENTITY,
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        code: "MAIN".to_owned(),
        code_key: "main".to_owned(),
        name: "Main".to_owned(),
        legal_name: None,
        tax_id: None,
        country_code: None,
        keeps_books,
        currency_code: keeps_books.then(|| "EUR".to_owned()),
        books_start_on: keeps_books.then(|| date("2025-12-01")),
        amount_scale: keeps_books.then_some(6),
        status: Status::Active,
        archived_at: None,
    }
}

pub fn date(text: &str) -> Date {
    text.parse().expect("a day")
}

pub fn postability(id: u64, used: bool) -> Row {
    let account = Postability {
        id: Id(5, id),
        legal_entity_id: ENTITY,
        account_type: AccountType::Asset,
        postable: true,
        used,
        control_role: None,
        status: Status::Active,
    };
    vec![
        account.id.put(),
        account.legal_entity_id.put(),
        account.account_type.put(),
        account.postable.put(),
        account.used.put(),
        account.control_role.put(),
        account.status.put(),
    ]
}

/// The first line of an entry of this day, without an amount.
pub fn line(id: Id, day: &str, account: u64) -> LineRow {
    LineRow {
        id,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        entry_id: Id(8, 1),
        line_no: 1,
        legal_entity_id: ENTITY,
        account_id: Id(5, account),
        entry_date: date(day),
        month: Month::from_day(date(day)),
        debit: Amount::ZERO,
        credit: Amount::ZERO,
        party_type: None,
        party_id: None,
        branch: BranchKey(None),
        description: None,
    }
}

pub fn mapping(role: Role, account: u64) -> Row {
    let row = RoleMappingRow {
        id: Id(6, account),
        version: 1,
        created_at: Instant(NOW),
        updated_at: Instant(NOW),
        legal_entity_id: ENTITY,
        role,
        account_id: Some(Id(5, account)),
    };
    whole(&row, 1)
}
