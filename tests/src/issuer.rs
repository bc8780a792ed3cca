//! A tiny OpenID issuer on loopback, which misbehaves on request and counts what it is asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value as Json, json};

/// How the issuer answers when it is asked for its keys.
#[derive(Clone, Debug)]
pub enum Manner {
    Keys(Json),
    /// 200 with any bytes.
    Body(Vec<u8>),
    /// Promises more bytes than it sends, and hangs up.
    Truncated(Vec<u8>),
    Status(u16),
    RedirectTo(String),
    /// A body without a length that goes on and on.
    Endless,
    /// Hangs up without an answer.
    HangUp,
    /// Reads and never answers.
    Silent,
}

/// An issuer; it ends with its owner.
pub struct Issuer {
    /// `http://127.0.0.1:PORT`: the tokens' `iss`.
    pub url: String,
    shared: Arc<Shared>,
    address: SocketAddr,
}

struct Shared {
    url: String,
    manner: Mutex<Manner>,
    discovery: Mutex<Option<Manner>>,
    /// The answer about a person who asks by a token; `None`: it has no such address.
    userinfo: Mutex<Option<Manner>>,
    userinfo_asked: AtomicUsize,
    /// The response of the token endpoint; `None`: it has no such address.
    tokens: Mutex<Option<(u16, Json)>>,
    /// The forms that it received there.
    forms: Mutex<Vec<String>>,
    discoveries: AtomicUsize,
    key_fetches: AtomicUsize,
    /// Closes every connection: as good as not listening, without losing the port to another program.
    down: AtomicBool,
    ended: AtomicBool,
}

impl Issuer {
    pub fn start(manner: Manner) -> Issuer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port for an issuer");
        let address = listener.local_addr().expect("an address");
        let url = format!("http://{address}");
        let shared = Arc::new(Shared {
            url: url.clone(),
            manner: Mutex::new(manner),
            discovery: Mutex::new(None),
            userinfo: Mutex::new(None),
            userinfo_asked: AtomicUsize::new(0),
            tokens: Mutex::new(None),
            forms: Mutex::default(),
            discoveries: AtomicUsize::new(0),
            key_fetches: AtomicUsize::new(0),
            down: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        });
        let serving = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if serving.ended.load(Ordering::SeqCst) {
                    break;
                }
                let shared = serving.clone();
                // A client that hangs up is the test's concern.
                thread::spawn(move || drop(answer(stream, &shared)));
            }
        });
        Issuer { url, shared, address }
    }

    /// How it answers for its keys from now on.
    pub fn behave(&self, manner: Manner) {
        *self.shared.manner.lock().unwrap_or_else(PoisonError::into_inner) = manner;
    }

    /// How it answers for its discovery document from now on; `None`: as it should.
    pub fn discover(&self, manner: Option<Manner>) {
        *self.shared.discovery.lock().unwrap_or_else(PoisonError::into_inner) = manner;
    }

    /// How it answers for people from now on. Its discovery document names the address once it has one.
    pub fn tell_of_people(&self, manner: Manner) {
        *self.shared.userinfo.lock().unwrap_or_else(PoisonError::into_inner) = Some(manner);
    }

    /// How it responds to a sign-in from now on. Its discovery document names the addresses once it has them.
    pub fn issue(&self, status: u16, tokens: Json) {
        *self.shared.tokens.lock().unwrap_or_else(PoisonError::into_inner) = Some((status, tokens));
    }

    /// The forms that its token endpoint received.
    pub fn forms(&self) -> Vec<String> {
        self.shared.forms.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How often it was asked for people, by some token.
    pub fn asked_for_people(&self) -> usize {
        self.shared.userinfo_asked.load(Ordering::SeqCst)
    }

    /// An outage: no caller gets a response.
    pub fn down(&self, down: bool) {
        self.shared.down.store(down, Ordering::SeqCst);
    }

    /// How often its keys were asked for.
    pub fn key_fetches(&self) -> usize {
        self.shared.key_fetches.load(Ordering::SeqCst)
    }

    /// How often anything was asked for, answered or not.
    pub fn discoveries(&self) -> usize {
        self.shared.discoveries.load(Ordering::SeqCst)
    }
}

impl Drop for Issuer {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for the next connection.
        let _ = TcpStream::connect(self.address);
    }
}

/// One request, one answer, and the connection ends.
fn answer(mut stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut head = Vec::new();
    let mut lines = BufReader::new(stream.try_clone()?);
    while !head.ends_with(b"\r\n\r\n") {
        if lines.read_until(b'\n', &mut head)? == 0 {
            return Ok(());
        }
    }
    let tokens = shared.tokens.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if head.starts_with(b"POST /token ") {
        if shared.down.load(Ordering::SeqCst) {
            return Ok(());
        }
        let (status, tokens) = tokens.unwrap_or((404, Json::Null));
        let mut form = vec![0; length_of(&head)];
        lines.read_exact(&mut form)?;
        let form = String::from_utf8_lossy(&form).into_owned();
        shared.forms.lock().unwrap_or_else(PoisonError::into_inner).push(form);
        let body = tokens.to_string();
        return stream.write_all(&with_head(&format!("{status} Status"), "", body.len(), body.as_bytes()));
    }
    let for_keys = head.starts_with(b"GET /keys ");
    let for_people = head.starts_with(b"GET /userinfo ");
    let asked = match (for_keys, for_people) {
        (true, _) => &shared.key_fetches,
        (_, true) => &shared.userinfo_asked,
        _ => &shared.discoveries,
    };
    asked.fetch_add(1, Ordering::SeqCst);
    if shared.down.load(Ordering::SeqCst) {
        return Ok(());
    }
    let userinfo = shared.userinfo.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut document = json!({ "issuer": shared.url, "jwks_uri": format!("{}/keys", shared.url) });
    if userinfo.is_some() {
        document["userinfo_endpoint"] = format!("{}/userinfo", shared.url).into();
    }
    if tokens.is_some() {
        for name in ["authorization", "token"] {
            document[format!("{name}_endpoint")] = format!("{}/{name}", shared.url).into();
        }
    }
    let manner = if for_keys {
        shared.manner.lock().unwrap_or_else(PoisonError::into_inner).clone()
    } else if for_people {
        let by_token = String::from_utf8_lossy(&head).to_ascii_lowercase().contains("\r\nauthorization: bearer ey");
        userinfo.filter(|_| by_token).unwrap_or(Manner::Status(401))
    } else {
        let reported = shared.discovery.lock().unwrap_or_else(PoisonError::into_inner).clone();
        reported.unwrap_or(Manner::Keys(document))
    };
    let whole = |status: &str, headers: &str, body: &[u8]| with_head(status, headers, body.len(), body);
    match manner {
        Manner::Keys(keys) => stream.write_all(&whole("200 OK", "", keys.to_string().as_bytes())),
        Manner::Body(body) => stream.write_all(&whole("200 OK", "", &body)),
        Manner::Truncated(body) => stream.write_all(&with_head("200 OK", "", body.len() + 100, &body)),
        Manner::Status(status) => stream.write_all(&whole(&format!("{status} Status"), "", b"{}")),
        Manner::RedirectTo(url) => stream.write_all(&whole("302 Found", &format!("location: {url}\r\n"), b"")),
        Manner::Endless => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"keys\":[")?;
            loop {
                stream.write_all(&[b' '; 16 * 1024])?;
            }
        }
        Manner::HangUp => Ok(()),
        Manner::Silent => {
            thread::sleep(Duration::from_secs(30));
            Ok(())
        }
    }
}

fn length_of(head: &[u8]) -> usize {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let stated = head.split("\r\ncontent-length: ").nth(1).and_then(|rest| rest.lines().next());
    stated.and_then(|length| length.trim().parse().ok()).unwrap_or(0)
}

fn with_head(status: &str, headers: &str, length: usize, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}
