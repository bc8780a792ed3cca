//! Several ids in one query parameter.

use std::fmt;
use std::str::FromStr;

use schemars::json_schema;
use stoa_sdk::{Column, Filter, Id};

/// A uuid each, in either case, with commas between.
const PATTERN: &str =
    "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(,[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})*$";
/// As many as a page has at most.
const MOST: usize = 100;
/// Characters of an id, with its comma.
const ONE: usize = 37;

/// Ids that a list asks for: 1 to 100, with commas between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ids(Vec<Id>);

/// The text is not a list of 1 to 100 ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotIds;

impl fmt::Display for NotIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("1 to 100 UUIDs with commas between are expected")
    }
}

impl FromStr for Ids {
    type Err = NotIds;

    fn from_str(text: &str) -> Result<Ids, NotIds> {
        let ids: Vec<Id> = text.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| NotIds)?;
        if ids.len() > MOST { Err(NotIds) } else { Ok(Ids(ids)) }
    }
}

impl fmt::Display for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, id) in self.0.iter().enumerate() {
            let comma = if nth == 0 { "" } else { "," };
            write!(f, "{comma}{id}")?;
        }
        Ok(())
    }
}

stoa_sdk::json_text!([] Ids);

stoa_sdk::inline_schema!([] Ids, |_| json_schema!({ "type": "string", "pattern": PATTERN, "maxLength": MOST * ONE - 1 }));

/// The column is one of the stated ids; every row where none is stated.
pub fn among(column: Column<Id>, stated: Option<&Ids>) -> Filter {
    stated.map(|ids| column.one_of(ids.0.iter().copied())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_up_to_a_page_of_them() {
        let one = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
        let list = |count: usize| vec![one; count].join(",");
        for good in [1, 2, 100] {
            assert_eq!(list(good).parse::<Ids>().map(|ids| ids.to_string()), Ok(list(good)));
            assert!(list(good).len() < MOST * ONE);
        }
        for wrong in ["", ",", &list(101), &format!("{one},"), &one[1..]] {
            assert_eq!(wrong.parse::<Ids>(), Err(NotIds), "{wrong}");
        }
    }
}
