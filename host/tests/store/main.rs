//! The store as the host calls it, on both databases. This file has the common parts of its tests: a small module's
//! collections, short words for calls, and a session on either database.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test says what it expects by failing")]

mod children;
mod comparisons;
mod conformance;
mod guarantees;
mod messages;
mod misuse;
mod races;
mod reads;
mod tables;
mod writes;

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use stoa::database::Session;
use stoa::database::postgres::Transaction;
use stoa::store::{Scope, StoreError, Tables, apply, plan, register_sqlite, run};
use stoa::wit::store::*;
use stoa_descriptor::Collection;
use uuid::Uuid;

/// A step of the conformance suite: what it shows, and a batch.
pub type Step = (&'static str, Vec<Call>);

pub const NOW: i64 = 1_790_000_000_123;

pub fn tenant(n: u64) -> Uuid {
    Uuid::from_u64_pair(0x7e4a_0000_0000_7000, 0x8000_0000_0000_0000 | n)
}

pub fn collections() -> Vec<Collection> {
    let list = json!([
        { "name": "item", "kind": "record",
          "columns": [
            { "name": "code", "type": "text" },
            { "name": "title", "type": "text" },
            { "name": "note", "type": "text", "nullable": true },
            { "name": "price", "type": { "decimal": { "precision": 18, "scale": 6 } }, "default": "0" },
            { "name": "wide", "type": { "decimal": { "precision": 38, "scale": 12 } }, "nullable": true },
            { "name": "sold", "type": "integer", "default": 0 },
            { "name": "active", "type": "boolean", "default": true },
            { "name": "born", "type": "date", "nullable": true },
            { "name": "seen", "type": "timestamp", "nullable": true },
            { "name": "extra", "type": "json", "nullable": true },
            { "name": "family", "type": "uuid", "nullable": true }
          ],
          "unique": [
            { "name": "code", "columns": ["code"] },
            { "name": "title_in_family", "columns": ["family", "title"] }
          ],
          "indexes": [["active", "title"], ["note"], ["family", "title"], ["title", "family"]],
          "search": [{ "name": "words", "columns": ["title", "note"] }],
          "checks": [{ "name": "sold_some", "all": [{ "column": "sold", "op": ">=", "right": { "constant": "0" } }] }],
          "counters": ["sold"] },
        { "name": "stock", "kind": "projection",
          "columns": [
            { "name": "place", "type": "uuid" },
            { "name": "item", "type": "uuid" },
            { "name": "on_hand", "type": { "decimal": { "precision": 18, "scale": 6 } }, "default": "0" },
            { "name": "reserved", "type": { "decimal": { "precision": 18, "scale": 6 } }, "default": "0" },
            { "name": "value", "type": { "decimal": { "precision": 38, "scale": 12 } }, "default": "0" },
            { "name": "moves", "type": "integer", "default": 0 }
          ],
          "unique": [{ "name": "place_item", "columns": ["place", "item"] }],
          "checks": [
            { "name": "reserved_some", "all": [{ "column": "reserved", "op": ">=", "right": { "constant": "0" } }] },
            { "name": "reserved_there", "all": [{ "column": "on_hand", "op": ">=", "right": { "column": "reserved" } }] },
            { "name": "value_some", "all": [{ "column": "value", "op": ">=", "right": { "constant": "0" } }] }
          ],
          "lockOrder": ["place", "item"],
          "counters": ["on_hand", "reserved", "value", "moves"] },
        { "name": "movement", "kind": "ledger",
          "columns": [
            { "name": "item", "type": "uuid" },
            { "name": "kind", "type": "text" },
            { "name": "amount", "type": { "decimal": { "precision": 38, "scale": 12 } } },
            { "name": "small", "type": { "decimal": { "precision": 18, "scale": 6 } }, "nullable": true },
            { "name": "pieces", "type": "integer", "nullable": true },
            { "name": "day", "type": "date" },
            { "name": "branch", "type": "text", "nullable": true }
          ],
          "indexes": [["item", "day"], ["kind", "item"], ["branch"]] }
    ]);
    serde_json::from_value(list).expect("the test's collections")
}

pub fn schema() -> Tables {
    Tables::new("demo", &collections()).expect("the test's schema")
}

pub fn uuid(n: u64) -> Uuid {
    Uuid::from_u64_pair(0x0190_0000_0000_7000, 0x8000_0000_0000_0000 | n)
}

pub fn id(n: u64) -> Value {
    Value::Id(uuid(n).as_u64_pair())
}

pub fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

pub fn dec(value: &str) -> Value {
    Value::Decimal(value.to_owned())
}

pub fn day(value: &str) -> Value {
    Value::Date(value.to_owned())
}

pub fn json_value(value: &str) -> Value {
    Value::Json(value.to_owned())
}

pub fn int(value: i64) -> Value {
    Value::Integer(value)
}

pub fn names(list: &str) -> Vec<String> {
    list.split_whitespace().map(str::to_owned).collect()
}

pub fn ask(collection: &str, columns: &str) -> Ask {
    Ask { collection: collection.to_owned(), columns: names(columns), lock: None }
}

pub fn ask_locked(collection: &str, columns: &str, lock: LockMode) -> Ask {
    Ask { lock: Some(lock), ..ask(collection, columns) }
}

pub fn get(collection: &str, columns: &str, ids: &[u64]) -> Call {
    Call::Get(GetCall { ask: ask(collection, columns), ids: ids.iter().map(|n| id(*n)).collect() })
}

pub fn find(collection: &str, columns: &str, key: &str, keys: Vec<Vec<Value>>) -> Call {
    Call::Find(FindCall { ask: ask(collection, columns), key: key.to_owned(), keys })
}

pub fn term(column: &str, op: Compare, values: Vec<Value>) -> Node {
    Node::Term(raw_term(column, op, values))
}

pub fn raw_term(column: &str, op: Compare, values: Vec<Value>) -> Term {
    Term { column: column.to_owned(), op, values }
}

pub fn order(list: &str) -> Vec<Order> {
    names(list)
        .iter()
        .map(|name| Order { column: name.trim_start_matches('-').to_owned(), descending: name.starts_with('-') })
        .collect()
}

pub fn select(collection: &str, columns: &str, where_: Vec<Node>, by: &str, limit: u32) -> Call {
    Call::Select(SelectCall { ask: ask(collection, columns), where_, order: order(by), after: None, limit, each: None })
}

pub fn after(call: Call, row: Vec<Value>) -> Call {
    match call {
        Call::Select(select) => Call::Select(SelectCall { after: Some(row), ..select }),
        Call::Aggregate(aggregate) => Call::Aggregate(AggregateCall { after: Some(row), ..aggregate }),
        other => other,
    }
}

pub fn insert(collection: &str, columns: &str, rows: Vec<Vec<Value>>) -> Call {
    Call::Insert(InsertCall { collection: collection.to_owned(), columns: names(columns), rows, skip_clashes: false })
}

pub fn insert_new(collection: &str, columns: &str, rows: Vec<Vec<Value>>) -> Call {
    Call::Insert(InsertCall { collection: collection.to_owned(), columns: names(columns), rows, skip_clashes: true })
}

pub fn change(key: Vec<Value>, set: Vec<Value>, add: &[&str]) -> Change {
    Change { key, version: None, set, add: add.iter().map(|text| text.to_string()).collect() }
}

pub fn update(collection: &str, set: &str, add: &str, rows: Vec<Change>, answer: &str) -> UpdateCall {
    UpdateCall {
        collection: collection.to_owned(),
        key: None,
        set: names(set),
        add: names(add),
        rows,
        initial: None,
        when: Vec::new(),
        answer: names(answer),
    }
}

/// With what goes in where there is no row.
pub fn or_insert(update: UpdateCall, columns: &str, rows: Vec<Option<Vec<Value>>>) -> UpdateCall {
    UpdateCall { initial: Some(Initial { columns: names(columns), rows }), ..update }
}

pub fn measure(op: Agg, column: &str) -> Measure {
    Measure { op, column: column.to_owned(), when: Vec::new() }
}

pub fn aggregate(collection: &str, where_: Vec<Node>, by: &str, measures: Vec<Measure>) -> Call {
    Call::Aggregate(AggregateCall {
        collection: collection.to_owned(),
        where_,
        by: names(by),
        measures,
        keep_zero: true,
        after: None,
        limit: 100,
    })
}

pub fn lock(list: &[(&str, LockMode)]) -> Call {
    Call::Lock(LockCall { names: list.iter().map(|(name, mode)| (name.to_string(), *mode)).collect() })
}

/// A database with the test module's tables in it.
pub enum Database {
    Sqlite(tempfile::Path),
    /// Its URL.
    Postgres(String),
}

/// A file that goes with its value, without another crate.
pub mod tempfile {
    pub struct Path(pub std::path::PathBuf);
    impl Drop for Path {
        fn drop(&mut self) {
            for end in ["", "-wal", "-shm"] {
                let mut name = self.0.clone().into_os_string();
                name.push(end);
                let _ = std::fs::remove_file(name);
            }
        }
    }
}

static COUNT: AtomicU32 = AtomicU32::new(0);

fn unique() -> String {
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("stoa_store_{}_{count}", std::process::id())
}

/// The function that the host's migrations have for every new table.
const PLACE: &str = "create function stoa_place(relation regclass, kind text) returns void language sql as ''";

pub const SEQUENCES: &str = "create table stoa_sequence (tenant_id TENANT not null, module text not null, \
    name text not null, next bigint not null, primary key (tenant_id, module, name))";

impl Database {
    pub async fn sqlite() -> Database {
        let path = std::env::temp_dir().join(unique()).with_extension("db");
        let database = Database::Sqlite(tempfile::Path(path));
        database.prepare(&schema()).await;
        database
    }

    /// None without STOA_TEST_POSTGRES_URL.
    pub async fn postgres() -> Option<Database> {
        use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
        let url = std::env::var("STOA_TEST_POSTGRES_URL").ok()?;
        let name = unique();
        let options: PgConnectOptions = url.parse().expect("STOA_TEST_POSTGRES_URL");
        let admin = PgPoolOptions::new().max_connections(1).connect_with(options.clone()).await.expect("PostgreSQL");
        for text in [format!("drop database if exists {name}"), format!("create database {name}")] {
            sqlx::raw_sql(sqlx::AssertSqlSafe(text)).execute(&admin).await.expect("a database of its own");
        }
        admin.close().await;
        let (server, _) = url.rsplit_once('/').expect("a database in STOA_TEST_POSTGRES_URL");
        let database = Database::Postgres(format!("{server}/{name}?options=-c%20lock_timeout%3D20s"));
        database.prepare(&schema()).await;
        Some(database)
    }

    /// Every database that can be tested here.
    pub async fn all() -> Vec<Database> {
        let mut all = vec![Database::sqlite().await];
        all.extend(Database::postgres().await);
        all
    }

    async fn prepare(&self, schema: &Tables) {
        let mut session = self.begin(tenant(1)).await;
        execute(&mut session, &SEQUENCES.replace("TENANT", if self.is_sqlite() { "blob" } else { "uuid" })).await;
        if !self.is_sqlite() {
            execute(&mut session, PLACE).await;
        }
        let changes = plan(&[], schema).expect("a plan");
        apply(&mut session, schema, &changes).await.expect("tables");
        commit(session).await;
    }

    pub fn is_sqlite(&self) -> bool {
        matches!(self, Database::Sqlite(_))
    }

    /// A session with a transaction open in it, for a tenant, which waits for the answer of every call.
    pub async fn begin(&self, tenant: Uuid) -> Session {
        self.begin_as(tenant, false).await
    }

    /// `hopeful`: as the first try of a request.
    pub async fn begin_as(&self, tenant: Uuid, hopeful: bool) -> Session {
        match self {
            Database::Sqlite(path) => {
                let connection = rusqlite::Connection::open(&path.0).expect("a database file");
                register_sqlite(&connection).expect("functions");
                connection
                    .execute_batch("pragma journal_mode = wal; pragma synchronous = normal; begin immediate")
                    .expect("a transaction");
                Session::Sqlite(connection)
            }
            Database::Postgres(url) => {
                let mut transaction = Transaction::connect(url, hopeful).await.expect("a connection");
                let tenant = format!("select set_config('stoa.tenant', '{tenant}', true)");
                transaction.begin(false, &tenant).await.expect("a transaction");
                Session::Postgres(transaction)
            }
        }
    }
}

/// Runs SQL that must work.
pub async fn execute(session: &mut Session, text: &str) {
    try_execute(session, text).await.unwrap_or_else(|error| panic!("{text}: {error}"));
}

pub async fn try_execute(session: &mut Session, text: &str) -> Result<(), String> {
    match session {
        Session::Sqlite(connection) => connection.execute_batch(text).map_err(|error| error.to_string()),
        Session::Postgres(transaction) => {
            transaction.send_text(text).await.map(drop).map_err(|error| error.to_string())
        }
    }
}

pub async fn commit(mut session: Session) {
    match &mut session {
        Session::Sqlite(_) => execute(&mut session, "commit").await,
        Session::Postgres(transaction) => transaction.commit().await.expect("a commit"),
    }
}

pub async fn roll_back(mut session: Session) {
    execute(&mut session, "rollback").await;
}

/// The host awaits the store on its thread pool: its future must be able to move.
fn sendable<F: Future + Send>(future: F) -> F {
    future
}

/// The rows of a reply as texts.
pub fn rows(replies: &[Reply], nth: usize) -> Vec<String> {
    match replies.get(nth) {
        Some(Reply::Rows(page)) => page.rows.iter().map(|values| row(values)).collect(),
        other => panic!("no rows: {other:?}"),
    }
}

/// The failure that a batch was rejected with.
pub fn failure(outcome: Result<Vec<Reply>, StoreError>) -> Failure {
    match outcome {
        Err(StoreError::Failure(failure)) => failure,
        other => panic!("no failure: {other:?}"),
    }
}

/// One batch in a transaction of its own.
pub async fn once(database: &Database, schema: &Tables, calls: Vec<Call>) -> Result<Vec<Reply>, StoreError> {
    let mut session = database.begin(tenant(1)).await;
    let mut scope = Scope::new(tenant(1), NOW, false);
    let outcome = sendable(run(&mut session, schema, &mut scope, calls)).await;
    match outcome {
        Ok(_) => commit(session).await,
        Err(_) => roll_back(session).await,
    }
    outcome
}

/// A reply or a failure in a form that a person can compare.
pub fn describe_outcome(outcome: &Result<Vec<Reply>, StoreError>) -> String {
    match outcome {
        Ok(replies) => replies.iter().map(reply).collect::<Vec<_>>().join("\n"),
        Err(StoreError::Failure(failure)) => format!("{failure:?}"),
        Err(other) => format!("{other:?}"),
    }
}

fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Rows(page) => {
            let rows: String = page.rows.iter().map(|row| format!("\n  {}", self::row(row))).collect();
            format!("rows{}{rows}", if page.more { " and more" } else { "" })
        }
        other => format!("{other:?}"),
    }
}

pub fn row(values: &[Value]) -> String {
    let shown = |value: &Value| match value {
        Value::Null => "null".to_owned(),
        Value::Id((high, low)) if (*high, *low) == uuid(low & 0xffff).as_u64_pair() => format!("#{}", low & 0xffff),
        Value::Id(_) => "an id".to_owned(),
        Value::Text(text) => format!("{text:?}"),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Decimal(text) => format!("{text}d"),
        Value::Instant(ms) => format!("{ms}ms"),
        Value::Date(text) => text.clone(),
        Value::Json(text) => text.clone(),
    };
    values.iter().map(shown).collect::<Vec<_>>().join(" | ")
}
