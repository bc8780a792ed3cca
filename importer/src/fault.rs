//! A bad line of the file: where it stands, and what is wrong with it in words.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub line: u64,
    /// Empty where it is the line as a whole.
    pub column: String,
    /// The service's code, or one of this program's own.
    pub code: String,
}

impl Fault {
    pub fn new(line: u64, column: impl Into<String>, code: impl Into<String>) -> Fault {
        Fault { line, column: column.into(), code: code.into() }
    }

    /// `products.csv:7: sku: DUPLICATE: another record has it`
    pub fn describe(&self, file: &Path) -> String {
        let place = if self.column.is_empty() { String::new() } else { format!(" {}:", self.column) };
        let meaning = explain_code(&self.code).map(|words| format!(": {words}")).unwrap_or_default();
        format!("{}:{}:{place} {}{meaning}", file.display(), self.line, self.code)
    }
}

/// How many lines are bad.
pub fn lines(faults: &[Fault]) -> usize {
    faults.iter().map(|fault| fault.line).collect::<BTreeSet<_>>().len()
}

fn explain_code(code: &str) -> Option<&'static str> {
    Some(match code {
        "REQUIRED" => "a value is needed",
        "FORMAT" => "not of the form that is expected",
        "TYPE" => "of another type than is expected",
        "RANGE" => "too long, too short or out of range",
        "TOO_MANY" => "more than there may be",
        "REPEATED" => "stands on an earlier line too",
        "NOT_ALLOWED" => "not allowed here",
        "DUPLICATE" => "another record has it",
        "NOT_FOUND" => "there is no such record",
        "REFERENCE_INVALID" => "that record is archived or does not fit",
        "ILLEGAL_STATE" => "not possible in this state",
        "PRICE_PERIOD_OVERLAP" => "another price is in effect then; --replace closes one without end",
        "LIMIT_EXCEEDED" => "a limit of the service would be passed",
        "IDEMPOTENCY_KEY_EXPIRED" => "sent more than a day ago without an answer: see whether it is there",
        "UNREADABLE" => "no row of CSV in UTF-8 with as many cells as headers",
        "DIFFERS" => "an earlier line of the product says otherwise",
        "CHANGED" => "imported before, and different now: an import creates and does not change",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn told_with_place_and_meaning() {
        let reported = |column: &str, code: &str| Fault::new(7, column, code).describe(Path::new("a.csv"));
        assert_eq!(reported("sku", "DUPLICATE"), "a.csv:7: sku: DUPLICATE: another record has it");
        assert_eq!(reported("", "OTHER"), "a.csv:7: OTHER");
        let faults = [Fault::new(7, "a", "TYPE"), Fault::new(7, "b", "TYPE"), Fault::new(9, "", "TYPE")];
        assert_eq!(lines(&faults), 2);
    }
}
