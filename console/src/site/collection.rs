//! Collections, records, actions and the navigation, derived from the operations (rules R1 to R8 and R10 to R13).

use serde_json::Value;

/// A list of records. Numbers are indexes into `Site::operations` and, for `parent`, `Site::collections`.
pub struct Collection {
    pub list: usize,
    /// Path parameters that have one value in this collection: `kind` = `brands`.
    pub bound: Vec<(String, String)>,
    pub parent: Option<usize>,
    /// Schema of an item.
    pub item: Value,
    /// Name of the item's schema.
    pub component: String,
    pub noun: String,
    pub label: String,
    pub record: Option<usize>,
    pub create: Option<usize>,
    pub actions: Vec<usize>,
    pub title: Vec<String>,
    pub columns: Vec<String>,
    pub group: String,
    pub position: u32,
}

/// A heading of the navigation with its entries.
pub struct Group {
    pub label: String,
    pub entries: Vec<Entry>,
}

pub struct Entry {
    pub label: String,
    /// Below the company: `/catalog/products`.
    pub path: String,
    /// The operation that must be permitted.
    pub operation: usize,
}
