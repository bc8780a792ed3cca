//! Identifiers: 128 bits as two halves, because that is how they cross the border to the host.

use std::fmt;
use std::str::FromStr;

use schemars::json_schema;
use uuid::Uuid;

use crate::instant::Instant;

/// A UUID. Any version is read; the host makes version 7, whose order is that of creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub u64, pub u64);

impl Id {
    /// The least that is made at this instant: above every id made before it, and above none made at it or later.
    pub fn first_at(instant: Instant) -> Id {
        Id(u64::try_from(instant.0).unwrap_or(0) << 16, 0)
    }
}

impl From<(u64, u64)> for Id {
    fn from((high, low): (u64, u64)) -> Id {
        Id(high, low)
    }
}

impl From<Id> for (u64, u64) {
    fn from(id: Id) -> (u64, u64) {
        (id.0, id.1)
    }
}

/// Lower case with hyphens.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut buffer = Uuid::encode_buffer();
        f.write_str(Uuid::from_u64_pair(self.0, self.1).hyphenated().encode_lower(&mut buffer))
    }
}

parse_error! {
    /// The text is not a UUID of 36 characters.
    pub struct NotAnId: "a UUID of 36 characters is expected"
}

/// RFC 4122 text of 36 characters, in either case; no braces, no URN.
impl FromStr for Id {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Id, NotAnId> {
        if text.len() != 36 {
            return Err(NotAnId);
        }
        let (high, low) = Uuid::try_parse(text).map_err(|_| NotAnId)?.as_u64_pair();
        Ok(Id(high, low))
    }
}

json_text!([] Id);

inline_schema!([] Id, |_| json_schema!({ "type": "string", "format": "uuid" }));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_36_characters_only_and_answers_lower_case() {
        let id: Id = "0190A1B2-C3D4-7E5F-8A9B-0C1D2E3F4A5B".parse().unwrap();
        assert_eq!(id.to_string(), "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b");
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b\"");
        for wrong in [
            "",
            "0190a1b2c3d47e5f8a9b0c1d2e3f4a5b",
            "{0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b}",
            "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5g",
        ] {
            assert_eq!(wrong.parse::<Id>(), Err(NotAnId));
        }
    }
}
