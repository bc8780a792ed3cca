//! Equality of both places, table by table, by count and checksum. Rows are compared in buckets of their keys: the first pass reads
//! everything while the company is written, each later one only the buckets that differed or have changed since. So the last pass,
//! while writes wait, reads little.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::server::Server;
use super::tables::MovedTable;

/// Rows of a bucket, on average.
const BUCKET: i64 = 8;
const MOST_BUCKETS: u64 = 1 << 16;

/// Buckets of a table, by its position in the list of tables.
type Buckets = BTreeMap<usize, BTreeSet<i64>>;
/// The count of rows of a bucket and their checksum.
type Sums = BTreeMap<(usize, i64), (i64, String)>;

pub struct Comparison {
    company: Uuid,
    tables: Vec<MovedTable>,
    /// The mask of the buckets of each table.
    masks: Vec<u64>,
    passed: Option<Passed>,
}

struct Passed {
    /// The oldest transaction of the old place that was under way when the pass began.
    transaction: String,
    differing: Buckets,
}

/// The result of a pass.
#[derive(Debug)]
pub struct TableComparison {
    pub compared: usize,
    /// Buckets that differ, which is so while changes are on their way.
    pub differing: usize,
    /// Tables that differ, by count or checksum.
    pub tables: Vec<String>,
}

impl Comparison {
    /// Compares all tables but those that go with the switch.
    pub async fn new(source: &mut Server, company: Uuid, tables: &[MovedTable]) -> anyhow::Result<Comparison> {
        let tables: Vec<MovedTable> = tables.iter().filter(|table| !table.is_carried()).cloned().collect();
        let mut comparison = Comparison { company, tables, masks: Vec::new(), passed: None };
        let counts = comparison.count(source).await?;
        comparison.masks = counts.iter().map(|count| choose_mask(*count)).collect();
        Ok(comparison)
    }

    /// Compares what differed in the pass before or has changed since.
    pub async fn compare(&mut self, source: &mut Server, target: &mut Server) -> anyhow::Result<TableComparison> {
        let transaction = "select (pg_snapshot_xmin(pg_current_snapshot())::text::numeric % 4294967296)::text";
        let transaction: String = source.value(transaction).await?;
        let selected = match &self.passed {
            None => None,
            Some(passed) => {
                let mut selected = self.list_changed(source, &passed.transaction).await?;
                for (table, buckets) in &passed.differing {
                    selected.entry(*table).or_default().extend(buckets);
                }
                Some(selected)
            }
        };
        let (here, there) = tokio::try_join!(
            async { Ok::<_, anyhow::Error>((self.sum(source, selected.as_ref()).await?, self.count(source).await?)) },
            async { Ok::<_, anyhow::Error>((self.sum(target, selected.as_ref()).await?, self.count(target).await?)) }
        )?;
        let differing = compare_sums(&here.0, &there.0);
        let by_count = (0..self.tables.len()).filter(|table| here.1.get(*table) != there.1.get(*table));
        let unequal: BTreeSet<usize> = by_count.chain(differing.keys().copied()).collect();
        let comparison = TableComparison {
            compared: here.0.len(),
            differing: differing.values().map(BTreeSet::len).sum(),
            tables: unequal.into_iter().filter_map(|table| Some(self.tables.get(table)?.name.clone())).collect(),
        };
        self.passed = Some(Passed { transaction, differing });
        Ok(comparison)
    }

    /// The buckets with rows that a transaction from this one on has written.
    async fn list_changed(&self, source: &mut Server, transaction: &str) -> anyhow::Result<Buckets> {
        let part = |(position, table): (usize, &MovedTable)| {
            format!(
                "(select distinct {position}::bigint, {} from {} where {} and age(xmin) <= age('{transaction}'::xid))",
                self.sql_bucket(position),
                table.name,
                table.of_company(self.company)
            )
        };
        let sql: Vec<String> = self.tables.iter().enumerate().map(part).collect();
        let read = sqlx::query_as::<_, (i64, i64)>(AssertSqlSafe(sql.join(" union all ")));
        let rows = read.fetch_all(&mut source.connection).await.context("changed rows of the old place")?;
        let mut changed = Buckets::new();
        for (position, bucket) in rows {
            changed.entry(usize::try_from(position)?).or_default().insert(bucket);
        }
        Ok(changed)
    }

    /// Count and checksum of each of the buckets; of all of them where none are selected.
    async fn sum(&self, server: &mut Server, selected: Option<&Buckets>) -> anyhow::Result<Sums> {
        let part = |(position, table): (usize, &MovedTable)| {
            let bucket = self.sql_bucket(position);
            let condition = match selected {
                None => String::new(),
                Some(selected) => {
                    let buckets: Vec<String> = selected.get(&position)?.iter().map(i64::to_string).collect();
                    format!(" and {bucket} = any('{{{}}}'::bigint[])", buckets.join(","))
                }
            };
            let columns: Vec<&str> = table.columns.keys().map(String::as_str).collect();
            Some(format!(
                "(select {position}::bigint, {bucket}, count(*), sum(hashtextextended(row({})::text, 0))::text
                  from {} where {}{condition} group by 2)",
                columns.join(", "),
                table.name,
                table.of_company(self.company)
            ))
        };
        let sql: Vec<String> = self.tables.iter().enumerate().filter_map(part).collect();
        if sql.is_empty() {
            return Ok(Sums::new());
        }
        let read = sqlx::query_as::<_, (i64, i64, i64, String)>(AssertSqlSafe(sql.join(" union all ")));
        let rows = read.persistent(false).fetch_all(&mut server.connection).await;
        let rows = rows.with_context(|| format!("checksums of the place {}", server.name))?;
        let sum = |(position, bucket, count, sum)| Ok(((usize::try_from(position)?, bucket), (count, sum)));
        rows.into_iter().map(sum).collect()
    }

    /// Rows of each table.
    async fn count(&self, server: &mut Server) -> anyhow::Result<Vec<i64>> {
        let part = |(position, table): (usize, &MovedTable)| {
            format!(
                "(select {position}, count(*) as rows from {} where {})",
                table.name,
                table.of_company(self.company)
            )
        };
        let parts: Vec<String> = self.tables.iter().enumerate().map(part).collect();
        server
            .list(format!("select rows from ({}) counts (position, rows) order by position", parts.join(" union all ")))
            .await
    }

    fn sql_bucket(&self, position: usize) -> String {
        let key = self.tables.get(position).map(|table| table.key.join(", ")).unwrap_or_default();
        let mask = self.masks.get(position).copied().unwrap_or_default();
        format!("(hash_record_extended(row({key}), 0) & {mask})")
    }
}

fn choose_mask(rows: i64) -> u64 {
    let buckets = u64::try_from(rows / BUCKET).unwrap_or(0).max(1).next_power_of_two();
    buckets.min(MOST_BUCKETS) - 1
}

fn compare_sums(here: &Sums, there: &Sums) -> Buckets {
    let mut differing = Buckets::new();
    for (table, bucket) in here.keys().chain(there.keys()) {
        if here.get(&(*table, *bucket)) != there.get(&(*table, *bucket)) {
            differing.entry(*table).or_default().insert(*bucket);
        }
    }
    differing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_is_on_one_side_only_or_differs_is_found() {
        let sums = |rows: &[(usize, i64, i64, &str)]| -> Sums {
            rows.iter().map(|(table, bucket, count, sum)| ((*table, *bucket), (*count, (*sum).to_owned()))).collect()
        };
        let here = sums(&[(0, 1, 2, "10"), (0, 2, 1, "7"), (1, 0, 1, "5")]);
        assert_eq!(compare_sums(&here, &here), Buckets::new());
        let there = sums(&[(0, 1, 2, "11"), (1, 0, 1, "5"), (1, 3, 1, "9")]);
        assert_eq!(compare_sums(&here, &there), [(0, [1, 2].into()), (1, [3].into())].into());
    }

    #[test]
    fn buckets_are_as_many_as_the_rows_need() {
        assert_eq!([0, 7, 64, 100, i64::MAX].map(choose_mask), [0, 0, 7, 15, 65_535]);
    }
}
