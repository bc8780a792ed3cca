//! The first members of every record below a legal entity.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant, Reply};
use stoa_trade::Status;
use stoa_trade::life::{self, Archivable};

/// The first members of a record's answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    id: Id,
    tenant_id: Id,
    /// ARCHIVED records are immutable and keep their codes reserved.
    status: Status,
    archived_at: Option<Instant>,
    created_at: Instant,
    updated_at: Instant,
    legal_entity_id: Id,
    code: String,
    name: String,
}

impl Head {
    pub fn from_row(row: &impl BelowEntity) -> Head {
        let life::Head { id, tenant_id, status, archived_at, created_at, updated_at } = row.head();
        let (code, name) = (row.code().to_owned(), row.name().to_owned());
        Head {
            id,
            tenant_id,
            status,
            archived_at,
            created_at,
            updated_at,
            legal_entity_id: row.legal_entity_id(),
            code,
            name,
        }
    }
}

/// A record below a legal entity, with a code of its own there.
pub trait BelowEntity: Archivable {
    /// The record as people see it.
    type Shown: Serialize + From<Self>;

    fn legal_entity_id(&self) -> Id;
    fn code(&self) -> &str;
    fn name(&self) -> &str;
}

/// Rows of this collection are archived, stand below an entity, and are seen as this type.
macro_rules! below_entity {
    ($row:ident as $shown:ident) => {
        stoa_trade::archivable!($row);

        impl $crate::records::head::BelowEntity for $row {
            type Shown = $shown;

            fn legal_entity_id(&self) -> stoa_sdk::Id {
                self.legal_entity_id
            }

            fn code(&self) -> &str {
                &self.code
            }

            fn name(&self) -> &str {
                &self.name
            }
        }
    };
}
pub(crate) use below_entity;

/// The whole record as an answer; audited under its entity.
pub fn answer<R: BelowEntity>(row: R) -> Reply {
    let (id, version, entity) = (row.id(), row.version(), row.legal_entity_id());
    Reply::json(&R::Shown::from(row)).of(id, version).subject(entity)
}
