//! Canonical JSON (RFC 8785): members sorted by UTF-16 code units, no white space, numbers as ECMAScript writes them. Written
//! here and not by serde_json_canonicalizer because that makes a double of every integer: bodies that differ only beyond 2^53
//! would then share a fingerprint, and the second would be answered with the first one's answer.

use serde_json::{Number, Value};

/// The canonical text of a value.
pub fn text(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => text.push_str(&number_text(number)),
        Value::String(string) => write_string(string, text),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().collect();
            members.sort_unstable_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            text.push('{');
            for (index, (name, value)) in members.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_string(name, text);
                text.push(':');
                write(value, text);
            }
            text.push('}');
        }
    }
}

fn number_text(number: &Number) -> String {
    match number.as_f64() {
        Some(double) if number.is_f64() => {
            serde_json_canonicalizer::to_string(&double).unwrap_or_else(|_| number.to_string())
        }
        _ => number.to_string(),
    }
}

fn write_string(string: &str, text: &mut String) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            c if c < ' ' => text.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => text.push(c),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn texts() {
        for (value, canonical) in [
            (json!({"b": [1, true, null], "a": {"d": "x", "c": 1.0}}), r#"{"a":{"c":1,"d":"x"},"b":[1,true,null]}"#),
            // From RFC 8785, 3.2.3: code units, not code points.
            (
                json!({"\u{20ac}": 1, "\r": 2, "\u{fb33}": 3, "1": 4, "\u{1f600}": 5, "\u{80}": 6, "\u{f6}": 7}),
                "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"\u{f6}\":7,\"\u{20ac}\":1,\"\u{1f600}\":5,\"\u{fb33}\":3}",
            ),
            (json!("\u{0}\u{1f}\"\\/é"), "\"\\u0000\\u001f\\\"\\\\/é\""),
            (json!([1e30, 4.50, 2e-3, 1e-27, -0.0]), "[1e+30,4.5,0.002,1e-27,0]"),
            (json!([9_007_199_254_740_993_i64, u64::MAX]), "[9007199254740993,18446744073709551615]"),
        ] {
            assert_eq!(text(&value), canonical);
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_reference_where_doubles_are_exact(
            members in prop::collection::hash_map(any::<String>(), (any::<i32>(), any::<f64>(), any::<String>()), 0..8)
        ) {
            let value: Value = members.into_iter().map(|(name, (i, f, s))| (name, json!([i, f, s, {"i": i, "s": s}]))).collect();
            prop_assert_eq!(text(&value), serde_json_canonicalizer::to_string(&value).unwrap());
        }
    }
}
