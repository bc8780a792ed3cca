//! A proxy before a host that loses answers, or changes requests: what a network does, at the moment that a test chooses.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Passes requests on, one per connection.
pub struct Proxy {
    address: String,
    lost: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
}

impl Proxy {
    /// `target`: `127.0.0.1:PORT`. The answer to the `n`th POST whose path ends as stated never comes back. The lost
    /// request is done by the host all the same; its client waits for ever.
    pub fn losing(target: &str, path: &'static str, nth: usize) -> Proxy {
        let seen = AtomicUsize::new(0);
        let is_lost = move |head: &str| {
            let is_named = head.starts_with("POST ") && head.split(' ').nth(1).is_some_and(|url| url.ends_with(path));
            is_named && seen.fetch_add(1, Ordering::SeqCst) + 1 == nth
        };
        Proxy::start(target, |_| {}, is_lost)
    }

    /// The host receives another text in the place of the first of this in each request.
    pub fn replace_text(target: &str, text: &'static str, other: &'static str) -> Proxy {
        let change = move |request: &mut Vec<u8>| {
            let found = request.windows(text.len()).position(|window| window == text.as_bytes());
            if let Some(begin) = found {
                drop(request.splice(begin..begin + text.len(), other.bytes()));
            }
        };
        Proxy::start(target, change, |_| false)
    }

    /// `is_lost`: by the head of a request.
    fn start(
        target: &str,
        change: impl Fn(&mut Vec<u8>) + Send + Sync + 'static,
        is_lost: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("cannot listen");
        let address = format!("http://{}", listener.local_addr().expect("a listener has an address"));
        let (lost, ended) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (target, rules) = (target.to_string(), Arc::new((change, is_lost)));
        let flags = (lost.clone(), ended.clone());
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (target, rules, (lost, ended)) = (target.clone(), rules.clone(), flags.clone());
                thread::spawn(move || {
                    let Some(mut request) = read(&client) else { return };
                    let (change, is_lost) = &*rules;
                    change(&mut request);
                    let answer = ask(&target, &request);
                    if is_lost(&String::from_utf8_lossy(&request[..request.len().min(400)])) {
                        lost.store(true, Ordering::SeqCst);
                        while !ended.load(Ordering::SeqCst) {
                            thread::sleep(Duration::from_millis(5));
                        }
                        return;
                    }
                    let mut client = client;
                    let _ = client.write_all(&answer);
                    let _ = client.shutdown(Shutdown::Both);
                });
            }
        });
        Proxy { address, lost, ended }
    }

    pub fn url(&self) -> &str {
        &self.address
    }

    /// Waits until the host has done what it will not be thanked for.
    pub fn wait_for_the_loss(&self) {
        for _ in 0..6_000 {
            if self.lost.load(Ordering::SeqCst) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        panic!("the request did not come");
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
    }
}

/// A whole request: head, and as much body as the head announces.
fn read(mut client: &TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut part = [0; 16 << 10];
    loop {
        let head = bytes.windows(4).position(|end| end == b"\r\n\r\n");
        if let Some(head) = head {
            let text = String::from_utf8_lossy(&bytes[..head]).to_lowercase();
            let length =
                text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
            if bytes.len() >= head + 4 + length.unwrap_or(0) {
                return Some(bytes);
            }
        }
        match client.read(&mut part).ok()? {
            0 => return None,
            count => bytes.extend_from_slice(&part[..count]),
        }
    }
}

/// Sends a request on a connection of its own, and reads the answer to its end.
fn ask(target: &str, request: &[u8]) -> Vec<u8> {
    let mut answer = Vec::new();
    let head = request.windows(2).position(|end| end == b"\r\n").unwrap_or(0);
    if let Ok(mut host) = TcpStream::connect(target) {
        let _ = host.write_all(&request[..head]);
        let _ = host.write_all(b"\r\nConnection: close");
        let _ = host.write_all(&request[head..]);
        let _ = host.read_to_end(&mut answer);
    }
    answer
}
