//! How large a value of any shape may be. JSON Schema bounds a text, a list, an object's own members; it has no word for all that
//! is below a free value, which is what its reading, keeping and showing cost. So the contract has three of its own.

use serde_json::{Map, Value};

/// The keywords, as schemas spell them.
pub const VALUES: &str = "x-maxValues";
pub const DEPTH: &str = "x-maxDepth";
pub const CHARACTERS: &str = "x-maxCharacters";

/// Bounds of a value and all that it contains. A part without a stated bound is unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Values: objects, arrays and scalars, the whole included.
    pub values: usize,
    /// Objects and arrays inside one another, the whole included.
    pub depth: usize,
    /// Characters of its compact JSON.
    pub characters: usize,
}

impl Bounds {
    /// Bounds that a schema states; `None` where it states none.
    pub fn from_keywords(keywords: &Map<String, Value>) -> Result<Option<Bounds>, String> {
        let read = |keyword: &str| match keywords.get(keyword) {
            None => Ok(None),
            Some(bound) => {
                let bound = bound.as_u64().and_then(|bound| usize::try_from(bound).ok());
                bound.map(Some).ok_or_else(|| format!("{keyword} is a whole number"))
            }
        };
        let (values, depth, characters) = (read(VALUES)?, read(DEPTH)?, read(CHARACTERS)?);
        if values.or(depth).or(characters).is_none() {
            return Ok(None);
        }
        let unbounded = |bound: Option<usize>| bound.unwrap_or(usize::MAX);
        Ok(Some(Bounds { values: unbounded(values), depth: unbounded(depth), characters: unbounded(characters) }))
    }

    /// The codes of what passes the bounds: TOO_MANY (values), RANGE (depth or characters). It looks no further than it must.
    pub fn find_faults(&self, value: &Value) -> Vec<&'static str> {
        let mut measured = Measured { bounds: *self, values: 0, depth: 0, characters: 0 };
        measured.visit(value, 1);
        let too_many = (measured.values > self.values).then_some("TOO_MANY");
        let too_large = (measured.depth > self.depth || measured.characters > self.characters).then_some("RANGE");
        too_many.into_iter().chain(too_large).collect()
    }

    /// The bounds that a fault of this code is about.
    pub fn tell(&self, code: &str) -> Value {
        let all = [(VALUES, self.values), (DEPTH, self.depth), (CHARACTERS, self.characters)];
        let of_code = |name: &str| (name == VALUES) == (code == "TOO_MANY");
        let bounds = all.into_iter().filter(|(name, most)| of_code(name) && *most < usize::MAX);
        Value::Object(bounds.map(|(name, most)| (name.to_owned(), most.into())).collect())
    }
}

struct Measured {
    bounds: Bounds,
    values: usize,
    depth: usize,
    characters: usize,
}

impl Measured {
    /// `depth`: of an object or array.
    fn visit(&mut self, value: &Value, depth: usize) {
        self.values += 1;
        match value {
            Value::Null => self.characters += 4,
            Value::Bool(flag) => self.characters += if *flag { 4 } else { 5 },
            Value::Number(number) => self.characters += number.to_string().len(),
            Value::String(text) => self.characters += count_characters(text),
            Value::Array(items) => {
                self.open(depth, items.len());
                for item in items {
                    if self.is_decided() {
                        return;
                    }
                    self.visit(item, depth + 1);
                }
            }
            Value::Object(members) => {
                self.open(depth, members.len());
                for (name, member) in members {
                    if self.is_decided() {
                        return;
                    }
                    self.characters += count_characters(name) + 1;
                    self.visit(member, depth + 1);
                }
            }
        }
    }

    /// Counts what holds values: itself, its two brackets and the commas.
    fn open(&mut self, depth: usize, entries: usize) {
        self.depth = self.depth.max(depth);
        self.characters += 2 + entries.saturating_sub(1);
    }

    /// Both faults are known, or as many values seen as make a fault for certain.
    fn is_decided(&self) -> bool {
        self.values > self.bounds.values.saturating_mul(2)
            || (self.values > self.bounds.values
                && (self.depth > self.bounds.depth || self.characters > self.bounds.characters))
    }
}

/// Characters of a text as compact JSON spells it, quotes included.
fn count_characters(text: &str) -> usize {
    let spelt = |letter: char| match letter {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => 1,
    };
    2 + text.chars().map(spelt).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const FREE: Bounds = Bounds { values: 500, depth: 5, characters: 16_000 };

    #[test]
    fn exactly_at_the_bounds_is_allowed() {
        for (value, faults) in [
            // The object, the array and 498 numbers.
            (json!({ "a": vec![0; 498] }), vec![]),
            (json!({ "a": vec![0; 499] }), vec!["TOO_MANY"]),
            (json!({ "a": { "b": { "c": [{ "d": 1 }] } } }), vec![]),
            (json!({ "a": { "b": { "c": [{ "d": {} }] } } }), vec!["RANGE"]),
            // {"a":"..."} is eight characters around the text; an umlaut is one character.
            (json!({ "a": "ü".repeat(15_992) }), vec![]),
            (json!({ "a": "ü".repeat(15_993) }), vec!["RANGE"]),
            (json!({ "a": vec![json!("x".repeat(99)); 600] }), vec!["TOO_MANY", "RANGE"]),
        ] {
            assert_eq!(FREE.find_faults(&value), faults);
        }
    }

    #[test]
    fn a_hostile_value_is_not_walked_to_its_end() {
        let value = json!(vec![json!({}); 1_000_000]);
        let started = std::time::Instant::now();
        assert_eq!(FREE.find_faults(&value), ["TOO_MANY", "RANGE"]);
        assert!(started.elapsed() < std::time::Duration::from_millis(5));
    }

    #[test]
    fn what_is_not_stated_is_not_bounded() {
        let bounds = |schema: Value| Bounds::from_keywords(schema.as_object().unwrap());
        assert_eq!(bounds(json!({ "type": "object" })), Ok(None));
        let stated = bounds(json!({ "x-maxValues": 3 })).unwrap().unwrap();
        assert!(stated.find_faults(&json!([[["x".repeat(90)]]])).eq(&["TOO_MANY"]));
        assert!(stated.find_faults(&json!([["x".repeat(90)]])).is_empty());
        assert!(bounds(json!({ "x-maxDepth": "3" })).is_err());
    }

    proptest! {
        #[test]
        fn characters_are_those_of_the_compact_text(text in any::<String>()) {
            let value = json!({ text.clone(): [text, 1.5e-7, -3, true, false, null, {}, []] });
            let characters = value.to_string().chars().count();
            let exactly = |characters| Bounds { values: 500, depth: 5, characters };
            prop_assert!(exactly(characters).find_faults(&value).is_empty());
            prop_assert_eq!(exactly(characters - 1).find_faults(&value), ["RANGE"]);
        }
    }
}
