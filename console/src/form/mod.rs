//! Forms: the fields of an operation's body, as HTML and back to JSON.
//!
//! Names of a form: `v` + JSON pointer is a value, `n` + pointer the number of rows, `s` + pointer the text of a
//! search, `p/NAME` a parameter of the path. `key`, `etag` and `version` are hidden; `do` is the button.

pub mod draw;
pub mod fault;
pub mod field;
pub mod read;
pub mod reference;

use std::collections::HashMap;

use crate::pairs::Pairs;

pub use fault::{Fault, Faults};
pub use read::read;

/// The values of a form by their names.
pub struct Values<'a>(HashMap<&'a str, Vec<&'a str>>);

/// Rows that a form may have had, removed ones among them.
const MOST_COUNTED: usize = 200;

impl<'a> Values<'a> {
    pub fn new(pairs: &'a Pairs) -> Values<'a> {
        let mut values: HashMap<&str, Vec<&str>> = HashMap::new();
        for (name, value) in &pairs.0 {
            values.entry(name).or_default().push(value);
        }
        Values(values)
    }

    pub fn all(&self, name: &str) -> &[&'a str] {
        self.0.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The first one, trimmed; an empty text if there is none.
    pub fn text(&self, name: &str) -> &'a str {
        self.all(name).first().map(|text| text.trim()).unwrap_or_default()
    }

    /// The lines of all of them that are not blank.
    fn lines(&self, name: &str) -> impl Iterator<Item = &'a str> {
        self.all(name).iter().flat_map(|text| text.lines()).map(str::trim).filter(|line| !line.is_empty())
    }

    /// Rows of a list, those that were removed by a script counted.
    pub fn count(&self, pointer: &str) -> usize {
        self.text(&format!("n{pointer}")).parse().unwrap_or(0).min(MOST_COUNTED)
    }
}

#[cfg(test)]
mod tests;
