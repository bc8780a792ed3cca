//! Compares the records of a file with those of the shop: which members differ, and the body that replaces the record.

use serde_json::{Map, Value as Json, json};

use crate::columns::{self, Part};

/// A member that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    pub column: String,
    /// The member that the column becomes.
    pub member: String,
    pub old: Json,
    pub new: Json,
}

/// The members that the file states and the record has otherwise. A record that an API client reads lacks some members; these
/// are not compared.
pub fn find_differences(record: &Json, stated: &Map<String, Json>, part: Part) -> Vec<Difference> {
    let mut found = Vec::new();
    for (member, new) in stated {
        let Some(old) = record.get(member) else { continue };
        let column = columns::of_member(member, part);
        match (member.as_str(), old, new) {
            ("attributes", Json::Object(old), Json::Object(new)) => {
                let differing = new.iter().filter(|(name, new)| !is_same(old.get(*name).unwrap_or(&Json::Null), new));
                found.extend(differing.map(|(name, new)| Difference {
                    column: format!("{column}:{name}"),
                    member: member.clone(),
                    old: old.get(name).cloned().unwrap_or_default(),
                    new: new.clone(),
                }));
            }
            _ if is_same(old, new) => {}
            _ => found.push(Difference { column, member: member.clone(), old: old.clone(), new: new.clone() }),
        }
    }
    found.sort_by(|a, b| a.column.cmp(&b.column));
    found
}

/// A cell is text, also of an attribute that is kept as a number or a flag.
fn is_same(old: &Json, new: &Json) -> bool {
    let is_scalar = old.is_number() || old.is_boolean();
    old == new || (is_scalar && new.as_str() == Some(old.to_string().as_str()))
}

/// Returns whether a replacement would clear a member: the record that was read does not have it, and the file does not state
/// it. A caller that reads a record reads its public attributes, unless the host has none.
pub fn clears_members(record: &Json, stated: &Map<String, Json>, part: Part) -> bool {
    let mut hidden = columns::members(part).iter().filter(|member| **member != "publicAttributes");
    hidden.any(|member| record.get(*member).is_none() && !stated.contains_key(*member))
}

/// The body that replaces the record: its own members with those of the file over them. `grows`: variants were added since it
/// was read.
pub fn replacement(record: &Json, stated: &Map<String, Json>, part: Part, grows: bool) -> Json {
    let mut body = Map::new();
    for member in columns::members(part) {
        if let Some(value) = record.get(*member) {
            body.insert((*member).to_owned(), value.clone());
        }
    }
    if grows && body.get("variantMode") == Some(&json!("SINGLE")) {
        // The service derives it from the number of variants.
        body.remove("variantMode");
    }
    for (member, new) in stated {
        let kept = body.get_mut(member).and_then(Json::as_object_mut);
        if let (Some(kept), Some(new)) = (kept, new.as_object()) {
            let is_kept = |name: &str, new: &Json| kept.get(name).is_some_and(|old| is_same(old, new));
            let differing: Vec<_> = new.iter().filter(|(name, new)| !is_kept(name, new)).collect();
            kept.extend(differing.into_iter().map(|(name, new)| (name.clone(), new.clone())));
            continue;
        }
        body.insert(member.clone(), new.clone());
    }
    Json::Object(body)
}

/// `629.500000` and `629.5` are the same; text that is not a decimal is itself.
pub fn is_same_decimal(one: &str, other: &str) -> bool {
    canonical(one) == canonical(other)
}

fn canonical(text: &str) -> &str {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('.') {
        Some((whole, fraction)) if digits(whole) && digits(fraction) => {
            text.trim_end_matches('0').trim_end_matches('.')
        }
        _ => text,
    }
}

/// An instant as the service writes it, with milliseconds, so that texts compare as times do.
pub fn canonical_instant(text: &str) -> String {
    let Some(time) = text.strip_suffix('Z') else { return text.to_owned() };
    match time.split_once('.') {
        None => format!("{time}.000Z"),
        Some((time, fraction)) => format!("{time}.{fraction:0<3}Z"),
    }
}

/// A value as `--dry-run` prints it.
pub fn show(value: &Json) -> String {
    match value {
        Json::Null => "(none)".to_owned(),
        Json::String(text) => text.clone(),
        Json::Array(values) => values.iter().map(show).collect::<Vec<_>>().join(" | "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_members(body: Json) -> Map<String, Json> {
        match body {
            Json::Object(members) => members,
            _ => panic!("members"),
        }
    }

    fn list_differences(record: &Json, body: Json, part: Part) -> Vec<(String, String, String)> {
        let found = find_differences(record, &new_members(body), part).into_iter();
        found.map(|found| (found.column, show(&found.old), show(&found.new))).collect()
    }

    #[test]
    fn only_stated_members_are_compared() {
        let record =
            json!({ "name": "A", "brandId": null, "trackInventory": false, "attributes": { "Size": 6, "Kind": "x" } });
        let same = json!({ "name": "A", "trackInventory": false, "attributes": { "Size": "6" } });
        assert_eq!(list_differences(&record, same, Part::Product), []);
        let other = json!({ "name": "B", "brandId": "id", "attributes": { "Size": "7", "New": "y" } });
        let text = |column: &str, old: &str, new: &str| (column.to_owned(), old.to_owned(), new.to_owned());
        let found = list_differences(&record, other, Part::Product);
        let expected = [
            text("attribute:New", "(none)", "y"),
            text("attribute:Size", "6", "7"),
            text("brand", "(none)", "id"),
            text("name", "A", "B"),
        ];
        assert_eq!(found, expected);
        // An API client sees no aliases.
        assert_eq!(
            list_differences(&json!({ "sku": "A" }), json!({ "sku": "A", "searchAliases": ["x"] }), Part::Variant),
            []
        );
        let record = json!({ "searchAliases": ["a", "b"] });
        let expected = [text("searchAliases", "a | b", "b")];
        assert_eq!(list_differences(&record, json!({ "searchAliases": ["b"] }), Part::Variant), expected);
    }

    #[test]
    fn a_replacement_keeps_every_other_member_and_sends_none_of_the_services() {
        let record = json!({
            "id": "1", "status": "ACTIVE", "name": "A", "slug": "a", "variantMode": "SINGLE", "variantCount": 1,
            "publicationStatus": "PUBLISHED", "attributes": { "Size": 6, "Kind": "x" }, "publicAttributes": { "a": 1 }
        });
        let body = replacement(
            &record,
            &new_members(json!({ "name": "B", "attributes": { "Size": "6", "New": "y" } })),
            Part::Product,
            false,
        );
        let expected = json!({
            "name": "B", "slug": "a", "variantMode": "SINGLE", "publicationStatus": "PUBLISHED",
            "attributes": { "Size": 6, "Kind": "x", "New": "y" }, "publicAttributes": { "a": 1 }
        });
        assert_eq!(body, expected);
        let body = replacement(&record, &new_members(json!({ "name": "B" })), Part::Product, true);
        assert_eq!(body.get("variantMode"), None, "two variants are not SINGLE");
        let body = replacement(&record, &new_members(json!({ "variantMode": "MULTIPLE" })), Part::Product, true);
        assert_eq!(body["variantMode"], "MULTIPLE");
    }

    #[test]
    fn what_an_api_client_cannot_read_is_known() {
        let variant = json!({ "sku": "A", "barcode": null, "modelNumber": null, "storage": null, "color": null,
            "condition": null, "grade": null, "simType": "NOT_APPLICABLE" });
        assert!(clears_members(&variant, &new_members(json!({ "searchAliases": [] })), Part::Variant));
        assert!(!clears_members(
            &variant,
            &new_members(json!({ "searchAliases": [], "attributes": {} })),
            Part::Variant
        ));
    }

    #[test]
    fn decimals_and_instants_are_compared_by_value() {
        for (one, other) in
            [("629.00", "629.000000"), ("5", "5.0"), ("0.5", "0.500000"), ("10", "10.000000"), ("abc", "abc")]
        {
            assert!(is_same_decimal(one, other), "{one} {other}");
        }
        for (one, other) in [("5", "50"), ("0.5", "0.05"), ("10", "1"), ("1.", "1"), ("-5", "5")] {
            assert!(!is_same_decimal(one, other), "{one} {other}");
        }
        assert_eq!(canonical_instant("2026-01-01T00:00:00Z"), "2026-01-01T00:00:00.000Z");
        assert_eq!(canonical_instant("2026-01-01T00:00:00.5Z"), "2026-01-01T00:00:00.500Z");
        assert_eq!(canonical_instant("soon"), "soon");
    }
}
