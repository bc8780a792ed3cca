//! A transaction of another client, left open: the host waits for its locks.

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

use crate::database::for_postgres;
use crate::host::RUNTIME;
use crate::{Company, Database};

/// The first half of the names of the locks by which a company's writes are known (`host/src/database/watermark.rs`).
const CLASS: i32 = 7_310_588;

/// An open transaction, rolled back when it is dropped.
pub enum Held {
    /// The file's one place for a writer.
    Sqlite(rusqlite::Connection),
    Postgres(Option<PgConnection>),
}

impl Company {
    /// On PostgreSQL: runs a statement and keeps what it locks. On SQLite: keeps every writer out.
    pub fn hold(&self, statement: &str) -> Held {
        match self.host.database() {
            Database::Sqlite => {
                let connection = rusqlite::Connection::open(self.host.sqlite_file()).expect("cannot open the database");
                connection.busy_timeout(std::time::Duration::from_secs(10)).expect("a busy timeout");
                connection.execute_batch("begin immediate").expect("a writer's place");
                Held::Sqlite(connection)
            }
            Database::Postgres => RUNTIME.block_on(async {
                let url = self.host.url_of(&self.tenant).await;
                let open = async {
                    let mut connection = PgConnection::connect(&url).await?;
                    connection.execute("begin").await?;
                    let set = sqlx::query("select set_config('stoa.tenant', $1, true)").bind(&self.tenant);
                    set.execute(&mut connection).await?;
                    let statement = for_postgres(statement, &self.tenant);
                    connection.execute(AssertSqlSafe(statement)).await?;
                    Ok::<_, sqlx::Error>(connection)
                };
                Held::Postgres(Some(open.await.unwrap_or_else(|error| panic!("{statement}: {error}"))))
            }),
        }
    }
}

impl Company {
    /// On PostgreSQL: says of this transaction, as the host says of each that writes, that the company is writing. On
    /// SQLite nothing: there is one writer.
    pub fn hold_watermark(&self) -> Option<Held> {
        let begin_writing = format!("select pg_advisory_xact_lock_shared({CLASS}, {}::int4)", self.number());
        (self.host.database() == Database::Postgres).then(|| self.hold(&begin_writing))
    }

    /// How many of the company's transactions that write wait for a lock; for PostgreSQL.
    pub fn waiting_writes(&self) -> usize {
        let waiting = format!(
            "select distinct h.pid from pg_locks h join pg_locks w on w.pid = h.pid where not w.granted
             and h.locktype = 'advisory' and h.classid = {CLASS} and h.objid = {}::int8::oid",
            self.number()
        );
        self.rows(&waiting).len()
    }

    /// Counts the transactions of the company's database that wait for a lock; for PostgreSQL. A transaction that waits checks
    /// for deadlocks after a second, and has no wait event in `pg_stat_activity` meanwhile.
    pub fn waiting_transactions(&self) -> usize {
        let waiting = "select l.pid from pg_locks l join pg_stat_activity a on a.pid = l.pid
                       where not l.granted and a.datname = current_database()";
        self.rows(waiting).len()
    }

    /// Returns whether a transaction of the company that writes is under way; for PostgreSQL.
    pub fn is_writing(&self) -> bool {
        let locks = format!(
            "select count(*) from pg_locks where locktype = 'advisory' and classid = {CLASS} and objid = {}::int8::oid",
            self.number()
        );
        self.rows(&locks)[0][0] != "0"
    }

    fn number(&self) -> String {
        format!("x'{}'::bit(32)", self.tenant.replace('-', "").split_off(24))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        match self {
            Held::Sqlite(connection) => drop(connection.execute_batch("rollback")),
            Held::Postgres(connection) => {
                if let Some(connection) = connection.take() {
                    let _ = RUNTIME.block_on(connection.close());
                }
            }
        }
    }
}
