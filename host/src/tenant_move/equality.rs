//! Equality of both places. The first pass reads every row of both, while the company is written. Each later pass reads the rows that
//! differed in the one before or have changed since it began. So the last one, while writes wait, reads few.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::changes::{Changes, Keys, RowKey};
use super::server::Server;
use super::tables::MovedTable;
use super::{Ends, Moving, copying};

/// Rows of a bucket, on average.
const BUCKET: i64 = 8;
const MOST_BUCKETS: u64 = 1 << 16;
/// Buckets whose rows are read one by one. While more differ, they are summed again: rows that were on their way have come.
const FEW_BUCKETS: usize = 500;
const MOST_SUMS: u32 = 5;

/// Count and checksum of the rows of each bucket, by table and bucket.
type Sums = BTreeMap<(usize, i64), (i64, String)>;
/// Buckets by table.
type Buckets = BTreeMap<usize, Vec<i64>>;
/// Checksums of rows, by table and key.
type Rows = BTreeMap<(usize, RowKey), i64>;

pub struct Comparison {
    company: Uuid,
    tables: Vec<MovedTable>,
    /// The mask of the buckets of each table.
    masks: Vec<u64>,
    /// The number of passes so far.
    passes: u32,
    last: Option<Pass>,
}

/// A pass that has ended. A row that did not differ and has not changed since is equal: while the pass read it, the new place had
/// everything from before the changes.
struct Pass {
    changes: Changes,
    differing: Keys,
}

/// The result of a pass.
#[derive(Debug)]
pub struct Passed {
    pub rows: usize,
    /// Rows that differ, which is so while changes are on their way.
    pub differing: usize,
}

impl Comparison {
    /// A comparison of all tables but those that go with the switch.
    pub async fn new(source: &mut Server, company: Uuid, tables: &[MovedTable]) -> anyhow::Result<Comparison> {
        let tables: Vec<MovedTable> = tables.iter().filter(|table| !table.is_carried()).cloned().collect();
        let masks = count(source, company, &tables).await?.into_iter().map(choose_mask).collect();
        Ok(Comparison { company, tables, masks, passes: 0, last: None })
    }

    /// Compares both places while the company is written.
    pub async fn pass(&mut self, moving: &Moving, ends: &mut Ends) -> anyhow::Result<Passed> {
        self.passes += 1;
        let changes = Changes::follow(&mut ends.source, self.company, self.passes).await?;
        moving.wait_for_mark(ends, copying::LONGEST_LAG).await?;
        let (rows, differing) = match self.last.take() {
            None => self.compare_all(ends).await?,
            Some(pass) => self.compare_changed(ends, pass).await?,
        };
        let passed = Passed { rows, differing: differing.values().map(BTreeSet::len).sum() };
        self.last = Some(Pass { changes, differing });
        Ok(passed)
    }

    /// Compares the rest while writes wait. Returns the tables that differ.
    pub async fn finish(&mut self, ends: &mut Ends) -> anyhow::Result<Vec<String>> {
        let pass = self.last.take().context("the places have not been compared")?;
        let (_, differing) = self.compare_changed(ends, pass).await?;
        Ok(differing.keys().filter_map(|table| Some(self.tables.get(*table)?.name.clone())).collect())
    }

    /// Forgets the last pass, whose changes went with a connection: the next one reads every row.
    pub fn start_over(&mut self) {
        self.last = None;
    }

    async fn compare_all(&self, ends: &mut Ends) -> anyhow::Result<(usize, Keys)> {
        let (mut rows, mut buckets) = self.compare_sums(ends, None).await?;
        for _ in 1..MOST_SUMS {
            if buckets.values().map(Vec::len).sum::<usize>() <= FEW_BUCKETS {
                break;
            }
            let (again, differing) = self.compare_sums(ends, Some(&buckets)).await?;
            (rows, buckets) = (rows.max(again), differing);
        }
        let (here, there) = tokio::try_join!(
            self.read_buckets(&mut ends.source, &buckets),
            self.read_buckets(&mut ends.target, &buckets)
        )?;
        Ok((rows, differing_keys(&here, &there)))
    }

    /// The number of rows of these buckets, or of all, and those that differ.
    async fn compare_sums(&self, ends: &mut Ends, buckets: Option<&Buckets>) -> anyhow::Result<(usize, Buckets)> {
        let (here, there) = tokio::try_join!(self.sum(&mut ends.source, buckets), self.sum(&mut ends.target, buckets))?;
        let rows: i64 = here.values().map(|(count, _)| count).sum();
        let mut differing = Buckets::new();
        for (table, bucket) in find_differing(&here, &there) {
            differing.entry(table).or_default().push(bucket);
        }
        Ok((usize::try_from(rows)?, differing))
    }

    async fn compare_changed(&self, ends: &mut Ends, pass: Pass) -> anyhow::Result<(usize, Keys)> {
        let mut keys = pass.changes.end(&mut ends.source, &self.tables).await?;
        for (table, differing) in pass.differing {
            keys.entry(table).or_default().extend(differing);
        }
        let (here, there) =
            tokio::try_join!(self.read_keys(&mut ends.source, &keys), self.read_keys(&mut ends.target, &keys))?;
        Ok((keys.values().map(BTreeSet::len).sum(), differing_keys(&here, &there)))
    }

    /// Count and checksum of each of the buckets, or of all.
    async fn sum(&self, server: &mut Server, buckets: Option<&Buckets>) -> anyhow::Result<Sums> {
        let (mut parts, mut lists) = (Vec::new(), Vec::new());
        for (position, table) in self.tables.iter().enumerate() {
            let bucket = self.sql_bucket(position, table);
            let mut condition = table.of_company(self.company);
            if let Some(buckets) = buckets {
                let Some(list) = buckets.get(&position) else { continue };
                lists.push(list);
                condition.push_str(&format!(" and {bucket} = any(${})", lists.len()));
            }
            parts.push(format!(
                "(select {position}::bigint, {bucket}, count(*), sum({})::text from {} t where {condition} group by 2)",
                sql_checksum(table),
                table.name
            ));
        }
        let read = sqlx::query_as::<_, (i64, i64, i64, String)>(AssertSqlSafe(parts.join(" union all ")));
        let read = lists.into_iter().fold(read, |read, list| read.bind(list));
        let rows = read.persistent(false).fetch_all(&mut server.connection).await;
        let rows = rows.with_context(|| format!("checksums of the place {}", server.name))?;
        let sum = |(position, bucket, count, sum)| Ok(((usize::try_from(position)?, bucket), (count, sum)));
        rows.into_iter().map(sum).collect()
    }

    /// The rows of buckets.
    async fn read_buckets(&self, server: &mut Server, buckets: &Buckets) -> anyhow::Result<Rows> {
        let (mut parts, mut lists) = (Vec::new(), Vec::new());
        for (position, list) in buckets {
            let table = self.tables.get(*position).context("a table")?;
            lists.push(list);
            parts.push(format!(
                "{} {} t where {} and {} = any(${})",
                sql_row(*position, table),
                table.name,
                table.of_company(self.company),
                self.sql_bucket(*position, table),
                lists.len()
            ));
        }
        let sql = parts.join(" union all ");
        let read = sqlx::query_as(AssertSqlSafe(sql));
        read_rows(server, lists.into_iter().fold(read, |read, list| read.bind(list)), parts.is_empty()).await
    }

    /// The rows with keys.
    async fn read_keys(&self, server: &mut Server, keys: &Keys) -> anyhow::Result<Rows> {
        let (mut parts, mut lists) = (Vec::new(), Vec::new());
        for (position, keys) in keys {
            let table = self.tables.get(*position).context("a table")?;
            let (mut columns, mut names, mut conditions) = (Vec::new(), Vec::new(), Vec::new());
            for (number, column) in table.key.iter().enumerate() {
                let type_ = table.columns.get(column).context("the type of a key")?;
                lists.push(keys.iter().filter_map(|key| key.get(number)).collect::<Vec<_>>());
                columns.push(format!("${}::text[]::{type_}[]", lists.len()));
                names.push(format!("k{number}"));
                conditions.push(format!("t.{column} = k.k{number}"));
            }
            parts.push(format!(
                "{} unnest({}) k({}) join {} t on {}",
                sql_row(*position, table),
                columns.join(", "),
                names.join(", "),
                table.name,
                conditions.join(" and ")
            ));
        }
        let sql = parts.join(" union all ");
        let read = sqlx::query_as(AssertSqlSafe(sql));
        read_rows(server, lists.into_iter().fold(read, |read, list| read.bind(list)), parts.is_empty()).await
    }

    fn sql_bucket(&self, position: usize, table: &MovedTable) -> String {
        let mask = self.masks.get(position).copied().unwrap_or_default();
        format!("(hash_record_extended(row({}), 0) & {mask})", table.key.join(", "))
    }
}

/// Rows of each table.
async fn count(server: &mut Server, company: Uuid, tables: &[MovedTable]) -> anyhow::Result<Vec<i64>> {
    let part = |(position, table): (usize, &MovedTable)| {
        format!("(select {position}, count(*) as rows from {} where {})", table.name, table.of_company(company))
    };
    let parts: Vec<String> = tables.iter().enumerate().map(part).collect();
    server
        .list(format!("select rows from ({}) counts (position, rows) order by position", parts.join(" union all ")))
        .await
}

type RowsQuery<'q> = sqlx::query::QueryAs<'q, sqlx::Postgres, (i64, Vec<String>, i64), sqlx::postgres::PgArguments>;

async fn read_rows(server: &mut Server, read: RowsQuery<'_>, is_empty: bool) -> anyhow::Result<Rows> {
    if is_empty {
        return Ok(Rows::new());
    }
    let rows = read.persistent(false).fetch_all(&mut server.connection).await;
    let rows = rows.with_context(|| format!("rows of the place {}", server.name))?;
    rows.into_iter().map(|(position, key, checksum)| Ok(((usize::try_from(position)?, key), checksum))).collect()
}

/// The beginning of a query of rows `t`: the table's position, the key and the checksum of each.
fn sql_row(position: usize, table: &MovedTable) -> String {
    let key: Vec<String> = table.key.iter().map(|column| format!("t.{column}::text")).collect();
    format!("select {position}::bigint, array[{}], {} from", key.join(", "), sql_checksum(table))
}

fn sql_checksum(table: &MovedTable) -> String {
    let columns: Vec<String> = table.columns.keys().map(|column| format!("t.{column}")).collect();
    format!("hashtextextended(row({})::text, 0)", columns.join(", "))
}

fn choose_mask(rows: i64) -> u64 {
    let buckets = u64::try_from(rows / BUCKET).unwrap_or(0).max(1).next_power_of_two();
    buckets.min(MOST_BUCKETS) - 1
}

/// The keys whose values differ or are on one side only.
fn find_differing<K: Ord + Clone, V: PartialEq>(here: &BTreeMap<K, V>, there: &BTreeMap<K, V>) -> BTreeSet<K> {
    here.keys().chain(there.keys()).filter(|key| here.get(key) != there.get(key)).cloned().collect()
}

fn differing_keys(here: &Rows, there: &Rows) -> Keys {
    let mut differing = Keys::new();
    for (table, key) in find_differing(here, there) {
        differing.entry(table).or_default().insert(key);
    }
    differing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_is_on_one_side_only_or_differs_is_found() {
        let rows = |rows: &[(usize, &str, i64)]| -> Rows {
            rows.iter().map(|(table, key, sum)| ((*table, vec![(*key).to_owned()]), *sum)).collect()
        };
        let here = rows(&[(0, "a", 10), (0, "b", 7), (1, "a", 5)]);
        assert_eq!(differing_keys(&here, &here), Keys::new());
        let there = rows(&[(0, "a", 11), (1, "a", 5), (1, "c", 9)]);
        let keys = |keys: &[&str]| keys.iter().map(|key| vec![(*key).to_owned()]).collect::<BTreeSet<RowKey>>();
        assert_eq!(differing_keys(&here, &there), Keys::from([(0, keys(&["a", "b"])), (1, keys(&["c"]))]));
    }

    #[test]
    fn buckets_are_as_many_as_the_rows_need() {
        assert_eq!([0, 7, 64, 100, i64::MAX].map(choose_mask), [0, 0, 7, 15, 65_535]);
    }
}
