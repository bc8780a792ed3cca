//! No statement scans a company. Every statement that the whole interface, the host's own work and `stoa verify` make
//! is planned once more, as the host has it planned (for all values, under row-level security), on a company whose
//! every table is large, and the plan is read: none may go through a table, or through all that a company has in it,
//! but for those that `meant.rs` names.

mod growth;
mod meant;
mod plan;
mod visit;

use std::collections::BTreeSet;

use serde_json::Value as Json;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};
use stoa_postgres_proxy::Shape;
use stoa_tests::eventually;
use stoa_tests::round_trips::Watched;

use self::meant::MEANT;
use self::plan::{Reading, Scan};

stoa_tests::tests![no_statement_scans_a_company];

/// Tables that the visit does not come to, each with the reason.
const UNREAD: &[(&str, &str)] = &[("stoa_sequence", "only ever counted on: an insert that updates")];
const UNWRITTEN: &[(&str, &str)] = &[
    ("finance_money_total", "written by one of a thousand lines"),
    ("finance_party_total", "written by one of a thousand lines"),
    ("finance_revenue_total", "written by one of a thousand lines"),
    ("finance_summed_lines", "written by one of a thousand lines"),
    ("finance_credited_line", "written where a recognised credit has lines"),
    ("finance_cost_correction", "written where a recognised credit corrects what goods cost"),
    ("finance_unit_claim", "written where units are billed"),
    ("inventory_cost_total", "written by one of a thousand lines"),
    ("inventory_sale_balance", "written for modules that deliver"),
    ("inventory_summed_lines", "written by one of a thousand lines"),
    ("inventory_variant_cost_total", "written by one of a thousand lines"),
    ("ledger_day_total", "written by one of a thousand postings"),
    ("ledger_period_total", "written where a month with totals closes"),
    ("ledger_summed_lines", "written by one of a thousand postings"),
    ("sales_delivery_total", "written by one of a thousand lines"),
    ("sales_summed_lines", "written by one of a thousand lines"),
];

fn no_statement_scans_a_company() {
    let watched = Watched::start();
    // Statements of a first start meet tables that are empty, and will never meet others.
    watched.proxy.take_shapes();
    // The purge goes by a time that was seen a day ago: as if the host had looked at its clock then.
    eventually(|| (!watched.host.rows("select 1 from stoa_clock").is_empty()).then_some(()));
    watched.host.change("update stoa_clock set mark = next_mark - interval '1 day' where id = 1");
    watched.host.restart();
    let company = visit::visit_all(&watched.host);
    visit::visit_extensions(&watched.host);
    let mut shapes = watched.proxy.take_shapes();
    shapes.retain(|shape| is_planned(&shape.sql));
    let settings = watched.proxy.options().expect("the host's connections have settings");
    assert!(settings.contains("plan_cache_mode=force_generic_plan"), "{settings}");
    watched.host.kill9();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (tables, plans) = runtime.block_on(async {
        let mut connection =
            PgConnection::connect(watched.host.postgres_url().expect("its database")).await.expect("the database");
        let tables = growth::grow(&mut connection, &company.tenant).await;
        let plans = explain_all(&mut connection, &shapes, &settings, &company.tenant).await;
        (tables, plans)
    });
    judge(&tables, &plans);
}

fn judge(tables: &BTreeSet<String>, plans: &[(&Shape, Json)]) {
    let mut all = Reading::default();
    let mut found: BTreeSet<(Scan, &str)> = BTreeSet::new();
    for (shape, plan) in plans {
        let reading = plan::read(plan, tables);
        found.extend(reading.scans.iter().map(|scan| (scan.clone(), shape.sql.as_str())));
        all.merge(reading);
    }
    let unmeant = found.iter().filter(|(scan, sql)| !MEANT.iter().any(|meant| meant.is_of(scan, sql)));
    let mut wrong: Vec<String> = unmeant.map(|(scan, sql)| format!("{scan}\n    {sql}")).collect();
    // A visit that reached less would prove less.
    let missing = |reached: &BTreeSet<String>, known: &[(&str, &str)], what: &str| {
        let unknown = tables.difference(reached).filter(|table| !known.iter().any(|(name, _)| name == table));
        unknown.map(|table| format!("nothing {what} {table}")).collect::<Vec<_>>()
    };
    wrong.extend(missing(&all.read, UNREAD, "reads"));
    wrong.extend(missing(&all.written, UNWRITTEN, "writes"));
    assert!(wrong.is_empty(), "of {} statements:\n{}", plans.len(), wrong.join("\n"));
}

/// Returns whether a statement has a plan.
fn is_planned(sql: &str) -> bool {
    let word = sql.trim_start_matches(['(', ' ', '\n']).split_whitespace().next().unwrap_or_default().to_lowercase();
    ["select", "with", "insert", "update", "delete"].contains(&word.as_str())
}

/// The plans of all statements, under the settings of the host's connections and in the company.
async fn explain_all<'a>(
    connection: &mut PgConnection,
    shapes: &'a BTreeSet<Shape>,
    settings: &str,
    tenant: &str,
) -> Vec<(&'a Shape, Json)> {
    let settings = settings.split("-c ").filter_map(|pair| pair.trim().split_once('='));
    for (name, value) in settings.chain([("stoa.tenant", tenant)]) {
        connection.execute(AssertSqlSafe(format!("set {name} = '{value}'"))).await.expect("a setting");
    }
    let mut plans = Vec::new();
    for shape in shapes {
        plans.push((shape, explain(connection, shape).await));
    }
    plans
}

async fn explain(connection: &mut PgConnection, Shape { sql, types }: &Shape) -> Json {
    let list = |all: Vec<&str>| if all.is_empty() { String::new() } else { format!("({})", all.join(", ")) };
    let named = list(types.iter().map(String::as_str).collect());
    let prepare = format!("prepare shape{named} as {sql}");
    connection.execute(AssertSqlSafe(prepare)).await.unwrap_or_else(|error| panic!("{error}: {sql}"));
    // The plan is the same for all values.
    let explain = format!("explain (format json) execute shape{}", list(vec!["null"; types.len()]));
    let row = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_one(&mut *connection).await;
    let row = row.unwrap_or_else(|error| panic!("{error}: {sql}"));
    connection.execute("deallocate shape").await.expect("a prepared statement");
    let text: &str = row.try_get_unchecked(0).expect("a plan");
    serde_json::from_str(text).expect("a plan in JSON")
}
