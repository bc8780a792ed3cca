//! The dialer against receivers of every temper, over TLS and in plain text, and against name servers that change their mind.

use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UdpSocket};

use super::*;

/// A name server that answers each question for IPv4 with the next of these, the last for ever, and has nothing of IPv6.
async fn name_server(answers: Vec<Vec<Ipv4Addr>>) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
    let address = socket.local_addr().expect("an address");
    tokio::spawn(async move {
        let mut nth = 0;
        let mut question = [0; 512];
        loop {
            let Ok((length, from)) = socket.recv_from(&mut question).await else { return };
            // Only the question, without the other parts of the message.
            let name = question[12..length].iter().position(|byte| *byte == 0).expect("a name's end");
            let end = 12 + name + 5;
            let mut answer = question[..end].to_vec();
            let is_v4 = answer[end - 3] == 1;
            answer[2] |= 0x80;
            answer[6..12].fill(0);
            if is_v4 {
                let addresses = answers[nth.min(answers.len() - 1)].clone();
                nth += 1;
                answer[7] = u8::try_from(addresses.len()).expect("few");
                for address in addresses {
                    answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4]);
                    answer.extend(address.octets());
                }
            }
            let _ = socket.send_to(&answer, from).await;
        }
    });
    address
}

/// A receiver that hands every connection to `serve`; how many there were.
async fn receiver<F>(serve: impl Fn(TcpStream) -> F + Send + 'static) -> (SocketAddr, Arc<AtomicUsize>)
where
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let connections = Arc::new(AtomicUsize::new(0));
    let count = connections.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            tokio::spawn(serve(stream));
        }
    });
    (address, connections)
}

/// Reads a request with its body, which ends with `}`.
async fn read_request<S: AsyncRead + Unpin>(stream: &mut S) -> String {
    let mut request = Vec::new();
    let mut part = [0; 4096];
    while !request.ends_with(b"}") {
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => break,
            Ok(length) => request.extend_from_slice(&part[..length]),
        }
    }
    String::from_utf8_lossy(&request).into_owned()
}

/// A receiver that answers with these bytes.
async fn answer_with(bytes: impl Into<Vec<u8>>) -> SocketAddr {
    let bytes: Arc<Vec<u8>> = Arc::new(bytes.into());
    let serve = move |mut stream: TcpStream| {
        let bytes = bytes.clone();
        async move {
            read_request(&mut stream).await;
            let _ = stream.write_all(&bytes).await;
        }
    };
    receiver(serve).await.0
}

fn local_dialer(address: SocketAddr) -> Dialer {
    Dialer::new(Resolver::new(address).expect("a resolver"), vec![address]).expect("a dialer")
}

async fn send_to(address: SocketAddr) -> Result<ReceiverAnswer, DeliveryFailure> {
    send_with(&local_dialer(address), &format!("http://{address}/hook")).await
}

async fn send_with(dialer: &Dialer, url: &str) -> Result<ReceiverAnswer, DeliveryFailure> {
    let mut headers = HeaderMap::new();
    headers.insert("x-event-id", HeaderValue::from_static("1"));
    dialer.send(url, headers, Bytes::from_static(b"{\"a\":1}")).await
}

fn status(status: u16) -> Result<ReceiverAnswer, DeliveryFailure> {
    Ok(ReceiverAnswer { status, retry_after: None })
}

#[tokio::test]
async fn what_is_sent_is_one_request() {
    let seen = Arc::new(Mutex::new(String::new()));
    let keep = seen.clone();
    let (address, connections) = receiver(move |mut stream| {
        let keep = keep.clone();
        async move {
            let request = read_request(&mut stream).await;
            *keep.lock().expect("no panic") = request;
            let _ = stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n").await;
            let _ = stream.read(&mut [0; 1]).await;
        }
    })
    .await;
    assert_eq!(send_to(address).await, status(204));
    let request = seen.lock().expect("no panic").clone();
    assert!(request.starts_with("POST /hook HTTP/1.1\r\n") && request.ends_with("\r\n\r\n{\"a\":1}"), "{request}");
    for header in
        [format!("host: {address}"), "content-length: 7".into(), "connection: close".into(), "x-event-id: 1".into()]
    {
        assert!(request.to_lowercase().contains(&header), "{header} in {request}");
    }
    assert_eq!((send_to(address).await, connections.load(Ordering::SeqCst)), (status(204), 2), "a connection was kept");
}

#[tokio::test]
async fn every_status_is_reported_and_no_redirect_followed() {
    let (trap, trapped) = receiver(|_| async {}).await;
    for code in [200, 204, 299, 301, 302, 307, 308, 400, 404, 410, 500] {
        let answer = format!("HTTP/1.1 {code} X\r\nLocation: http://{trap}/\r\nContent-Length: 2\r\n\r\nok");
        assert_eq!(send_to(answer_with(answer).await).await, status(code));
    }
    assert_eq!(trapped.load(Ordering::SeqCst), 0, "a redirect was followed");
    for code in [429, 503] {
        let answer = format!("HTTP/1.1 {code} X\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n");
        let reported = ReceiverAnswer { status: code, retry_after: Some(Duration::from_secs(120)) };
        assert_eq!(send_to(answer_with(answer).await).await, Ok(reported));
    }
}

#[tokio::test]
async fn what_is_no_answer() {
    for answer in [&b""[..], b"hello", b"HTTP/1.1 abc X\r\n\r\n", b"HTTP/1.1 200 OK\r\nbroken", b"\0\0\0\0\0\0\0\0\0"] {
        assert_eq!(send_to(answer_with(answer).await).await, Err(DeliveryFailure::InvalidAnswer), "{answer:?}");
    }
    let unused = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = unused.local_addr().expect("an address");
    drop(unused);
    assert_eq!(send_to(address).await, Err(DeliveryFailure::ConnectionFailed));
}

#[tokio::test]
async fn a_flood_of_headers_is_cut_off() {
    let many: String = (0..1000).map(|n| format!("x-{n}: y\r\n")).collect();
    let long = format!("x: {}\r\n", "y".repeat(1 << 20));
    for headers in [many, long] {
        let answer = format!("HTTP/1.1 200 OK\r\n{headers}\r\n");
        assert_eq!(send_to(answer_with(answer).await).await, Err(DeliveryFailure::InvalidAnswer));
    }
    // One that never ends.
    let (address, _) = receiver(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n").await;
        while stream.write_all(b"x-header: and so on\r\n").await.is_ok() {}
    })
    .await;
    assert_eq!(send_to(address).await, Err(DeliveryFailure::InvalidAnswer));
}

#[tokio::test]
async fn a_body_without_an_end_is_not_read() {
    let written = Arc::new(AtomicUsize::new(0));
    let count = written.clone();
    let (address, _) = receiver(move |mut stream| {
        let count = count.clone();
        async move {
            read_request(&mut stream).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n").await;
            let part = vec![b'x'; 64 * 1024];
            while stream.write_all(&part).await.is_ok() {
                count.fetch_add(part.len(), Ordering::SeqCst);
            }
        }
    })
    .await;
    assert_eq!(send_to(address).await, status(200));
    tokio::time::sleep(Duration::from_millis(300)).await;
    // No more was written than the sockets' buffers took.
    assert!(written.load(Ordering::SeqCst) < 64 << 20, "{} bytes", written.load(Ordering::SeqCst));
}

/// A receiver that sends these bytes again and again, once it has a request; how many bytes it could write.
async fn repeat(bytes: Vec<u8>) -> (SocketAddr, Arc<AtomicUsize>) {
    let written = Arc::new(AtomicUsize::new(0));
    let count = written.clone();
    let serve = move |mut stream: TcpStream| {
        let (bytes, count) = (bytes.clone(), count.clone());
        async move {
            read_request(&mut stream).await;
            while stream.write_all(&bytes).await.is_ok() {
                count.fetch_add(bytes.len(), Ordering::SeqCst);
            }
        }
    };
    (receiver(serve).await.0, written)
}

#[tokio::test]
async fn a_second_informational_answer_ends_an_attempt() {
    const FINAL: &str = "HTTP/1.1 204 No Content\r\n\r\n";
    for informational in ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"] {
        assert_eq!(send_to(answer_with(format!("{informational}{FINAL}")).await).await, status(204), "one is taken");
        let two = informational.repeat(2);
        let ended = send_to(answer_with(format!("{two}{FINAL}")).await).await;
        assert_eq!(ended, Err(DeliveryFailure::InvalidAnswer), "{informational}");
        // The attempt ends with the second one: nothing else comes, and the connection stays open.
        let (address, _) = receiver(move |mut stream| {
            let two = two.clone();
            async move {
                read_request(&mut stream).await;
                let _ = stream.write_all(two.as_bytes()).await;
                let _ = stream.read(&mut [0; 1]).await;
            }
        })
        .await;
        assert_eq!(send_to(address).await, Err(DeliveryFailure::InvalidAnswer), "{informational}");
        let (address, _) = repeat(informational.into()).await;
        assert_eq!(send_to(address).await, Err(DeliveryFailure::InvalidAnswer), "{informational} without end");
    }
}

/// The sender reads a stream of zeros to its end, however long it is.
#[tokio::test]
async fn all_bytes_of_a_connection_count() {
    let (address, _) = repeat(vec![0; 16 * 1024]).await;
    let mut stream = connect(&[address]).await.expect("a connection");
    stream.write_all(b"{}").await.expect("a request");
    let mut read = 0;
    let mut part = vec![0; 64 * 1024];
    loop {
        match stream.read(&mut part).await.expect("a connection that is open") {
            0 => break,
            length => read += length as u64,
        }
        assert!(read <= READ, "{read} bytes");
    }
    assert_eq!(read, READ);
}

#[tokio::test]
async fn a_receiver_that_stalls_is_left_after_ten_seconds() {
    let (silent, _) = receiver(|stream| async move {
        tokio::time::sleep(Duration::from_secs(60)).await;
        drop(stream);
    })
    .await;
    let (dripping, _) = receiver(|mut stream| async move {
        for byte in b"HTTP/1.1 200 OK\r\nx-slow: yes\r\n\r\n".repeat(10) {
            let _ = stream.write_all(&[byte]).await;
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    })
    .await;
    // Its status is there in time: the body, which comes slowly, is of no interest.
    let (slow, _) = receiver(|mut stream| async move {
        read_request(&mut stream).await;
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n").await;
        tokio::time::sleep(Duration::from_secs(60)).await;
    })
    .await;
    let began = Instant::now();
    let all = futures_util::future::join3(send_to(silent), send_to(dripping), send_to(slow)).await;
    assert_eq!(all, (Err(DeliveryFailure::TimedOut), Err(DeliveryFailure::TimedOut), status(200)));
    assert!((Duration::from_secs(9)..Duration::from_secs(20)).contains(&began.elapsed()), "{:?}", began.elapsed());
}

/// A dialer of names that reaches loopback by them, where the resolver leads, on this port.
fn named_dialer(resolver: SocketAddr, port: u16, is_allowed: fn(IpAddr) -> bool, trusted: RootCertStore) -> Dialer {
    let tls = connector(trusted).expect("a connector");
    Dialer { resolver: Resolver::new(resolver).expect("a resolver"), tls, local: Vec::new(), is_allowed, port }
}

const LOOPBACK: Ipv4Addr = Ipv4Addr::LOCALHOST;
const PUBLIC: Ipv4Addr = Ipv4Addr::new(8, 8, 8, 8);
const URL: &str = "https://hooks.example.com/hook";

#[tokio::test]
async fn p12_one_forbidden_address_among_public_ones_is_enough() {
    let (trap, trapped) = receiver(|_| async {}).await;
    for answers in [vec![LOOPBACK], vec![PUBLIC, LOOPBACK], vec![LOOPBACK, PUBLIC], vec![Ipv4Addr::new(10, 0, 0, 1)]] {
        let dialer =
            named_dialer(name_server(vec![answers]).await, trap.port(), address::is_public, RootCertStore::empty());
        assert!(!dialer.is_allowed(URL).await);
        assert_eq!(send_with(&dialer, URL).await, Err(DeliveryFailure::AddressNotAllowed));
    }
    assert_eq!(trapped.load(Ordering::SeqCst), 0, "a forbidden address was connected to");
}

#[tokio::test]
async fn p12_a_name_that_changes_after_it_was_judged_is_judged_again() {
    let (trap, trapped) = receiver(|_| async {}).await;
    let server = name_server(vec![vec![PUBLIC], vec![LOOPBACK]]).await;
    let dialer = named_dialer(server, trap.port(), address::is_public, RootCertStore::empty());
    assert!(dialer.is_allowed(URL).await, "public when the endpoint is made");
    for _ in 0..3 {
        assert_eq!(send_with(&dialer, URL).await, Err(DeliveryFailure::AddressNotAllowed));
    }
    assert_eq!(trapped.load(Ordering::SeqCst), 0, "a forbidden address was connected to");
}

#[tokio::test]
async fn a_name_without_addresses_is_taken_and_not_reached() {
    let dialer = named_dialer(name_server(vec![vec![]]).await, 1, address::is_public, RootCertStore::empty());
    assert!(dialer.is_allowed(URL).await);
    assert_eq!(send_with(&dialer, URL).await, Err(DeliveryFailure::NameNotResolved));
    assert!(!dialer.is_allowed("https://localhost/").await);
    assert_eq!(send_with(&dialer, "https://10.0.0.1/").await, Err(DeliveryFailure::AddressNotAllowed));
}

/// A receiver over TLS whose certificate is for this name; who signed it.
async fn tls_receiver(name: &str) -> (SocketAddr, RootCertStore) {
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
    let made = rcgen::generate_simple_self_signed(vec![name.to_owned()]).expect("a certificate");
    let certificate = made.cert.der().clone();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let provider = Arc::new(crypto::aws_lc_rs::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().expect("versions");
    let config = config.with_no_client_auth().with_single_cert(vec![certificate.clone()], key).expect("a certificate");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let serve = move |stream: TcpStream| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(stream).await else { return };
            let request = read_request(&mut stream).await;
            let is_meant = request.to_lowercase().contains("host: hooks.example.com\r\n");
            let answer: &[u8] = if is_meant { b"HTTP/1.1 200 OK\r\n\r\n" } else { b"HTTP/1.1 421 Misdirected\r\n\r\n" };
            let _ = stream.write_all(answer).await;
            let _ = stream.shutdown().await;
        }
    };
    let mut trusted = RootCertStore::empty();
    trusted.add(certificate).expect("a certificate");
    (receiver(serve).await.0, trusted)
}

#[tokio::test]
async fn tls_is_verified_against_the_name() {
    let (good, trusted) = tls_receiver("hooks.example.com").await;
    let server = name_server(vec![vec![LOOPBACK]]).await;
    let dialer = |port: u16, trusted: &RootCertStore| named_dialer(server, port, |_| true, trusted.clone());
    assert_eq!(send_with(&dialer(good.port(), &trusted), URL).await, status(200));
    let unknown = send_with(&dialer(good.port(), &RootCertStore::empty()), URL).await;
    assert_eq!(unknown, Err(DeliveryFailure::TlsFailed), "no trusted authority signed it");
    let (other, trusted) = tls_receiver("other.example.com").await;
    assert_eq!(send_with(&dialer(other.port(), &trusted), URL).await, Err(DeliveryFailure::TlsFailed), "another name");
    let (plain, _) = receiver(|mut stream| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
    })
    .await;
    assert_eq!(send_with(&dialer(plain.port(), &trusted), URL).await, Err(DeliveryFailure::TlsFailed), "no TLS at all");
}
