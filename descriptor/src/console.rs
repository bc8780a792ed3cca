//! Hints for the console, which shows a module's records: data for headings, columns and links. They decide no access and hide
//! nothing: without them pages are made only from the schemas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lists that may have hints, and members that may refer to a list.
pub const MOST_LISTS: usize = 50;
pub const MOST_REFERENCES: usize = 100;
/// Members of a title, and columns of a table.
pub const MOST_TITLES: usize = 2;
pub const MOST_COLUMNS: usize = 7;
/// Bytes of a path.
pub const LONGEST_PATH: usize = 200;
/// Characters of a heading, and the last place in the navigation.
pub const LONGEST_GROUP: usize = 40;
pub const LAST_POSITION: u32 = 999;

/// How the console shows the module's records. All of it is optional.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Console {
    /// At most 50, each about another list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<ListHint>,
    /// At most 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<ReferenceHint>,
}

/// How a list and its records are shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListHint {
    /// Operation id of a list of this module: a GET for users whose response has `items`.
    pub list: String,
    /// Members of an item that name a record, at most two.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub title: Vec<String>,
    /// Members of an item that are shown as columns, at most seven, in this sequence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Heading in the navigation, 1 to 40 characters. Modules may share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Place in the navigation, from 0 to 999.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
}

/// A member that holds the id of a record of a list, where the names do not say it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReferenceHint {
    /// Name of a member or parameter that holds one id or several: `accountId`, `unitIds`.
    pub member: String,
    /// Operation id of a list of any module. Without effect while that module is not active.
    pub list: String,
    /// Only for operations below this path: `/sales/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
}
