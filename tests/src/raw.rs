//! Bytes on a socket, for what no HTTP library would send.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use crate::Stoa;

/// What came back: the first status line's code and everything that was read until the host closed or fell silent.
#[derive(Debug)]
pub struct Reply {
    pub status: Option<u16>,
    pub text: String,
}

impl Reply {
    /// How many answers the connection carried.
    pub fn answers(&self) -> usize {
        self.text.matches("HTTP/1.1 ").count() + self.text.matches("HTTP/1.0 ").count()
    }
}

/// Sends bytes on a new connection and reads until it closes, or until nothing came for `patience`.
pub fn send(host: &Stoa, bytes: &[u8], patience: Duration) -> Reply {
    let mut socket = TcpStream::connect(host.address()).expect("cannot connect");
    socket.set_read_timeout(Some(patience)).expect("a read timeout");
    socket.set_write_timeout(Some(Duration::from_secs(10))).expect("a write timeout");
    // The host may refuse and close before it has read everything.
    let _ = socket.write_all(bytes);
    let mut read = Vec::new();
    let mut buffer = [0; 16 * 1024];
    while let Ok(n) = socket.read(&mut buffer) {
        if n == 0 {
            break;
        }
        read.extend_from_slice(&buffer[..n]);
    }
    let _ = socket.shutdown(Shutdown::Both);
    let text = String::from_utf8_lossy(&read).into_owned();
    let status = text.split_whitespace().nth(1).and_then(|code| code.parse().ok());
    Reply { status, text }
}
