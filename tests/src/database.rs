//! A look into the database that shares no code with the host: what is really stored.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;

use rusqlite::types::Value;
use sqlx::{AssertSqlSafe, PgPool, Row};

use crate::host::RUNTIME;
use crate::looks::PATIENCE;
use crate::{Company, Stoa};

/// The two databases that everything must work on alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Database {
    Sqlite,
    Postgres,
}

/// Rows of counters and leases, which change without a write of the tenant.
const NOT_STATE: &[&str] = &["stoa_permit", "stoa_api_usage"];

/// Reads that disclose something are audited about 200 ms later, and say nothing about what is kept.
const NO_READ: &str = " and operation not like 'get%' and operation not like 'list%' \
                       and operation not like 'apiGet%' and operation not like 'apiList%'";

impl Company {
    /// Rows of a table of this tenant that meet a condition, which both databases understand.
    pub fn count(&self, table: &str, condition: &str) -> i64 {
        let rows = self.rows(&format!("select count(*) from {table} where {{tenant}} and ({condition})"));
        rows[0][0].parse().expect("a count")
    }

    /// Rows of a query as text; `{tenant}` is replaced by the condition on `tenant_id`.
    pub fn rows(&self, query: &str) -> Vec<Vec<String>> {
        self.host.rows_of(&self.tenant, query)
    }

    /// Changes rows behind the host's back: what an operator's tool or the passing of time would do. `{id}` is replaced by the
    /// condition on the company's own `id`.
    pub fn change(&self, statement: &str) {
        self.write(statement, true).unwrap_or_else(|why| panic!("{statement}: {why}"));
    }

    /// Tries to change rows behind the host's back; the database's refusal where it has one. Nothing is kept.
    pub fn try_write(&self, statement: &str) -> Result<(), String> {
        self.write(statement, false)
    }

    /// An id as statements spell it.
    pub fn literal(&self, id: &str) -> String {
        match self.host.database() {
            Database::Sqlite => format!("x'{}'", id.replace('-', "")),
            Database::Postgres => format!("'{id}'"),
        }
    }

    /// The id of a row that a statement makes, as it spells it.
    pub fn fresh_id(&self) -> String {
        self.literal(&uuid::Uuid::now_v7().to_string())
    }

    fn write(&self, statement: &str, keep: bool) -> Result<(), String> {
        match self.host.database() {
            Database::Sqlite => {
                let mut connection =
                    rusqlite::Connection::open(self.host.sqlite_file()).map_err(|error| error.to_string())?;
                connection.busy_timeout(PATIENCE).map_err(|error| error.to_string())?;
                let immediate = rusqlite::TransactionBehavior::Immediate;
                let transaction = connection.transaction_with_behavior(immediate).map_err(|error| error.to_string())?;
                let statement = for_sqlite(statement, &self.tenant);
                transaction.execute(&statement, []).map_err(|error| error.to_string())?;
                if keep { transaction.commit() } else { transaction.rollback() }.map_err(|error| error.to_string())
            }
            Database::Postgres => RUNTIME.block_on(async {
                let url = self.host.url_of(&self.tenant).await;
                let tried = async {
                    let mut transaction = self.host.looks().postgres(&url).begin().await?;
                    let set = sqlx::query("select set_config('stoa.tenant', $1, true)").bind(&self.tenant);
                    set.execute(&mut *transaction).await?;
                    let statement = for_postgres(statement, &self.tenant);
                    sqlx::query(AssertSqlSafe(statement)).persistent(false).execute(&mut *transaction).await?;
                    if keep { transaction.commit().await } else { transaction.rollback().await }
                };
                tried.await.map_err(|error: sqlx::Error| error.to_string())
            }),
        }
    }

    /// Names of the tables that hold rows of tenants.
    pub fn tables(&self) -> Vec<String> {
        let query = match self.host.database() {
            Database::Sqlite => {
                "select m.name from sqlite_master m join pragma_table_info(m.name) c on c.name = 'tenant_id'
                 where m.type = 'table' order by m.name"
            }
            Database::Postgres => {
                "select c.table_name::text from information_schema.columns c
                 join information_schema.tables t on t.table_name = c.table_name and t.table_schema = c.table_schema
                 where c.column_name = 'tenant_id' and t.table_type = 'BASE TABLE' order by 1"
            }
        };
        self.rows(query).into_iter().map(|mut row| row.remove(0)).collect()
    }

    /// A digest of every row of this tenant, table by table, but for the audit of reads: equal digests, nothing changed.
    pub fn digest(&self) -> BTreeMap<String, (usize, u64)> {
        let tables = self.tables();
        assert!(!tables.is_empty(), "no table with a tenant_id");
        let state = tables.into_iter().filter(|table| !NOT_STATE.iter().any(|prefix| table.starts_with(prefix)));
        state
            .map(|table| {
                let also = if table == "stoa_audit" { NO_READ } else { "" };
                let query = match self.host.database() {
                    Database::Sqlite => format!("select * from {table} where {{tenant}}{also}"),
                    Database::Postgres => format!("select t::text from {table} t where {{tenant}}{also}"),
                };
                let mut rows = self.rows(&query);
                rows.sort();
                let mut hasher = DefaultHasher::new();
                rows.hash(&mut hasher);
                (table, (rows.len(), hasher.finish()))
            })
            .collect()
    }

    /// The same of only the modules' rows and the events: a machine's request is admitted, which leaves traces of its own.
    pub fn records(&self) -> BTreeMap<String, (usize, u64)> {
        let mut digest = self.digest();
        digest.retain(|table, _| !table.starts_with("stoa_") || table == "stoa_event");
        digest
    }
}

impl Stoa {
    /// Changes rows that belong to no company behind the host's back.
    pub fn change(&self, statement: &str) {
        let tenant = uuid::Uuid::nil().to_string();
        let nobody = Company { host: self.clone(), tenant, token: String::new(), created: Vec::new() };
        nobody.change(statement);
    }

    /// Rows of a query as text, of tables that belong to no company.
    pub fn rows(&self, query: &str) -> Vec<Vec<String>> {
        self.rows_of(&uuid::Uuid::nil().to_string(), query)
    }

    fn rows_of(&self, tenant: &str, query: &str) -> Vec<Vec<String>> {
        match self.database() {
            Database::Sqlite => {
                self.looks().sqlite(&self.sqlite_file(), |connection| sqlite(connection, tenant, query))
            }
            Database::Postgres => RUNTIME.block_on(async {
                let url = self.url_of(tenant).await;
                postgres(&self.looks().postgres(&url), tenant, query).await
            }),
        }
    }

    /// The address of the database that has a company's rows.
    pub(crate) async fn url_of(&self, tenant: &str) -> String {
        let home = self.postgres_url().unwrap_or_default();
        if self.count_places() == 1 {
            return home.to_owned();
        }
        let query = "select place from stoa_company_place where tenant_id::text = $1";
        let pool = self.looks().postgres(home);
        let place: Option<String> =
            sqlx::query_scalar(query).bind(tenant).fetch_optional(&pool).await.expect("the directory of companies");
        place.and_then(|place| self.place_url(&place).map(str::to_owned)).unwrap_or_else(|| home.to_owned())
    }

    pub(crate) fn sqlite_file(&self) -> PathBuf {
        let folder = self.data_folder();
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_database = |path: &PathBuf| {
            let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
            ["db", "sqlite", "sqlite3"].contains(&kind)
        };
        files.into_iter().find(is_database).unwrap_or_else(|| panic!("no database in {}", folder.display()))
    }
}

fn for_sqlite(query: &str, tenant: &str) -> String {
    let bytes = tenant.replace('-', "");
    query
        .replace("{tenant}", &format!("tenant_id in (x'{bytes}', '{tenant}')"))
        .replace("{id}", &format!("id = x'{bytes}'"))
}

pub(crate) fn for_postgres(query: &str, tenant: &str) -> String {
    query.replace("{tenant}", &format!("tenant_id = '{tenant}'")).replace("{id}", &format!("id = '{tenant}'"))
}

fn sqlite(connection: &rusqlite::Connection, tenant: &str, query: &str) -> Vec<Vec<String>> {
    let query = for_sqlite(query, tenant);
    let mut statement = connection.prepare(&query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let width = statement.column_count();
    let rows = statement.query_map([], |row| (0..width).map(|i| row.get(i).map(sqlite_text)).collect());
    rows.and_then(Iterator::collect).unwrap_or_else(|error: rusqlite::Error| panic!("{query}: {error}"))
}

fn sqlite_text(value: Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Blob(bytes) => match uuid::Uuid::from_slice(&bytes) {
            Ok(id) => id.to_string(),
            Err(_) => format!("{bytes:02x?}"),
        },
    }
}

async fn postgres(pool: &PgPool, tenant: &str, query: &str) -> Vec<Vec<String>> {
    let query = for_postgres(query, tenant);
    let read = async {
        let mut transaction = pool.begin().await?;
        sqlx::query("select set_config('stoa.tenant', $1, true)").bind(tenant).execute(&mut *transaction).await?;
        // Not kept prepared: the tables may be others at the next look.
        let rows = sqlx::query(AssertSqlSafe(as_text(&query))).persistent(false).fetch_all(&mut *transaction).await?;
        transaction.rollback().await?;
        let text = |row: &sqlx::postgres::PgRow| -> Result<Vec<String>, sqlx::Error> {
            let values: Vec<Option<String>> = row.try_get(0)?;
            Ok(values.into_iter().map(|value| value.unwrap_or_else(|| "null".into())).collect())
        };
        let rows = rows.iter().map(text).collect::<Result<Vec<_>, _>>()?;
        Ok::<_, sqlx::Error>(rows)
    };
    read.await.unwrap_or_else(|error| panic!("{query}: {error}"))
}

/// Wraps a query so that each row comes as one array of texts, whatever its columns are.
fn as_text(query: &str) -> String {
    format!(
        "select array(select value from json_each_text(row_to_json(q)) with ordinality as e(key, value, n) order by n) \
         from ({query}) q"
    )
}
