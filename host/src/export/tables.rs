//! The tables that have rows of a company, and how these rows are read.

use anyhow::Context as _;
use serde_json::{Map, Value as Json};
use stoa_descriptor::{Collection, ColumnType, Kind};
use uuid::Uuid;

use super::value::{Column, ValueType, Values};
use crate::database::{Cell, Row, Session};
use crate::store::Tables;

pub const COMPANIES: &str = "stoa_tenant";
pub const USERS: &str = "stoa_user";
pub const ENDPOINTS: &str = "stoa_webhook_endpoint";
/// The directory of users' companies.
const USER_COMPANIES: &str = "stoa_user_company";

/// Name, key and columns of the host's own tables, without `tenant_id`. A row that another one names comes after it. Leases of
/// a relay on a lane (`holder`) stay behind.
const HOST: &[(&str, &str, &str)] = &[
    (
        COMPANIES,
        "id",
        "id uuid, name text, status text, country_code text, default_currency_code text, time_zone text, \
         entitlements text, version integer, created_at instant, updated_at instant, history_from instant, \
         history_at instant, history_until instant",
    ),
    (
        USERS,
        "id",
        "id uuid, issuer text, subject text, email text, display_name text, created_at instant, updated_at instant",
    ),
    (USER_COMPANIES, "user_id", "user_id uuid, founded boolean"),
    (
        "stoa_role",
        "id",
        "id uuid, code text, name text, status text, system boolean, created_at instant, updated_at instant",
    ),
    ("stoa_role_permission", "role_id permission", "role_id uuid, permission text"),
    ("stoa_membership", "id", "id uuid, user_id uuid, status text, created_at instant, updated_at instant"),
    ("stoa_membership_role", "membership_id role_id", "membership_id uuid, role_id uuid"),
    (
        "stoa_api_client",
        "id",
        "id uuid, name text, description text, environment text, status text, scopes text, \
         requests_per_minute integer, monthly_quota integer, created_at instant, updated_at instant",
    ),
    (
        "stoa_api_key",
        "client_id id",
        "id uuid, client_id uuid, prefix text, last4 text, hash bytes, environment text, created_at instant, \
         created_by uuid, expires_at instant, last_used_at instant, revoked_at instant, revoked_by uuid",
    ),
    (
        "stoa_permit",
        "subject_id scope",
        "subject_id uuid, scope text, window_start instant, used integer, leased integer",
    ),
    (
        "stoa_api_usage",
        "client_id day result reason",
        "client_id uuid, day text, result text, reason text, requests integer",
    ),
    (
        "stoa_idempotency",
        "actor_id operation key",
        "actor_id uuid, operation text, key uuid, fingerprint bytes, created_at instant, status integer, \
         headers text, body bytes, kept boolean",
    ),
    (
        "stoa_audit",
        "id",
        "id uuid, request_id uuid, actor_type text, actor_id text, operation text, resource_type text, \
         resource_id uuid, ip_address text, user_agent text, metadata text, created_at instant",
    ),
    ("stoa_audit_subject", "subject_id audit_id", "subject_id uuid, audit_id uuid"),
    (
        "stoa_event",
        "id",
        "id uuid, kind text, resource_type text, resource_id uuid, resource_version integer, data text, \
         request_id uuid, created_at instant, trace text",
    ),
    ("stoa_sequence", "module name", "module text, name text, next integer"),
    (
        ENDPOINTS,
        "id",
        "id uuid, name text, url text, status text, kinds text, version integer, key_id text, secret bytes, \
         previous_secret bytes, previous_until instant, listens_since instant, disabled_at instant, \
         created_at instant, updated_at instant",
    ),
    ("stoa_webhook_lane", "endpoint_id", "endpoint_id uuid, due_at instant, failures integer, failing_since instant"),
    ("stoa_webhook_cursor", "", "last_event uuid, last_endpoint uuid"),
    ("stoa_listener", "module", "module text, last_event uuid, tries integer, trouble text, retry_at instant"),
    (
        "stoa_timer_lag",
        "module code",
        "module text, code text, since instant, until instant, cursor text, tries integer, trouble text, \
         retry_at instant",
    ),
    (
        "stoa_webhook_delivery",
        "id",
        "id uuid, endpoint_id uuid, event_id uuid, kind text, status text, begun integer, begun_at instant, \
         attempts text, next_attempt_at instant, created_at instant",
    ),
];

/// Users whom a row of the company names.
const USERS_OF: &str = "id in (select user_id from stoa_membership where tenant_id = $1
  union select user_id from stoa_user_company where tenant_id = $1
  union select created_by from stoa_api_key where tenant_id = $1
  union select revoked_by from stoa_api_key where tenant_id = $1)";

/// Rows that one statement reads.
const PAGE: usize = 250;

/// A table, as far as a company's file has it.
#[derive(Debug, Clone)]
pub struct CompanyTable {
    pub name: String,
    /// Without `tenant_id`.
    pub columns: Vec<Column>,
    /// Positions of the columns that identify a row of a company; none if a company has at most one row.
    key: Vec<usize>,
}

/// Every table of this database that can have rows of a company, in the order of the file.
pub async fn read_tables(session: &mut Session) -> anyhow::Result<Vec<CompanyTable>> {
    let mut tables = HOST
        .iter()
        .map(|(name, key, columns)| CompanyTable::of_host(name, key, columns))
        .collect::<Result<Vec<_>, _>>()?;
    let rows = session.query("select module, definition from stoa_collection order by module, name", &[]).await?;
    for row in &rows {
        let collection: Collection = serde_json::from_str(&row.text(1)?).context("a recorded collection")?;
        tables.push(CompanyTable::of_module(&row.text(0)?, &collection));
    }
    Ok(tables)
}

/// The columns of a list such as `id uuid, name text`.
pub fn parse_columns(text: &str) -> anyhow::Result<Vec<Column>> {
    text.split(", ").map(str::parse).collect()
}

impl CompanyTable {
    fn of_host(name: &str, key: &str, columns: &str) -> anyhow::Result<CompanyTable> {
        let columns = parse_columns(columns)?;
        let find = |key: &str| columns.iter().position(|column| column.name == key);
        let key = key.split_whitespace().map(find).collect::<Option<_>>();
        let key = key.with_context(|| format!("{name} lacks a column of its key"))?;
        Ok(CompanyTable { name: name.to_owned(), columns, key })
    }

    /// The table as it was made: with the columns of all versions of the module.
    fn of_module(module: &str, collection: &Collection) -> CompanyTable {
        let mut columns = vec![("id".to_owned(), ColumnType::Uuid)];
        if collection.kind == Kind::Record {
            columns.push(("version".to_owned(), ColumnType::Integer));
        }
        columns.extend(["created_at", "updated_at"].map(|name| (name.to_owned(), ColumnType::Timestamp)));
        columns.extend(collection.columns.iter().map(|column| (column.name.clone(), column.type_)));
        columns.extend(collection.search.iter().map(|search| (format!("search_{}", search.name), ColumnType::Text)));
        let columns = columns.into_iter().map(|(name, type_)| Column { name, type_: ValueType::Column(type_) });
        let columns = columns.collect();
        CompanyTable { name: Tables::table_name(module, &collection.name), columns, key: vec![0] }
    }

    /// The table with the columns of a file, in its order. Other columns get their defaults.
    pub fn with_columns(&self, columns: Vec<Column>) -> anyhow::Result<CompanyTable> {
        for column in &columns {
            let known = self.columns.contains(column);
            anyhow::ensure!(known, "`{}` of this database has no column `{column}`: update the host", self.name);
        }
        let names = self.key.iter().filter_map(|key| self.columns.get(*key)).map(|column| &column.name);
        let key = names.map(|name| columns.iter().position(|column| column.name == *name)).collect::<Option<_>>();
        let key = key.with_context(|| format!("the file lacks a column of `{}`", self.name))?;
        Ok(CompanyTable { name: self.name.clone(), columns, key })
    }

    /// The list of columns that `parse_columns` reads.
    pub fn list_columns(&self) -> String {
        self.columns.iter().map(Column::to_string).collect::<Vec<_>>().join(", ")
    }

    /// Returns whether the home server has the rows, wherever the company is.
    pub fn is_at_home(&self) -> bool {
        self.name == USER_COMPANIES
    }

    /// Returns whether rows name their company in `tenant_id`.
    pub fn has_tenant(&self) -> bool {
        ![COMPANIES, USERS].contains(&self.name.as_str())
    }

    /// The text of a row's column; none if it is null or not in the file.
    pub fn text<'a>(&self, row: &'a Values, column: &str) -> Option<&'a str> {
        let place = self.columns.iter().position(|other| other.name == column)?;
        row.get(place)?.as_deref()
    }

    /// A row as the file has it.
    pub fn to_members(&self, row: &Values) -> Map<String, Json> {
        let value = |(column, text): (&Column, &Option<String>)| {
            let value = text.as_deref().map_or(Json::Null, |text| column.type_.to_json(text));
            (column.name.clone(), value)
        };
        self.columns.iter().zip(row).map(value).collect()
    }

    /// Reads a row of the file, which has every column and no other member.
    pub fn read_members(&self, members: &Map<String, Json>) -> anyhow::Result<Values> {
        anyhow::ensure!(members.len() == self.columns.len(), "a row of `{}` has other columns", self.name);
        let read = |column: &Column| match members.get(&column.name) {
            Some(Json::Null) => Some(None),
            value => value.and_then(|value| column.type_.read_json(value)).map(Some),
        };
        let wrong = |column: &Column| format!("a row of `{}` has no value for `{column}`", self.name);
        self.columns.iter().map(|column| read(column).with_context(|| wrong(column))).collect()
    }

    /// Reads the company's rows in pages, in the order of the key.
    pub async fn read_rows(
        &self,
        session: &mut Session,
        company: Uuid,
        take: &mut dyn FnMut(Values) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let is_postgres = matches!(session, Session::Postgres(_));
        let mut parameters = vec![Cell::Id(company)];
        loop {
            let statement = self.select(is_postgres, parameters.len() > 1);
            let rows = session.query_composed(statement, &parameters).await?;
            let mut last = None;
            for row in &rows {
                let values = self.read_row(row, is_postgres)?;
                last = Some(self.read_key(&values)?);
                take(values)?;
            }
            match last {
                Some(key) if rows.len() == PAGE && !key.is_empty() => {
                    parameters.truncate(1);
                    parameters.extend(key);
                }
                _ => return Ok(()),
            }
        }
    }

    /// Reads a page: the first one, or the one after a key.
    fn select(&self, is_postgres: bool, is_after_key: bool) -> String {
        let quote = |column: &Column| format!("t.\"{}\"", column.name);
        let field = |column: &Column| match is_postgres {
            true => column.type_.sql_text(&quote(column)),
            false => quote(column),
        };
        let fields: Vec<String> = self.columns.iter().map(field).collect();
        let condition = match self.name.as_str() {
            COMPANIES => "id = $1",
            USERS => USERS_OF,
            _ => "tenant_id = $1",
        };
        let key: Vec<String> = self.key.iter().filter_map(|key| self.columns.get(*key)).map(quote).collect();
        let key = key.join(", ");
        let after = if is_after_key {
            let parameters: Vec<String> = (0..self.key.len()).map(|nth| format!("${}", nth + 2)).collect();
            format!(" and ({key}) > ({})", parameters.join(", "))
        } else {
            String::new()
        };
        let sorting = if key.is_empty() { String::new() } else { format!(" order by {key}") };
        format!("select {} from \"{}\" t where {condition}{after}{sorting} limit {PAGE}", fields.join(", "), self.name)
    }

    fn read_row(&self, row: &Row, is_postgres: bool) -> anyhow::Result<Values> {
        let read = |(column, cell): (&Column, &Cell)| match cell {
            Cell::Null => Ok(None),
            cell => {
                let text = if is_postgres { column.type_.read_postgres(cell) } else { column.type_.read_sqlite(cell) };
                let wrong = || format!("a stored value of `{}` is not of its type: `{column}`", self.name);
                text.map(Some).with_context(wrong)
            }
        };
        self.columns.iter().zip(&row.0).map(read).collect()
    }

    /// The key of a row, as parameters.
    fn read_key(&self, row: &Values) -> anyhow::Result<Vec<Cell>> {
        let cell = |key: &usize| {
            let (column, text) = (self.columns.get(*key)?, row.get(*key)?.as_deref()?);
            match column.type_ {
                ValueType::Column(ColumnType::Uuid) => Uuid::parse_str(text).ok().map(Cell::Id),
                _ => Some(Cell::text(text)),
            }
        };
        let key = self.key.iter().map(cell).collect::<Option<_>>();
        key.with_context(|| format!("a row of `{}` without a key", self.name))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::database::migrations;

    /// Columns that are not exported, and the tables of which `tenant_id` is only a mark.
    const LEFT_OUT: [&str; 1] = ["stoa_webhook_lane.holder"];
    const NO_COMPANYS: [&str; 5] = ["stoa_upgrade", "stoa_timer", "stoa_company_place", "stoa_move", "stoa_move_mark"];

    #[test]
    fn every_column_of_a_company_is_exported() {
        let database = rusqlite::Connection::open_in_memory().unwrap();
        for step in migrations::sqlite().iter() {
            database.execute_batch(step.sql.as_str()).unwrap();
        }
        let mut statement = database
            .prepare(
                "select m.name, c.name, c.type from sqlite_master m join pragma_table_info(m.name) c
                 where m.type = 'table' and (m.name in ('stoa_tenant', 'stoa_user') or exists
                   (select 1 from pragma_table_info(m.name) other where other.name = 'tenant_id'))",
            )
            .unwrap();
        let columns = statement
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)));
        let mut stored: BTreeMap<String, String> = BTreeMap::new();
        for column in columns.unwrap() {
            let (table, column, type_) = column.unwrap();
            let name = format!("{table}.{column}");
            if column != "tenant_id" && !NO_COMPANYS.contains(&table.as_str()) && !LEFT_OUT.contains(&name.as_str()) {
                stored.insert(name, type_.to_lowercase());
            }
        }
        let mut exported = BTreeMap::new();
        for (name, key, columns) in HOST {
            for column in CompanyTable::of_host(name, key, columns).unwrap().columns {
                let type_ = match column.type_ {
                    ValueType::Column(ColumnType::Uuid) | ValueType::Bytes => "blob",
                    ValueType::Column(ColumnType::Boolean | ColumnType::Integer | ColumnType::Timestamp) => "integer",
                    _ => "text",
                };
                exported.insert(format!("{name}.{}", column.name), type_.to_owned());
            }
        }
        assert_eq!(exported, stored);
    }

    #[test]
    fn a_page_begins_after_the_key_of_the_last_row() {
        let table =
            CompanyTable::of_host("stoa_sequence", "module name", "module text, name text, next integer").unwrap();
        assert_eq!(
            table.select(true, true),
            "select t.\"module\", t.\"name\", t.\"next\"::text from \"stoa_sequence\" t where tenant_id = $1 \
             and (t.\"module\", t.\"name\") > ($2, $3) order by t.\"module\", t.\"name\" limit 250"
        );
    }

    #[test]
    fn a_column_of_another_type_is_rejected() {
        let table =
            CompanyTable::of_host("stoa_sequence", "module name", "module text, name text, next integer").unwrap();
        let with =
            |columns: &str| table.with_columns(parse_columns(columns).unwrap()).map(|table| table.list_columns());
        assert_eq!(with("name text, module text").unwrap(), "name text, module text");
        assert!(with("name text, module text, next text").is_err());
        assert!(with("name text, module text, last integer").is_err());
        assert!(with("name text").is_err(), "without its key");
    }
}
