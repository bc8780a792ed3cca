//! The currency of a document, as a body or a query states it.

use schemars::json_schema;
use serde::{Deserialize, Serialize};
use stoa_sdk::text;

/// An ISO 4217 code in a filter or an answer: three capital letters. A record may hold one that is no longer in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CurrencyCode(pub String);

stoa_sdk::inline_schema!([] CurrencyCode, |_| json_schema!({ "type": "string", "pattern": text::CURRENCY }));

stoa_sdk::plain_text!([] CurrencyCode);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::judge::admits;

    #[test]
    fn a_code_has_three_capital_letters() {
        for (code, is_one) in [("EUR", true), ("eur", false), ("EU", false), ("EURO", false), ("", false)] {
            assert_eq!(admits::<CurrencyCode>(&json!(code)), is_one, "{code:?}");
        }
    }
}
