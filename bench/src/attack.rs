//! The attacks of the neighbours' measure: lawful requests of one user, in a process of their own, so that they do not
//! slow the clock of the clients that are measured.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::company::{Company, write_request};
use crate::load::{self, Connection, NextRequest, take_turns};

/// Products of one import: as many as one may bring.
pub const IMPORTED: usize = 500;

const SEARCHES: usize = 16;
const IMPORTS: usize = 8;
const REPORTS: usize = 48;
const SLOW_READERS: usize = 100;
/// A slow reader takes so many bytes, and then pauses.
const SIP: usize = 16 << 10;
const PAUSE: Duration = Duration::from_millis(100);
/// The wait of a caller whose request was rejected.
const REST: Duration = Duration::from_millis(100);

/// One way to cost more than others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Attack {
    /// Text that no product has, by 16 connections.
    Searches,
    /// Imports of 500 products, by 8 connections.
    Imports,
    /// Reports of sales, margin and debts, by 48 connections.
    Reports,
    /// One import of 500 products, which 50 endpoints receive.
    Webhooks,
    /// Pages of large products, which 100 connections read slowly.
    Answers,
    Everything,
}

#[derive(Args, Debug, Clone)]
pub struct Flags {
    #[arg(long)]
    pub address: SocketAddr,
    #[arg(long)]
    pub attack: Attack,
    #[arg(long)]
    pub token: String,
    /// The user's companies; the endpoints are the first one's.
    #[arg(long)]
    pub tenants: Vec<Uuid>,
    /// A legal entity of each.
    #[arg(long)]
    pub entities: Vec<Uuid>,
    #[arg(long)]
    pub seconds: f64,
}

impl Attack {
    /// The name in figures and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Attack::Searches => "searches",
            Attack::Imports => "imports",
            Attack::Reports => "reports",
            Attack::Webhooks => "webhooks",
            Attack::Answers => "answers",
            Attack::Everything => "everything",
        }
    }

    /// Returns whether this attack is a part of another.
    pub fn is_in(self, whole: Attack) -> bool {
        self == whole || whole == Attack::Everything
    }
}

/// Attacks for a time, and prints how many requests succeeded.
pub async fn run(flags: Flags) -> anyhow::Result<()> {
    let company = |tenant: &Uuid| Company {
        token: flags.token.clone(),
        tenant: *tenant,
        products: Vec::new(),
        variants: Vec::new(),
    };
    let companies: Vec<Company> = flags.tenants.iter().map(company).collect();
    anyhow::ensure!(companies.len() > 1 && companies.len() == flags.entities.len(), "two companies with entities");
    let has = |attack: Attack| attack.is_in(flags.attack);
    let succeeded = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    let mut spawn = |connections: usize, request: NextRequest| {
        for _ in 0..connections {
            tasks.spawn(repeat(flags.address, request.clone(), succeeded.clone()));
        }
    };
    if has(Attack::Searches) {
        let paths = ["catalog/products?text=zzzz", "catalog/products?status=ARCHIVED&text=zz"];
        spawn(
            SEARCHES,
            take_turns(companies.iter().flat_map(|company| paths.map(|path| load::repeat(get(company, path))))),
        );
    }
    if has(Attack::Imports) {
        spawn(IMPORTS, imports(companies[1..].to_vec()));
    }
    if has(Attack::Reports) {
        let each = companies.iter().zip(&flags.entities);
        let requests: Vec<Vec<u8>> = each
            .map(|(company, entity)| Ok(report_paths(*entity)?.map(|path| get(company, &path))))
            .collect::<anyhow::Result<Vec<_>>>()?
            .concat();
        spawn(REPORTS, take_turns(requests.into_iter().map(load::repeat)));
    }
    if has(Attack::Answers) {
        for number in 0..SLOW_READERS {
            let company = &companies[number % companies.len()];
            tasks.spawn(sip(flags.address, company.clone(), succeeded.clone()));
        }
    }
    if has(Attack::Webhooks) {
        let mut request = Vec::new();
        imports(vec![companies[0].clone()])(&mut request);
        let (address, succeeded) = (flags.address, succeeded.clone());
        tasks.spawn(async move {
            if let Ok(mut connection) = Connection::open(address).await
                && connection.exchange(&request).await.is_ok_and(|status| status == 201)
            {
                succeeded.fetch_add(1, Relaxed);
            }
        });
    }
    let all = async { while tasks.join_next().await.is_some() {} };
    let _ = timeout(Duration::from_secs_f64(flags.seconds), all).await;
    println!("{}", succeeded.load(Relaxed));
    Ok(())
}

/// A read of a company's path.
pub fn get(company: &Company, path: &str) -> Vec<u8> {
    company.get_request(&company.path(path))
}

/// The reports of a month.
pub fn report_paths(entity: Uuid) -> anyhow::Result<[String; 3]> {
    const MONTH: Duration = Duration::from_secs(30 * 24 * 3600);
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let day = |instant: Duration| -> anyhow::Result<String> {
        let text = stoa_sdk::Instant(i64::try_from(instant.as_millis())?).to_string();
        Ok(text.chars().take(10).collect())
    };
    let (from, to) = (day(now.saturating_sub(MONTH))?, day(now)?);
    let of_entity = format!("legalEntityId={entity}&currencyCode=EUR");
    Ok([
        format!("reports/sales?{of_entity}&from={from}&to={to}"),
        format!("reports/margin?{of_entity}&from={from}&to={to}"),
        format!("reports/receivables-ageing?{of_entity}"),
    ])
}

/// A page of large products.
pub const LARGE_PAGE: &str = "catalog/products?productType=SERVICE&limit=100";

/// The body of an import of new products, each with a description of so many characters. Large ones are of another type
/// than the others.
pub fn import(products: usize, description: usize) -> Json {
    let kind = if description > 0 { "SERVICE" } else { "GOOD" };
    let text = "bright screen, long battery life ".repeat(description / 33);
    let product = |_| {
        let sku = format!("NOISE-{}", Uuid::new_v4().simple()).to_uppercase();
        json!({
            "name": format!("Article {sku}"), "productType": kind, "unitOfMeasure": "PIECE", "description": text,
            "variants": [{ "sku": sku }],
        })
    };
    let products: Vec<Json> = (0..products).map(product).collect();
    json!({ "products": products })
}

fn imports(companies: Vec<Company>) -> NextRequest {
    let next = AtomicUsize::new(0);
    Arc::new(move |buffer| {
        let company = &companies[next.fetch_add(1, Relaxed) % companies.len()];
        let body = import(IMPORTED, 0).to_string();
        write_request(buffer, "POST", &company.path("catalog/imports"), &company.token, Some(&body));
    })
}

/// One connection that sends its next request when it has the answer. After a rejection it rests: a caller without
/// permits sends no flood.
async fn repeat(address: SocketAddr, request: NextRequest, succeeded: Arc<AtomicUsize>) {
    let mut buffer = Vec::new();
    loop {
        let Ok(mut connection) = Connection::open(address).await else {
            sleep(REST).await;
            continue;
        };
        loop {
            buffer.clear();
            request(&mut buffer);
            match connection.exchange(&buffer).await {
                Ok(200..=299) => succeeded.fetch_add(1, Relaxed),
                Ok(_) => {
                    sleep(REST).await;
                    continue;
                }
                Err(_) => break,
            };
        }
        sleep(REST).await;
    }
}

/// Reads page after page, each slowly.
async fn sip(address: SocketAddr, company: Company, succeeded: Arc<AtomicUsize>) {
    loop {
        if sip_page(address, &company, &succeeded).await.is_err() {
            sleep(REST).await;
        }
    }
}

/// A page counts once the host begins it: the host may end a reader that is slow, and few pages end within an attack.
async fn sip_page(address: SocketAddr, company: &Company, succeeded: &AtomicUsize) -> anyhow::Result<()> {
    let socket = TcpSocket::new_v4()?;
    // The kernel keeps little for this reader: the rest stays with the host.
    socket.set_recv_buffer_size(SIP as u32)?;
    let mut stream = socket.connect(address).await?;
    let path = company.path(LARGE_PAGE);
    let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n", company.token);
    stream.write_all(format!("{head}connection: close\r\n\r\n").as_bytes()).await?;
    let mut part = vec![0; SIP];
    let first = stream.read(&mut part).await?;
    anyhow::ensure!(part[..first].starts_with(b"HTTP/1.1 200 "), "the host rejects the page");
    succeeded.fetch_add(1, Relaxed);
    while stream.read(&mut part).await? > 0 {
        sleep(PAUSE).await;
    }
    Ok(())
}
