//! The first members of every record below a legal entity.

use schemars::JsonSchema;
use serde::Serialize;
use stoa_sdk::{Id, Instant};
use stoa_trade::Status;

/// The first members of a record's answer.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    pub id: Id,
    pub tenant_id: Id,
    /// ARCHIVED records are immutable and keep their codes reserved.
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
    pub legal_entity_id: Id,
    pub code: String,
    pub name: String,
}

/// Declares how people see a record below a legal entity, after the members that all of these have. Its rows are
/// archived.
macro_rules! below_entity {
    ($(#[$meta:meta])* $vis:vis struct $shown:ident of $row:ident: $row_type:ident { $($member:tt)* }) => {
        stoa_trade::archivable!($row_type);

        stoa_trade::resource! {
            $(#[$meta])*
            $vis struct $shown of $row: $row_type {
                #[serde(flatten)]
                head: $crate::records::head::Head = $crate::records::head::Head {
                    id: $row.id,
                    tenant_id: stoa_sdk::tenant(),
                    status: $row.status,
                    archived_at: $row.archived_at,
                    created_at: $row.created_at,
                    updated_at: $row.updated_at,
                    legal_entity_id: $row.legal_entity_id,
                    code: $row.code.clone(),
                    name: $row.name.clone(),
                },
                $($member)*
            }
        }

        impl $row_type {
            /// The whole record as an answer; audited under its entity.
            pub fn answer(&self) -> stoa_sdk::Reply {
                let reply = stoa_sdk::Reply::json(&$shown::from_row(self)).of(self.id, self.version);
                reply.subject(self.legal_entity_id)
            }
        }
    };
}
pub(crate) use below_entity;
