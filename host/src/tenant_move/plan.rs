//! The rows that a move would copy, and what it lacks. Nothing is changed. A move makes the same checks
//! before it begins.

use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::replication;
use super::server::{RECEIVES, Server};
use super::tables::{self, MovedTable};

/// Slots of the old place that a move uses: its own, and two more for tables that are copied at once, later for the comparison.
const SLOTS: i64 = 3;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub company: Uuid,
    pub from: String,
    pub to: String,
    pub tables: Vec<TableSize>,
    /// The reasons that keep the move from beginning.
    pub missing: Vec<String>,
}

/// A table with rows of the company.
#[derive(Debug, Serialize)]
pub struct TableSize {
    pub table: String,
    pub rows: i64,
    pub bytes: i64,
}

impl Plan {
    pub async fn make(
        source: &mut Server,
        target: &mut Server,
        company: Uuid,
    ) -> anyhow::Result<(Plan, Vec<MovedTable>)> {
        let (here, there) = (tables::list(source).await?, tables::list(target).await?);
        let mut missing = Vec::new();
        judge_source(source, company, &mut missing).await?;
        judge_target(target, &mut missing).await?;
        missing.extend(tables::compare(&here, &there));
        if missing.is_empty() && has_rows(target, company, &there).await? {
            missing.push(format!(
                "{} has rows of the company from an earlier move: run `stoa tenant move {company} --purge`",
                target.name
            ));
        }
        let mut sizes = Vec::new();
        for table in &here {
            let of_company = table.of_company(company);
            let sql = format!(
                "select count(*), coalesce(sum(pg_column_size(t.*)), 0)::bigint from {} t where {of_company}",
                table.name
            );
            let read = sqlx::query_as::<_, (i64, i64)>(sqlx::AssertSqlSafe(sql));
            let (rows, bytes) = read.fetch_one(&mut source.connection).await?;
            if rows > 0 {
                sizes.push(TableSize { table: table.name.clone(), rows, bytes });
            }
        }
        let plan = Plan { company, from: source.name.clone(), to: target.name.clone(), tables: sizes, missing };
        Ok((plan, here))
    }

    pub fn print(&self, as_json: bool) -> String {
        if as_json {
            return json!(self).to_string();
        }
        let mut lines: Vec<String> = self
            .tables
            .iter()
            .map(|size| format!("{:40} {:>10} rows {:>12} bytes", size.table, size.rows, size.bytes))
            .collect();
        let sum = |of: fn(&TableSize) -> i64| self.tables.iter().map(of).sum::<i64>();
        lines.push(format!(
            "{:40} {:>10} rows {:>12} bytes",
            "all tables",
            sum(|size| size.rows),
            sum(|size| size.bytes)
        ));
        lines.extend(self.missing.iter().map(|what| format!("missing: {what}")));
        if self.missing.is_empty() {
            lines.push(format!("{} can move from {} to {}", self.company, self.from, self.to));
        }
        lines.join("\n")
    }
}

async fn judge_source(source: &mut Server, company: Uuid, missing: &mut Vec<String>) -> anyhow::Result<()> {
    let name = source.name.clone();
    let level: String = source.value("select current_setting('wal_level')").await?;
    if level != "logical" {
        missing.push(format!("{name} has wal_level = {level}: set it to logical and restart the server"));
    }
    let free = "select current_setting('max_replication_slots')::bigint - (select count(*) from pg_replication_slots)";
    let is_ours = format!(
        "select exists (select 1 from pg_replication_slots where slot_name = '{}')",
        replication::name(company)
    );
    if source.value::<i64>(free).await? < SLOTS && !source.value::<bool>(is_ours).await? {
        missing.push(format!("{name} has fewer than {SLOTS} replication slots left: raise max_replication_slots"));
    }
    let has_company = source.count_rows("select count(*) from stoa_tenant where id = $1", company).await? == 1;
    if !has_company {
        missing.push(format!("{name} has no such company"));
    }
    judge_role(source, &[REPLICATION, BYPASS, OWNER, CREATE, SET_ROLE], missing).await?;
    judge_upgrades(source, missing).await
}

async fn judge_target(target: &mut Server, missing: &mut Vec<String>) -> anyhow::Result<()> {
    let name = target.name.clone();
    if target.version < RECEIVES {
        let version: String = target.value("select current_setting('server_version')").await?;
        missing.push(format!("{name} has PostgreSQL {version}: a company moves to version 16 or later only"));
        return Ok(());
    }
    judge_role(target, &[BYPASS, OWNER, CREATE, SUBSCRIBE, SET_ROLE], missing).await?;
    judge_upgrades(target, missing).await
}

/// A right of the role for moves: a query that returns whether it has it, and the statement that grants it.
type Right = (&'static str, &'static str);

const REPLICATION: Right =
    ("select rolreplication from pg_roles where rolname = current_user", "alter role ROLE replication");
const BYPASS: Right = ("select rolbypassrls from pg_roles where rolname = current_user", "alter role ROLE bypassrls");
const OWNER: Right = (
    "select pg_has_role(current_user, relowner, 'usage') from pg_class where oid = 'stoa_tenant'::regclass",
    "grant the role of the hosts to ROLE",
);
const CREATE: Right =
    ("select has_database_privilege(current_database(), 'create')", "grant create on the database to ROLE");
const SUBSCRIBE: Right =
    ("select pg_has_role(current_user, 'pg_create_subscription', 'usage')", "grant pg_create_subscription to ROLE");
/// Old rows are deleted without the triggers that keep ledgers.
const SET_ROLE: Right = (
    "select has_parameter_privilege('session_replication_role', 'set')",
    "grant set on parameter session_replication_role to ROLE",
);

async fn judge_role(server: &mut Server, rights: &[Right], missing: &mut Vec<String>) -> anyhow::Result<()> {
    let role: String = server.value("select quote_ident(current_user)").await?;
    for (query, grant) in rights {
        if !server.value::<bool>(*query).await? {
            missing.push(format!("{}: {}", server.name, grant.replace("ROLE", &role)));
        }
    }
    Ok(())
}

/// A backfill works through a place company by company: it would pass over one that comes from behind it.
async fn judge_upgrades(server: &mut Server, missing: &mut Vec<String>) -> anyhow::Result<()> {
    if has_backfill(server).await? {
        missing.push(format!("{} has a backfill that goes on: wait until `stoa module list` shows none", server.name));
    }
    Ok(())
}

pub async fn has_backfill(server: &mut Server) -> anyhow::Result<bool> {
    // A backfill of a module that is active no more never ends.
    let pending = "select exists (select 1 from stoa_upgrade u
      join stoa_generation_module theirs on theirs.generation = u.generation and theirs.module = u.module
      join stoa_generation_module active on active.module = u.module and active.digest = theirs.digest
      where u.done_at is null and active.generation = (select max(number) from stoa_generation))";
    server.value(pending).await
}

/// Returns whether a place has rows of the company in any table.
pub async fn has_rows(server: &mut Server, company: Uuid, tables: &[MovedTable]) -> anyhow::Result<bool> {
    let part =
        |table: &MovedTable| format!("exists (select 1 from {} where {})", table.name, table.of_company(company));
    let parts: Vec<String> = tables.iter().map(part).collect();
    server.value(format!("select {}", parts.join(" or "))).await
}
