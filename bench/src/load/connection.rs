//! One keep-alive HTTP/1.1 connection: bytes out, status and body in. It reads only the HTTP that our own servers send.

use std::net::SocketAddr;

use anyhow::Context as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

pub struct Connection {
    stream: TcpStream,
    answer: Vec<u8>,
    body_at: usize,
}

impl Connection {
    pub async fn open(address: SocketAddr) -> anyhow::Result<Connection> {
        let stream = TcpStream::connect(address).await.with_context(|| format!("cannot connect to {address}"))?;
        stream.set_nodelay(true)?;
        Ok(Connection { stream, answer: Vec::with_capacity(16 << 10), body_at: 0 })
    }

    /// Sends a request and reads its whole answer: the status.
    pub async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<u16> {
        self.stream.write_all(request).await?;
        self.answer.clear();
        loop {
            anyhow::ensure!(self.stream.read_buf(&mut self.answer).await? > 0, "the server closed the connection");
            let Some(end) = head_end(&self.answer) else { continue };
            let head = std::str::from_utf8(&self.answer[..end])?;
            let status = head.get(9..12).and_then(|status| status.parse().ok()).context("no status line")?;
            self.body_at = end;
            let whole = end + content_length(head).unwrap_or(0);
            while self.answer.len() < whole {
                anyhow::ensure!(self.stream.read_buf(&mut self.answer).await? > 0, "an answer was cut short");
            }
            return Ok(status);
        }
    }

    /// The body of the last answer.
    pub fn body(&self) -> String {
        String::from_utf8_lossy(self.answer.get(self.body_at..).unwrap_or_default()).into_owned()
    }

    /// The last answer's body as JSON.
    pub fn json(&self) -> anyhow::Result<serde_json::Value> {
        Ok(serde_json::from_slice(self.answer.get(self.body_at..).unwrap_or_default())?)
    }
}

fn head_end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|window| window == b"\r\n\r\n").map(|offset| offset + 4)
}

fn content_length(head: &str) -> Option<usize> {
    head.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    })
}
