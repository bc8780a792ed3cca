//! The trace of one request: the steps that it went through, and within a step what was called. It contains no value
//! that a caller sent or that is stored: names of the code and of descriptors, ids of request and company, counts.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use uuid::Uuid;

use super::parent::{SpanId, TraceId, TraceParent};

/// Spans below the steps of one request; the rest is counted.
const MOST_SPANS: usize = 512;

/// The trace of a request that was sampled.
#[derive(Debug)]
pub struct Trace {
    pub id: TraceId,
    /// The request's own span, which those after it continue.
    root: SpanId,
    /// The span of the caller's.
    parent: Option<SpanId>,
    began: Instant,
    /// Nanoseconds since 1970.
    began_at: u64,
    spans: Mutex<Spans>,
}

/// A span, with what is known of it so far.
#[derive(Debug)]
pub struct SpanRecord {
    pub name: Cow<'static, str>,
    /// Index of the span around it; its own index: the request itself.
    pub parent: usize,
    /// Nanoseconds after the trace began.
    pub start: u64,
    /// The same; none while it is open.
    pub end: Option<u64>,
    pub attributes: Attributes,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanValue {
    Text(Cow<'static, str>),
    Number(i64),
}

/// Attributes of a span.
pub type Attributes = Vec<(&'static str, SpanValue)>;

impl From<&'static str> for SpanValue {
    fn from(text: &'static str) -> SpanValue {
        SpanValue::Text(text.into())
    }
}

impl From<String> for SpanValue {
    fn from(text: String) -> SpanValue {
        SpanValue::Text(text.into())
    }
}

impl From<usize> for SpanValue {
    fn from(number: usize) -> SpanValue {
        SpanValue::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

#[derive(Debug)]
struct Spans {
    /// The first is the request itself.
    list: Vec<SpanRecord>,
    /// The innermost one that is open. Those that are open are this one and those around it.
    open: usize,
    /// The last step.
    step: usize,
    dropped: usize,
    is_finished: bool,
}

impl Spans {
    fn begin(&mut self, name: Cow<'static, str>, now: u64, attributes: Attributes) -> usize {
        let span = SpanRecord { name, parent: self.open, start: now, end: None, attributes };
        self.list.push(span);
        self.open = self.list.len() - 1;
        self.open
    }

    /// Ends every open span within this one, which is open.
    fn close_within(&mut self, index: usize, now: u64) {
        while self.open != index
            && self.open > 0
            && let Some(span) = self.list.get_mut(self.open)
        {
            span.end = Some(now);
            self.open = span.parent;
        }
    }

    fn end(&mut self, index: usize, now: u64) {
        if self.list.get(index).is_some_and(|span| span.end.is_none()) {
            self.close_within(index, now);
            if let Some(span) = self.list.get_mut(index) {
                span.end = Some(now);
                self.open = span.parent;
            }
        }
    }

    fn set(&mut self, index: usize, name: &'static str, value: SpanValue) {
        if let Some(span) = self.list.get_mut(index) {
            span.attributes.push((name, value));
        }
    }
}

impl Trace {
    /// A trace that begins now. `request`: its id, which is the trace's where no parent gives one.
    pub fn begin(request: Uuid, parent: Option<TraceParent>) -> Trace {
        let began_at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let root = SpanRecord { name: Cow::default(), parent: 0, start: 0, end: None, attributes: Vec::new() };
        let spans = Spans { list: vec![root], open: 0, step: 0, dropped: 0, is_finished: false };
        Trace {
            id: parent.map_or(TraceId(request.as_u128()), |parent| parent.trace),
            root: SpanId(rand::random::<u64>().max(1)),
            parent: parent.map(|parent| parent.span),
            began: Instant::now(),
            began_at: u64::try_from(began_at).unwrap_or(u64::MAX),
            spans: Mutex::new(spans),
        }
    }

    /// The request, for the service that continues its trace.
    pub fn successor(&self) -> TraceParent {
        TraceParent { trace: self.id, span: self.root, is_sampled: true }
    }

    /// Names the request and adds to its attributes.
    pub fn describe(&self, name: Option<String>, attributes: Attributes) {
        if let Some(root) = self.lock().list.first_mut() {
            if let Some(name) = name {
                root.name = name.into();
            }
            root.attributes.extend(attributes);
        }
    }

    /// The next step of the request. Every open span ends.
    pub fn step(&self, name: impl Into<Cow<'static, str>>, attributes: Attributes) {
        let (now, mut spans) = (self.now(), self.lock());
        if !spans.is_finished {
            spans.close_within(0, now);
            spans.step = spans.begin(name.into(), now, attributes);
        }
    }

    /// Adds to the last step.
    pub fn describe_step(&self, attributes: Attributes) {
        let mut spans = self.lock();
        let step = spans.step;
        attributes.into_iter().for_each(|(name, value)| spans.set(step, name, value));
    }

    /// A span within the innermost open one, until the guard is dropped. None for a request that has its share of them.
    pub fn enter(self: &Arc<Trace>, name: impl Into<Cow<'static, str>>, attributes: Attributes) -> Option<OpenSpan> {
        let (now, mut spans) = (self.now(), self.lock());
        if spans.is_finished {
            return None;
        }
        if spans.list.len() >= MOST_SPANS {
            spans.dropped += 1;
            return None;
        }
        let index = spans.begin(name.into(), now, attributes);
        Some(OpenSpan { trace: self.clone(), index })
    }

    /// Ends the request. Later work for it is not recorded. Returns whether the request has a name.
    pub fn finish(&self) -> bool {
        let (now, mut spans) = (self.now(), self.lock());
        spans.close_within(0, now);
        spans.end(0, now);
        spans.is_finished = true;
        if spans.dropped > 0 {
            let dropped = spans.dropped;
            spans.set(0, "stoa.spans_dropped", dropped.into());
        }
        spans.list.first().is_some_and(|root| !root.name.is_empty())
    }

    /// The spans of a finished trace, which has none from then on.
    pub fn take_spans(&self) -> Vec<SpanRecord> {
        std::mem::take(&mut self.lock().list)
    }

    /// The id of a span by its index.
    pub fn span_id(&self, index: usize) -> SpanId {
        let id = self.root.0.wrapping_add(index as u64);
        // Zero is not an id, and no other span has this one.
        SpanId(if id == 0 { self.root.0.wrapping_sub(1) } else { id })
    }

    /// The id of the span around one, of the caller's for the request itself.
    pub fn parent_of(&self, index: usize, parent: usize) -> Option<SpanId> {
        if index == parent { self.parent } else { Some(self.span_id(parent)) }
    }

    /// Nanoseconds since 1970 of an instant of this trace.
    pub fn time_of(&self, after: u64) -> u64 {
        self.began_at.saturating_add(after)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, Spans> {
        self.spans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A span that ends when this is dropped.
#[derive(Debug)]
pub struct OpenSpan {
    trace: Arc<Trace>,
    index: usize,
}

impl OpenSpan {
    pub fn set(&self, name: &'static str, value: impl Into<SpanValue>) {
        self.trace.lock().set(self.index, name, value.into());
    }
}

impl Drop for OpenSpan {
    fn drop(&mut self) {
        let now = self.trace.now();
        self.trace.lock().end(self.index, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of the spans, each with that of the span around it.
    fn names(trace: &Trace) -> Vec<(String, String)> {
        let spans = trace.take_spans();
        assert!(spans.iter().all(|span| span.end.is_some_and(|end| end >= span.start)), "{spans:?}");
        let name = |index: usize| spans[index].name.to_string();
        spans.iter().skip(1).map(|span| (span.name.to_string(), name(span.parent))).collect()
    }

    #[test]
    fn a_step_ends_what_is_open_and_a_span_lies_in_what_is_open() {
        let trace = Arc::new(Trace::begin(Uuid::from_u128(7), None));
        trace.describe(Some("request".into()), Vec::new());
        trace.step("open", Vec::new());
        trace.step("run", Vec::new());
        let call = trace.enter("call", Vec::new());
        drop(trace.enter("store", Vec::new()));
        drop(call);
        drop(trace.enter("other store", Vec::new()));
        let left = trace.enter("left open", Vec::new());
        trace.step("commit", Vec::new());
        drop(left);
        assert!(trace.finish());
        assert!(trace.enter("late", Vec::new()).is_none());
        trace.step("later", Vec::new());
        let expected = [
            ("open", "request"),
            ("run", "request"),
            ("call", "run"),
            ("store", "call"),
            ("other store", "run"),
            ("left open", "run"),
            ("commit", "request"),
        ];
        let expected = expected.map(|(name, parent)| (name.to_owned(), parent.to_owned()));
        assert_eq!((names(&trace), trace.id), (expected.to_vec(), TraceId(7)));
    }

    #[test]
    fn a_request_has_a_bounded_number_of_spans() {
        let trace = Arc::new(Trace::begin(Uuid::from_u128(7), None));
        for _ in 0..MOST_SPANS + 4 {
            drop(trace.enter("store", Vec::new()));
        }
        assert!(!trace.finish(), "it has no name");
        let spans = trace.take_spans();
        assert_eq!(spans.len(), MOST_SPANS);
        assert_eq!(spans[0].attributes, [("stoa.spans_dropped", SpanValue::Number(5))]);
    }

    #[test]
    fn every_span_has_an_id_of_its_own() {
        let trace = Trace { root: SpanId(u64::MAX - 1), ..Trace::begin(Uuid::nil(), None) };
        let ids: std::collections::BTreeSet<u64> = (0..4).map(|index| trace.span_id(index).0).collect();
        assert!(ids.len() == 4 && !ids.contains(&0), "{ids:?}");
        assert_eq!((trace.parent_of(0, 0), trace.parent_of(2, 1)), (None, Some(SpanId(u64::MAX))));
    }
}
