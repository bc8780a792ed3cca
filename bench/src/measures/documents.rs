//! `invoice_issue_per_s`: invoices of ten lines drafted and issued per second at 8 connections; `sell_per_s`: the same confirmed
//! with the order, the delivery and the entries that belong to it; `checkout_per_s`: orders of ten lines drafted, confirmed and
//! checked out in cash, each connection at a register of its own. All in a company that keeps books.

use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::bench::Bench;
use crate::child::Server;
use crate::company::{Client, Company, id};
use crate::load::run_flows;
use crate::rounds::median;
use crate::sales::Sales;

const CONNECTIONS: usize = 8;

/// `suffix`: the end of the figures' names; empty, or `_sqlite`.
pub async fn measure(bench: &mut Bench, company: &Company, service: &Server, suffix: &str) -> anyhow::Result<()> {
    let sales = company.sales(service.address).await?;
    let mut client = Client::new(service.address, &company.token).await?;
    let mut tills = Vec::new();
    for _ in 0..CONNECTIONS {
        tills.push(open_till(company, &mut client, &sales).await?);
    }
    let (mut issued, mut sold, mut collected) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=bench.rounds.count {
        let time = bench.rounds.time;
        let issues = async |client: &mut Client, _: &mut Till| issue(company, client, &sales).await.map(drop);
        let issues = run_flows(service.address, &company.token, &mut tills, time, issues).await?;
        let sells = async |client: &mut Client, _: &mut Till| sell(company, client, &sales).await;
        let sells = run_flows(service.address, &company.token, &mut tills, time, sells).await?;
        let checkouts = async |client: &mut Client, till: &mut Till| check_out(company, client, &sales, till).await;
        let checkouts = run_flows(service.address, &company.token, &mut tills, time, checkouts).await?;
        // In the first every connection prepares its statements.
        if round > 0 {
            issued.push(issues.per_second);
            sold.push(sells.per_second);
            collected.push(checkouts.per_second);
        }
    }
    let what = "invoices of 10 lines drafted and issued, 8 connections, with books";
    bench.report.add(format!("invoice_issue_per_s{suffix}"), median(issued), what);
    let what = "invoices of 10 lines drafted and confirmed with their delivery, 8 connections, with books";
    bench.report.add(format!("sell_per_s{suffix}"), median(sold), what);
    let what = "orders of 10 lines drafted, confirmed and checked out, 8 connections, with books";
    bench.report.add(format!("checkout_per_s{suffix}"), median(collected), what);
    Ok(())
}

/// A session at a register, as its one operator knows it.
pub struct Till {
    pub session: Uuid,
    pub version: i64,
}

pub async fn open_till(company: &Company, client: &mut Client, sales: &Sales) -> anyhow::Result<Till> {
    let code = format!("T{}", Uuid::new_v4().simple());
    let register = json!({ "code": code, "name": code, "warehouseId": sales.warehouse, "priceListId": sales.list });
    let register = client.post(&company.path("pos/registers"), &register).await?;
    let session = json!({ "registerId": register["id"], "openingAmount": "0" });
    let session = client.post(&company.path("pos/sessions"), &session).await?;
    Ok(Till { session: id(&session["id"])?, version: 1 })
}

async fn draft(company: &Company, client: &mut Client, sales: &Sales) -> anyhow::Result<Uuid> {
    id(&client.post(&company.path("sales/invoices"), &sales.next_invoice()).await?["id"])
}

/// Drafts an invoice and issues it: its id.
pub async fn issue(company: &Company, client: &mut Client, sales: &Sales) -> anyhow::Result<Uuid> {
    let invoice = draft(company, client, sales).await?;
    let path = company.path(&format!("sales/invoices/{invoice}/issue"));
    client.post(&path, &json!({ "expectedVersion": 1 })).await?;
    Ok(invoice)
}

async fn sell(company: &Company, client: &mut Client, sales: &Sales) -> anyhow::Result<()> {
    let invoice = draft(company, client, sales).await?;
    let body = json!({ "expectedVersion": 1, "warehouseId": sales.warehouse, "priceListId": sales.list });
    client.post(&company.path(&format!("sales/invoices/{invoice}/confirm")), &body).await.map(drop)
}

/// Drafts an order of ten lines, confirms it and checks it out.
pub async fn check_out(company: &Company, client: &mut Client, sales: &Sales, till: &mut Till) -> anyhow::Result<()> {
    let order = company.place(client, &sales.next()).await?;
    collect(company, client, order, till).await
}

/// Checks a confirmed order out, in cash.
pub async fn collect(company: &Company, client: &mut Client, order: Uuid, till: &mut Till) -> anyhow::Result<()> {
    let body: Json = json!({
        "orderId": order, "expectedOrderVersion": 2, "expectedSessionVersion": till.version, "tenderedAmount": "10000",
    });
    client.post(&company.path(&format!("pos/sessions/{}/checkout", till.session)), &body).await?;
    till.version += 1;
    Ok(())
}
