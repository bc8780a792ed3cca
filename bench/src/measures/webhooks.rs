//! `webhook_deliveries_per_s`: events of new variants to four endpoints on this machine, from the first write to the last delivery, signed
//! and each written down.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::bench::Bench;
use crate::child::Server;
use crate::company::{Client, Company};

/// Receivers on ports that a host is told of when it starts.
pub struct Receivers {
    listeners: Vec<TcpListener>,
    received: Arc<AtomicUsize>,
}

const RECEIVERS: usize = 4;
/// Products of one measure, each with so many variants: events.
const PRODUCTS: usize = 10;
const VARIANTS: usize = 100;
/// Longest wait for the last delivery.
const PATIENCE: Duration = Duration::from_secs(120);

impl Receivers {
    pub fn bind() -> anyhow::Result<Receivers> {
        let listeners = (0..RECEIVERS).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<Result<_, _>>()?;
        Ok(Receivers { listeners, received: Arc::default() })
    }

    pub fn addresses(&self) -> anyhow::Result<Vec<SocketAddr>> {
        Ok(self.listeners.iter().map(TcpListener::local_addr).collect::<Result<_, _>>()?)
    }

    /// Takes whatever comes from here on.
    fn open(&self) -> anyhow::Result<()> {
        for listener in &self.listeners {
            let (listener, received) = (listener.try_clone()?, self.received.clone());
            std::thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    if take(stream).is_ok() {
                        received.fetch_add(1, Relaxed);
                    }
                }
            });
        }
        Ok(())
    }
}

/// One request, whose body ends with a brace, and its answer.
fn take(mut stream: TcpStream) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let (mut request, mut part) = (Vec::new(), [0; 8192]);
    while !request.ends_with(b"}") {
        match stream.read(&mut part)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            length => request.extend_from_slice(&part[..length]),
        }
    }
    stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n")
}

/// `suffix`: of the figures' names; empty, or `_sqlite`.
pub async fn measure(bench: &mut Bench, company: &Company, service: &Server, suffix: &str) -> anyhow::Result<()> {
    bench.receivers.open()?;
    let mut client = Client::new(service.address, &company.token).await?;
    for address in bench.receivers.addresses()? {
        let kinds = ["catalog.variant.created"];
        let url = format!("http://{address}/");
        let body = json!({ "name": "Bench", "url": url, "subscriptions": kinds });
        client.post(&company.path("webhooks"), &body).await?;
    }
    let (before, began) = (bench.receivers.received.load(Relaxed), Instant::now());
    for _ in 0..PRODUCTS {
        let variants: Vec<Json> =
            (0..VARIANTS).map(|_| json!({ "sku": Uuid::new_v4().simple().to_string() })).collect();
        let body = json!({ "name": "Bench", "productType": "GOOD", "unitOfMeasure": "UNIT", "variants": variants });
        client.post(&company.path("catalog/products"), &body).await?;
    }
    let wanted = PRODUCTS * VARIANTS * RECEIVERS;
    while bench.receivers.received.load(Relaxed) - before < wanted {
        anyhow::ensure!(began.elapsed() < PATIENCE, "deliveries are missing");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let rate = wanted as f64 / began.elapsed().as_secs_f64();
    let what = "events of 1,000 variants to 4 endpoints on this machine, from the first write to the last delivery";
    bench.report.add(format!("webhook_deliveries_per_s{suffix}"), rate, what);
    Ok(())
}
