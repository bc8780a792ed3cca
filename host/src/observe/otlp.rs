//! Traces as a collector takes them: OTLP over HTTP, written in JSON.

use std::fmt::Display;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::parent::{SpanId, TraceId};
use super::trace::{SpanRecord, SpanValue, Trace};

/// Kinds of spans: within the host, and the answer to a request.
const INTERNAL: u8 = 1;
const SERVER: u8 = 2;
/// The status of a span that failed.
const ERROR: u8 = 2;

/// One request to a collector.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Export<'a> {
    resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    resource: Resource<'a>,
    scope_spans: [ScopeSpans<'a>; 1],
}

#[derive(Serialize)]
struct Resource<'a> {
    attributes: Vec<Attribute<'a>>,
}

#[derive(Serialize)]
struct ScopeSpans<'a> {
    scope: Scope,
    spans: Vec<Span<'a>>,
}

#[derive(Serialize)]
struct Scope {
    name: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Span<'a> {
    trace_id: TraceId,
    span_id: SpanId,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<SpanId>,
    name: &'a str,
    kind: u8,
    #[serde(serialize_with = "as_text")]
    start_time_unix_nano: u64,
    #[serde(serialize_with = "as_text")]
    end_time_unix_nano: u64,
    attributes: Vec<Attribute<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
}

#[derive(Serialize)]
struct Status {
    code: u8,
}

#[derive(Serialize)]
struct Attribute<'a> {
    key: &'a str,
    value: AnyValue<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum AnyValue<'a> {
    StringValue(&'a str),
    #[serde(serialize_with = "as_text")]
    IntValue(i64),
}

/// Numbers of 64 bits are texts in the JSON of protocol buffers.
fn as_text<T: Display, S: Serializer>(number: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

impl<'a> Attribute<'a> {
    fn new(name: &'static str, value: &'a SpanValue) -> Attribute<'a> {
        let value = match value {
            SpanValue::Text(text) => AnyValue::StringValue(text),
            SpanValue::Number(number) => AnyValue::IntValue(*number),
        };
        Attribute { key: name, value }
    }
}

/// A finished trace with its spans.
pub struct TakenTrace {
    pub trace: Arc<Trace>,
    pub spans: Vec<SpanRecord>,
}

impl TakenTrace {
    fn spans(&self) -> impl Iterator<Item = Span<'_>> {
        let TakenTrace { trace, spans } = self;
        spans.iter().enumerate().map(move |(index, span)| {
            let status = span.attributes.iter().find(|(name, _)| *name == STATUS).map(|(_, value)| value);
            let has_failed = matches!(status, Some(SpanValue::Number(500..)));
            Span {
                trace_id: trace.id,
                span_id: trace.span_id(index),
                parent_span_id: trace.parent_of(index, span.parent),
                name: &span.name,
                kind: if index == 0 { SERVER } else { INTERNAL },
                start_time_unix_nano: trace.time_of(span.start),
                end_time_unix_nano: trace.time_of(span.end.unwrap_or(span.start)),
                attributes: span.attributes.iter().map(|(name, value)| Attribute::new(name, value)).collect(),
                status: has_failed.then_some(Status { code: ERROR }),
            }
        })
    }
}

/// The attribute with the status of the answer.
pub const STATUS: &str = "http.response.status_code";

/// The body of a request that takes these traces to a collector. `host`: the id of this run of the host.
pub fn render(host: &str, traces: &[TakenTrace]) -> Result<Vec<u8>, serde_json::Error> {
    let about =
        [("service.name", "stoa"), ("service.version", env!("CARGO_PKG_VERSION")), ("service.instance.id", host)];
    let about = about.map(|(key, value)| Attribute { key, value: AnyValue::StringValue(value) });
    let spans = traces.iter().flat_map(TakenTrace::spans).collect();
    let scope_spans = [ScopeSpans { scope: Scope { name: "stoa" }, spans }];
    serde_json::to_vec(&Export {
        resource_spans: [ResourceSpans { resource: Resource { attributes: about.into() }, scope_spans }],
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_trace_is_rendered_as_the_protocol_says() {
        let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse().ok();
        let trace = Arc::new(Trace::begin(Uuid::nil(), parent));
        trace.describe(Some("GET /v1/x".into()), vec![(STATUS, 503_usize.into())]);
        trace.step("run", vec![("stoa.module", "shelf".into())]);
        assert!(trace.finish());
        let ids = [trace.span_id(0), trace.span_id(1)].map(|id| id.to_string());
        let taken = TakenTrace { trace: trace.clone(), spans: trace.take_spans() };
        let mut body: Json = serde_json::from_slice(&render("host-1", &[taken]).expect("JSON")).expect("JSON");
        let text = |value: &str| json!({ "stringValue": value });
        let resource = json!([
            { "key": "service.name", "value": text("stoa") },
            { "key": "service.version", "value": text(env!("CARGO_PKG_VERSION")) },
            { "key": "service.instance.id", "value": text("host-1") },
        ]);
        assert_eq!(body["resourceSpans"][0]["resource"]["attributes"], resource);
        let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"].take();
        let times = |nth: usize| {
            let time = |name: &str| spans[nth][name].as_str().and_then(|time| time.parse::<u64>().ok());
            time("startTimeUnixNano").zip(time("endTimeUnixNano")).expect("two times, as texts")
        };
        let (outer, inner) = (times(0), times(1));
        assert!(outer.0 <= inner.0 && inner.0 <= inner.1 && inner.1 <= outer.1, "{outer:?} {inner:?}");
        let mut plain = spans.clone();
        for span in plain.as_array_mut().expect("spans") {
            let span = span.as_object_mut().expect("a span");
            span.remove("startTimeUnixNano");
            span.remove("endTimeUnixNano");
        }
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        let expected = json!([
            {
                "traceId": trace, "spanId": ids[0], "parentSpanId": "00f067aa0ba902b7", "name": "GET /v1/x",
                "kind": 2, "attributes": [{ "key": STATUS, "value": { "intValue": "503" } }], "status": { "code": 2 },
            },
            {
                "traceId": trace, "spanId": ids[1], "parentSpanId": ids[0], "name": "run", "kind": 1,
                "attributes": [{ "key": "stoa.module", "value": text("shelf") }],
            },
        ]);
        assert_eq!(plain, expected);
    }
}
