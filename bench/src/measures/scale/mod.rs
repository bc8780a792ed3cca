//! `scale_*`: how long small writes and pages of lists take in a company with 100,000 variants and 10,000,000 movements, on
//! a database with 1,000 others, relative to a company that has hardly any on a database of its own.
//!
//! Both companies are made through the public API and then grow by SQL, in the same way: the small one gets a few pages of
//! each list, so that a page has as many rows on both sides. Each has a host, and the hosts are measured in turn. The
//! large database takes about 15 GB and half an hour, so this part runs only where it is named.

mod growth;
mod ids;
mod lists;
mod writes;

use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::json;
use uuid::Uuid;

use self::growth::Growth;
use crate::bench::Bench;
use crate::child::Server;
use crate::company::{Client, Company, Goods};
use crate::load::{Load, NextRequest};
use crate::postgres::Database;

/// Loops that create companies at once, each as a user of its own.
const FOUNDERS: usize = 8;
/// The most that a figure may be, relative to the small company or to the first page.
const MOST: f64 = 1.5;
/// A prime number: rows whose numbers are so far apart are far apart in each index.
const STRIDE: u64 = 7_919;

/// The rows of a database.
#[derive(Debug, Clone, Copy)]
struct Sizes {
    /// Companies without goods.
    others: usize,
    /// Variants of the measured company, each of its own product.
    variants: u64,
    movements: u64,
}

/// Two pages of each list.
const SMALL: Sizes = Sizes { others: 0, variants: 200, movements: 200 };
const LARGE: Sizes = Sizes { others: 1_000, variants: 100_000, movements: 10_000_000 };
/// The large one with `--quick`.
const QUICK: Sizes = Sizes { others: 10, variants: 1_000, movements: 100_000 };

/// A database with its host, and the company that is measured.
struct Shop {
    service: Server,
    company: Company,
    warehouse: Uuid,
    sizes: Sizes,
    growth: Growth,
    /// Time of the growth by SQL, with the vacuum after it.
    grew_in: Duration,
}

/// `large`: the database that grows; an empty one.
pub async fn measure(bench: &mut Bench, large: &Database) -> anyhow::Result<()> {
    let small = Database::create_another(Bench::postgres_server()?, "small").await?;
    let compared = compare(bench, &small, large).await;
    if let Err(error) = small.drop().await {
        eprintln!("warning: the small database stays behind: {error:#}");
    }
    compared
}

async fn compare(bench: &mut Bench, small: &Database, large: &Database) -> anyhow::Result<()> {
    let sizes = if bench.rounds.count < 5 { QUICK } else { LARGE };
    let few = Shop::open(bench, small, SMALL).await.context("the small database")?;
    let many = Shop::open(bench, large, sizes).await.context("the large database")?;
    let Sizes { others, variants, movements } = sizes;
    let report = &mut bench.report;
    report.note(format!("scale: {others} other companies, {variants} variants, {movements} movements"));
    report.add("scale_growth_s", many.grew_in.as_secs_f64(), "to grow the large company by SQL, and to vacuum");
    report.add("scale_database_gb", large.gigabytes().await?, "of the large database on disk, in 10^9 bytes");
    lists::measure(bench, &few, &many).await.context("the lists")?;
    writes::measure(bench, &few, &many).await.context("the small writes")?;
    few.service.stop().await?;
    many.service.stop().await
}

impl Shop {
    /// Makes the companies through the API, and grows one while no host runs.
    async fn open(bench: &mut Bench, database: &Database, sizes: Sizes) -> anyhow::Result<Shop> {
        let (service, _) = bench.stoa(&database.url, 16).await?;
        add_companies(bench, &service, sizes.others).await.context("other companies")?;
        let company = Company::create(service.address, &bench.token).await?;
        let goods = company.goods(service.address, 1).await?;
        let variant = *goods.variants.first().context("goods without a variant")?;
        let (path, body) = company.adjustment_request(&goods, variant);
        Client::new(service.address, &company.token).await?.post(&path, &body).await?;
        service.stop().await?;

        let begun = Instant::now();
        let growth = growth::grow(database, &company, variant, sizes).await?;
        database.settle().await.context("vacuum")?;
        let grew_in = begun.elapsed();
        let (service, _) = bench.stoa(&database.url, 16).await?;
        Ok(Shop { service, company, warehouse: goods.warehouse, sizes, growth, grew_in })
    }

    /// So many variants to adjust, evenly apart among all.
    fn spread_goods(&self, count: u64) -> Goods {
        Goods::new(self.warehouse, self.spread_variants(count))
    }

    fn spread_variants(&self, count: u64) -> Vec<Uuid> {
        let apart = (self.sizes.variants / count).max(1);
        (0..count).map(|nth| self.growth.variants.nth(nth * apart + 1)).collect()
    }

    /// All variants, in an order in which no two that follow one another are close.
    fn all_goods(&self) -> Goods {
        let all = self.sizes.variants;
        let variants = (0..all).map(|nth| self.growth.variants.nth(nth * STRIDE % all + 1)).collect();
        Goods::new(self.warehouse, variants)
    }

    fn load(&self, connections: usize, request: NextRequest, statuses: &'static [u16]) -> Load {
        Load { address: self.service.address, connections, request, statuses }
    }
}

/// Companies with the default records and nothing else.
async fn add_companies(bench: &mut Bench, service: &Server, count: usize) -> anyhow::Result<()> {
    let begun = Instant::now();
    let tokens = (0..FOUNDERS).map(|nth| bench.token_of(&format!("founder-{nth}@example.test")));
    let tokens: Vec<String> = tokens.collect::<anyhow::Result<_>>()?;
    let loops = tokens.iter().enumerate().map(|(nth, token)| async move {
        let mut client = Client::new(service.address, token).await?;
        for number in (nth..count).step_by(FOUNDERS) {
            let body = json!({ "name": format!("Company {number}"), "currencyCode": "EUR", "withDefaults": true });
            client.post("/v1/onboarding/companies", &body).await.with_context(|| format!("company {number}"))?;
        }
        anyhow::Ok(())
    });
    futures_util::future::try_join_all(loops).await?;
    if count > 0 {
        let meaning = format!("to create {count} companies through the API, {FOUNDERS} at a time");
        bench.report.add("scale_companies_s", begun.elapsed().as_secs_f64(), meaning);
    }
    Ok(())
}
