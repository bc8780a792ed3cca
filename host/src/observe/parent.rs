//! The header `traceparent` (W3C Trace Context): the place of a request in a trace that spans systems.

use std::fmt;
use std::str::FromStr;

use http::HeaderMap;
use serde::{Serialize, Serializer};

pub const HEADER: &str = "traceparent";
/// Characters of the header's version 00.
const LENGTH: usize = 55;

/// The id of a trace, never zero: 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceId(pub u128);

/// The id of a span within its trace, never zero: 16 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanId(pub u64);

/// A span as its successor in another system receives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    pub trace: TraceId,
    pub span: SpanId,
    /// True if the system before records this trace.
    pub is_sampled: bool,
}

impl TraceParent {
    /// The request's parent; none if the header is absent, malformed or there twice.
    pub fn read(headers: &HeaderMap) -> Option<TraceParent> {
        let mut values = headers.get_all(HEADER).iter();
        let value = values.next().filter(|_| values.next().is_none())?;
        value.to_str().ok()?.parse().ok()
    }
}

/// A text that is not a `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoParent;

impl FromStr for TraceParent {
    type Err = NoParent;

    /// A later version may go on behind another dash.
    fn from_str(text: &str) -> Result<TraceParent, NoParent> {
        let (known, rest) = text.split_at_checked(LENGTH).ok_or(NoParent)?;
        let parts: Vec<&str> = known.split('-').collect();
        let &[version, trace, span, flags] = parts.as_slice() else { return Err(NoParent) };
        let version = digits(version, 2)?;
        if version == 0xff || !(rest.is_empty() || (version > 0 && rest.starts_with('-'))) {
            return Err(NoParent);
        }
        let (trace, span, flags) = (digits(trace, 32)?, digits(span, 16)?, digits(flags, 2)?);
        let span = u64::try_from(span).map_err(|_| NoParent)?;
        if trace == 0 || span == 0 {
            return Err(NoParent);
        }
        Ok(TraceParent { trace: TraceId(trace), span: SpanId(span), is_sampled: flags & 1 == 1 })
    }
}

/// So many hexadecimal digits in lower case.
fn digits(text: &str, count: usize) -> Result<u128, NoParent> {
    let are_digits = text.len() == count && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if are_digits { u128::from_str_radix(text, 16).map_err(|_| NoParent) } else { Err(NoParent) }
}

impl fmt::Display for TraceParent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "00-{}-{}-{:02x}", self.trace, self.span, u8::from(self.is_sampled))
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", self.0)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}

impl Serialize for TraceId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for SpanId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    #[test]
    fn a_parent_is_read_and_written() {
        for (text, is_sampled) in [
            (format!("00-{TRACE}-{SPAN}-01"), true),
            (format!("00-{TRACE}-{SPAN}-00"), false),
            // Flags that this version does not define.
            (format!("00-{TRACE}-{SPAN}-fe"), false),
            (format!("01-{TRACE}-{SPAN}-03"), true),
            (format!("cc-{TRACE}-{SPAN}-01-more"), true),
        ] {
            let parent: TraceParent = text.parse().expect("a parent");
            let written = format!("00-{TRACE}-{SPAN}-0{}", u8::from(is_sampled));
            assert_eq!((parent.is_sampled, parent.to_string()), (is_sampled, written), "{text}");
        }
    }

    #[test]
    fn a_malformed_parent_is_none() {
        for text in [
            String::new(),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-1"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("00-{TRACE}-{SPAN}-01 "),
            format!("01-{TRACE}-{SPAN}-01more"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("0-{TRACE}0-{SPAN}-01"),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{}-{SPAN}-01", "0".repeat(32)),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-+{}-{SPAN}-01", &TRACE[1..]),
            format!("00_{TRACE}_{SPAN}_01"),
            format!("00-{}ä-{SPAN}-01", &TRACE[2..]),
        ] {
            assert_eq!(text.parse::<TraceParent>(), Err(NoParent), "{text:?}");
        }
    }

    #[test]
    fn two_parents_are_none() {
        let mut headers = HeaderMap::new();
        assert_eq!(TraceParent::read(&headers), None);
        let value: http::HeaderValue = format!("00-{TRACE}-{SPAN}-01").parse().expect("a value");
        headers.append(HEADER, value.clone());
        assert!(TraceParent::read(&headers).is_some());
        headers.append(HEADER, value);
        assert_eq!(TraceParent::read(&headers), None);
    }
}
