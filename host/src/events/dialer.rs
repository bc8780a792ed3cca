//! One attempt of a delivery: the name is resolved, every address judged, the connection pinned to a judged one, TLS verified against the
//! name. No proxy, no redirect, no connection that is used again. Its time and all bytes of its connection are bounded.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, Join, Take, join};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use super::address::{self, Reached, Target};
use super::resolver::{Resolved, Resolver};

/// From the first question to the end of the answer.
const WHOLE: Duration = Duration::from_secs(10);
/// From the first question until a connection is there.
const CONNECT: Duration = Duration::from_secs(3);
/// Addresses that are tried.
const ADDRESSES: usize = 2;
/// Bytes of an answer's body that are read, and thrown away; of its head.
const BODY: usize = 64 * 1024;
const HEAD: usize = 32 * 1024;
const HEADERS: usize = 100;
/// Bytes of a connection that are read at most: a handshake of TLS, one informational answer, a head and a body. After
/// them the connection ends as if the receiver had closed it.
const READ: u64 = 192 * 1024;
/// Informational answers (1xx) before the answer itself.
const INFORMATIONAL: u32 = 1;
const PORT: u16 = 443;
/// How long an answer's body is read, once its status is there.
const DRAIN: Duration = Duration::from_secs(1);
/// How long the address of a new endpoint is looked up.
const LOOK: Duration = Duration::from_secs(2);

/// Why an attempt brought no status, as deliveries list it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryFailure {
    /// The name has no address, or no name server responded.
    NameNotResolved,
    /// The URL, or an address that the name resolves to, is not allowed.
    AddressNotAllowed,
    ConnectionFailed,
    TlsFailed,
    /// The answer is not HTTP, or it broke off.
    InvalidAnswer,
    TimedOut,
}

impl DeliveryFailure {
    pub fn as_str(self) -> &'static str {
        match self {
            DeliveryFailure::NameNotResolved => "NAME_NOT_RESOLVED",
            DeliveryFailure::AddressNotAllowed => "ADDRESS_NOT_ALLOWED",
            DeliveryFailure::ConnectionFailed => "CONNECTION_FAILED",
            DeliveryFailure::TlsFailed => "TLS_FAILED",
            DeliveryFailure::InvalidAnswer => "INVALID_ANSWER",
            DeliveryFailure::TimedOut => "TIMED_OUT",
        }
    }
}

/// Answer of the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiverAnswer {
    pub status: u16,
    /// `Retry-After` in seconds, where it has one.
    pub retry_after: Option<Duration>,
}

pub struct Dialer {
    resolver: Resolver,
    tls: TlsConnector,
    /// Receivers on this machine that a development host takes.
    local: Vec<SocketAddr>,
    is_allowed: fn(IpAddr) -> bool,
    port: u16,
}

impl Dialer {
    /// `local`: receivers on this machine that a development host takes besides.
    pub fn new(resolver: Resolver, local: Vec<SocketAddr>) -> anyhow::Result<Dialer> {
        let mut trusted = RootCertStore::empty();
        trusted.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        Ok(Dialer { resolver, tls: connector(trusted)?, local, is_allowed: address::is_public, port: PORT })
    }

    /// Returns whether an endpoint may point there now: by its form, and by what its name resolves to. A name that does not resolve now is
    /// taken: each attempt judges again.
    pub async fn is_allowed(&self, url: &str) -> bool {
        let Some(target) = Target::parse_new(url, &self.local) else { return false };
        if let Reached::Locally(_) = target.reached {
            return true;
        }
        match timeout(LOOK, self.resolver.resolve(&target.host)).await {
            Ok(Ok(Resolved::To(addresses))) => addresses.into_iter().all(self.is_allowed),
            _ => true,
        }
    }

    /// Sends a body to an endpoint, once.
    pub async fn send(&self, url: &str, headers: HeaderMap, body: Bytes) -> Result<ReceiverAnswer, DeliveryFailure> {
        let deadline = Instant::now() + WHOLE;
        timeout_at(deadline, self.attempt(url, headers, body)).await.unwrap_or(Err(DeliveryFailure::TimedOut))
    }

    async fn attempt(&self, url: &str, headers: HeaderMap, body: Bytes) -> Result<ReceiverAnswer, DeliveryFailure> {
        let target = Target::parse(url, &self.local).ok_or(DeliveryFailure::AddressNotAllowed)?;
        match target.reached {
            Reached::Locally(address) => exchange(connect(&[address]).await?, &target, headers, body).await,
            Reached::ByName => {
                let stream = connect(&self.judge(&target.host).await?).await?;
                let name = ServerName::try_from(target.host.clone()).map_err(|_| DeliveryFailure::AddressNotAllowed)?;
                let stream = self.tls.connect(name, stream).await.map_err(|_| DeliveryFailure::TlsFailed)?;
                exchange(stream, &target, headers, body).await
            }
        }
    }

    /// The addresses that may be connected to: all that the name has, or none where one of them is forbidden.
    async fn judge(&self, host: &str) -> Result<Vec<SocketAddr>, DeliveryFailure> {
        let Ok(Resolved::To(addresses)) = self.resolver.resolve(host).await else {
            return Err(DeliveryFailure::NameNotResolved);
        };
        if !addresses.iter().all(|address| (self.is_allowed)(*address)) {
            return Err(DeliveryFailure::AddressNotAllowed);
        }
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, self.port)).collect())
    }
}

fn connector(trusted: RootCertStore) -> anyhow::Result<TlsConnector> {
    let provider = Arc::new(crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let mut config = config.with_root_certificates(trusted).with_no_client_auth();
    config.resumption = tokio_rustls::rustls::client::Resumption::disabled();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

/// A connection that ends after so many bytes of the receiver, whatever they are part of.
type Stream = Join<Take<OwnedReadHalf>, OwnedWriteHalf>;

/// To the first of these addresses that takes it, and to no other.
async fn connect(addresses: &[SocketAddr]) -> Result<Stream, DeliveryFailure> {
    for address in addresses.iter().take(ADDRESSES) {
        if let Ok(Ok(stream)) = timeout(CONNECT, TcpStream::connect(address)).await {
            let _ = stream.set_nodelay(true);
            let (read, write) = stream.into_split();
            return Ok(join(read.take(READ), write));
        }
    }
    Err(DeliveryFailure::ConnectionFailed)
}

/// One request over one connection, which ends with it.
async fn exchange<S>(
    stream: S,
    target: &Target,
    headers: HeaderMap,
    body: Bytes,
) -> Result<ReceiverAnswer, DeliveryFailure>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let host = HeaderValue::from_str(&target.host).map_err(|_| DeliveryFailure::AddressNotAllowed)?;
    let mut request =
        Request::post(target.path.as_str()).body(Full::new(body)).map_err(|_| DeliveryFailure::AddressNotAllowed)?;
    *request.headers_mut() = headers;
    request.headers_mut().insert(header::HOST, host);
    request.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    let (count, informational) = watch::channel(0_u32);
    hyper::ext::on_informational(&mut request, move |_| count.send_modify(|count| *count += 1));
    let mut counted = informational.clone();
    let mut client = hyper::client::conn::http1::Builder::new();
    client.max_buf_size(HEAD).max_headers(HEADERS);
    let handshake = client.handshake::<_, Full<Bytes>>(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|_| DeliveryFailure::InvalidAnswer)?;
    let answered = async {
        let answer = sender.send_request(request).await.map_err(|_| DeliveryFailure::InvalidAnswer)?;
        if *informational.borrow() > INFORMATIONAL {
            return Err(DeliveryFailure::InvalidAnswer);
        }
        let answer_of_receiver = ReceiverAnswer { status: answer.status().as_u16(), retry_after: retry_after(&answer) };
        let _ = timeout(DRAIN, drain(answer.into_body())).await;
        Ok(answer_of_receiver)
    };
    // Once the answer itself is there, no further one is counted.
    let too_many = async {
        if counted.wait_for(|count| *count > INFORMATIONAL).await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    // The connection is driven only as long as it is waited for, and dropped with what it has not sent.
    let mut answered = std::pin::pin!(answered);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        biased;
        () = too_many => Err(DeliveryFailure::InvalidAnswer),
        answer_of_receiver = &mut answered => answer_of_receiver,
        _ = &mut connection => answered.await,
    }
}

/// Reads what is left of an answer, up to a limit. How it ends changes nothing of its status.
async fn drain(mut body: Incoming) {
    let mut read = 0;
    while read < BODY {
        match body.frame().await {
            Some(Ok(frame)) => read += frame.data_ref().map_or(0, Bytes::len),
            _ => return,
        }
    }
}

fn retry_after(answer: &http::Response<Incoming>) -> Option<Duration> {
    let is_asked = matches!(answer.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    let value = answer.headers().get(header::RETRY_AFTER).filter(|_| is_asked)?;
    value.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests;
