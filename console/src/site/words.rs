//! Labels made from names.

/// Words that are written in capitals.
const CAPITALS: &[&str] =
    &["api", "csv", "ean", "gtin", "iban", "id", "imei", "ip", "json", "pos", "sku", "uri", "url", "utc", "vat"];

/// Short codes that are words; others, such as `EUR` and `FOB`, stay as they are.
const SHORT_WORDS: &[&str] = &["AIR", "ALL", "ANY", "DAY", "IN", "NEW", "NO", "OFF", "ON", "OUT", "SEA", "YES"];

/// A name or a code in words: `unitPrice` and `unit-price` are `Unit price`, `PARTIALLY_RECEIVED` is `Partially received`.
pub fn to_words(name: &str) -> String {
    let is_code = matches!(name.len(), 2 | 3) && name.bytes().all(|letter| letter.is_ascii_uppercase());
    if is_code && !SHORT_WORDS.contains(&name) {
        return name.to_owned();
    }
    let mut spaced = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !spaced.ends_with(char::is_uppercase) {
            spaced.push(' ');
        }
        spaced.push(if matches!(letter, '_' | '-' | '.' | '/') { ' ' } else { letter });
    }
    let words = spaced.split_whitespace().enumerate().map(|(number, word)| {
        let word = word.to_lowercase();
        match CAPITALS.contains(&word.trim_end_matches(|letter: char| letter.is_ascii_digit())) {
            true => word.to_uppercase(),
            false if number == 0 => capitalize(&word),
            false => word,
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The label of a member or a parameter: its name in words without `Id`.
pub fn to_label(name: &str) -> String {
    match (name.strip_suffix("Ids"), name.strip_suffix("Id")) {
        (Some(one), _) if !one.is_empty() => to_words(one) + "s",
        (_, Some(one)) if !one.is_empty() => to_words(one),
        _ => to_words(name),
    }
}

/// The label of an operation without a record: a summary of at most three words, else the id without its verb.
pub fn to_title(id: &str, summary: &str) -> String {
    let is_short = summary.split(' ').count() <= 3 && !summary.starts_with("A ") && !summary.starts_with("An ");
    if is_short && !summary.is_empty() {
        return summary.to_owned();
    }
    to_words(id.strip_prefix("list").or_else(|| id.strip_prefix("get")).unwrap_or(id))
}

/// The text up to the end of its first sentence.
pub fn first_sentence(text: &str) -> &str {
    text.split_once(". ").and_then(|(first, _)| text.get(..=first.len())).unwrap_or(text)
}

pub fn capitalize(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_words() {
        for (name, expected) in [
            ("unitPrice", "Unit price"),
            ("price-lists", "Price lists"),
            ("PARTIALLY_RECEIVED", "Partially received"),
            ("sku", "SKU"),
            ("EUR", "EUR"),
            ("OUT", "Out"),
            ("imei1", "IMEI1"),
            ("ApiClients", "API clients"),
            ("", ""),
        ] {
            assert_eq!(to_words(name), expected);
        }
        assert_eq!(["warehouseId", "unitIds", "id", "paid"].map(to_label), ["Warehouse", "Units", "ID", "Paid"]);
        assert_eq!(first_sentence("Version 1.5 of it. More."), "Version 1.5 of it.");
        assert_eq!(to_title("listPosSessions", "Cash sessions"), "Cash sessions");
        assert_eq!(to_title("listVariants", "Find variants over all products"), "Variants");
    }
}
