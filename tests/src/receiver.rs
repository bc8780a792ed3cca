//! A receiver of webhooks on this machine, of any temper: it keeps what came and answers as the test says.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    /// By name in lower case.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    pub time: Instant,
}

impl Received {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub fn json(&self) -> Json {
        serde_json::from_slice(&self.body).expect("a body of JSON")
    }

    pub fn event(&self) -> String {
        self.header("x-event-id").to_string()
    }

    /// Returns whether the signature in this header is one by the secret.
    pub fn is_signed(&self, header: &str, secret: &str) -> bool {
        let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, secret.as_bytes());
        let signed = [self.header("x-webhook-timestamp").as_bytes(), b".", &self.body].concat();
        let tag = aws_lc_rs::hmac::sign(&key, &signed);
        let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        self.header(header) == format!("v1={hex}")
    }
}

/// A receiver's answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Temper {
    Status(u16),
    /// 429, to be tried again after a second.
    Patience,
    /// A redirect to this address.
    Redirect(SocketAddr),
    /// The connection is cut.
    Reset,
    /// Bytes that are not HTTP, as of a server that speaks TLS.
    Garbage,
    /// Nothing, for a minute.
    Stall,
    /// The head of an answer, a byte in a while.
    Drip,
    /// 500 and a body of a gibibyte.
    Gibibyte,
    /// Headers without an end.
    Flood,
    /// Informational answers without an end, and never the answer itself.
    Informational,
}

/// A host's targets are set before it starts, and many tests share one: their receivers have been found a port
/// before.
struct Pool {
    addresses: Vec<SocketAddr>,
    free: Mutex<Vec<TcpListener>>,
}

/// More than the tests of a run start.
const POOL: usize = 96;

static PORTS: LazyLock<Pool> = LazyLock::new(|| {
    let free: Vec<TcpListener> = (0..POOL).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    let addresses = free.iter().map(|listener| listener.local_addr().expect("an address")).collect();
    Pool { addresses, free: Mutex::new(free) }
});

/// Every address that a receiver may come to have.
pub fn list_addresses() -> &'static [SocketAddr] {
    &PORTS.addresses
}

type Answer = dyn Fn(&Received, usize) -> Temper + Send + Sync;

pub struct Receiver {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Receiver {
    /// `temper`: of a request and how many came before it.
    pub fn start(temper: impl Fn(&Received, usize) -> Temper + Send + Sync + 'static) -> Receiver {
        let free = PORTS.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Receiver::on(free.expect("more receivers than POOL says"), temper)
    }

    /// On a port that was found before.
    pub fn on(listener: TcpListener, temper: impl Fn(&Received, usize) -> Temper + Send + Sync + 'static) -> Receiver {
        let address = listener.local_addr().expect("an address");
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let (kept, temper): (_, Arc<Answer>) = (received.clone(), Arc::new(temper));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, temper) = (kept.clone(), temper.clone());
                thread::spawn(move || serve(stream, &kept, &*temper));
            }
        });
        Receiver { address, received }
    }

    /// Takes everything.
    pub fn friendly() -> Receiver {
        Receiver::start(|_, _| Temper::Status(200))
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub fn list_received(&self) -> Vec<Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn serve(mut stream: TcpStream, kept: &Mutex<Vec<Received>>, temper: &Answer) {
    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
    let Some(request) = read(&mut stream) else { return };
    let nth = {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(request.clone());
        kept.len() - 1
    };
    let mut write = |text: &str| stream.write_all(text.as_bytes()).is_ok();
    match temper(&request, nth) {
        Temper::Status(status) => drop(write(&format!("HTTP/1.1 {status} X\r\nContent-Length: 0\r\n\r\n"))),
        Temper::Patience => drop(write("HTTP/1.1 429 X\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")),
        Temper::Redirect(to) => {
            write(&format!("HTTP/1.1 301 X\r\nLocation: http://{to}/hook\r\nContent-Length: 0\r\n\r\n"));
        }
        Temper::Reset => drop(stream.shutdown(Shutdown::Both)),
        Temper::Garbage => drop(stream.write_all(&[0x15, 3, 3, 0, 2, 2, 40])),
        Temper::Stall => thread::sleep(Duration::from_secs(60)),
        Temper::Drip => {
            for byte in "HTTP/1.1 200 OK\r\n".repeat(20).chars() {
                if !write(&byte.to_string()) {
                    return;
                }
                thread::sleep(Duration::from_millis(400));
            }
        }
        Temper::Gibibyte => {
            let mut goes_on = write(&format!("HTTP/1.1 500 X\r\nContent-Length: {}\r\n\r\n", 1_u64 << 30));
            let part = "x".repeat(1 << 16);
            for _ in 0..(1 << 14) {
                goes_on = goes_on && write(&part);
            }
        }
        Temper::Flood => {
            let mut goes_on = write("HTTP/1.1 200 OK\r\n");
            while goes_on {
                goes_on = write("x-header: and so on\r\n");
            }
        }
        Temper::Informational => while write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n") {},
    }
}

fn read(stream: &mut TcpStream) -> Option<Received> {
    let mut bytes = Vec::new();
    let mut part = [0; 8192];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return None,
            Ok(length) => bytes.extend_from_slice(&part[..length]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_string();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_lowercase(), value.trim().to_string()))
        .collect();
    let length: usize = headers.get("content-length")?.parse().ok()?;
    let mut body = bytes[end + 4..].to_vec();
    while body.len() < length {
        match stream.read(&mut part) {
            Ok(0) | Err(_) => return None,
            Ok(read) => body.extend_from_slice(&part[..read]),
        }
    }
    Some(Received { path, headers, body, time: Instant::now() })
}
