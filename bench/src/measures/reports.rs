//! `trial_balance_1e6_lines_ms`: the trial balance of a company whose journal has a million lines;
//! `ageing_1e5_invoices_ms`: the first page of what customers owe by age, of a hundred thousand open invoices of a
//! thousand customers. One at a time, on PostgreSQL.

use std::time::Instant;

use anyhow::Context as _;
use serde_json::{Value as Json, json};
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Connection as _};

use crate::bench::Bench;
use crate::child::Server;
use crate::company::{Client, Company};
use crate::postgres::Database;
use crate::rounds::median;

const CONNECTIONS: usize = 8;
/// As many as an entry may have.
const LINES: usize = 100;
const ENTRIES: usize = 1_000_000 / LINES;
const INVOICES: usize = 100_000;
const CUSTOMERS: usize = 1_000;
/// Requests before any is timed.
const WARM: usize = 3;

pub async fn measure(
    bench: &mut Bench,
    database: &Database,
    company: &Company,
    service: &Server,
) -> anyhow::Result<()> {
    let mut client = Client::new(service.address, &company.token).await?;
    let entities = client.get(&company.path("ledger/legal-entities")).await?;
    let entity = entities["items"][0]["id"].as_str().context("no legal entity")?.to_owned();
    write_journal(company, service, &entity).await?;
    // The earlier connection was silent for so long that the host has closed it.
    let mut client = Client::new(service.address, &company.token).await?;
    write_invoices(database, company, &mut client, &entity).await?;
    database.settle().await?;
    let trial = company.path(&format!("ledger/trial-balance?legalEntityId={entity}"));
    let time = time_of(bench, &mut client, &trial).await?;
    bench.report.add("trial_balance_1e6_lines_ms", time, "a trial balance over a million lines");
    let ageing = company.path(&format!("reports/receivables-ageing?legalEntityId={entity}&currencyCode=EUR"));
    let time = time_of(bench, &mut client, &ageing).await?;
    bench.report.add("ageing_1e5_invoices_ms", time, "a page of ageing over 100,000 open invoices");
    Ok(())
}

/// Milliseconds of a read.
async fn time_of(bench: &Bench, client: &mut Client, path: &str) -> anyhow::Result<f64> {
    for _ in 0..WARM {
        client.get(path).await?;
    }
    let mut times = Vec::new();
    for _ in 0..bench.rounds.count {
        let begin = Instant::now();
        client.get(path).await?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    Ok(median(times))
}

/// Manual entries from the bank to capital and back, a line of one against many of the other.
async fn write_journal(company: &Company, service: &Server, entity: &str) -> anyhow::Result<()> {
    let mut client = Client::new(service.address, &company.token).await?;
    let accounts = company.path(&format!("ledger/accounts?legalEntityId={entity}&limit=100"));
    let accounts = client.get(&accounts).await?;
    let account_id = |code: &str| {
        let found = accounts["items"].as_array().into_iter().flatten().find(|account| account["code"] == code);
        found.map(|account| account["id"].clone()).with_context(|| format!("no account {code}"))
    };
    let (bank, capital) = (account_id("1010")?, account_id("3000")?);
    let whole = json!({ "accountId": bank, "debit": (LINES - 1).to_string() });
    let part = json!({ "accountId": capital, "credit": "1" });
    let lines: Vec<Json> = [whole].into_iter().chain(vec![part; LINES - 1]).collect();
    let today = client.get(&company.path(&format!("ledger/legal-entities/{entity}"))).await?;
    let body = json!({
        "legalEntityId": entity, "entryDate": today["booksStartOn"], "description": "benchmark", "lines": lines,
    });
    let (path, body) = (&company.path("ledger/journal-entries"), &body);
    let loops = (0..CONNECTIONS).map(|_| async move {
        let mut client = Client::new(service.address, &company.token).await?;
        for _ in 0..ENTRIES / CONNECTIONS {
            client.post(path, body).await?;
        }
        anyhow::Ok(())
    });
    futures_util::future::try_join_all(loops).await.map(drop)
}

/// One invoice by the public API, and its row in the ledger of what customers owe a hundred thousand times: of other
/// customers and due days, as if all had been issued. Ageing reads nothing else.
async fn write_invoices(
    database: &Database,
    company: &Company,
    client: &mut Client,
    entity: &str,
) -> anyhow::Result<()> {
    let customer =
        client.post(&company.path("sales/customers"), &json!({ "code": "AGEING", "name": "Debtor" })).await?;
    let body = json!({
        "number": "AGEING-1", "legalEntityId": entity, "partyId": customer["id"], "currencyCode": "EUR",
        "lines": [{ "description": "Work", "quantity": "1", "unitPrice": "10" }],
    });
    let draft = client.post(&company.path("sales/invoices"), &body).await?;
    let invoice = draft["id"].as_str().context("no invoice")?;
    client.post(&company.path(&format!("sales/invoices/{invoice}/issue")), &json!({ "expectedVersion": 1 })).await?;
    let mut connection = PgConnection::connect(&database.url).await?;
    let tenant = "select set_config('stoa.tenant', $1, false)";
    sqlx::query(tenant).bind(company.tenant.to_string()).execute(&mut connection).await?;
    let columns = "select column_name::text from information_schema.columns where table_name = 'finance_party_entry'";
    let columns: Vec<String> = sqlx::query_scalar(columns).fetch_all(&mut connection).await?;
    let value = |column: &String| match column.as_str() {
        "id" | "document_id" | "invoice_id" => "gen_random_uuid()".to_owned(),
        "party_id" => format!("lpad(to_hex(n % {CUSTOMERS}), 32, '0')::uuid"),
        "due_on" => "on_date - (n % 120)".to_owned(),
        other => format!("\"{other}\""),
    };
    let names: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
    let values: Vec<String> = columns.iter().map(value).collect();
    let sql = format!(
        "insert into finance_party_entry ({}) select {} from finance_party_entry, generate_series(1, {INVOICES}) n \
         where invoice_id = '{invoice}'",
        names.join(", "),
        values.join(", "),
    );
    let written = sqlx::query(AssertSqlSafe(sql)).execute(&mut connection).await?.rows_affected();
    anyhow::ensure!(written == INVOICES as u64, "{written} rows of debts were written");
    connection.close().await?;
    Ok(())
}
