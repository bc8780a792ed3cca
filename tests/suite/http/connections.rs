//! Connections that only cost: silent ones, ones that read nothing, thousands of them. The rest goes on being served. [F21]

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use stoa_tests::cuts::rounds;
use stoa_tests::host::Settings;
use stoa_tests::{Database, Stoa, eventually, modules, on_one_database};

// Rejections here come before a database is asked.
on_one_database![
    whoever_says_nothing_is_left,
    one_peer_leaves_room_for_others,
    the_private_listener_answers_to_its_own_names,
    a_reader_that_is_too_slow_is_left
];

on_one_database![timed: whoever_opens_no_window_is_left, idle_connections_slow_nobody];

const SILENCE: Duration = Duration::from_secs(2);

fn host(database: Database, settings: Settings) -> Stoa {
    Stoa::start_with(database, settings.modules(modules::none()))
}

fn connect(address: &str) -> TcpStream {
    TcpStream::connect(address).expect("cannot connect")
}

/// Returns whether the other side has closed, within a time.
fn is_closed(stream: &mut TcpStream, within: Duration) -> bool {
    stream.set_read_timeout(Some(within)).expect("a read timeout");
    match stream.read(&mut [0; 1]) {
        Ok(count) => count == 0,
        Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
    }
}

fn whoever_says_nothing_is_left(database: Database) {
    let host = host(database, Settings::default().set("STOA_CONNECTION_TIMEOUT", "2s"));
    let begin = Instant::now();
    let address = host.address();
    let mut silent: Vec<(&str, TcpStream)> = ["", "PRI * HTT", "GET /v1/health HTTP/1.1\r\nHost: x\r\n"]
        .map(|begins| {
            let mut stream = connect(&address);
            stream.write_all(begins.as_bytes()).expect("written");
            (begins, stream)
        })
        .into();
    // A peer that asks for much and reads nothing, so that no buffer takes it all.
    let mut deaf = connect(&address);
    deaf.set_write_timeout(Some(SILENCE)).expect("a write timeout");
    let ask = format!("GET /v1/openapi.json HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let asked = (0..2_000).take_while(|_| deaf.write_all(ask.as_bytes()).is_ok()).count();
    for (begins, stream) in &mut silent {
        // An answer may come first (408, or none): then the end.
        let mut closed = false;
        while !closed && begin.elapsed() < SILENCE * 6 {
            closed = is_closed(stream, SILENCE * 5);
        }
        assert!(closed, "{begins:?} is open after {:?}", begin.elapsed());
    }
    assert!(begin.elapsed() >= SILENCE, "no client was cut off early");
    std::thread::sleep(SILENCE * 2);
    let mut answered = Vec::new();
    deaf.set_read_timeout(Some(SILENCE * 2)).expect("a read timeout");
    let ended = deaf.read_to_end(&mut answered);
    let answers = String::from_utf8_lossy(&answered).matches("HTTP/1.1 200").count();
    let closed = !matches!(&ended, Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()));
    assert!(closed && answers < asked, "{answers} of {asked} were answered, {ended:?}");
    host.get("/v1/health").is(200);
}

/// Over HTTP/2 a connection is alive while none of its answers is taken.
fn whoever_opens_no_window_is_left(database: Database) {
    let host = host(database, Settings::default().set("STOA_CONNECTION_TIMEOUT", "2s"));
    let url = format!("http://{}/v1/openapi.json", host.address());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let client = |window: u32| {
        let builder = reqwest::Client::builder().http2_prior_knowledge().http2_initial_stream_window_size(window);
        builder.build().expect("a client")
    };
    runtime.block_on(async {
        let read_late = async |window: u32| {
            let client = client(window);
            let answer = client.get(&url).send().await.expect("a head");
            let length = answer.content_length().expect("its length");
            assert!(length > 100_000, "{length} bytes fit into buffers");
            tokio::time::sleep(SILENCE * 4).await;
            // A peer that reads now reads too late.
            assert!(answer.bytes().await.is_err(), "window {window}");
        };
        futures_util::future::join_all([0, 1024, 65_535].map(read_late)).await;
        let slow = client(16 << 10);
        let mut answer = slow.get(&url).send().await.expect("a head");
        let (begin, length, mut taken) = (Instant::now(), answer.content_length().expect("its length"), 0);
        while let Some(part) = answer.chunk().await.expect("it goes on") {
            taken += part.len() as u64;
            if begin.elapsed() < SILENCE * 2 {
                tokio::time::sleep(SILENCE / 4).await;
            }
        }
        assert!(taken == length && begin.elapsed() > SILENCE, "{taken} of {length} in {:?}", begin.elapsed());
    });
}

/// A part in each three seconds is progress within the limit of silence, and less than the least rate.
fn a_reader_that_is_too_slow_is_left(database: Database) {
    let host = host(database, Settings::default().set("STOA_CONNECTION_TIMEOUT", "8s"));
    let url = format!("http://{}/v1/docs/renderer.js", host.address());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let builder = reqwest::Client::builder().http2_prior_knowledge().http2_initial_stream_window_size(16 << 10);
        let mut answer = builder.build().expect("a client").get(&url).send().await.expect("a head");
        let (mut parts, mut ended) = (0, false);
        while !ended && parts < 12 {
            tokio::time::sleep(Duration::from_secs(3)).await;
            match answer.chunk().await {
                Ok(part) => parts += usize::from(!part.expect("the answer is longer").is_empty()),
                Err(_) => ended = true,
            }
        }
        assert!(ended, "it was read for {parts} parts");
        assert!(parts >= 2, "it ended after {parts} parts");
    });
}

fn one_peer_leaves_room_for_others(database: Database) {
    let settings = Settings::default().set("STOA_CONNECTIONS", 60).set("STOA_CONNECTIONS_PER_PEER", 20);
    let host = host(database, settings);
    let mut held: Vec<TcpStream> = (0..20).map(|_| connect(&host.address())).collect();
    assert!(is_closed(&mut connect(&host.address()), SILENCE), "one more of this address");
    assert!(held.iter_mut().all(|stream| !is_closed(stream, Duration::from_millis(1))));
    assert!(host.metrics().contains("stoa_connections_refused_total"), "the private listener has its own");
    drop(held);
    eventually(|| (!is_closed(&mut connect(&host.address()), Duration::from_millis(50))).then_some(()));
    host.get("/v1/health").is(200);
}

/// Behind a trusted proxy there is no limit of one address: all of them come from here. Idle connections have no
/// timeout of the test's length, so that they are all there to its end.
fn idle_connections_slow_nobody(database: Database) {
    const REQUESTS: usize = 100;
    // `--all` holds ten thousand.
    let most_idle = rounds(2_000, 10_000);
    let most = raise_own_limit();
    let settings = Settings::default().set("STOA_TRUSTED_PROXIES", "127.0.0.1").set("STOA_CONNECTIONS", 15_000);
    let host = host(database, settings.set("STOA_CONNECTION_TIMEOUT", "10m"));
    let address = host.address();
    let mut client = connect(&address);
    client.set_read_timeout(Some(Duration::from_secs(60))).expect("a read timeout");
    health(&mut client);
    // The middle and nearly the longest of a hundred: one pause of the machine is not the host's.
    let mut measure = || {
        let mut times: Vec<Duration> = (0..REQUESTS).map(|_| health(&mut client)).collect();
        times.sort_unstable();
        (times[REQUESTS / 2], times[REQUESTS * 95 / 100])
    };
    let (before, late_before) = measure();
    let wanted = most_idle.min(most.saturating_sub(2_000) / 2);
    let mut idle: Vec<TcpStream> = (0..wanted).map(|_| connect(&address)).collect();
    println!("{} connections are idle", idle.len());
    assert!(idle.len() >= 300, "so few descriptors say nothing: {most}");
    // Two rounds, of which the better counts: connections that slow the host slow it in both.
    let (first, second) = (measure(), measure());
    let (during, late) = (first.0.min(second.0), first.1.min(second.1));
    println!("/v1/health: {before:?} and {late_before:?} without others, {during:?} and {late:?} with the others");
    // A host that looks at each connection for a request takes milliseconds for ten thousand, and it takes them each time.
    assert!(during <= before * 3 + Duration::from_millis(10), "{during:?} is not {before:?}");
    assert!(late <= late_before * 3 + Duration::from_millis(50), "{late:?} is not {late_before:?}");
    assert!(host.metrics().contains("stoa_"), "operators see what goes on");
    // They were open all the time: the host has not closed them to be fast.
    for stream in idle.iter_mut().step_by(97) {
        assert!(!is_closed(stream, Duration::from_millis(1)), "an idle connection was closed");
    }
}

/// One request on an open connection: its time.
fn health(stream: &mut TcpStream) -> Duration {
    let begin = Instant::now();
    stream.write_all(b"GET /v1/health HTTP/1.1\r\nHost: x\r\n\r\n").expect("written");
    let (mut answer, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let count = stream.read(&mut part).expect("an answer");
        assert!(count > 0, "the connection was closed");
        answer.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&answer);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        let length =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0) {
            return begin.elapsed();
        }
    }
}

/// As many descriptors as this process may have.
fn raise_own_limit() -> usize {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    #[allow(unsafe_code, reason = "no library of the workspace sets limits")]
    // SAFETY: both take a struct of this frame and keep nothing of it.
    unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
        limit.rlim_cur = limit.rlim_max;
        libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
    }
    usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX)
}

/// A page whose name was pointed at the private listener asks by its own name.
fn the_private_listener_answers_to_its_own_names(database: Database) {
    let host = host(database, Settings::default().set("STOA_PRIVATE_NAMES", "stoa.internal"));
    let ask = |name: &str| {
        let mut stream = connect(&host.private_address());
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("written");
        let mut reported = String::new();
        stream.read_to_string(&mut reported).expect("an answer");
        reported
    };
    for name in ["rebound.example", "rebound.example:9464", "localhost.rebound.example"] {
        let reported = ask(name);
        assert!(reported.starts_with("HTTP/1.1 421") && !reported.contains("stoa_generation"), "{name}: {reported}");
    }
    for name in ["127.0.0.1", "localhost:9464", "[::1]", "stoa.internal:9464"] {
        assert!(ask(name).starts_with("HTTP/1.1 200"), "{name}");
    }
}
