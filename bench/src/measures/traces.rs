//! `trace_*`: what traces cost, in processor time of a request: GET product by hosts that trace nothing, one request in a
//! hundred and all, measured in turn. `STOA_BENCH_BASELINE` names another build of the host, such as one from before there were
//! traces; without it only hosts of this build are compared.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::bench::Bench;
use crate::child::Server;
use crate::company::Company;
use crate::load::Load;
use crate::report::Target;
use crate::rounds::{median, ratio};

const CONNECTIONS: usize = 16;

/// Figure, share of requests that are traced, and how much more processor time a request may take.
const HOSTS: [(&str, Option<&str>, f64); 3] =
    [("trace_off", None, 1.01), ("trace_some", Some("0.01"), 1.03), ("trace_all", Some("1"), 1.15)];

/// `database`: the suffix of the figures. `url`: a database that `company` is in.
pub async fn measure(bench: &mut Bench, database: &str, url: &str, company: &Company) -> anyhow::Result<()> {
    let collector = TcpListener::bind("127.0.0.1:0").await?;
    let endpoint = format!("http://{}", collector.local_addr()?);
    let collecting = tokio::spawn(collect(collector));
    let mut hosts = Vec::new();
    let baseline = std::env::var_os("STOA_BENCH_BASELINE");
    if let Some(baseline) = &baseline {
        let binary = std::mem::replace(&mut bench.binary, baseline.into());
        let host = bench.stoa(url, 16).await;
        bench.binary = binary;
        hosts.push(host?.0);
    }
    for (_, share, _) in HOSTS {
        let variables = share.map(|share| [("STOA_OTLP_ENDPOINT", endpoint.as_str()), ("STOA_TRACE_RATIO", share)]);
        let variables = variables.as_ref().map_or(&[][..], |variables| &variables[..]);
        hosts.push(bench.stoa_with(url, 16, variables).await?.0);
    }
    let processor = measure_processor(bench, company, &hosts).await?;
    let figures = HOSTS.iter().zip(processor.iter().skip(usize::from(baseline.is_some())));
    for ((figure, _, most), times) in figures {
        // The first is the baseline, or the host that traces nothing.
        let value = ratio(times, &processor[0]);
        let name = format!("{figure}{database}");
        if baseline.is_some() || *figure != "trace_off" {
            bench.report.judge(&name, value, Target::AtMost(*most), "processor time of GET product, over none");
        }
        bench.report.add(format!("{name}_processor_us"), median(times.iter().copied()), "of the host, per request");
    }
    if baseline.is_none() {
        bench.report.note("trace_off: not compared, STOA_BENCH_BASELINE names no earlier build");
    }
    for host in hosts {
        host.stop().await?;
    }
    collecting.abort();
    Ok(())
}

/// Microseconds of a request, of each host in each round.
async fn measure_processor(bench: &Bench, company: &Company, hosts: &[Server]) -> anyhow::Result<Vec<Vec<f64>>> {
    let load = |host: &Server| Load {
        address: host.address,
        connections: CONNECTIONS,
        request: company.reads(),
        statuses: &[200],
    };
    let loads: Vec<_> = hosts.iter().map(load).collect();
    for load in &loads {
        load.run(bench.rounds.time).await?;
    }
    let mut processor = vec![Vec::new(); hosts.len()];
    for _ in 0..bench.rounds.count {
        for ((host, load), times) in hosts.iter().zip(&loads).zip(&mut processor) {
            let before = host.processor_seconds();
            let run = load.run(bench.rounds.time).await?;
            times.push((host.processor_seconds() - before) * 1e6 / run.count() as f64);
        }
    }
    Ok(processor)
}

/// A collector that takes everything.
async fn collect(listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(take(stream));
    }
}

/// One request of a connection, which then ends.
async fn take(mut stream: TcpStream) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let end = loop {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(());
        }
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let length = head.split("content-length:").nth(1).and_then(|rest| rest.lines().next()?.trim().parse().ok());
    let mut rest = length.unwrap_or(0_usize).saturating_sub(bytes.len() - end);
    let mut part = vec![0; 64 << 10];
    while rest > 0 {
        match stream.read(&mut part).await? {
            0 => return Ok(()),
            read => rest = rest.saturating_sub(read),
        }
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}").await
}
