//! The parts of a descriptor by which a module extends others: points, events that it receives, timers, and members
//! that it adds to responses. The module's component exports an interface of `commerce:extension` for each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The package of the interfaces of points, as an interface's name begins.
pub const PACKAGE: &str = "commerce:extension/";
/// The interface that the host serves to modules that call points.
pub const POINTS: &str = "commerce:extension/points";
/// The interface of modules that receive events.
pub const LISTENER: &str = "commerce:extension/listener";
/// The interface of modules that have timers.
pub const TIMER: &str = "commerce:extension/timer";
/// The interface of modules that add members to responses. It is a point too: modules call it.
pub const VIEWS: &str = "commerce:extension/views";

/// The least and the most minutes from one round of a timer to the next: five minutes, a week.
pub const LEAST_MINUTES: u32 = 5;
/// See [`LEAST_MINUTES`].
pub const MOST_MINUTES: u32 = 10_080;

/// A point that a module extends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Extension {
    /// Without a version: `commerce:extension/checkout`. Not `points`, `listener`, `timer` or `views`, which the module
    /// exports for other members of the descriptor.
    pub interface: String,
    /// Problem codes with which it rejects a call, of the platform's list or the module's own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Codes of `errors[].code` with which it rejects a call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub item_codes: Vec<String>,
}

/// A kind of event that a module receives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Receiving {
    /// A kind of event of another module: `sale.completed`.
    pub kind: String,
    pub moment: Moment,
    /// Problem codes with which it rejects the event. In the transaction they reject the request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// When a module receives an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// In the transaction that emitted it, after the module that handles the request has returned.
    InTransaction,
    /// After the commit, at least once, in sequence, until the module accepts it.
    AfterCommit,
}

impl Moment {
    /// As the descriptor spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Moment::InTransaction => "in-transaction",
            Moment::AfterCommit => "after-commit",
        }
    }
}

/// Work that a module does by the clock of the database, company by company.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Timer {
    /// `[a-z][a-z0-9-]{0,31}`, unique in the module.
    pub code: String,
    /// One sentence that says what it does.
    pub description: String,
    /// From 5 to 10,080 minutes. Rounds begin at multiples of it since 1970.
    pub every_minutes: u32,
}

/// Members that a module adds to responses of another module, as `extensions.<module>`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Shown {
    /// The place that the other module's schema declares as `x-stoa-place`: `sales.order`.
    pub place: String,
    /// JSON Schema (2020-12) of the members, an object; it may refer to `schemas` as routes do.
    pub schema: Json,
}
