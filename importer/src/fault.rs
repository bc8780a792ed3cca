//! A bad line of the file: where it is, and what is wrong with it in words.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::api::ProblemItem;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fault {
    pub line: u64,
    /// Empty where it is the line as a whole.
    pub column: String,
    /// The service's code, or one of this program's own.
    pub code: String,
    /// The rule that the value breaks, as the service states it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Json>,
    /// The name of a record that is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How many lines the fault is of, where it is reported once for several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<usize>,
    /// The line with the error that this line is skipped for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub because_of: Option<u64>,
    /// Id of the record that is in the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflicts_with: Option<String>,
}

/// The rest of a product that one bad line leaves out.
const SKIPPED: &str = "SKIPPED";

impl Fault {
    pub fn new(line: u64, column: impl Into<String>, code: impl Into<String>) -> Fault {
        Fault { line, column: column.into(), code: code.into(), ..Fault::default() }
    }

    /// A line without an error of its own: its product is left out because of another line.
    pub fn new_skipped(line: u64, because_of: u64) -> Fault {
        Fault { because_of: Some(because_of), ..Fault::new(line, "", SKIPPED) }
    }

    /// A record that so many lines name and that does not exist; the first of them.
    pub fn new_missing(line: u64, column: &str, name: &str, lines: usize) -> Fault {
        Fault { name: Some(name.to_owned()), lines: Some(lines), ..Fault::new(line, column, "NOT_FOUND") }
    }

    /// The fault with the rule and the record that the service reports.
    pub fn with_details(self, item: &ProblemItem) -> Fault {
        Fault { expected: item.expected.clone(), conflicts_with: item.conflicts_with.clone(), ..self }
    }

    /// `products.csv:7: sku: DUPLICATE: another record has it`
    pub fn describe(&self, file: &Path) -> String {
        let place = if self.column.is_empty() { String::new() } else { format!(" {}:", self.column) };
        let mut text = format!("{}:{}:{place} {}", file.display(), self.line, self.code);
        if let Some(words) = self.explain() {
            text.push_str(": ");
            text.push_str(&words);
        }
        if let Some(id) = &self.conflicts_with {
            text.push_str(&format!(" ({id})"));
        }
        text
    }

    fn explain(&self) -> Option<String> {
        if let Some(line) = self.because_of {
            return Some(format!("the product's line {line} has an error"));
        }
        if let (Some(name), Some(lines), "NOT_FOUND") = (&self.name, self.lines, self.code.as_str()) {
            let uses = if lines == 1 { "1 line names it".to_owned() } else { format!("{lines} lines name it") };
            return Some(format!(
                "{name} does not exist or is archived; {uses}. Create it, or run with --create-missing"
            ));
        }
        match self.expected.as_ref().and_then(explain_rule) {
            Some(rule) => Some(rule),
            None => explain_code(&self.code).map(str::to_owned),
        }
    }
}

/// A rule of the contract in words; none if this program does not have it.
fn explain_rule(rule: &Json) -> Option<String> {
    let list = |values: &Json| -> Option<String> {
        let shown: Vec<String> = values.as_array()?.iter().map(show).collect();
        Some(shown.join(", "))
    };
    let counted =
        rule.get("counted").and_then(Json::as_str).map(|unit| format!(" {}", unit.to_lowercase().replace('_', " ")));
    let counted = counted.unwrap_or_default();
    let parts = rule.as_object()?.iter().filter_map(|(name, value)| {
        let shown = show(value);
        Some(match name.as_str() {
            "type" => format!("must be of type {}", list(value).unwrap_or(shown)),
            "minimum" => format!("at least {shown}{counted}"),
            "maximum" => format!("at most {shown}{counted}"),
            "exclusiveMinimum" => format!("more than {shown}"),
            "exclusiveMaximum" => format!("less than {shown}"),
            "multipleOf" => format!("a multiple of {shown}"),
            "minLength" => format!("at least {shown} characters"),
            "maxLength" => format!("at most {shown} characters"),
            "minItems" | "minProperties" => format!("at least {shown} entries"),
            "maxItems" | "maxProperties" => format!("at most {shown} entries"),
            "uniqueItems" => "no entry twice".to_owned(),
            "const" => format!("must be {shown}"),
            "enum" => format!("one of {}", list(value)?),
            "pattern" => format!("must match {shown}"),
            "format" => format!("must be of the format {shown}"),
            _ => return None,
        })
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn show(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn explain_code(code: &str) -> Option<&'static str> {
    Some(match code {
        "REQUIRED" => "a value is needed",
        "FORMAT" => "not of the form that is expected",
        "TYPE" => "of another type than is expected",
        "RANGE" => "too long, too short or out of range",
        "TOO_MANY" => "more than there may be",
        "REPEATED" => "an earlier line has it too",
        "NOT_ALLOWED" => "not allowed here",
        "DUPLICATE" => "another record has it, perhaps an archived one",
        "NOT_FOUND" => "there is no such record",
        "REFERENCE_INVALID" => "that record is archived or does not fit",
        "ILLEGAL_STATE" => "not possible in this state",
        "IMMUTABLE_FIELD" => "this cannot change once a product has a variant",
        "ARCHIVED" => "the record is archived",
        "PRECONDITION_FAILED" => "another client changes the record at the same time; run the same command again",
        "PRICE_PERIOD_OVERLAP" => {
            "another price is in effect then, or begins later; state with --valid-from when the new price begins: after the \
             begin of an open price, or at the end of a price that has one"
        }
        "LIMIT_EXCEEDED" => "a limit of the service would be exceeded",
        "IDEMPOTENCY_KEY_EXPIRED" => "sent more than a day ago without a response: check whether it was imported",
        "UNREADABLE" => "no row of CSV in UTF-8 with as many cells as headers",
        "DIFFERS" => "an earlier line of the product says otherwise",
        "OTHER_PRODUCT" => "the SKU is a variant of another product than an earlier line of this product",
        "SAME_PRODUCT" => "the service has this product and an earlier one of the file as one product",
        "HIDDEN" => {
            "an API key cannot read all members of this record, and the change would clear them; use a user's token, or state \
             --overwrite-hidden"
        }
        "VALUATION_COST_REQUIRED" => "the company keeps books: state the cost of a unit in the column unitCost",
        "BOOKS_NOT_KEPT" => "the warehouse's legal entity keeps no books; leave out --counter-account",
        "ACCOUNT_UNUSABLE" => "the account of --counter-account is a control account or cannot be posted to",
        "NOT_VISIBLE" => "an API key cannot read prices of a product that is not published; use a user's token",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reported_with_place_and_meaning() {
        let reported = |fault: Fault| fault.describe(Path::new("a.csv"));
        let duplicate = Fault::new(7, "sku", "DUPLICATE");
        assert_eq!(
            reported(duplicate.clone()),
            "a.csv:7: sku: DUPLICATE: another record has it, perhaps an archived one"
        );
        assert!(
            reported(Fault { conflicts_with: Some("id".to_owned()), ..duplicate }).ends_with("an archived one (id)")
        );
        assert_eq!(reported(Fault::new(7, "", "OTHER")), "a.csv:7: OTHER");
        assert_eq!(reported(Fault::new_skipped(8, 7)), "a.csv:8: SKIPPED: the product's line 7 has an error");
        let missing = reported(Fault::new_missing(4, "brand", "ACME", 12));
        assert!(missing.starts_with("a.csv:4: brand: NOT_FOUND: ACME does not exist or is archived; 12 lines name it"));
        assert!(reported(Fault::new(7, "price:B", "PRICE_PERIOD_OVERLAP")).contains("--valid-from"));
    }

    #[test]
    fn the_broken_rule_is_described() {
        let described = |expected: Json| {
            let fault = Fault { expected: Some(expected), ..Fault::new(7, "sku", "FORMAT") };
            fault.describe(Path::new("a")).replace("a:7: sku: FORMAT: ", "")
        };
        assert_eq!(described(json!({ "pattern": "^[A-Z]+$" })), "must match ^[A-Z]+$");
        assert_eq!(described(json!({ "enum": ["A", "B", null] })), "one of A, B, null");
        assert_eq!(described(json!({ "maxLength": 100 })), "at most 100 characters");
        let counted = json!({ "maximum": 2, "counted": "FRACTION_DIGITS" });
        assert_eq!(described(counted), "at most 2 fraction digits");
        assert_eq!(described(json!({ "type": ["string", "null"] })), "must be of type string, null");
        assert_eq!(described(json!({ "unknown": 1 })), "not of the form that is expected");
    }
}
