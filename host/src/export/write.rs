//! Inserts rows of a file.

use anyhow::Context as _;
use rusqlite::types::Value as SqliteValue;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::tables::CompanyTable;
use super::value::{Column, Values};
use crate::database::postgres::{PgStatement, Transaction};
use crate::database::{Error, Session};

/// Inserts rows of a company.
///
/// # Errors
/// A value that is not of its column's type, or a row that the database rejects.
pub async fn insert(
    session: &mut Session,
    table: &CompanyTable,
    company: Uuid,
    rows: Vec<Values>,
) -> anyhow::Result<()> {
    let inserted = match session {
        Session::Sqlite(connection) => insert_sqlite(connection, table, company, rows),
        Session::Postgres(transaction) => insert_postgres(transaction, table, company, rows).await,
    };
    inserted.with_context(|| format!("rows of `{}`", table.name))
}

/// Names of the columns that a statement fills.
fn list_names(table: &CompanyTable) -> String {
    let tenant = table.has_tenant().then(|| "tenant_id".to_owned());
    let columns = table.columns.iter().map(|column| format!("\"{}\"", column.name));
    tenant.into_iter().chain(columns).collect::<Vec<_>>().join(", ")
}

fn insert_sqlite(
    connection: &rusqlite::Connection,
    table: &CompanyTable,
    company: Uuid,
    rows: Vec<Values>,
) -> anyhow::Result<()> {
    let tenant = table.has_tenant().then(|| SqliteValue::Blob(company.as_bytes().to_vec()));
    let places = vec!["?"; table.columns.len() + usize::from(table.has_tenant())].join(", ");
    let sql = format!("insert into \"{}\" ({}) values ({places})", table.name, list_names(table));
    let mut statement = connection.prepare_cached(&sql).map_err(Error::from_rusqlite)?;
    let value = |(column, text): (&Column, Option<String>)| match text {
        None => Ok(SqliteValue::Null),
        Some(text) => column.type_.to_sqlite(&text).with_context(|| format!("a value is not of its type: `{column}`")),
    };
    for row in rows {
        let cells = table.columns.iter().zip(row).map(value).collect::<anyhow::Result<Vec<_>>>()?;
        let values = tenant.iter().cloned().chain(cells);
        statement.execute(rusqlite::params_from_iter(values)).map_err(Error::from_rusqlite)?;
    }
    Ok(())
}

/// One array of texts for each column. `COPY` does not work with row-level security.
async fn insert_postgres(
    transaction: &mut Transaction,
    table: &CompanyTable,
    company: Uuid,
    rows: Vec<Values>,
) -> anyhow::Result<()> {
    let mut lists: Vec<Vec<Option<String>>> = table.columns.iter().map(|_| Vec::with_capacity(rows.len())).collect();
    for row in rows {
        lists.iter_mut().zip(row).for_each(|(list, text)| list.push(text));
    }
    let first = 1 + usize::from(table.has_tenant());
    let tenant = table.has_tenant().then(|| "$1".to_owned());
    let value = |(nth, column): (usize, &Column)| column.type_.sql_value(&format!("r.c{nth}"));
    let fields: Vec<String> = tenant.into_iter().chain(table.columns.iter().enumerate().map(value)).collect();
    let columns = 0..table.columns.len();
    let parameters: Vec<String> = columns.clone().map(|nth| format!("${}::text[]", nth + first)).collect();
    let aliases: Vec<String> = columns.map(|nth| format!("c{nth}")).collect();
    let sql = format!(
        "insert into \"{}\" ({}) select {} from unnest({}) as r({})",
        table.name,
        list_names(table),
        fields.join(", "),
        parameters.join(", "),
        aliases.join(", "),
    );
    let mut statement = PgStatement::new(sql);
    if table.has_tenant() {
        statement = statement.bind(Type::UUID, company);
    }
    for list in lists {
        statement = statement.bind(Type::TEXT_ARRAY, list);
    }
    transaction.query(statement).await?;
    Ok(())
}
