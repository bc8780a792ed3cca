//! A network link to PostgreSQL that a test breaks: it is encrypted by a CA of its own, blocked when the test chooses,
//! or cut between a COMMIT and its reply.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::Url;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::folder::Folder;
use crate::host::RUNTIME;

/// Clones are the same link.
#[derive(Clone)]
pub struct FaultyLink {
    acceptor: Option<TlsAcceptor>,
    blocked: Arc<watch::Sender<bool>>,
    /// Replies to a COMMIT that are still to be cut off.
    commit_cuts: Arc<AtomicUsize>,
}

/// The reply of PostgreSQL to a transaction that is committed.
const COMMITTED: &[u8] = b"COMMIT\0";

impl Default for FaultyLink {
    fn default() -> FaultyLink {
        FaultyLink { acceptor: None, blocked: Arc::new(watch::Sender::new(false)), commit_cuts: Arc::default() }
    }
}

impl FaultyLink {
    /// Speaks TLS as `localhost`. Returns the certificate of the CA that signed it, in a folder of its own.
    pub fn with_tls() -> (FaultyLink, Folder, PathBuf) {
        let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        let private = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.signing_key.serialize_der()));
        let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("protocol versions")
            .with_no_client_auth()
            .with_single_cert(vec![key.cert.der().clone()], private)
            .expect("a server's certificate");
        let folder = Folder::new("ca");
        let file = folder.path().join("ca.pem");
        std::fs::write(&file, key.cert.pem()).expect("cannot write a certificate");
        (FaultyLink { acceptor: Some(TlsAcceptor::from(Arc::new(config))), ..FaultyLink::default() }, folder, file)
    }

    /// Connections stay open and carry nothing more, new ones too.
    pub fn block(&self) {
        self.blocked.send_replace(true);
    }

    /// Carries new connections again. Earlier ones are closed.
    pub fn unblock(&self) {
        self.blocked.send_replace(false);
    }

    /// Drops the next `times` replies to a COMMIT and closes their connections.
    pub fn cut_commits(&self, times: usize) {
        self.commit_cuts.store(times, Ordering::SeqCst);
    }

    /// How many replies are still to be dropped.
    pub fn cuts_left(&self) -> usize {
        self.commit_cuts.load(Ordering::SeqCst)
    }

    /// The address of a database as it is reached through this link.
    pub fn route_to(&self, url: &str) -> String {
        let mut url = Url::parse(url).expect("the database's address is no URL");
        let host = url.host_str().expect("a server that is reached by TCP");
        let target = format!("{host}:{}", url.port().unwrap_or(5432));
        let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).expect("cannot listen");
        let port = listener.local_addr().expect("a listener has an address").port();
        let link = self.clone();
        RUNTIME.spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (link, target) = (link.clone(), target.clone());
                tokio::spawn(async move {
                    let _ = link.pass(client, &target).await;
                });
            }
        });
        url.set_host(Some("localhost")).expect("a host");
        url.set_port(Some(port)).expect("a port");
        if self.acceptor.is_some() {
            url.set_query(Some("sslmode=verify-full"));
        }
        url.to_string()
    }

    async fn pass(&self, mut client: TcpStream, target: &str) -> std::io::Result<()> {
        let mut blocked = self.blocked.subscribe();
        if *blocked.borrow() {
            // Accepted, and never answered.
            let _ = blocked.wait_for(|blocked| !blocked).await;
            return Ok(());
        }
        let server = TcpStream::connect(target).await?;
        match &self.acceptor {
            None => join(client, server, blocked, &self.commit_cuts).await,
            Some(acceptor) => {
                // A client asks for TLS by a message of eight bytes.
                client.read_exact(&mut [0; 8]).await?;
                client.write_all(b"S").await?;
                join(acceptor.accept(client).await?, server, blocked, &self.commit_cuts).await
            }
        }
        Ok(())
    }
}

/// Passes everything on until one side ends or the link has been blocked and is opened again.
async fn join(
    client: impl AsyncRead + AsyncWrite,
    server: TcpStream,
    mut blocked: watch::Receiver<bool>,
    commit_cuts: &AtomicUsize,
) {
    let (from_client, to_client) = split(client);
    let (from_server, to_server) = split(server);
    let (mut from_client, mut to_client) = (Box::pin(from_client), Box::pin(to_client));
    let (mut from_server, mut to_server) = (Box::pin(from_server), Box::pin(to_server));
    let mut opened = blocked.clone();
    tokio::select! {
        _ = tokio::io::copy(&mut from_client, &mut to_server) => {}
        _ = pass_replies(&mut from_server, &mut to_client, commit_cuts) => {}
        _ = blocked.wait_for(|blocked| *blocked) => {}
    }
    let _ = opened.wait_for(|blocked| !blocked).await;
}

/// Passes replies on until one is to be dropped: then the connection ends.
async fn pass_replies(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    commit_cuts: &AtomicUsize,
) -> std::io::Result<()> {
    let mut replies = vec![0; 16 << 10];
    loop {
        let length = from.read(&mut replies).await?;
        let read = &replies[..length];
        let is_commit = read.windows(COMMITTED.len()).any(|part| part == COMMITTED);
        let slam = || commit_cuts.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
        if length == 0 || is_commit && slam() {
            return Ok(());
        }
        to.write_all(read).await?;
        to.flush().await?;
    }
}
