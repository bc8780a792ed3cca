//! The life of a record: active until it is archived, and then immutable for ever.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stoa_sdk::{Call, EventData, Id, Instant, Problem, Record, tenant, text_enum};

text_enum! {
    /// ARCHIVED records are immutable.
    #[allow(missing_docs, reason = "described values would be alternatives in the schema, not one enumeration")]
    #[derive(Default)]
    pub enum Status { #[default] Active => "ACTIVE", Archived => "ARCHIVED" }
}

text_enum! {
    /// API clients read nothing else.
    #[allow(missing_docs, reason = "as above")]
    #[derive(Default)]
    pub enum OnlyActive { #[default] Active => "ACTIVE" }
}

/// Body of an archive request.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EmptyBody {}

/// Event data of a record that is not public: ids only.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Identity {
    /// Id of the record.
    pub id: Id,
}

impl EventData for Identity {
    fn example() -> Identity {
        Identity { id: Id(0x0190_a1b2_c3d4_7e5f, 0x8a9b_0c1d_2e3f_4a5b) }
    }
}

/// The first members of an archivable record in responses to users: `#[serde(flatten)]` it into their type.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "comments would be the contract's")]
pub struct Head {
    pub id: Id,
    pub tenant_id: Id,
    pub status: Status,
    pub archived_at: Option<Instant>,
    pub created_at: Instant,
    pub updated_at: Instant,
}

/// The first members of an archivable record in events and in responses to API clients: `#[serde(flatten)]` it likewise.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(missing_docs, reason = "as above")]
pub struct PublicHead {
    pub id: Id,
    pub status: Status,
    pub created_at: Instant,
    pub updated_at: Instant,
}

impl PublicHead {
    /// The head of an active record, for the examples of the contract.
    pub fn example(id: Id, instant: Instant) -> PublicHead {
        PublicHead { id, status: Status::Active, created_at: instant, updated_at: instant }
    }
}

/// A record that is archived at the end; [`archivable!`](crate::archivable) says it of rows with the columns `status` and
/// `archived_at`.
pub trait Archivable: Record {
    /// The row's present status.
    fn status(&self) -> Status;
    /// The row as it is from this instant on.
    fn become_archived(&mut self, instant: Instant);
    /// The first members of the record for everybody.
    fn public_head(&self) -> PublicHead;
    /// Null while it is active.
    fn archived_at(&self) -> Option<Instant>;

    /// The first members of the record in answers to people.
    fn head(&self) -> Head {
        let PublicHead { id, status, created_at, updated_at } = self.public_head();
        Head { id, tenant_id: tenant(), status, archived_at: self.archived_at(), created_at, updated_at }
    }
}

/// Rows of these collections are archived by their columns `status` and `archived_at`.
#[macro_export]
macro_rules! archivable {
    ($($row:ident),+ $(,)?) => {$(
        impl $crate::life::Archivable for $row {
            fn status(&self) -> $crate::life::Status {
                self.status
            }

            fn become_archived(&mut self, instant: ::stoa_sdk::Instant) {
                self.status = $crate::life::Status::Archived;
                self.archived_at = Some(instant);
            }

            fn public_head(&self) -> $crate::life::PublicHead {
                $crate::life::PublicHead {
                    id: self.id,
                    status: self.status,
                    created_at: self.created_at,
                    updated_at: self.updated_at,
                }
            }

            fn archived_at(&self) -> ::core::option::Option<::stoa_sdk::Instant> {
                self.archived_at
            }
        }
    )+};
}

/// The row as a change may begin on it, where it was read locked: it is there, has the version that the caller knows, and is not
/// archived.
///
/// # Errors
/// NOT_FOUND, PRECONDITION_FAILED, ARCHIVED.
pub fn writable<R: Archivable>(call: &Call, row: Option<R>) -> Result<R, Problem> {
    let row = row.ok_or_else(Problem::not_found)?;
    call.matches(row.id(), row.version())?;
    require_unarchived(row)
}

/// The row unless it is archived.
///
/// # Errors
/// ARCHIVED.
pub fn require_unarchived<R: Archivable>(row: R) -> Result<R, Problem> {
    if row.status() == Status::Archived { Err(Problem::record_archived()) } else { Ok(row) }
}

/// The row that a request names at the pointer, if it names one.
///
/// # Errors
/// NOT_FOUND at the pointer, where there is no such row.
pub fn require_named<R>(row: Option<Option<R>>, pointer: &str) -> Result<Option<R>, Problem> {
    match row {
        Some(None) => Err(Problem::reference_missing(pointer)),
        row => Ok(row.flatten()),
    }
}

/// The row that a request names at the pointer, if it may be named: it is there and not archived.
///
/// # Errors
/// NOT_FOUND, REFERENCE_INVALID at the pointer.
pub fn usable<R: Archivable>(row: Option<R>, pointer: &str) -> Result<R, Problem> {
    match row {
        None => Err(Problem::reference_missing(pointer)),
        Some(row) if row.status() == Status::Archived => Err(Problem::reference_invalid(pointer)),
        Some(row) => Ok(row),
    }
}
