//! A collector of traces: takes what a host exports over OTLP and answers what was in it.

use std::collections::BTreeMap;
use std::net::TcpListener;

use serde_json::Value as Json;

use crate::receiver::{Receiver, Temper};
use crate::{Answer, eventually};

/// A span as it came.
#[derive(Debug, Clone)]
pub struct TraceSpan {
    pub trace: String,
    pub id: String,
    /// Empty where it has none.
    pub parent: String,
    pub name: String,
    /// Texts, and numbers as texts.
    pub attributes: BTreeMap<String, String>,
    /// Nanoseconds since 1970.
    pub start: u64,
    pub end: u64,
    is_request: bool,
}

impl TraceSpan {
    fn read(span: &Json) -> TraceSpan {
        let text = |member: &str| span[member].as_str().unwrap_or_default().to_string();
        let time = |member: &str| text(member).parse().expect("a time, as text");
        let attributes = span["attributes"].as_array().into_iter().flatten().map(|attribute| {
            let value = &attribute["value"];
            let value = value["stringValue"].as_str().or(value["intValue"].as_str()).expect("a text or a number");
            (attribute["key"].as_str().unwrap_or_default().to_string(), value.to_string())
        });
        TraceSpan {
            trace: text("traceId"),
            id: text("spanId"),
            parent: text("parentSpanId"),
            name: text("name"),
            attributes: attributes.collect(),
            start: time("startTimeUnixNano"),
            end: time("endTimeUnixNano"),
            is_request: span["kind"] == 2,
        }
    }

    pub fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
}

/// The spans of one request, its own first.
pub type RequestTrace = Vec<TraceSpan>;

pub struct Collector(Receiver);

impl Collector {
    pub fn start() -> Collector {
        Collector::of_temper(Temper::Status(200))
    }

    /// A collector that answers otherwise.
    pub fn of_temper(temper: Temper) -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        Collector(Receiver::on(listener, move |_, _| temper))
    }

    /// As `STOA_OTLP_ENDPOINT` takes it.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.0.address)
    }

    /// All that was posted.
    pub fn text(&self) -> String {
        let received = self.0.list_received();
        received.iter().map(|received| String::from_utf8_lossy(&received.body).into_owned()).collect()
    }

    pub fn count_posts(&self) -> usize {
        self.0.list_received().len()
    }

    pub fn traces(&self) -> Vec<RequestTrace> {
        let mut traces: Vec<RequestTrace> = Vec::new();
        for received in self.0.list_received() {
            assert_eq!((&*received.path, received.header("content-type")), ("/v1/traces", "application/json"));
            let spans = received.json()["resourceSpans"][0]["scopeSpans"][0]["spans"].take();
            for span in spans.as_array().expect("spans").iter().map(TraceSpan::read) {
                match traces.last_mut() {
                    Some(trace) if !span.is_request => trace.push(span),
                    _ => traces.push(vec![span]),
                }
            }
        }
        traces
    }

    /// The trace of the request that was answered so, once it is here.
    #[track_caller]
    pub fn await_trace(&self, answer: &Answer) -> RequestTrace {
        let request = answer.header("x-request-id").expect("an id of the request");
        eventually(|| self.traces().into_iter().find(|trace| trace[0].attribute("stoa.request") == request))
    }
}
