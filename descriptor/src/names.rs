//! Names that a module introduces: those that begin with its own name, and those that do not.
//!
//! Every name is read as words joined by hyphens, as a module's name is: `LOYALTY_CARD_LOST` as `loyalty-card-lost`,
//! `listLoyaltyCards` behind its verb as `loyalty-cards`. It begins with `loyalty` where the first of these words, or the first
//! few together, are `loyalty`: a name ends where a word does, so `in` has no `/inventory`.

use serde_json::Value as Json;

use super::{Audience, Descriptor};

/// Codes of items that every module may use besides the codes of problems, and the sentence of each: those of schemas
/// (conventions.md), and those that the crates which modules are written with use by themselves.
pub const SHARED_ITEM_CODES: &[(&str, &str)] = &[
    ("REQUIRED", "The member or parameter is required and missing. Add it."),
    ("TYPE", "The value has the wrong JSON type. Send the type that the schema states."),
    ("FORMAT", "The value does not match the format or is not in the list of values."),
    ("RANGE", "The value is too large, too small, too long or too short."),
    ("TOO_MANY", "A list or object has too many entries."),
    ("TOO_FEW", "A list or object has too few entries."),
    ("REPEATED", "Two entries or members have the same value. Change or remove one of them."),
    ("NOT_ALLOWED", "The member, parameter, value or combination is not allowed here. Remove or change it."),
    ("DATE_IN_FUTURE", "The date is too far in the future. Use today or an earlier day."),
    (
        "QUANTITY_SCALE",
        "The quantity has more decimal places than its unit of measure allows. Use at most the `maximum`.",
    ),
    ("FINER_THAN_COIN", "The amount is not a multiple of the smallest coin. State a multiple of it."),
    ("CARD_NUMBER_REFUSED", "The text contains a card number. Remove it."),
];

/// Returns whether every module may use the code for an item.
pub fn is_shared_item_code(code: &str) -> bool {
    SHARED_ITEM_CODES.iter().any(|(shared, _)| *shared == code)
}

/// A name that a module introduces and that does not begin with its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Foreign {
    /// The sort of name: `permission`.
    pub kind: &'static str,
    pub name: String,
    /// The rule that it breaks: "begins with `loyalty.`".
    pub wanted: String,
}

/// A name, or with `*` the beginning of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern {
    pub text: String,
    /// True if any rest may follow.
    pub open: bool,
}

impl NamePattern {
    /// Returns whether this is one of the names that are intended.
    pub fn fits(&self, name: &str) -> bool {
        if self.open { name.starts_with(&self.text) } else { name == self.text }
    }
}

/// Names of a descriptor that do not begin with the module's own. `allowed`: whether they may begin with this word instead.
pub fn foreign(descriptor: &Descriptor, allowed: impl Fn(&str) -> bool) -> Vec<Foreign> {
    let spellings = Spellings::new(&descriptor.name);
    let mut found = Vec::new();
    let mut expect = |kind: &'static str, name: &str, words: Vec<String>, wanted: String| {
        if !words.iter().any(|word| join_digits(word) == spellings.words || allowed(word)) {
            found.push(Foreign { kind, name: name.to_owned(), wanted });
        }
    };
    let Spellings { name, camel, pascal, constant, .. } = &spellings;
    let begins = |beginning: &str| format!("begins with `{beginning}`");
    for route in &descriptor.routes {
        let below = match route.audience {
            Audience::User => "/tenants/{tenantId}/",
            Audience::ApiClient => "/api-client/",
        };
        let rest = route.path.strip_prefix(below).unwrap_or(&route.path);
        let first = rest.split('/').next().unwrap_or_default();
        expect("route", &route.path, list_beginnings(first), begins(&format!("{below}{name}")));
        let wanted = format!("is a verb and `{pascal}`, as `list{pascal}`");
        expect("operation", &route.operation, list_beginnings(&drop_verb(&route.operation)), wanted);
        if let Some(audit) = &route.audit {
            expect("resource type", audit, list_beginnings(&split_constant(audit)), begins(constant));
        }
    }
    let permissions = descriptor.permissions.iter().map(|named| ("permission", &named.code));
    let scopes = descriptor.scopes.iter().map(|named| ("scope", &named.code));
    let events = descriptor.events.iter().map(|kind| ("event", &kind.code));
    for (kind, code) in permissions.chain(scopes).chain(events) {
        let first = code.split('.').next().unwrap_or_default();
        expect(kind, code, vec![first.to_owned()], begins(&format!("{name}.")));
    }
    for kind in &descriptor.events {
        expect(
            "resource type",
            &kind.resource_type,
            list_beginnings(&split_constant(&kind.resource_type)),
            begins(constant),
        );
    }
    for problem in &descriptor.problems {
        expect("problem", &problem.code, list_beginnings(&split_constant(&problem.code)), begins(constant));
    }
    for named in &descriptor.item_codes {
        expect("item code", &named.code, list_beginnings(&split_constant(&named.code)), begins(constant));
    }
    for filter in &descriptor.audit_filters {
        expect("audit filter", &filter.code, list_beginnings(&split_camel(&filter.code)), begins(camel));
    }
    for schema in descriptor.schemas.keys() {
        expect("schema", schema, list_beginnings(&split_camel(schema)), begins(pascal));
    }
    let members = descriptor.onboarding.iter().filter_map(|schema| schema["properties"].as_object());
    for member in members.flat_map(|members| members.keys()) {
        expect("onboarding member", member, vec![split_camel(member)], begins(camel));
    }
    // Bodies that were complete before the module came stay so.
    let required = descriptor.onboarding.iter().filter_map(|schema| schema["required"].as_array()).flatten();
    for member in required.filter_map(Json::as_str) {
        expect("required onboarding member", member, Vec::new(), "no such member is required".to_owned());
    }
    found.sort();
    found.dedup();
    found
}

/// Returns whether a code of upper-case words begins with the name of this module, or with a word that is allowed.
pub fn begins(module: &str, code: &str, allowed: impl Fn(&str) -> bool) -> bool {
    let name = join_digits(module);
    list_beginnings(&split_constant(code)).iter().any(|word| join_digits(word) == name || allowed(word))
}

/// The name of a module in every spelling.
struct Spellings {
    name: String,
    /// As `join_digits` writes it.
    words: String,
    camel: String,
    pascal: String,
    constant: String,
}

impl Spellings {
    fn new(name: &str) -> Spellings {
        let mut pascal = String::new();
        for part in name.split('-') {
            let (first, rest) = part.split_at(part.chars().next().map_or(0, char::len_utf8));
            pascal.extend([&first.to_ascii_uppercase(), rest]);
        }
        let (first, rest) = pascal.split_at(pascal.chars().next().map_or(0, char::len_utf8));
        let camel = format!("{}{rest}", first.to_ascii_lowercase());
        let constant = name.to_ascii_uppercase().replace('-', "_");
        Spellings { name: name.to_owned(), words: join_digits(name), camel, pascal, constant }
    }
}

/// `a`, `a-b` and `a-b-c` of `a-b-c`.
fn list_beginnings(words: &str) -> Vec<String> {
    let ends = words.match_indices('-').map(|(end, _)| end).chain([words.len()]);
    ends.map(|end| words[..end].to_owned()).filter(|beginning| !beginning.is_empty()).collect()
}

/// `a-1b` as `a1b`: joined as one name, `A1b`, no border is left before the digit.
fn join_digits(words: &str) -> String {
    let mut joined = String::with_capacity(words.len());
    let mut letters = words.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '-' || !letters.peek().is_some_and(char::is_ascii_digit) {
            joined.push(letter);
        }
    }
    joined
}

/// `LOYALTY_CARD` as `loyalty-card`.
fn split_constant(code: &str) -> String {
    code.to_ascii_lowercase().replace('_', "-")
}

/// `loyaltyCard` and `LoyaltyCard` as `loyalty-card`.
fn split_camel(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 8);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push('-');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// `listLoyaltyCards` and its twin `apiListLoyaltyCards` as `loyalty-cards`.
fn drop_verb(operation: &str) -> String {
    let words = split_camel(operation);
    let person = words.strip_prefix("api-").unwrap_or(&words);
    person.split_once('-').map_or("", |(_, rest)| rest).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Names of a module `loyalty` with this member that are not its own.
    fn names(member: &str, value: &Json) -> Vec<String> {
        let whole = json!({ "name": "loyalty", "version": "1.0.0", "description": "Points.", member: value });
        let descriptor = serde_json::from_value(whole).expect("a descriptor");
        foreign(&descriptor, |_| false).into_iter().map(|foreign| foreign.name).collect()
    }

    #[test]
    fn words_end_at_borders() {
        let schemas = json!({
            "Loyalty": {}, "LoyaltyCard": {}, "LoyaltyCardPage": {}, "Loyaltycard": {}, "Loyalty2": {}, "CardOfLoyalty": {},
        });
        assert_eq!(names("schemas", &schemas), ["CardOfLoyalty", "Loyalty2", "Loyaltycard"]);
        let problem = |code: &str| json!({ "code": code, "status": 409, "detail": "No." });
        let problems = ["LOYALTY", "LOYALTY_CARD_LOST", "LOYALTYCARD", "CARD_LOST"].map(problem);
        assert_eq!(names("problems", &problems[..].into()), ["CARD_LOST", "LOYALTYCARD"]);
        let named = |code: &str| json!({ "code": code, "description": "It." });
        let item_codes = ["LOYALTY_CARD_LOST", "CARD_LOST"].map(named);
        assert_eq!(names("itemCodes", &item_codes[..].into()), ["CARD_LOST"]);
        let permissions = ["loyalty.read", "loyalty-cards.read", "loyalty_cards.read", "catalog.loyalty"].map(named);
        let foreign = ["catalog.loyalty", "loyalty-cards.read", "loyalty_cards.read"];
        assert_eq!(names("permissions", &permissions[..].into()), foreign);
        let filters = ["loyaltyId", "loyalty", "loyaltyid", "cardId"].map(named);
        assert_eq!(names("auditFilters", &filters[..].into()), ["cardId", "loyaltyid"]);
        for (module, code, is_own) in [
            ("gift-cards-2", "GIFT_CARDS_2_LOST", true),
            ("gift-cards-2", "GIFT_CARDS_2", true),
            ("gift-cards-2", "GIFT_CARDS", false),
            ("gift", "GIFTS_LOST", false),
        ] {
            assert_eq!(begins(module, code, |_| false), is_own, "{module} {code}");
        }
    }

    #[test]
    fn operations_are_named_by_verb_and_module() {
        let routes: Vec<Json> = [
            ("listLoyaltyCards", "loyalty/cards", "user"),
            ("apiGetLoyaltyCard", "loyalty-cards/{id}", "api-client"),
            ("listLoyaltycards", "loyaltycards", "user"),
            ("loyaltyCards", "cards", "user"),
            ("superCatalogThing", "catalog/loyalty", "user"),
        ]
        .into_iter()
        .map(|(operation, path, audience)| {
            let below = if audience == "user" { "/tenants/{tenantId}" } else { "/api-client" };
            json!({
                "method": "POST", "path": format!("{below}/{path}"), "operation": operation, "summary": "It",
                "audience": audience, "access": { "all": ["loyalty.read"] }, "idempotency": "none", "readOnly": false,
                "status": 200, "response": {}, "bodyLimit": 0, "audit": "LOYALTY_CARD",
            })
        })
        .collect();
        let paths = ["cards", "catalog/loyalty", "loyaltycards"].map(|path| format!("/tenants/{{tenantId}}/{path}"));
        let operations = ["listLoyaltycards", "loyaltyCards", "superCatalogThing"].map(str::to_owned);
        assert_eq!(names("routes", &routes.into()), [operations, paths].concat());
    }

    #[test]
    fn members_of_a_new_company_stand_under_the_modules_name() {
        let members = json!({
            "properties": { "loyalty": { "type": "object", "required": ["tier"] }, "loyaltyTier": {}, "name": {} },
        });
        assert_eq!(names("onboarding", &members), ["loyaltyTier", "name"]);
        let required = json!({ "properties": { "loyalty": {} }, "required": ["loyalty"] });
        assert_eq!(names("onboarding", &required), ["loyalty"]);
    }

    #[test]
    fn other_words_are_allowed_by_name() {
        let whole = json!({
            "name": "loyalty", "version": "1.0.0", "description": "Points.",
            "schemas": { "GiftCardPage": {}, "GiftPage": {}, "Price": {} },
        });
        let descriptor: Descriptor = serde_json::from_value(whole).expect("a descriptor");
        let gift_card = NamePattern { text: "gift-card".to_owned(), open: false };
        let found = foreign(&descriptor, |word| gift_card.fits(word));
        let names: Vec<&str> = found.iter().map(|foreign| foreign.name.as_str()).collect();
        assert_eq!(names, ["GiftPage", "Price"]);
        let any = NamePattern { text: String::new(), open: true };
        assert_eq!(foreign(&descriptor, |word| any.fits(word)), []);
    }
}
