//! A tiny OpenID issuer on loopback, which misbehaves on request and counts what it is asked.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// How the issuer answers for its key set.
#[derive(Clone)]
pub enum Manner {
    Keys(Value),
    Body(Vec<u8>),
    Status(u16),
    RedirectTo(String),
    /// A body without a length that goes on and on.
    Endless,
    /// Accepts, reads, never answers.
    Silent,
    /// Hangs up without an answer.
    HangUp,
}

pub struct IssuerServer {
    pub issuer: String,
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

struct Shared {
    issuer: String,
    manner: Mutex<Manner>,
    configuration: Mutex<Value>,
    delay: Mutex<Duration>,
    discoveries: AtomicUsize,
    key_fetches: AtomicUsize,
}

impl IssuerServer {
    pub async fn start(manner: Manner) -> IssuerServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared {
            configuration: Mutex::new(json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/keys") })),
            issuer: issuer.clone(),
            manner: Mutex::new(manner),
            delay: Mutex::default(),
            discoveries: AtomicUsize::new(0),
            key_fetches: AtomicUsize::new(0),
        });
        let serving = tokio::spawn(serve(listener, Arc::clone(&shared)));
        IssuerServer { issuer, shared, serving }
    }

    pub fn behave(&self, manner: Manner) {
        *self.shared.manner.lock().expect("a lock") = manner;
    }

    pub fn configure(&self, member: &str, value: impl Into<Value>) {
        self.shared.configuration.lock().expect("a lock")[member] = value.into();
    }

    pub fn delay(&self, delay: Duration) {
        *self.shared.delay.lock().expect("a lock") = delay;
    }

    pub fn key_fetches(&self) -> usize {
        self.shared.key_fetches.load(Ordering::SeqCst)
    }

    pub fn discoveries(&self) -> usize {
        self.shared.discoveries.load(Ordering::SeqCst)
    }
}

impl Drop for IssuerServer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream, Arc::clone(&shared)));
    }
}

/// One request, one answer, and the connection ends. The test judges the client's reaction.
async fn answer(mut stream: TcpStream, shared: Arc<Shared>) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    }
    let delay = *shared.delay.lock().expect("a lock");
    tokio::time::sleep(delay).await;
    if !request.starts_with(b"GET /keys ") {
        shared.discoveries.fetch_add(1, Ordering::SeqCst);
        assert!(request.starts_with(b"GET /.well-known/openid-configuration "), "of {}", shared.issuer);
        let configuration = shared.configuration.lock().expect("a lock").to_string();
        return stream.write_all(&with_head("200 OK", "", configuration.as_bytes())).await;
    }
    shared.key_fetches.fetch_add(1, Ordering::SeqCst);
    let manner = shared.manner.lock().expect("a lock").clone();
    match manner {
        Manner::Keys(keys) => stream.write_all(&with_head("200 OK", "", keys.to_string().as_bytes())).await,
        Manner::Body(body) => stream.write_all(&with_head("200 OK", "", &body)).await,
        Manner::Status(status) => stream.write_all(&with_head(&format!("{status} Status"), "", b"{}")).await,
        Manner::RedirectTo(address) => {
            stream.write_all(&with_head("302 Found", &format!("location: {address}\r\n"), b"")).await
        }
        Manner::Endless => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"keys\":[").await?;
            loop {
                stream.write_all(&[b' '; 16 * 1024]).await?;
            }
        }
        Manner::Silent => {
            tokio::time::sleep(Duration::from_secs(3600)).await;
            Ok(())
        }
        Manner::HangUp => Ok(()),
    }
}

fn with_head(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}
