//! The company's time zone: its day, and instants as texts of a form and back.

use chrono::{DateTime, Duration, NaiveDate, NaiveDateTime, SecondsFormat, TimeZone as _, Timelike as _, Utc};
use chrono_tz::Tz;

#[derive(Debug, Clone, Copy)]
pub struct Clock {
    pub zone: Tz,
}

/// Minutes of the longest gap: a zone that changed sides of the date line left a day out.
const LONGEST_GAP: i64 = 24 * 60;

impl Clock {
    /// The company's day now.
    pub fn today(&self) -> NaiveDate {
        Utc::now().with_timezone(&self.zone).date_naive()
    }

    /// An instant (RFC 3339) as `YYYY-MM-DDTHH:MM:SS` in the zone, with milliseconds if it has some; another text as it is.
    pub fn to_text(self, instant: &str) -> String {
        let Ok(instant) = DateTime::parse_from_rfc3339(instant) else { return instant.to_owned() };
        let local = instant.with_timezone(&self.zone);
        let form = if local.timestamp_subsec_millis() == 0 { "%Y-%m-%dT%H:%M:%S" } else { "%Y-%m-%dT%H:%M:%S%.3f" };
        local.format(form).to_string()
    }

    /// `YYYY-MM-DDTHH:MM[:SS]` in the zone as an instant in UTC; another text as it is. A time that comes twice is the
    /// first instant; one that never comes is the end of the gap.
    pub fn read_text(self, text: &str) -> String {
        let forms = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S%.f"];
        let local = forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok());
        let at = |local: NaiveDateTime| self.zone.from_local_datetime(&local).earliest();
        let instant = local.and_then(|local| {
            let minute = local.with_second(0)?.with_nanosecond(0)?;
            let end =
                || (1..=LONGEST_GAP).find_map(|minutes| at(minute.checked_add_signed(Duration::minutes(minutes))?));
            at(local).or_else(end)
        });
        let Some(instant) = instant.map(|instant| instant.to_utc()) else { return text.to_owned() };
        let has_part = instant.timestamp_subsec_millis() != 0;
        instant.to_rfc3339_opts(if has_part { SecondsFormat::Millis } else { SecondsFormat::Secs }, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BERLIN: Clock = Clock { zone: chrono_tz::Europe::Berlin };

    #[test]
    fn an_instant_comes_back_from_the_zone() {
        for (instant, text) in [
            ("2026-01-15T11:30:00Z", "2026-01-15T12:30:00"),
            ("2026-07-15T11:30:05Z", "2026-07-15T13:30:05"),
            ("2026-07-15T11:30:05.250Z", "2026-07-15T13:30:05.250"),
            ("soon", "soon"),
        ] {
            assert_eq!((BERLIN.to_text(instant).as_str(), BERLIN.read_text(text).as_str()), (text, instant));
        }
    }

    #[test]
    fn a_change_of_the_clock_has_one_instant_for_each_text() {
        assert_eq!(BERLIN.read_text("2026-10-25T02:30"), "2026-10-25T00:30:00Z", "twice: the first");
        assert_eq!(BERLIN.read_text("2026-03-29T02:30"), "2026-03-29T01:00:00Z", "never: the end of the gap");
        let samoa = Clock { zone: chrono_tz::Pacific::Apia };
        assert_eq!(samoa.read_text("2011-12-30T12:00"), "2011-12-30T10:00:00Z");
    }
}
