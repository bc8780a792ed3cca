//! Codes of changes: by these an operator allows changes that would break callers. `components/CHANGES.md` explains them.

/// A kind of change, and whether it breaks callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    pub name: &'static str,
    pub breaking: bool,
    /// One sentence.
    pub meaning: &'static str,
}

const BREAKING: bool = true;
const COMPATIBLE: bool = false;

/// Each code as a constant, and all of them as a list.
macro_rules! codes {
    ($($(#[doc = $meaning:literal])+ $name:ident $breaking:ident;)*) => {
        $(
            $(#[doc = $meaning])+
            pub const $name: Code =
                Code { name: stringify!($name), breaking: $breaking, meaning: concat!($($meaning),+).trim_ascii() };
        )*
        /// Every code there is.
        pub const ALL: &[Code] = &[$($name),*];
    };
}

codes! {
    /// The module's version is lower than the active one's.
    MODULE_VERSION_LOWERED BREAKING;
    /// Other bytes under the version that is active.
    MODULE_VERSION_KEPT COMPATIBLE;
    /// The module's version is higher.
    MODULE_VERSION_RAISED COMPATIBLE;
    /// Another signer signed the module than the active one.
    SIGNER_CHANGED BREAKING;
    /// The component imports one interface more.
    IMPORT_ADDED COMPATIBLE;
    /// The component no longer imports an interface.
    IMPORT_REMOVED COMPATIBLE;

    /// An operation is gone.
    ROUTE_REMOVED BREAKING;
    /// An operation is new.
    ROUTE_ADDED COMPATIBLE;
    /// An operation has another method or path.
    ROUTE_MOVED BREAKING;
    /// The same method and path have another operation id.
    ROUTE_RENAMED BREAKING;
    /// A path parameter has another name at the same place.
    ROUTE_PARAMETER_RENAMED COMPATIBLE;
    /// An operation is for people instead of API clients, or the reverse.
    ROUTE_AUDIENCE_CHANGED BREAKING;
    /// Some callers who may call an operation may no longer.
    ROUTE_ACCESS_NARROWED BREAKING;
    /// Callers may call an operation who could not.
    ROUTE_ACCESS_WIDENED BREAKING;
    /// An idempotency key must be sent where it need not.
    ROUTE_IDEMPOTENCY_REQUIRED BREAKING;
    /// An idempotency key no longer protects a retry.
    ROUTE_IDEMPOTENCY_DROPPED BREAKING;
    /// An idempotency key may be sent, where it could not or had to.
    ROUTE_IDEMPOTENCY_OPTIONAL COMPATIBLE;
    /// An operation that only read now writes.
    ROUTE_BECAME_WRITE BREAKING;
    /// An operation that wrote now only reads.
    ROUTE_BECAME_READ COMPATIBLE;
    /// A success has another status.
    ROUTE_STATUS_CHANGED BREAKING;
    /// The largest body is smaller.
    ROUTE_BODY_LIMIT_LOWERED BREAKING;
    /// The largest body is larger.
    ROUTE_BODY_LIMIT_RAISED COMPATIBLE;
    /// `If-Match` is no longer taken, so that a write no longer minds who wrote before.
    ROUTE_IF_MATCH_DROPPED BREAKING;
    /// `If-Match` is taken.
    ROUTE_IF_MATCH_ADDED COMPATIBLE;
    /// An operation no longer tells of an event kind.
    ROUTE_EVENT_REMOVED BREAKING;
    /// An operation tells of one event kind more.
    ROUTE_EVENT_ADDED COMPATIBLE;
    /// An operation no longer answers a problem code.
    ROUTE_PROBLEM_REMOVED COMPATIBLE;
    /// An operation answers one problem code more.
    ROUTE_PROBLEM_ADDED COMPATIBLE;
    /// An operation no longer answers an item code.
    ROUTE_ITEM_CODE_REMOVED COMPATIBLE;
    /// An operation answers one item code more.
    ROUTE_ITEM_CODE_ADDED COMPATIBLE;
    /// The audit entry has another resource type, or none.
    ROUTE_AUDIT_CHANGED BREAKING;
    /// An operation leaves an audit entry that left none.
    ROUTE_AUDIT_ADDED COMPATIBLE;
    /// Reads that were audited for what they disclose no longer are.
    ROUTE_DISCLOSURE_DROPPED BREAKING;
    /// An operation discloses identifiers, and its reads are audited.
    ROUTE_DISCLOSURE_ADDED COMPATIBLE;
    /// The answer's `Cache-Control` is another.
    ROUTE_CACHE_CHANGED COMPATIBLE;
    /// Rows are no longer answered as CSV.
    ROUTE_CSV_DROPPED BREAKING;
    /// Rows are answered as CSV too.
    ROUTE_CSV_ADDED COMPATIBLE;
    /// A read is heavy that was not, or the reverse: how many of them run at once, and how long each may take, is another.
    ROUTE_WEIGHT_CHANGED COMPATIBLE;
    /// A request's limits grow with another list of its body, or with none.
    ROUTE_GROWTH_CHANGED COMPATIBLE;

    /// A body must be sent where none was taken.
    REQUEST_BODY_ADDED BREAKING;
    /// No body is taken any more.
    REQUEST_BODY_REMOVED BREAKING;
    /// A member or parameter is no longer taken.
    REQUEST_MEMBER_REMOVED BREAKING;
    /// A member or parameter must be sent that need not.
    REQUEST_MEMBER_REQUIRED BREAKING;
    /// A member or parameter may be sent that could not.
    REQUEST_MEMBER_ADDED COMPATIBLE;
    /// Members that the schema does not name are no longer taken, or only some.
    REQUEST_MEMBERS_CLOSED BREAKING;
    /// A JSON type is no longer taken.
    REQUEST_TYPE_NARROWED BREAKING;
    /// A value of an enumeration is no longer taken.
    REQUEST_VALUES_NARROWED BREAKING;
    /// Fewer numbers, lengths or counts are taken.
    REQUEST_RANGE_NARROWED BREAKING;
    /// A pattern or format is new or another.
    REQUEST_FORMAT_NARROWED BREAKING;
    /// A combination of schemas takes less, or cannot be compared.
    REQUEST_RULE_NARROWED BREAKING;
    /// A missing member has another meaning.
    REQUEST_DEFAULT_CHANGED BREAKING;
    /// The same text is kept in another form.
    REQUEST_NORMALIZATION_CHANGED BREAKING;
    /// More is taken than before.
    REQUEST_WIDENED COMPATIBLE;

    /// A member is no longer answered.
    RESPONSE_MEMBER_REMOVED BREAKING;
    /// A member that was always answered may be absent.
    RESPONSE_MEMBER_OPTIONAL BREAKING;
    /// A member is answered that was not.
    RESPONSE_MEMBER_ADDED COMPATIBLE;
    /// Members that the schema does not name may be of any kind.
    RESPONSE_MEMBERS_OPENED BREAKING;
    /// An answer may have a JSON type that it could not.
    RESPONSE_TYPE_WIDENED BREAKING;
    /// An enumeration has a value that it had not.
    RESPONSE_VALUES_WIDENED BREAKING;
    /// More numbers, lengths or counts may be answered.
    RESPONSE_RANGE_WIDENED BREAKING;
    /// A pattern or format is gone or another.
    RESPONSE_FORMAT_WIDENED BREAKING;
    /// A combination of schemas allows more, or cannot be compared.
    RESPONSE_RULE_WIDENED BREAKING;
    /// Less may be answered than before.
    RESPONSE_NARROWED COMPATIBLE;

    /// Tables cannot be made to fit without losing or inventing data. No allowance helps.
    SCHEMA_NOT_ADDITIVE BREAKING;
    /// A collection is new.
    COLLECTION_ADDED COMPATIBLE;
    /// A collection is no longer used; its rows stay.
    COLLECTION_UNUSED COMPATIBLE;
    /// A collection has a new column, nullable or with a default.
    COLUMN_ADDED COMPATIBLE;
    /// A column is no longer used; its values stay.
    COLUMN_UNUSED COMPATIBLE;
    /// An index or search group is new.
    INDEX_ADDED COMPATIBLE;
    /// A unique key or check is new: it is tried on the rows that are there.
    CONSTRAINT_ADDED COMPATIBLE;
    /// A unique key or check is dropped.
    CONSTRAINT_DROPPED BREAKING;

    /// A permission is gone, and with it the roles' right.
    PERMISSION_REMOVED BREAKING;
    /// A permission is new.
    PERMISSION_ADDED COMPATIBLE;
    /// A scope is gone, and with it the API clients' right.
    SCOPE_REMOVED BREAKING;
    /// A scope is new.
    SCOPE_ADDED COMPATIBLE;
    /// An event kind is gone.
    EVENT_REMOVED BREAKING;
    /// An event kind is about another type of resource.
    EVENT_RESOURCE_CHANGED BREAKING;
    /// An event kind is new.
    EVENT_ADDED COMPATIBLE;
    /// A problem code has another status.
    PROBLEM_STATUS_CHANGED BREAKING;
    /// A problem code is gone.
    PROBLEM_REMOVED COMPATIBLE;
    /// A problem code is new.
    PROBLEM_ADDED COMPATIBLE;
    /// The module no longer declares an item code.
    ITEM_CODE_REMOVED COMPATIBLE;
    /// The module declares an item code more.
    ITEM_CODE_ADDED COMPATIBLE;
    /// The audit list can no longer be filtered so.
    AUDIT_FILTER_REMOVED BREAKING;
    /// The audit list can be filtered so.
    AUDIT_FILTER_ADDED COMPATIBLE;

    /// A service is no longer offered.
    SERVICE_REMOVED BREAKING;
    /// A service, or another version of one, is offered besides.
    SERVICE_ADDED COMPATIBLE;
    /// A service is offered at another major version, or as a prerelease, alone.
    SERVICE_MAJOR_CHANGED BREAKING;
    /// A service is offered at a lower version alone.
    SERVICE_VERSION_LOWERED BREAKING;
    /// A service has a function more under a version that does not say so.
    SERVICE_VERSION_NOT_RAISED BREAKING;
    /// A function of a service is gone.
    SERVICE_FUNCTION_REMOVED BREAKING;
    /// A function of a service takes or answers other types.
    SERVICE_SIGNATURE_CHANGED BREAKING;
    /// A service has a function more, under a higher minor version.
    SERVICE_FUNCTION_ADDED COMPATIBLE;
    /// Some callers for whom other modules may call a function of a service, may not any more.
    SERVICE_ACCESS_NARROWED BREAKING;
    /// Other modules may call a function of a service for callers for whom they could not.
    SERVICE_ACCESS_WIDENED BREAKING;
    /// The module needs a service, or a function of one, that it did not need.
    SERVICE_WANTED BREAKING;
    /// The module no longer needs a service, or a function of one.
    SERVICE_UNWANTED COMPATIBLE;

    /// The module extends a point: other modules call it there in their requests.
    POINT_EXTENDED BREAKING;
    /// The module no longer extends a point.
    POINT_LEFT COMPATIBLE;
    /// The module receives events of a kind.
    EVENT_RECEIVED BREAKING;
    /// The module no longer receives events of a kind.
    EVENT_NOT_RECEIVED COMPATIBLE;
    /// The module has a timer more: it acts in every company.
    TIMER_ADDED BREAKING;
    /// The module has a timer less.
    TIMER_REMOVED COMPATIBLE;
    /// The module adds members to responses at a place.
    VIEW_ADDED COMPATIBLE;
    /// The module no longer adds members to responses at a place: callers lose them.
    VIEW_REMOVED BREAKING;
}

/// The code of this name.
pub fn find(name: &str) -> Option<&'static Code> {
    ALL.iter().find(|code| code.name == name)
}
