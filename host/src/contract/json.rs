//! Strict JSON (RFC 8259). Stricter than serde_json where the interface is: repeated members are reported instead of the last
//! one winning, depth ends at exactly 128, and the number of values is bounded, so that no text becomes more memory than
//! its size justifies. One pass, linear in the text.

use std::borrow::Cow;

use serde_json::{Map, Number, Value, map::Entry};

use super::pointer::{Step, Trail};

/// Containers within containers.
const MAX_DEPTH: usize = 128;
/// As many faults as an answer shows.
const MAX_REPEATED: usize = 200;

/// Why a text is not a document of the interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Malformed {
    /// No JSON, not UTF-8, too deep, a number beyond a double, or a lone surrogate: MALFORMED_JSON.
    Syntax,
    /// More values than any operation takes.
    TooManyValues,
    /// Well-formed, but members are repeated: the steps to each, as typed. `Schema::pointer` makes of them what may be reported.
    Repeated(Vec<Vec<Step<'static>>>),
}

/// Reads one JSON text of at most so many values. Each costs up to 80 bytes.
pub fn parse(bytes: &[u8], most_values: usize) -> Result<Value, Malformed> {
    let text = std::str::from_utf8(bytes).map_err(|_| Malformed::Syntax)?;
    let mut reader = Reader { text, position: 0, depth: 0, values: most_values, repeated: Vec::new() };
    reader.space();
    let value = reader.value(&Trail::ROOT)?;
    reader.space();
    if reader.peek().is_some() {
        return Err(Malformed::Syntax);
    }
    if reader.repeated.is_empty() { Ok(value) } else { Err(Malformed::Repeated(reader.repeated)) }
}

struct Reader<'t> {
    text: &'t str,
    position: usize,
    depth: usize,
    /// That may still come.
    values: usize,
    repeated: Vec<Vec<Step<'static>>>,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.position += 1;
        }
    }

    /// Takes `byte` if it is next.
    fn take(&mut self, byte: u8) -> bool {
        let taken = self.peek() == Some(byte);
        self.position += usize::from(taken);
        taken
    }

    fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.take(byte) { Ok(()) } else { Err(Malformed::Syntax) }
    }

    fn since(&self, start: usize) -> Result<&'t str, Malformed> {
        self.text.get(start..self.position).ok_or(Malformed::Syntax)
    }

    fn value(&mut self, trail: &Trail) -> Result<Value, Malformed> {
        self.values = self.values.checked_sub(1).ok_or(Malformed::TooManyValues)?;
        match self.peek() {
            Some(b'{') => self.read_nested(|reader| reader.object(trail)),
            Some(b'[') => self.read_nested(|reader| reader.array(trail)),
            Some(b'"') => Ok(Value::String(self.string()?)),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(Malformed::Syntax),
        }
    }

    fn read_nested(&mut self, read: impl FnOnce(&mut Self) -> Result<Value, Malformed>) -> Result<Value, Malformed> {
        self.position += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Malformed::Syntax);
        }
        self.space();
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self, trail: &Trail) -> Result<Value, Malformed> {
        let mut members = Map::new();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            let name = self.string()?;
            self.space();
            self.expect(b':')?;
            self.space();
            let step = Step::Name(Cow::Borrowed(&name));
            let here = trail.down(&step);
            let value = self.value(&here)?;
            if self.repeated.len() < MAX_REPEATED && members.contains_key(&name) {
                self.repeated.push(here.steps());
            }
            if let Entry::Vacant(entry) = members.entry(name) {
                entry.insert(value);
            }
            self.space();
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            self.expect(b',')?;
            self.space();
        }
    }

    fn array(&mut self, trail: &Trail) -> Result<Value, Malformed> {
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            let step = Step::Index(items.len());
            let item = self.value(&trail.down(&step))?;
            items.push(item);
            self.space();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            self.expect(b',')?;
            self.space();
        }
    }

    fn literal(&mut self, word: &str, value: Value) -> Result<Value, Malformed> {
        if !self.text.get(self.position..).is_some_and(|rest| rest.starts_with(word)) {
            return Err(Malformed::Syntax);
        }
        self.position += word.len();
        Ok(value)
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(Malformed::Syntax);
        }
        while let Some(b'0'..=b'9') = self.peek() {
            self.position += 1;
        }
        Ok(())
    }

    /// Whole numbers stay exact as far as 64 bits reach; the others are doubles.
    fn number(&mut self) -> Result<Value, Malformed> {
        let start = self.position;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        let mut whole = true;
        if self.take(b'.') {
            whole = false;
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            whole = false;
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        let token = self.since(start)?;
        if whole {
            if let Ok(number) = token.parse::<i64>() {
                return Ok(Value::Number(number.into()));
            }
            if let Ok(number) = token.parse::<u64>() {
                return Ok(Value::Number(number.into()));
            }
        }
        // An infinite double is not a JSON number, so `from_f64` refuses what is beyond one.
        let number = token.parse::<f64>().map_err(|_| Malformed::Syntax)?;
        Number::from_f64(number).map(Value::Number).ok_or(Malformed::Syntax)
    }

    fn string(&mut self) -> Result<String, Malformed> {
        self.expect(b'"')?;
        let mut string = String::new();
        loop {
            let start = self.position;
            let rest = self.text.as_bytes().get(start..).unwrap_or_default();
            let plain = rest.iter().position(|&b| b == b'"' || b == b'\\' || b < 0x20).ok_or(Malformed::Syntax)?;
            self.position += plain;
            string.push_str(self.since(start)?);
            if self.take(b'"') {
                return Ok(string);
            }
            self.expect(b'\\')?;
            string.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, Malformed> {
        let byte = self.peek().ok_or(Malformed::Syntax)?;
        self.position += 1;
        Ok(match byte {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex()?;
                let code = if (0xD800..0xDC00).contains(&high) {
                    self.expect(b'\\')?;
                    self.expect(b'u')?;
                    let low = self.hex()?;
                    if !(0xDC00..0xE000).contains(&low) {
                        return Err(Malformed::Syntax);
                    }
                    0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
                } else {
                    high
                };
                // A lone low surrogate is not a character.
                char::from_u32(code).ok_or(Malformed::Syntax)?
            }
            _ => return Err(Malformed::Syntax),
        })
    }

    fn hex(&mut self) -> Result<u32, Malformed> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16)).ok_or(Malformed::Syntax)?;
            code = code * 16 + digit;
            self.position += 1;
        }
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;
    use serde_json::json;

    use super::super::pointer::pointer;
    use super::*;

    fn parse(bytes: &[u8]) -> Result<Value, Malformed> {
        super::parse(bytes, 2_000_000)
    }

    #[test]
    fn what_is_no_json() {
        let bad: &[&[u8]] = &[
            b"",
            b" ",
            b"{",
            b"}",
            b"[",
            b"[1,]",
            b"{\"a\":1,}",
            b"{\"a\"}",
            b"{a:1}",
            b"{'a':1}",
            b"[1 2]",
            b"nul",
            b"nulll",
            b"NaN",
            b"Infinity",
            b"-Infinity",
            b"1e400",
            b"-1e400",
            b"01",
            b"-",
            b"+1",
            b".5",
            b"1.",
            b"1e",
            b"1e+",
            b"0x1",
            b"\xEF\xBB\xBF{}",
            b"{} {}",
            b"{}x",
            b"\"\xff\"",
            b"\"\xc3\"",
            b"\"\xed\xa0\x80\"",
            b"\"a\nb\"",
            b"\"a\0b\"",
            b"\"",
            b"\"\\x\"",
            b"\"\\u12\"",
            b"\"\\u+123\"",
            b"\"\\ud800\"",
            b"\"\\ud800x\"",
            b"\"\\ud800\\u0041\"",
            b"\"\\udc00\"",
            b"\"\\ud800\\ud800\"",
            b"[1]//c",
            b"/**/1",
            b"\x00",
            b"{\"a\":1 \"b\":2}",
            b"[\"a\" : 1]",
            b"tru",
            b"\"\\",
        ];
        for text in bad {
            assert_eq!(parse(text), Err(Malformed::Syntax), "{:?}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn what_is_json() {
        for (text, value) in [
            (" {\"a\" : [ 1 , 2 ] }\r\n", json!({"a": [1, 2]})),
            ("[]", json!([])),
            ("{}", json!({})),
            ("\"\"", json!("")),
            ("-0", json!(0)),
            ("18446744073709551615", json!(u64::MAX)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("1.0", json!(1.0)),
            ("1E0", json!(1.0)),
            ("1e-400", json!(0.0)),
            ("0.1", json!(0.1)),
            ("\"\\u0041\\u00e9\\ud83d\\ude00\\n\\/\"", json!("Aé😀\n/")),
            ("\"\\u0000\"", json!("\0")),
            ("true", json!(true)),
            ("null", json!(null)),
        ] {
            assert_eq!(parse(text.as_bytes()), Ok(value), "{text}");
        }
        assert!(parse(b"100000000000000000000").is_ok_and(|value| value.is_f64()));
    }

    #[test]
    fn repeated_members_are_found_at_every_level() {
        let text = br#"{"a":1,"b":[{"c":1,"d":{"e":1,"e":2,"e":3}}],"a":{}}"#;
        let Err(Malformed::Repeated(all)) = parse(text) else { panic!("not found") };
        let pointers: Vec<String> = all.iter().map(|steps| pointer(steps)).collect();
        assert_eq!(pointers, ["/b/0/d/e", "/b/0/d/e", "/a"]);
        // A text that is not JSON is that first.
        assert_eq!(parse(br#"{"a":1,"a":2"#), Err(Malformed::Syntax));
        // The same name, spelt differently, is the same name.
        assert!(matches!(parse(br#"{"a":1,"\u0061":2}"#), Err(Malformed::Repeated(_))));
    }

    #[test]
    fn depth_ends_at_128() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(parse(nested(128).as_bytes()).is_ok());
        assert_eq!(parse(nested(129).as_bytes()), Err(Malformed::Syntax));
        assert!(parse(format!("{}1{}", "{\"a\":".repeat(128), "}".repeat(128)).as_bytes()).is_ok());
        assert!(parse(format!("[{},{}]", nested(127), nested(127)).as_bytes()).is_ok());
    }

    #[test]
    fn hostile_texts_are_answered_promptly() {
        let started = Instant::now();
        assert_eq!(parse("[".repeat(100_000).as_bytes()), Err(Malformed::Syntax));
        assert_eq!(parse("{\"a\":".repeat(100_000).as_bytes()), Err(Malformed::Syntax));
        let members = |name: &dyn Fn(usize) -> String| {
            let all: Vec<String> = (0..1_000_000).map(|i| format!("\"{}\":0", name(i))).collect();
            format!("{{{}}}", all.join(","))
        };
        assert!(parse(members(&|i| i.to_string()).as_bytes()).is_ok());
        let Err(Malformed::Repeated(all)) = parse(members(&|_| "k".into()).as_bytes()) else { panic!("not found") };
        assert_eq!(all.len(), 200);
        assert!(parse(format!("[{}]", "9".repeat(300)).as_bytes()).is_ok());
        assert_eq!(parse("9".repeat(1 << 20).as_bytes()), Err(Malformed::Syntax));
        assert!(parse(format!("0.{}", "9".repeat(1 << 20)).as_bytes()).is_ok());
        assert_eq!(parse(format!("[{}0]", "0,".repeat(2_000_000)).as_bytes()), Err(Malformed::TooManyValues));
        assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    }

    fn documents() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_filter_map("finite", |f| Number::from_f64(f).map(Value::Number)),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::hash_map(any::<String>(), inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn reads_what_serde_writes(document in documents()) {
            let compact = serde_json::to_vec(&document).unwrap();
            prop_assert_eq!(parse(&compact), Ok(document.clone()));
            let pretty = serde_json::to_vec_pretty(&document).unwrap();
            prop_assert_eq!(parse(&pretty), Ok(document));
        }

        #[test]
        fn agrees_with_serde_on_noise(text in r#"[\[\]{}",:\\a0-9.eE+\- utrlfasn\n]{0,24}"#) {
            let other = serde_json::from_str::<Value>(&text);
            // We read `-0` as the integer it is, serde_json as a double.
            prop_assume!(!text.contains("-0"));
            match parse(text.as_bytes()) {
                Ok(value) => prop_assert_eq!(Some(value), other.ok()),
                Err(Malformed::Repeated(_)) => prop_assert!(other.is_ok()),
                Err(_) => prop_assert!(other.is_err()),
            }
        }
    }
}
