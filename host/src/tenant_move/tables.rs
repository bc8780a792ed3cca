//! The tables with rows of a company, as a server has them. A move copies the rows of each, so both servers have to have the same.

use std::collections::BTreeMap;

use anyhow::Context as _;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::server::Server;

/// Tables that background work looks at. They go with the switch and not before: a host at the new place would work on the company
/// while the old place has it.
pub const CARRIED: &[&str] = &[
    "stoa_tenant",
    "stoa_webhook_endpoint",
    "stoa_webhook_lane",
    "stoa_webhook_cursor",
    "stoa_listener",
    "stoa_timer_lag",
];

/// The table whose row says how far the copy has come.
pub const MARKS: &str = "stoa_move_mark";

/// A table with rows of companies. Names are quoted where SQL needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedTable {
    pub name: String,
    /// Columns of the primary key.
    pub key: Vec<String>,
    /// Columns that are written, by name, each with its type.
    pub columns: BTreeMap<String, String>,
}

impl MovedTable {
    /// The condition for the rows of a company.
    pub fn of_company(&self, company: Uuid) -> String {
        let column = if self.name == "stoa_tenant" { "id" } else { "tenant_id" };
        format!("{column} = '{company}'")
    }

    pub fn is_carried(&self) -> bool {
        CARRIED.contains(&&*self.name)
    }
}

/// Lists the tables of a server, by name.
pub async fn list(server: &mut Server) -> anyhow::Result<Vec<MovedTable>> {
    let sql = "select quote_ident(c.relname),
         array(select quote_ident(a.attname) from pg_index i
               cross join unnest(i.indkey) with ordinality k (attribute, position)
               join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attribute
               where i.indrelid = c.oid and i.indisprimary order by k.position),
         array(select quote_ident(a.attname) from pg_attribute a
               where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum),
         array(select format_type(a.atttypid, a.atttypmod) from pg_attribute a
               where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum)
       from pg_class c
       where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
         and obj_description(c.oid, 'pg_class') = 'place: company'
       order by c.relname collate \"C\"";
    let read = sqlx::query_as::<_, (String, Vec<String>, Vec<String>, Vec<String>)>(AssertSqlSafe(sql));
    let rows = read.fetch_all(&mut server.connection).await;
    let rows = rows.with_context(|| format!("the tables of the place {}", server.name))?;
    let table = |(name, key, columns, types): (String, Vec<String>, Vec<String>, Vec<String>)| MovedTable {
        name,
        key,
        columns: columns.into_iter().zip(types).collect(),
    };
    Ok(rows.into_iter().map(table).collect())
}

/// The differences between two servers that a move cannot bridge.
pub fn compare(source: &[MovedTable], target: &[MovedTable]) -> Vec<String> {
    let mut differences = Vec::new();
    let found: BTreeMap<&str, &MovedTable> = target.iter().map(|table| (&*table.name, table)).collect();
    for table in source {
        if table.name != "stoa_tenant" && table.key.first().is_none_or(|column| column != "tenant_id") {
            differences.push(format!("the primary key of {} does not begin with the company", table.name));
        }
        match found.get(&*table.name) {
            None => differences.push(format!("the new place has no table {}", table.name)),
            Some(other) if other.columns != table.columns => {
                let differs = |(name, type_): &(&String, &String)| other.columns.get(*name) != Some(*type_);
                let missing = table.columns.iter().filter(differs).map(|(name, _)| name.as_str());
                let more = other.columns.keys().filter(|name| !table.columns.contains_key(*name)).map(String::as_str);
                let columns: Vec<&str> = missing.chain(more).collect();
                differences.push(format!("the places have other columns of {}: {}", table.name, columns.join(", ")));
            }
            Some(_) => {}
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, key: &[&str], columns: &[(&str, &str)]) -> MovedTable {
        MovedTable {
            name: name.into(),
            key: key.iter().map(|column| (*column).to_owned()).collect(),
            columns: columns.iter().map(|(name, type_)| ((*name).to_owned(), (*type_).to_owned())).collect(),
        }
    }

    #[test]
    fn places_with_other_tables_are_told_apart() {
        let key = ["tenant_id", "id"];
        let source =
            [table("item", &key, &[("id", "uuid"), ("name", "text")]), table("price", &key, &[("id", "uuid")])];
        assert_eq!(compare(&source, &source), Vec::<String>::new());
        let target = [table("item", &key, &[("id", "uuid"), ("name", "bigint"), ("size", "text")])];
        assert_eq!(
            compare(&source, &target),
            ["the places have other columns of item: name, size", "the new place has no table price"]
        );
        let unkeyed = [table("item", &["id"], &[("id", "uuid")])];
        assert_eq!(compare(&unkeyed, &unkeyed), ["the primary key of item does not begin with the company"]);
    }
}
