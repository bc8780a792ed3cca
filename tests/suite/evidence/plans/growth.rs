//! Makes a company large: every table of it gets thousands of rows like those that are there, each with ids of its own.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, Executor as _, PgConnection};

/// Rows that are made of each of 25 rows; of fewer as many more.
const COPIES: u32 = 200;
/// Rows below which a scan of a table is not visible.
const FEWEST: f32 = 500.0;

/// Reads of the table `$1` its columns, the values of a new row of the company `$2`, made of a row `s` and a number
/// `n`, and a row to begin with where there is none. A unique key that holds no id but the company's is made unique by
/// its texts, days and numbers.
const COLUMNS: &str = "
with keys as (
  select unnest(i.indkey::int2[]) as attnum from pg_index i
  where i.indrelid = $1::regclass and i.indisunique and not exists (
    select 1 from pg_attribute a
    where a.attrelid = i.indrelid and a.attnum = any(i.indkey::int2[]) and a.attname <> 'tenant_id'
      and a.atttypid = 'uuid'::regtype and a.attnotnull
  )
)
select string_agg(quote_ident(a.attname), ', ' order by a.attnum),
  string_agg(format(case
    when a.attname = 'tenant_id' then quote_literal($2) || '::uuid'
    when a.atttypid = 'uuid'::regtype then 'case when s.%1$I is not null then gen_random_uuid() end'
    when a.atttypid = 'timestamptz'::regtype then 's.%1$I - n * interval ''1 minute'''
    when a.attnum not in (select attnum from keys) then 's.%1$I'
    when a.atttypid = 'text'::regtype then 's.%1$I || ''-'' || n'
    when a.atttypid = 'date'::regtype then 's.%1$I - n'
    when a.atttypid = 'bigint'::regtype then 's.%1$I + n'
    else 's.%1$I'
  end, a.attname), ', ' order by a.attnum),
  string_agg(format(case a.atttypid::regtype::text
    when 'uuid' then 'gen_random_uuid() as %I'
    when 'text' then '''-''::text as %I'
    when 'date' then 'current_date as %I'
    when 'timestamp with time zone' then 'now() as %I'
    when 'boolean' then 'false as %I'
    when 'bytea' then '''-''::bytea as %I'
    when 'jsonb' then '''{}''::jsonb as %I'
    else '1 as %I'
  end, a.attname), ', ' order by a.attnum)
from pg_attribute a
where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped";

/// The tables that are a company's, all of them large now; but for those of one row for each company.
pub async fn grow(connection: &mut PgConnection, tenant: &str) -> BTreeSet<String> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select c.relname::text from pg_class c
         join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
         where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
           and obj_description(c.oid, 'pg_class') = 'place: company'
           and not exists (
             select 1 from pg_index i where i.indrelid = c.oid and i.indisprimary and i.indkey::text = a.attnum::text)",
    )
    .fetch_all(&mut *connection)
    .await
    .expect("the company's tables");
    let mut small = Vec::new();
    for table in &tables {
        let (columns, values, first): (String, String, String) =
            sqlx::query_as(COLUMNS).bind(table).bind(tenant).fetch_one(&mut *connection).await.expect("columns");
        // Row-level security does not bind the owner while it is not forced.
        let grow = format!(
            "begin; alter table {table} no force row level security;
             insert into {table} ({columns}) select {values}
               from (select *, row_number() over () as nth from {table} limit 25) s,
                 generate_series(1, {COPIES} * 25 / (select greatest(1, least(25, count(*))) from {table})) copy,
                 lateral (select copy * 25 + s.nth as n) numbered
               on conflict do nothing;
             insert into {table} ({columns}) select {values} from (select {first}) s, generate_series(1, 20 * {COPIES}) n
               where not exists (select 1 from {table}) on conflict do nothing;
             alter table {table} force row level security; commit; analyze {table}"
        );
        for statement in grow.split(';') {
            connection
                .execute(AssertSqlSafe(statement.to_string()))
                .await
                .unwrap_or_else(|error| panic!("{table}: {error}"));
        }
        let rows: f32 = sqlx::query_scalar("select reltuples from pg_class where oid = $1::regclass")
            .bind(table)
            .fetch_one(&mut *connection)
            .await
            .expect("a count");
        if rows < FEWEST {
            small.push(format!("{table} {rows}"));
        }
    }
    assert!(small.is_empty(), "the visit left too little to make more of: {small:?}");
    tables.into_iter().collect()
}
