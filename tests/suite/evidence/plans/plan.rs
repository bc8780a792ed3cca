//! Reads a plan: which tables it reads and writes, and where it goes through a company.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value as Json;

/// A plan, or many, in what concerns the tables of a company.
#[derive(Default)]
pub struct Reading {
    pub scans: Vec<Scan>,
    pub read: BTreeSet<String>,
    pub written: BTreeSet<String>,
}

/// A way through all that a company has in a table, or through the table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scan {
    pub table: String,
    /// The kind of way, its index, and PostgreSQL's estimates.
    pub way: String,
    /// The condition that is looked for on it.
    pub filter: String,
}

impl fmt::Display for Scan {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} by {} for {}", self.table, self.way, self.filter)
    }
}

impl Reading {
    pub fn merge(&mut self, other: Reading) {
        self.scans.extend(other.scans);
        self.read.extend(other.read);
        self.written.extend(other.written);
    }
}

/// Reads what `explain (format json)` answered.
pub fn read(plan: &Json, tables: &BTreeSet<String>) -> Reading {
    let mut reading = Reading::default();
    walk(&plan[0]["Plan"], false, tables, &mut reading);
    reading
}

fn text<'a>(node: &'a Json, member: &str) -> &'a str {
    node[member].as_str().unwrap_or_default()
}

/// `is_page`: no more rows are asked of the node than a page has.
fn walk(node: &Json, is_page: bool, tables: &BTreeSet<String>, reading: &mut Reading) {
    let (kind, table, filter) = (text(node, "Node Type"), text(node, "Relation Name"), text(node, "Filter"));
    if tables.contains(table) {
        if kind == "ModifyTable" {
            reading.written.insert(table.to_string());
        } else {
            reading.read.insert(table.to_string());
            // A page of what there is, one after the other, ends with the page.
            let ends = is_page && filter.is_empty() && kind != "Seq Scan";
            if goes_through(node) && !ends {
                let way = [kind, text(node, "Index Name")].join(" ").trim().to_string();
                let way = format!("{way} ({} rows at a cost of {})", node["Plan Rows"], node["Total Cost"]);
                reading.scans.push(Scan { table: table.to_string(), way, filter: filter.to_string() });
            }
        }
    }
    // Rows pass through these as they come; all others take what is below them whole.
    let passes = matches!(kind, "Result" | "Subquery Scan" | "LockRows");
    let is_page = kind == "Limit" || (is_page && passes);
    for below in node["Plans"].as_array().into_iter().flatten() {
        let is_input = matches!(text(below, "Parent Relationship"), "Outer" | "Subquery");
        walk(below, is_page && is_input, tables, reading);
    }
}

fn goes_through(node: &Json) -> bool {
    match text(node, "Node Type") {
        "Seq Scan" => true,
        "Index Scan" | "Index Only Scan" => !is_narrow(text(node, "Index Cond")),
        "Bitmap Heap Scan" => !is_narrow(text(node, "Recheck Cond")),
        _ => false,
    }
}

/// Returns whether a condition says more than whose the rows are, and behind which id they begin.
fn is_narrow(condition: &str) -> bool {
    condition.split(" AND ").any(|term| {
        let term = term.trim_matches(['(', ')', ' ']);
        let wide = ["tenant_id = ", "id > ", "id >= ", "id < ", "id <= "];
        !term.is_empty() && !wide.iter().any(|start| term.starts_with(start))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_narrow_by_what_it_says_beyond_the_company() {
        for wide in ["", "(tenant_id = $1)", "((tenant_id = $1) AND (id > $2))"] {
            assert!(!is_narrow(wide), "{wide}");
        }
        for narrow in ["(id = $2)", "(id = ANY ($2))", "(code = $2)"] {
            assert!(is_narrow(&format!("((tenant_id = $1) AND {narrow})")), "{narrow}");
        }
    }
}
