//! Which requests are traced, and the way of their traces to a collector. No request waits for it: a finished trace goes into a
//! queue of bounded length, which a task empties.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{HeaderMap, StatusCode, header};
use reqwest::{Client, redirect};
use tokio::sync::{Mutex, mpsc};
use uuid::Uuid;

use super::otlp::{self, TakenTrace};
use super::parent::TraceParent;
use super::trace::{Attributes, Trace};
use super::trail::RequestTrail;
use crate::watchdog::{Pulse, Watchdog};

/// Finished traces that wait.
const QUEUE: usize = 2_048;
/// Spans of one request to the collector, and a trace more.
const SPANS: usize = 512;
/// Between two looks into the queue.
const PAUSE: Duration = Duration::from_millis(200);
/// How long a collector may take to answer.
const ANSWER: Duration = Duration::from_secs(5);
/// How long the end of a host waits for what is queued.
const FINISH: Duration = Duration::from_secs(2);

/// The operator's choice.
#[derive(Debug, Clone)]
pub struct TraceSettings {
    /// Address of a collector, before `/v1/traces`. Absent: nothing is traced.
    pub endpoint: Option<String>,
    /// The share of requests that are traced, 0 to 1.
    pub ratio: f64,
}

/// Decides which requests are traced, and takes their traces.
pub struct Tracer {
    ratio: f64,
    exporter: Option<Arc<Exporter>>,
}

struct Exporter {
    sender: mpsc::Sender<Arc<Trace>>,
    queue: Mutex<mpsc::Receiver<Arc<Trace>>>,
    client: Client,
    url: String,
    /// Id of this run of the host.
    host: String,
    /// True if the last batch was not taken.
    is_failing: AtomicBool,
}

impl Tracer {
    /// Traces nothing.
    pub fn off() -> Tracer {
        Tracer { ratio: 0.0, exporter: None }
    }

    /// `host`: the id of this run of the host.
    pub fn start(settings: &TraceSettings, host: Uuid, watchdog: &Watchdog) -> Result<Tracer, reqwest::Error> {
        let Some(endpoint) = &settings.endpoint else { return Ok(Tracer::off()) };
        let client = Client::builder().no_proxy().redirect(redirect::Policy::none()).timeout(ANSWER);
        // Plain text needs no root certificates, which a machine may lack.
        let client = if endpoint.starts_with("http:") { client.tls_certs_only([]) } else { client }.build()?;
        let (sender, queue) = mpsc::channel(QUEUE);
        let url = format!("{}/v1/traces", endpoint.trim_end_matches('/'));
        let (queue, host, is_failing) = (Mutex::new(queue), host.to_string(), AtomicBool::new(false));
        let exporter = Arc::new(Exporter { sender, queue, client, url, host, is_failing });
        let task = exporter.clone();
        watchdog.spawn("traces", move |pulse| task.clone().run(pulse));
        Ok(Tracer { ratio: settings.ratio, exporter: Some(exporter) })
    }

    /// The trail of a request that begins. `is_proxy`: a trusted proxy sent it, so that the parent's sampling flag
    /// counts; that of an untrusted client would let any client have the host trace every request.
    pub fn begin(&self, request: Uuid, headers: &HeaderMap, is_proxy: bool) -> RequestTrail {
        let parent = TraceParent::read(headers);
        let is_sampled = self.exporter.is_some() && self.samples(parent.filter(|_| is_proxy));
        let trace = is_sampled.then(|| Arc::new(Trace::begin(request, parent)));
        RequestTrail { parent, trace, ..RequestTrail::new(request) }
    }

    fn samples(&self, parent: Option<TraceParent>) -> bool {
        parent.map_or_else(|| rand::random::<f64>() < self.ratio, |parent| parent.is_sampled)
    }

    /// Takes the trace of a request that is answered. A request whose path no operation has leaves none.
    pub fn finish(&self, trail: &RequestTrail, status: StatusCode) {
        let (Some(exporter), Some(trace)) = (&self.exporter, &trail.trace) else { return };
        let mut attributes: Attributes = vec![
            ("stoa.request", trail.request_id.to_string().into()),
            (otlp::STATUS, usize::from(status.as_u16()).into()),
        ];
        attributes.extend(trail.tenant.get().map(|tenant| ("stoa.company", tenant.to_string().into())));
        trace.describe(None, attributes);
        if trace.finish() && exporter.sender.try_send(trace.clone()).is_err() {
            count_dropped("queue", 1);
        }
    }

    /// Sends what is queued, when no request runs any more and no task is watched.
    pub async fn stop(&self) {
        if let Some(exporter) = &self.exporter {
            let _ = tokio::time::timeout(FINISH, exporter.send_queued(None)).await;
        }
    }
}

impl Exporter {
    async fn run(self: Arc<Self>, pulse: Pulse) {
        loop {
            pulse.rest(PAUSE).await;
            self.send_queued(Some(&pulse)).await;
        }
    }

    async fn send_queued(&self, pulse: Option<&Pulse>) {
        let mut queue = self.queue.lock().await;
        loop {
            let (mut traces, mut count) = (Vec::new(), 0);
            while count < SPANS
                && let Ok(trace) = queue.try_recv()
            {
                let spans = trace.take_spans();
                count += spans.len();
                traces.push(TakenTrace { trace, spans });
            }
            if traces.is_empty() {
                return;
            }
            match otlp::render(&self.host, &traces) {
                Ok(body) => self.send(body, traces.len() as u64).await,
                Err(_) => count_dropped("collector", traces.len() as u64),
            }
            if let Some(pulse) = pulse {
                pulse.beat();
            }
        }
    }

    /// Sends a batch, a second time where the collector asks for it or the connection broke.
    async fn send(&self, body: Vec<u8>, traces: u64) {
        let body = bytes::Bytes::from(body);
        let mut fault = self.post(body.clone()).await;
        if matches!(fault, Some(Fault { may_pass: true, .. })) {
            fault = self.post(body).await;
        }
        let Some(Fault { why, .. }) = fault else {
            if self.is_failing.swap(false, Ordering::Relaxed) {
                tracing::info!("the collector takes traces again");
            }
            return;
        };
        count_dropped("collector", traces);
        if !self.is_failing.swap(true, Ordering::Relaxed) {
            tracing::warn!(why, "the collector takes no traces: they are dropped until it does");
        }
    }

    async fn post(&self, body: bytes::Bytes) -> Option<Fault> {
        let request = self.client.post(&self.url).header(header::CONTENT_TYPE, "application/json").body(body);
        match request.send().await {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => {
                let status = answer.status().as_u16();
                Some(Fault { why: format!("status {status}"), may_pass: matches!(status, 429 | 502 | 503 | 504) })
            }
            // The address is not named: it may have a password.
            Err(error) => Some(Fault { may_pass: !error.is_timeout(), why: error.without_url().to_string() }),
        }
    }
}

/// Why a batch was not taken.
struct Fault {
    why: String,
    /// The same may succeed at once.
    may_pass: bool,
}

fn count_dropped(reason: &'static str, traces: u64) {
    metrics::counter!("stoa_traces_dropped_total", "reason" => reason).increment(traces);
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0";

    fn tracer(ratio: f64) -> Tracer {
        let settings = TraceSettings { endpoint: Some("http://127.0.0.1:9/".into()), ratio };
        let tracer = Tracer::start(&settings, Uuid::nil(), &Watchdog::default()).expect("a client");
        assert_eq!(
            tracer.exporter.as_ref().map(|exporter| exporter.url.as_str()),
            Some("http://127.0.0.1:9/v1/traces")
        );
        tracer
    }

    fn headers(flag: &str) -> HeaderMap {
        let value = format!("{PARENT}{flag}").parse().expect("a value");
        HeaderMap::from_iter([(http::HeaderName::from_static("traceparent"), value)])
    }

    #[tokio::test]
    async fn only_a_trusted_proxy_decides_what_is_traced() {
        for (ratio, flag, is_proxy, is_traced) in
            [(0.0, "1", true, true), (0.0, "1", false, false), (1.0, "0", true, false), (1.0, "0", false, true)]
        {
            let trail = tracer(ratio).begin(Uuid::nil(), &headers(flag), is_proxy);
            assert_eq!(trail.trace.is_some(), is_traced, "{ratio} {flag} {is_proxy}");
            assert!(trail.successor().is_some_and(|next| next.to_string().starts_with(&PARENT[..35])));
        }
        for (ratio, is_traced) in [(0.0, false), (1.0, true)] {
            let trail = tracer(ratio).begin(Uuid::from_u128(5), &HeaderMap::new(), true);
            assert_eq!((trail.trace.is_some(), trail.successor().is_some()), (is_traced, is_traced));
        }
        assert!(Tracer::off().begin(Uuid::nil(), &headers("1"), true).trace.is_none());
    }

    #[tokio::test]
    async fn a_full_queue_drops_and_a_request_without_an_operation_leaves_no_trace() {
        let tracer = tracer(1.0);
        let begin = || tracer.begin(Uuid::from_u128(5), &HeaderMap::new(), false);
        tracer.finish(&begin(), StatusCode::NOT_FOUND);
        let exporter = tracer.exporter.as_ref().expect("an exporter");
        assert_eq!(exporter.sender.capacity(), QUEUE);
        for _ in 0..QUEUE + 3 {
            let trail = begin();
            trail.trace.as_ref().expect("a trace").describe(Some("GET /v1/x".into()), Vec::new());
            tracer.finish(&trail, StatusCode::OK);
        }
        assert_eq!(exporter.sender.capacity(), 0);
    }
}
