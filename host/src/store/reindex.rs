//! Tables that exist already get the form that this host gives new ones: an older host may have made them. Their
//! indexes and the room in their pages are compared by name with what the modules' declarations make today. The host
//! builds missing ones. It does not touch an index that no declaration makes or ever made: it may be an operator's own.

use std::collections::HashSet;

use stoa_descriptor::Collection;

use super::schema::Tables;
use super::{postgres, sqlite};
use crate::database::{Error, Session};

/// Compares a module's tables with what is recorded and what exists. Answers the statements to run (on PostgreSQL each
/// by itself and outside a transaction), and the collections whose record is another once they ran.
pub async fn find_reindex(
    session: &mut Session,
    recorded: &[Collection],
    schema: &Tables,
) -> Result<(Vec<String>, Vec<Collection>), Error> {
    let query = match session {
        Session::Sqlite(_) => sqlite::STANDING,
        Session::Postgres(_) => postgres::STANDING,
    };
    let rows = session.query(query, &[]).await?;
    let standing = rows.iter().map(|row| row.text(0)).collect::<Result<HashSet<String>, Error>>()?;
    let stands = |name: &str| standing.contains(name);
    let (mut drop, mut record) = (Vec::new(), Vec::new());
    for old in recorded {
        let Some(table) = schema.find(&old.name).map(|index| schema.table(index)) else { continue };
        let is_wanted = |list: &Vec<String>| table.indexes.iter().any(|key| key.name == list.join(","));
        for list in &old.indexes {
            let names = Tables::index_names(&table.bare, list).into_iter();
            drop.extend(names.filter(|name| stands(name) && !table.indexes.iter().any(|key| key.index == *name)));
        }
        if !old.indexes.iter().all(is_wanted) {
            let indexes = old.indexes.iter().filter(|list| is_wanted(list)).cloned().collect();
            record.push(Collection { indexes, ..old.clone() });
        }
    }
    let statements = match session {
        Session::Sqlite(_) => sqlite::reindex(schema, stands, &drop),
        Session::Postgres(_) => postgres::reindex(schema, stands, &drop),
    };
    Ok((statements, record))
}
