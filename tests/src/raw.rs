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
    let mut connection = Connection::open(host);
    connection.write(bytes);
    connection.read(patience)
}

/// A connection whose bytes a test sends when it wants to.
pub struct Connection(TcpStream);

impl Connection {
    pub fn open(host: &Stoa) -> Connection {
        let socket = TcpStream::connect(host.address()).expect("cannot connect");
        socket.set_write_timeout(Some(Duration::from_secs(10))).expect("a write timeout");
        socket.set_nodelay(true).expect("no delay");
        Connection(socket)
    }

    pub fn write(&mut self, bytes: &[u8]) {
        // The host may refuse and close before it has read everything.
        let _ = self.0.write_all(bytes);
    }

    /// Reads until the host closes, or until nothing came for `patience`.
    pub fn read(mut self, patience: Duration) -> Reply {
        self.0.set_read_timeout(Some(patience)).expect("a read timeout");
        let mut read = Vec::new();
        let mut buffer = [0; 16 * 1024];
        while let Ok(n) = self.0.read(&mut buffer) {
            if n == 0 {
                break;
            }
            read.extend_from_slice(&buffer[..n]);
        }
        let _ = self.0.shutdown(Shutdown::Both);
        let text = String::from_utf8_lossy(&read).into_owned();
        let status = text.split_whitespace().nth(1).and_then(|code| code.parse().ok());
        Reply { status, text }
    }
}
