//! Where rows are: every table of the migrations states its shard, and a statement of the host that joins a company's
//! table names the company for it (`a.tenant_id = $1`), so that an operator with companies on several servers sees that
//! one server can answer it.
//!
//! Read from the text of the host's code.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};

use super::directions::code;
use super::tidy::{File, files};
use crate::workspace::Workspace;

/// Files whose joins go from the company of one table to that of the next.
const OTHERWISE: &[&str] = &[
    // Reads of several companies: those that the directory names.
    "host/src/platform/current_user.rs",
];

/// Texts that end a join's condition.
const ENDS: &[&str] = &[" join ", " where ", " group by ", " order by ", "\""];

pub fn check(workspace: &Workspace) -> Result<()> {
    let files = files(workspace)?;
    let steps: Vec<&File> = files.iter().filter(|file| file.path.starts_with("migrations/postgres/")).collect();
    let kinds = kinds(&steps);
    let mut faults: Vec<String> = tables(&steps)
        .into_iter()
        .filter(|table| !kinds.contains_key(table))
        .map(|table| format!("{table}: no step states its place"))
        .collect();
    if kinds.is_empty() {
        faults.push("no table has a place".to_owned());
    }
    let company: BTreeSet<&str> =
        kinds.iter().filter(|(_, kind)| **kind == "company").map(|(table, _)| *table).collect();
    for file in files.iter().filter(|file| file.path.starts_with("host/src/") && file.path.ends_with(".rs")) {
        if !OTHERWISE.contains(&file.path.as_str()) {
            faults.extend(joins(&file.text, &company).into_iter().map(|fault| format!("{}: {fault}", file.path)));
        }
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(())
}

/// The kind of each table that a step states: `select stoa_place('TABLE', 'KIND')`.
fn kinds<'f>(steps: &[&'f File]) -> BTreeMap<&'f str, &'f str> {
    let calls = steps.iter().flat_map(|step| step.text.split("select stoa_place('").skip(1));
    calls
        .filter_map(|call| {
            let (table, rest) = call.split_once("', '")?;
            Some((table, rest.split_once('\'')?.0))
        })
        .collect()
}

fn tables<'f>(steps: &[&'f File]) -> BTreeSet<&'f str> {
    let made = steps.iter().flat_map(|step| step.text.lines().filter_map(|line| line.strip_prefix("create table ")));
    made.filter_map(|rest| rest.split([' ', '(']).next()).collect()
}

/// Joins of a company's table that do not name the company.
fn joins(text: &str, company: &BTreeSet<&str>) -> Vec<String> {
    let text = code(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let conditions = text.split(" join ").skip(1).filter_map(|rest| {
        let (table, rest) = rest.split_once(' ')?;
        company.contains(table).then(|| {
            let end = ENDS.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
            (table, rest.get(..end).unwrap_or(rest))
        })
    });
    conditions
        .filter(|(table, condition)| {
            let alias = condition.split(' ').next().unwrap_or_default();
            let id = if *table == "stoa_tenant" { "id" } else { "tenant_id" };
            !format!("{condition} ").contains(&format!(" {alias}.{id} = $1 "))
        })
        .map(|(table, condition)| format!("join {table} {condition}: the company is not named"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(sql: &str) -> usize {
        joins(&format!("let sql = \"select 1 from stoa_role r\n  {sql}\";"), &["stoa_role", "stoa_tenant"].into()).len()
    }

    #[test]
    fn a_join_names_the_company() {
        assert_eq!(count("join stoa_role o on o.tenant_id = $1 and o.id = r.id"), 0);
        assert_eq!(count("left join stoa_role o\n on o.id = r.id and o.tenant_id = $1 where r.tenant_id = $1"), 0);
        assert_eq!(count("join stoa_tenant t on t.id = $1"), 0);
        assert_eq!(count("join stoa_user u on u.id = r.id"), 0, "a table of another kind");
        assert_eq!(count("join stoa_role o on o.tenant_id = r.tenant_id and o.id = r.id"), 1);
        assert_eq!(count("join stoa_role o on o.id = r.id where o.tenant_id = $1"), 1, "not of the join itself");
        assert_eq!(count("join stoa_role o on o.tenant_id = $12"), 1);
        assert_eq!(count("join stoa_tenant t on t.id = r.tenant_id"), 1);
    }

    #[test]
    fn every_table_has_a_place() {
        let text = "create table a (\n  id uuid\n);\ncreate table b(id uuid);\nselect stoa_place('a', 'home');\n";
        let step = File { path: "migrations/postgres/1.sql".into(), text: text.into() };
        assert_eq!(kinds(&[&step]), [("a", "home")].into());
        assert_eq!(tables(&[&step]), ["a", "b"].into());
    }
}
