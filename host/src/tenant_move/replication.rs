//! The copy: PostgreSQL's logical replication of one company's rows. The old place publishes them, the new place subscribes and
//! receives first what is there and then each change, in the order of commits.

use std::time::Duration;

use anyhow::Context as _;
use tokio::time::sleep;
use uuid::Uuid;

use super::server::Server;
use super::tables::{MARKS, MovedTable};

/// Between two looks whether transactions have ended.
const PAUSE: Duration = Duration::from_millis(10);

/// How far a copy is.
#[derive(Debug, Clone, Copy)]
pub struct CopyState {
    /// Tables whose rows have been copied and that receive changes.
    pub ready: i64,
    pub tables: i64,
    /// Bytes of the old place's log that the new place has not confirmed.
    pub behind: i64,
    /// Failures of the copy, which the new place tries again.
    pub failures: i64,
}

/// The name of the publication, the slot and the subscription.
pub fn name(company: Uuid) -> String {
    format!("stoa_move_{}", company.simple())
}

/// Subscriptions are listed in every database of a server.
fn sql_is_ours(company: Uuid) -> String {
    let database = "(select oid from pg_database where datname = current_database())";
    format!("subname = '{}' and subdbid = {database}", name(company))
}

/// Publishes the rows of the company at the old place.
pub async fn publish(source: &mut Server, company: Uuid, tables: &[MovedTable]) -> anyhow::Result<()> {
    set_published(source, company, tables.iter().filter(|table| !table.is_carried()), true).await?;
    write_mark(source, company).await?;
    // By a statement of its own: a server that is both places could not make it with the subscription.
    let name = name(company);
    let slot = format!("select exists (select 1 from pg_replication_slots where slot_name = '{name}')");
    if !source.value::<bool>(slot).await? {
        source.run(format!("select pg_create_logical_replication_slot('{name}', 'pgoutput')")).await?;
    }
    Ok(())
}

async fn set_published(
    source: &mut Server,
    company: Uuid,
    tables: impl Iterator<Item = &MovedTable>,
    has_marks: bool,
) -> anyhow::Result<()> {
    let name = name(company);
    let part = |table: &MovedTable| format!("{} where ({})", table.name, table.of_company(company));
    let marks = has_marks.then(|| format!("{MARKS} where (tenant_id = '{company}')"));
    let parts: Vec<String> = tables.map(part).chain(marks).collect();
    let exists: bool =
        source.value(format!("select exists (select 1 from pg_publication where pubname = '{name}')")).await?;
    let beginning = if exists {
        format!("alter publication {name} set table")
    } else {
        format!("create publication {name} for table")
    };
    source.run(format!("{beginning} {}", parts.join(", "))).await
}

/// Subscribes the new place. One that has subscribed before looks for tables that were added since.
pub async fn subscribe(
    source: &mut Server,
    target: &mut Server,
    company: Uuid,
    tables: &[MovedTable],
) -> anyhow::Result<()> {
    let name = name(company);
    let enabled: Option<bool> =
        target.find(format!("select subenabled from pg_subscription where {}", sql_is_ours(company))).await?;
    match enabled {
        None => {
            // The copy of a table takes a worker of its own. One without rows needs none: all of its rows come after the slot.
            let tables: Vec<&MovedTable> = tables.iter().filter(|table| !table.is_carried()).collect();
            let empty = list_empty(source, company, &tables).await?;
            if !empty.is_empty() {
                set_published(source, company, empty.iter().copied(), false).await?;
            }
            // The role owns no table: rows are written by its rights, with row-level security off.
            let sql = format!(
                "create subscription {name} connection '{}' publication {name}
                 with (create_slot = false, slot_name = '{name}', run_as_owner = true, copy_data = {})",
                source.address.replace('\'', "''"),
                empty.is_empty()
            );
            // The statement has a password: nothing of it is shown.
            let made = target.run(sql).await;
            made.with_context(|| format!("{} cannot subscribe to {}: its log says why", target.name, source.name))?;
            set_published(source, company, tables.into_iter(), true).await?;
        }
        Some(false) => target.run(format!("alter subscription {name} enable")).await?,
        Some(true) => {}
    }
    target.run(format!("alter subscription {name} refresh publication")).await
}

/// The tables without rows of the company, seen after every transaction from before the slot has ended.
async fn list_empty<'t>(
    source: &mut Server,
    company: Uuid,
    tables: &[&'t MovedTable],
) -> anyhow::Result<Vec<&'t MovedTable>> {
    let next: String = source.value("select pg_snapshot_xmax(pg_current_snapshot())::text").await?;
    let have_ended = format!("select pg_snapshot_xmin(pg_current_snapshot()) >= '{next}'::xid8");
    while !source.value::<bool>(have_ended.as_str()).await? {
        sleep(PAUSE).await;
    }
    let part = |(position, table): (usize, &&MovedTable)| {
        format!("({position}, exists (select 1 from {} where {}))", table.name, table.of_company(company))
    };
    let parts: Vec<String> = tables.iter().enumerate().map(part).collect();
    let rows = format!("select has_rows from (values {}) t (position, has_rows) order by position", parts.join(", "));
    let rows: Vec<bool> = source.list(rows).await?;
    Ok(tables.iter().zip(rows).filter(|(_, has_rows)| !has_rows).map(|(table, _)| *table).collect())
}

pub async fn read_state(source: &mut Server, target: &mut Server, company: Uuid) -> anyhow::Result<CopyState> {
    let name = name(company);
    let of = "from pg_subscription_rel r join pg_subscription s on s.oid = r.srsubid";
    let subscription = format!("s.subname = '{name}'");
    let ready: i64 =
        target.value(format!("select count(*) filter (where r.srsubstate = 'r') {of} where {subscription}")).await?;
    let tables: i64 = target.value(format!("select count(*) {of} where {subscription}")).await?;
    let failures = format!(
        "select coalesce(sum(apply_error_count + sync_error_count), 0)::bigint from pg_stat_subscription_stats where subname = '{name}'"
    );
    let failures: i64 = target.value(failures).await?;
    let behind: Option<i64> = source
        .find(format!(
            "select coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn), 0)::bigint
             from pg_replication_slots where slot_name = '{name}'"
        ))
        .await?;
    Ok(CopyState { ready, tables, behind: behind.unwrap_or(0), failures })
}

/// Writes the next mark at the old place: every earlier commit is copied before it.
pub async fn write_mark(source: &mut Server, company: Uuid) -> anyhow::Result<i64> {
    source
        .value(format!(
            "insert into {MARKS} (tenant_id, mark) values ('{company}', 1)
             on conflict (tenant_id) do update set mark = {MARKS}.mark + 1 returning mark"
        ))
        .await
}

/// Returns whether the new place has everything that was committed before a mark.
pub async fn has_mark(target: &mut Server, company: Uuid, mark: i64) -> anyhow::Result<bool> {
    let sql = format!("select exists (select 1 from {MARKS} where tenant_id = '{company}' and mark >= {mark})");
    target.value(sql).await
}

/// Copies no further changes.
pub async fn pause(target: &mut Server, company: Uuid) -> anyhow::Result<()> {
    target.run(format!("alter subscription {} disable", name(company))).await
}

/// Ends the copy on both servers. Parts that are gone already are skipped.
pub async fn end(source: &mut Server, target: &mut Server, company: Uuid) -> anyhow::Result<()> {
    let name = name(company);
    let exists = format!("select exists (select 1 from pg_subscription where {})", sql_is_ours(company));
    if target.value::<bool>(exists).await? {
        // With its slot on the other server, and those of tables that are being copied.
        target.run(format!("drop subscription {name}")).await?;
    }
    source
        .run(format!(
            "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '{name}' and not active"
        ))
        .await?;
    source.run(format!("drop publication if exists {name}")).await?;
    source.run(format!("delete from {MARKS} where tenant_id = '{company}'")).await
}
