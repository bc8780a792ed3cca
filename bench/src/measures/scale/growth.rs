//! A company grows by SQL: each table gets rows like the one that the API has left there for one variant, with ids, instants
//! and goods of their own. Later documents of the company find them as if requests had written them: a variant has its
//! product, its stock, its pool of costs and a layer.
//!
//! The rows are not consistent for `stoa verify`. Stock is not the sum of the movements, layers do not have the quantities
//! of the ledger of costs, and no totals, audit entries or events of the new rows exist.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
use uuid::Uuid;

use super::ids::Ids;
use super::{STRIDE, Sizes};
use crate::company::Company;
use crate::postgres::Database;

/// Rows of a statement.
const BATCH: u64 = 500_000;

/// The ids of the new rows.
#[derive(Debug, Clone, Copy)]
pub struct Growth {
    pub products: Ids,
    pub variants: Ids,
    pub stock: Ids,
    pub movements: Ids,
}

/// A table that grows.
struct Table {
    name: &'static str,
    /// The column that has the variant's id in the row to copy.
    of_variant: &'static str,
    rows: u64,
    ids: Ids,
    /// Columns that differ from the copied row: their names, and their values in SQL by `n`, the number of the new row.
    values: Vec<(&'static str, String)>,
}

/// Makes these rows of a company. `variant`: one of a product with no other variant, which was adjusted once. No host runs.
pub async fn grow(database: &Database, company: &Company, variant: Uuid, sizes: Sizes) -> anyhow::Result<Growth> {
    let now = u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?;
    let goods = Ids::before(now, sizes.variants);
    let growth = Growth {
        products: goods,
        variants: goods.later(1),
        stock: goods.later(2),
        movements: Ids::before(now, sizes.movements),
    };
    let mut connection = PgConnection::connect(&database.url).await?;
    // Row-level security binds the owner of the tables too.
    let settings = "select set_config('stoa.tenant', $1, false), set_config('maintenance_work_mem', '256MB', false)";
    sqlx::query(settings).bind(company.tenant.to_string()).execute(&mut connection).await?;
    for table in list_tables(&growth, sizes) {
        let begun = Instant::now();
        grow_table(&mut connection, &table, variant).await.with_context(|| format!("{} does not grow", table.name))?;
        eprintln!("  {}: {} rows in {:.0} s", table.name, table.rows, begun.elapsed().as_secs_f64());
    }
    connection.close().await?;
    Ok(growth)
}

/// Catalog, stock and pools have a row for each variant. The movements and their costs go to one variant after the other.
fn list_tables(growth: &Growth, sizes: Sizes) -> Vec<Table> {
    let Growth { products, variants, stock, movements } = growth;
    let of = |number: &str| vec![("variant_id", variants.sql(number)), ("product_id", products.sql(number))];
    let each = |name, of_variant, ids: &Ids, values: Vec<(&'static str, String)>| Table {
        name,
        of_variant,
        rows: sizes.variants,
        ids: *ids,
        values,
    };
    let code = |prefix: &str| format!("'{prefix}-' || n");
    let product = vec![
        ("name", code("Product")),
        ("slug", code("scale")),
        ("single_sku", code("SCALE")),
        ("single_variant_id", variants.sql("n")),
    ];
    let variant = vec![("sku", code("SCALE")), ("product_id", products.sql("n"))];
    let moved = format!("n * {STRIDE} % {} + 1", sizes.variants);
    let ledger = |name, values: Vec<(&'static str, String)>| Table {
        name,
        of_variant: "variant_id",
        rows: sizes.movements,
        ids: *movements,
        values: of(&moved).into_iter().chain(values).collect(),
    };
    let costs = vec![
        ("movement_id", movements.sql("n")),
        ("layer_id", stock.sql(&moved)),
        ("entry_date", format!("({})::date", movements.instant_sql("n"))),
    ];
    vec![
        each("catalog_product", "single_variant_id", products, product),
        each("catalog_variant", "id", variants, variant),
        each("inventory_stock", "variant_id", stock, of("n")),
        each("inventory_cost_pool", "variant_id", stock, of("n")),
        each("inventory_cost_layer", "variant_id", stock, of("n")),
        ledger("inventory_movement", vec![("request_id", movements.sql("n"))]),
        ledger("inventory_cost_entry", costs),
    ]
}

/// Its indexes are built after the rows: rows that go into large indexes one by one write a page of each to the log.
async fn grow_table(connection: &mut PgConnection, table: &Table, variant: Uuid) -> anyhow::Result<()> {
    let Table { name, of_variant, .. } = table;
    let sample = format!("create temporary table sample as select * from {name} where {of_variant} = '{variant}'");
    let found = execute(connection, sample).await?;
    anyhow::ensure!(found == 1, "{found} rows to copy, where {of_variant} is {variant}");
    let indexes = "select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) from pg_index i
        where i.indrelid = $1::regclass and not i.indisprimary";
    let indexes: Vec<(String, String)> = sqlx::query_as(indexes).bind(*name).fetch_all(&mut *connection).await?;
    for (index, _) in &indexes {
        execute(connection, format!("drop index {index}")).await?;
    }
    insert_rows(connection, table).await?;
    for (index, definition) in indexes {
        execute(connection, definition).await.with_context(|| format!("index {index}"))?;
    }
    execute(connection, "drop table sample".to_owned()).await.map(drop)
}

async fn insert_rows(connection: &mut PgConnection, table: &Table) -> anyhow::Result<()> {
    let Table { name, rows, ids, .. } = table;
    let columns = "select attname::text from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum";
    let columns: Vec<String> = sqlx::query_scalar(columns).bind(*name).fetch_all(&mut *connection).await?;
    let instant = ids.instant_sql("n");
    let mut values = vec![("id", ids.sql("n")), ("created_at", instant.clone()), ("updated_at", instant)];
    values.extend(table.values.iter().cloned());
    let unknown = values.iter().find(|(stated, _)| !columns.iter().any(|column| column == stated));
    anyhow::ensure!(unknown.is_none(), "there is no such column: {unknown:?}");
    let selected: Vec<String> = columns
        .iter()
        .map(|column| {
            let stated = values.iter().find(|(stated, _)| stated == column);
            stated.map_or_else(|| format!("s.\"{column}\""), |(_, value)| value.clone())
        })
        .collect();
    let names: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
    let (names, selected) = (names.join(", "), selected.join(", "));
    let mut first = 1;
    while first <= *rows {
        let last = (first + BATCH - 1).min(*rows);
        let insert = format!(
            "insert into {name} ({names}) select {selected}
             from sample s, generate_series({first}::bigint, {last}::bigint) n"
        );
        let written = execute(connection, insert).await.with_context(|| format!("rows {first} to {last}"))?;
        anyhow::ensure!(written == last - first + 1, "{written} rows were written of those from {first} to {last}");
        first = last + 1;
    }
    Ok(())
}

/// Runs a statement: rows that it made.
async fn execute(connection: &mut PgConnection, sql: String) -> anyhow::Result<u64> {
    Ok(connection.execute(AssertSqlSafe(sql)).await?.rows_affected())
}
