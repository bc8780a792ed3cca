//! Bytes on a socket, for what no HTTP library would send.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use crate::Stoa;

/// Far more than an answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// The reply: the first status line's code and everything that was read.
#[derive(Debug)]
pub struct Reply {
    pub status: Option<u16>,
    pub text: String,
    /// The host closed the connection.
    pub is_closed: bool,
}

/// Sends bytes on a new connection and reads one whole answer, or what comes until the host closes.
pub fn send(host: &Stoa, bytes: &[u8]) -> Reply {
    let mut connection = Connection::open(host);
    connection.write(bytes);
    connection.answer()
}

/// The same, and reads whatever else comes until the host closes.
pub fn send_to_the_end(host: &Stoa, bytes: &[u8]) -> Reply {
    let mut connection = Connection::open(host);
    connection.write(bytes);
    connection.read(PATIENCE)
}

/// Sends bytes and says that no more will come; reads until the host closes.
pub fn send_and_end(host: &Stoa, bytes: &[u8]) -> Reply {
    let mut connection = Connection::open(host);
    connection.write(bytes);
    let _ = connection.0.shutdown(Shutdown::Write);
    connection.read(PATIENCE)
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

    /// Reads until these words came, and leaves the connection open.
    #[track_caller]
    pub fn wait_for(&mut self, words: &str) {
        self.0.set_read_timeout(Some(PATIENCE)).expect("a read timeout");
        let (mut read, mut buffer) = (String::new(), [0; 1024]);
        while !read.contains(words) {
            match self.0.read(&mut buffer) {
                Ok(n) if n > 0 => read.push_str(&String::from_utf8_lossy(&buffer[..n])),
                ended => panic!("{ended:?} instead of {words:?}: {read:?}"),
            }
        }
    }

    /// Reads until the host closes, or until nothing came for `patience`.
    pub fn read(self, patience: Duration) -> Reply {
        self.read_until(patience, |_| false)
    }

    /// Reads one whole answer, or until the host closes.
    pub fn answer(self) -> Reply {
        self.read_until(PATIENCE, is_whole)
    }

    fn read_until(mut self, patience: Duration, is_enough: impl Fn(&[u8]) -> bool) -> Reply {
        self.0.set_read_timeout(Some(patience)).expect("a read timeout");
        let mut read = Vec::new();
        let mut buffer = [0; 16 * 1024];
        let mut is_closed = false;
        while !is_closed && !is_enough(&read) {
            match self.0.read(&mut buffer) {
                Ok(0) => is_closed = true,
                Ok(n) => read.extend_from_slice(&buffer[..n]),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => break,
                // Reset: the host had closed before it read everything.
                Err(_) => is_closed = true,
            }
        }
        let _ = self.0.shutdown(Shutdown::Both);
        let text = String::from_utf8_lossy(&read).into_owned();
        let status = text.split_whitespace().nth(1).and_then(|code| code.parse().ok());
        Reply { status, text, is_closed }
    }
}

/// Returns whether a final response is complete. A response without a length ends with the connection.
fn is_whole(bytes: &[u8]) -> bool {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { return false };
    let (head, body) = (String::from_utf8_lossy(&bytes[..end]).to_lowercase(), &bytes[end + 4..]);
    if head.starts_with("http/1.1 1") {
        return is_whole(body);
    }
    let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    match (header("content-length:"), header("transfer-encoding:")) {
        (Some(length), _) => length.parse().is_ok_and(|length: usize| body.len() >= length),
        (None, Some(_)) => body.ends_with(b"0\r\n\r\n"),
        (None, None) => false,
    }
}
