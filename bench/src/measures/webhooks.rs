//! `webhook_deliveries_per_s`: events of new variants to four endpoints on this machine, from the first write to the
//! last delivery, signed and each written down. `webhook_lag_p99_ms`: how long after its request's instant an event is
//! received, under a steady load of writes.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::bench::Bench;
use crate::child::Server;
use crate::company::{Client, Company};

/// Receivers on ports that a host gets when it starts.
pub struct Receivers {
    listeners: Vec<TcpListener>,
    /// The lag of each delivery, in milliseconds.
    lags: Arc<Mutex<Vec<f64>>>,
}

const RECEIVERS: usize = 4;
/// Products of one measure, each with so many variants: events.
const PRODUCTS: usize = 10;
const VARIANTS: usize = 100;
/// Products a second while lags are taken, of one variant each.
const WRITES: u32 = 25;
const STEADY: Duration = Duration::from_secs(6);
/// Longest wait for the last delivery.
const PATIENCE: Duration = Duration::from_secs(120);

impl Receivers {
    pub fn bind() -> anyhow::Result<Receivers> {
        let listeners = (0..RECEIVERS).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>()?;
        Ok(Receivers { listeners, lags: Arc::default() })
    }

    pub fn addresses(&self) -> anyhow::Result<Vec<SocketAddr>> {
        Ok(self.listeners.iter().map(TcpListener::local_addr).collect::<Result<_, _>>()?)
    }

    /// Takes whatever comes from here on.
    pub fn open(&self) -> anyhow::Result<()> {
        for listener in &self.listeners {
            let (listener, lags) = (listener.try_clone()?, self.lags.clone());
            std::thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    if let Ok(lag) = take(stream) {
                        lags.lock().unwrap_or_else(PoisonError::into_inner).push(lag);
                    }
                }
            });
        }
        Ok(())
    }

    /// Deliveries so far.
    pub fn count(&self) -> usize {
        self.lags.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn lags(&self) -> Vec<f64> {
        self.lags.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Until so many deliveries have come since `begun`.
    async fn wait_for(&self, wanted: usize, begun: Instant) -> anyhow::Result<()> {
        while self.lags().len() < wanted {
            anyhow::ensure!(begun.elapsed() < PATIENCE, "deliveries are missing");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }
}

/// One request, whose body ends with a brace, and its answer: how long after its event's instant, which is part of the id.
fn take(mut stream: TcpStream) -> anyhow::Result<f64> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let (mut request, mut part) = (Vec::new(), [0; 8192]);
    while !request.ends_with(b"}") {
        match stream.read(&mut part)? {
            0 => anyhow::bail!("half a request"),
            length => request.extend_from_slice(&part[..length]),
        }
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64() * 1e3;
    stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n")?;
    let text = String::from_utf8_lossy(&request);
    let id = text.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("x-event-id: ").map(str::to_owned));
    let id: Uuid = id.context("no event id")?.trim().parse()?;
    Ok(now - (id.as_u128() >> 80) as f64)
}

/// `suffix`: the end of the figures' names; empty, or `_sqlite`.
pub async fn measure(bench: &mut Bench, company: &Company, service: &Server, suffix: &str) -> anyhow::Result<()> {
    bench.receivers.open()?;
    let mut client = Client::new(service.address, &company.token).await?;
    for address in bench.receivers.addresses()? {
        let kinds = ["catalog.variant.created"];
        let url = format!("http://{address}/");
        let body = json!({ "name": "Bench", "url": url, "subscriptions": kinds });
        client.post(&company.path("webhooks"), &body).await?;
    }
    let (before, began) = (bench.receivers.lags().len(), Instant::now());
    for _ in 0..PRODUCTS {
        let variants: Vec<Json> = (0..VARIANTS).map(|_| json!({ "sku": sku() })).collect();
        client.post(&company.path("catalog/products"), &product(&variants)).await?;
    }
    let deliveries = PRODUCTS * VARIANTS * RECEIVERS;
    bench.receivers.wait_for(before + deliveries, began).await?;
    let rate = deliveries as f64 / began.elapsed().as_secs_f64();
    let what = "events of 1,000 variants to 4 endpoints on this machine, from the first write to the last delivery";
    bench.report.add(format!("webhook_deliveries_per_s{suffix}"), rate, what);

    let (began, mut written) = (Instant::now(), 0);
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / WRITES);
    while began.elapsed() < STEADY {
        ticks.tick().await;
        client.post(&company.path("catalog/products"), &product(&[json!({ "sku": sku() })])).await?;
        written += 1;
    }
    bench.receivers.wait_for(before + deliveries + written * RECEIVERS, began).await?;
    let mut lags = bench.receivers.lags().split_off(before + deliveries);
    lags.sort_by(f64::total_cmp);
    let report = &mut bench.report;
    for (part, name) in [(50, "p50"), (99, "p99")] {
        let lag = lags.get(lags.len() * part / 100).copied().unwrap_or_default();
        report.add(
            format!("webhook_lag_{name}_ms{suffix}"),
            lag,
            "from a request's instant to its event's reception, at 25 writes and 100 deliveries a second",
        );
    }
    Ok(())
}

fn sku() -> String {
    format!("BENCH-{}", Uuid::new_v4().simple()).to_uppercase()
}

fn product(variants: &[Json]) -> Json {
    json!({ "name": "Bench", "productType": "GOOD", "unitOfMeasure": "UNIT", "variants": variants })
}
