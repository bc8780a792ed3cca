//! The document by which a module describes itself, as data: routes, collections, permissions, events, problem codes and
//! services. A module serializes it (`describe`), the host composes from the active ones the router, the contract, the
//! permission catalog and the tables. Members are only ever added; a host ignores none, so an unknown member is refused.
#![forbid(unsafe_code)]

pub mod console;
pub mod extension;
pub mod faults;
pub mod names;
pub mod operation;
pub mod query;
pub mod schemas;

pub use console::{Console, ListHint, ReferenceHint};
pub use extension::{Extension, Moment, Receiving, Shown, Timer};
pub use schemas::Schemas;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// Largest version of a record. The write that would exceed it is refused: 409 LIMIT_EXCEEDED.
pub const LAST_VERSION: i64 = 2_147_483_646;

/// Everything the host must know of a module.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Descriptor {
    /// `[a-z][a-z0-9-]{0,31}`; prefix of its tables. `stoa` is the host's own.
    pub name: String,
    /// Semantic version of the module.
    pub version: String,
    pub description: String,
    #[serde(default)]
    pub routes: Vec<Route>,
    #[serde(default)]
    pub collections: Vec<Collection>,
    #[serde(default)]
    pub permissions: Vec<Named>,
    #[serde(default)]
    pub scopes: Vec<Named>,
    #[serde(default)]
    pub events: Vec<EventKind>,
    #[serde(default)]
    pub problems: Vec<ProblemCode>,
    /// Codes of `errors[].code` that the module adds to those that every module has (`names::SHARED_ITEM_CODES` and
    /// problem codes). An operation answers no code that its route does not list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub item_codes: Vec<Named>,
    /// JSON Schema (object) of the members that `provision` reads from the onboarding body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onboarding: Option<Json>,
    /// Query parameters of the audit list that find one of the `subjects` or the resource id: `productId`.
    #[serde(default)]
    pub audit_filters: Vec<Named>,
    /// Descriptions by name, for members and parameters without one of their own. The host describes the names that every module
    /// has (`id`, `createdAt`, `nextCursor`).
    #[serde(default)]
    pub words: Vec<Named>,
    /// The permissions that a request's caller must hold for a function of a service that the module offers. A function
    /// that is not listed needs nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub services: Vec<ServiceAccess>,
    /// Interfaces of `commerce:extension` that the module calls, and when it calls each, in a sentence:
    /// `commerce:extension/checkout`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<Named>,
    /// Points of other modules that the module extends: it exports each interface.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extends: Vec<Extension>,
    /// Kinds of events of other modules that the module receives: it exports `commerce:extension/listener`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub receives: Vec<Receiving>,
    /// Work by the clock: the module exports `commerce:extension/timer`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timers: Vec<Timer>,
    /// Members that the module adds to responses of other modules: it exports `commerce:extension/views`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shows: Vec<Shown>,
    /// How the console shows the module's records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub console: Option<Console>,
    /// Named schemas that routes refer to as `#/$defs/Name` (JSON Schema 2020-12).
    #[serde(default)]
    pub schemas: serde_json::Map<String, Json>,
}

/// The JSON Schema (2020-12) of a descriptor, for modules that are not written in Rust.
pub fn json_schema() -> schemars::Schema {
    schemars::schema_for!(Descriptor)
}

/// A code and what it means, in a sentence.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Named {
    pub code: String,
    pub description: String,
}

/// The permissions that a request's caller must hold for a function of a service: all of these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServiceAccess {
    /// Without a version: `commerce:sales/orders`.
    pub interface: String,
    /// As WIT spells it: `change-incoming`.
    pub function: String,
    /// The permissions of users. Without any, no user may call it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<String>,
    /// The scopes of API clients. Without any, no API client may call it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

impl ServiceAccess {
    /// `commerce:sales/orders#sell`.
    pub fn name(&self) -> String {
        format!("{}#{}", self.interface, self.function)
    }
}

impl Descriptor {
    /// The access that a function of a service needs; `interface` without its version.
    pub fn service_access(&self, interface: &str, function: &str) -> Option<&ServiceAccess> {
        self.services.iter().find(|access| access.interface == interface && access.function == function)
    }
}

/// A kind of event that integrators may receive, and its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EventKind {
    /// `pricing.price.created`.
    pub code: String,
    /// One sentence that describes the event.
    pub description: String,
    /// The type of the resource that the event concerns, as in the audit: `PRICE`.
    pub resource_type: String,
    /// JSON Schema (2020-12) of the event's `data`, an object; it may refer to `schemas` as routes do.
    pub data: Json,
    /// A value of `data`, as it would be sent.
    pub example: Json,
}

/// A problem code that the module adds to the platform's list. `detail` is the one fixed sentence that the caller receives.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProblemCode {
    pub code: String,
    pub status: u16,
    pub detail: String,
}

/// One operation of the interface.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Route {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// Below `/v1`: `/tenants/{tenantId}/...` for users, `/api-client/...` for keys.
    pub path: String,
    /// camelCase verbNoun, unique over all modules.
    pub operation: String,
    pub summary: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub audience: Audience,
    pub access: Access,
    pub idempotency: Idempotency,
    /// Runs in a read-only snapshot, without audit row, outbox or stored response.
    pub read_only: bool,
    /// Status of a success.
    pub status: u16,
    /// Object schema of the path parameters other than `tenantId`; a parameter it does not name is a uuid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_schema: Option<Json>,
    /// Object schema of the query parameters; absent: none is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<Json>,
    /// Schema of the body; absent: no body is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Json>,
    /// Schema of the success body.
    pub response: Json,
    /// True if `If-Match` is taken.
    #[serde(default)]
    pub if_match: bool,
    /// Largest body in bytes.
    pub body_limit: u64,
    #[serde(default)]
    pub events: Vec<String>,
    /// Problem codes that the operation answers beyond those that every operation may.
    #[serde(default)]
    pub problems: Vec<String>,
    /// Codes of `errors[].code` that the operation answers beyond those that every operation may; those of services that it calls
    /// too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub item_codes: Vec<String>,
    /// Points that the operation may reach, and kinds of events of other modules that it may emit, all through services too:
    /// `commerce:extension/checkout`, `sale.completed`. The operation may return the problems that extensions declare for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reaches: Vec<String>,
    /// A request and its answer, for the contract and its readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<Example>,
    /// Resource type of the audit entry; a write has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<String>,
    /// Value of the answer's `Cache-Control`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<String>,
    /// The answer discloses unit identifiers: the host audits the read.
    #[serde(default)]
    pub discloses_identifiers: bool,
    /// A caller who prefers `text/csv` is answered its rows as CSV, which the host makes from the schema of the answer: of the
    /// entries of its member `items`, else of the answer itself. For a GET that only reads.
    #[serde(default, skip_serializing_if = "is_false")]
    pub csv: bool,
    /// Reads much, as reports do: few such reads run at once, so that they leave room for everybody else, and each may
    /// take longer than other requests. For what only reads.
    #[serde(default, skip_serializing_if = "is_false")]
    pub heavy: bool,
    /// Pointer to the array of the body that the work grows with, bounded by its schema: `/lines`, or `/lines/*/unitIds` for the
    /// lists of all lines together. A request's limits grow with its entries. Absent: they do not grow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grows_with: Option<String>,
}

/// A false flag is left out, so that an older host need not know it.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Route {
    /// Returns whether it takes a query parameter of this name.
    pub fn takes(&self, parameter: &str) -> bool {
        self.query.as_ref().is_some_and(|query| query["properties"][parameter].is_object())
    }
}

/// A request of an operation and its answer, as they would be sent. A parameter that is not stated is not sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Example {
    /// Values of path parameters other than `tenantId`, by name.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub path: serde_json::Map<String, Json>,
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub query: serde_json::Map<String, Json>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Json>,
    /// The body of the success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Json>,
}

/// The callers of an operation: users, or API clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Audience {
    User,
    ApiClient,
}

/// Permissions (users) or scopes (API clients) that a caller must hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Access {
    All(Vec<String>),
    Any(Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Idempotency {
    None,
    Optional,
    Required,
}

/// A table of the module. `id`, `tenant_id`, `created_at`, `updated_at` and, on records, `version` are the host's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Collection {
    /// `[a-z][a-z0-9_]{0,39}`.
    pub name: String,
    pub kind: Kind,
    pub columns: Vec<Column>,
    #[serde(default)]
    pub unique: Vec<Unique>,
    /// Column lists; the host puts the tenant before them.
    #[serde(default)]
    pub indexes: Vec<Vec<String>>,
    /// Named groups of text columns that `contains` searches.
    #[serde(default)]
    pub search: Vec<Search>,
    #[serde(default)]
    pub checks: Vec<Check>,
    /// Order in which rows are locked; empty: by id.
    #[serde(default)]
    pub lock_order: Vec<String>,
    /// Columns that `add` may name.
    #[serde(default)]
    pub counters: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Inserted and updated; the host keeps its version.
    Record,
    /// Inserted, never changed.
    Ledger,
    /// Derived rows with guarded arithmetic.
    Projection,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Column {
    pub name: String,
    #[serde(rename = "type")]
    pub type_: ColumnType,
    #[serde(default)]
    pub nullable: bool,
    /// Constant for rows that do not state it; what makes a required column additive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Json>,
    /// Its values can be computed from other rows at any time, and `upgrade` does so where it is null. The host makes it null
    /// whenever a version of the module that does not declare it changes the row.
    #[serde(default, skip_serializing_if = "is_false")]
    pub derived: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnType {
    Uuid,
    Text,
    Boolean,
    Integer,
    /// All digits and those after the point: at most 38.
    Decimal {
        precision: u8,
        scale: u8,
    },
    Timestamp,
    Date,
    Json,
}

/// A unique key. Nulls never collide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Unique {
    pub name: String,
    pub columns: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Search {
    pub name: String,
    pub columns: Vec<String>,
}

/// A condition on the row after a change: every comparison must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Check {
    pub name: String,
    pub all: Vec<Comparison>,
}

/// `column op right`; `right` is another column or a constant decimal or integer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Comparison {
    pub column: String,
    pub op: CheckOp,
    pub right: Operand,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CheckOp {
    #[serde(rename = ">=")]
    AtLeast,
    #[serde(rename = "<=")]
    AtMost,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Operand {
    Column(String),
    Constant(String),
}
