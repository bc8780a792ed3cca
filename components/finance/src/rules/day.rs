//! Days of documents: which day an act takes effect, and when an invoice is due.

use stoa_sdk::{Bounds, Date, Problem, today};
use stoa_trade::dates::{days_after, effective_day};
use stoa_trade::refusal::{illegal, out_of_range};

/// The day of an act on a document that was posted on `posted`: the stated one, or today, but never before the document.
///
/// # Errors
/// VALIDATION_FAILED with DATE_IN_FUTURE, ILLEGAL_STATE with DATE_BEFORE_DOCUMENT at the pointer.
pub fn day_of_act(stated: Option<Date>, posted: Date, pointer: &str) -> Result<Date, Problem> {
    let day = effective_day(stated, today(), pointer)?;
    match stated {
        Some(day) if day < posted => Err(illegal(pointer, "DATE_BEFORE_DOCUMENT")),
        Some(day) => Ok(day),
        // A document may be dated tomorrow.
        None => Ok(day.max(posted)),
    }
}

/// Refuses an invoice that is due before it is issued.
///
/// # Errors
/// VALIDATION_FAILED with RANGE at the pointer.
pub fn check_due(issued: Option<Date>, due: Option<Date>, pointer: &str) -> Result<(), Problem> {
    match issued.zip(due) {
        Some((issued, due)) if due < issued => Err(out_of_range(pointer, Bounds::minimum(issued))),
        _ => Ok(()),
    }
}

/// When an invoice is due: as stated, else so many days after it is issued; `None`: at once.
pub fn due_day(stated: Option<Date>, issued: Date, term_days: Option<u16>) -> Option<Date> {
    stated.or_else(|| days_after(issued, i64::from(term_days?)))
}

#[cfg(test)]
mod tests {
    use stoa_sdk::scripted::script;

    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn f13_no_act_is_before_its_document() {
        // Today is the first of January 2026.
        script([]);
        for (stated, posted, expected) in [
            (Some("2025-12-30"), "2025-12-31", Err("DATE_BEFORE_DOCUMENT")),
            (Some("2025-12-31"), "2025-12-31", Ok("2025-12-31")),
            (None, "2025-12-31", Ok("2026-01-01")),
            (None, "2026-01-02", Ok("2026-01-02")),
            (Some("2026-01-03"), "2025-12-31", Err("DATE_IN_FUTURE")),
        ] {
            let outcome = day_of_act(stated.map(day), day(posted), "/voidedOn");
            let reported =
                outcome.as_ref().map(|day| day.to_string()).map_err(|problem| problem.errors[0].code.clone());
            assert_eq!(reported, expected.map(str::to_owned).map_err(str::to_owned), "{stated:?} {posted}");
        }
    }

    #[test]
    fn f11_an_invoice_is_due_after_it_is_issued() {
        let issued = day("2026-01-31");
        assert_eq!(due_day(None, issued, Some(30)), Some(day("2026-03-02")));
        assert_eq!(due_day(Some(day("2026-02-01")), issued, Some(30)), Some(day("2026-02-01")));
        assert_eq!(due_day(None, issued, None), None);
        assert!(check_due(Some(issued), Some(issued), "/dueOn").is_ok());
        let refused = check_due(Some(issued), Some(day("2026-01-30")), "/dueOn").unwrap_err();
        assert_eq!((refused.errors[0].pointer.as_str(), refused.errors[0].code.as_str()), ("/dueOn", "RANGE"));
    }
}
