//! Expectations of a schema that were not met: its own keywords and values, never the caller's. For an unknown member:
//! the known names, and those among them that look most like it.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::{Value, json};

/// Members that are reported as likely intended, and how alike two names are then (0 to 1).
const NEAREST: usize = 3;
const ALIKE: f64 = 0.8;
/// Unknown names that are compared, and the longest.
const COMPARED: usize = 8;
const LONGEST: usize = 64;
/// Values of a list that is reported whole.
const VALUES: usize = 300;

/// The rule that a value did not meet; none if it says nothing beyond the code.
pub fn rule(error: &ValidationError) -> Option<Value> {
    Some(match error.kind() {
        Kind::Type { kind } => json!({ "type": type_names(kind) }),
        Kind::Minimum { limit } => json!({ "minimum": limit }),
        Kind::Maximum { limit } => json!({ "maximum": limit }),
        Kind::ExclusiveMinimum { limit } => json!({ "exclusiveMinimum": limit }),
        Kind::ExclusiveMaximum { limit } => json!({ "exclusiveMaximum": limit }),
        Kind::MultipleOf { multiple_of } => json!({ "multipleOf": multiple_of }),
        Kind::MinLength { limit } => json!({ "minLength": limit }),
        Kind::MaxLength { limit } => json!({ "maxLength": limit }),
        Kind::MinItems { limit } => json!({ "minItems": limit }),
        Kind::MaxItems { limit } => json!({ "maxItems": limit }),
        Kind::MinProperties { limit } => json!({ "minProperties": limit }),
        Kind::MaxProperties { limit } => json!({ "maxProperties": limit }),
        Kind::UniqueItems => json!({ "uniqueItems": true }),
        Kind::Constant { expected_value } => json!({ "const": **expected_value }),
        Kind::Enum { options } if options.as_array().is_some_and(|all| all.len() <= VALUES) => {
            json!({ "enum": **options })
        }
        Kind::Pattern { pattern } => json!({ "pattern": pattern }),
        Kind::Format { format } => json!({ "format": format }),
        _ => return None,
    })
}

fn type_names(kind: &jsonschema::error::TypeKind) -> Value {
    match kind {
        jsonschema::error::TypeKind::Single(one) => json!(one.to_string()),
        jsonschema::error::TypeKind::Multiple(several) => several.iter().map(|one| one.to_string()).collect(),
    }
}

/// The names that are known, and of these the nearest to any that is not.
pub fn members<'a>(known: impl Iterator<Item = &'a str> + Clone, unknown: impl Iterator<Item = &'a str>) -> Value {
    let mut alike: Vec<(f64, &str)> = Vec::new();
    for name in unknown.filter(|name| name.len() <= LONGEST).take(COMPARED) {
        let name = name.to_lowercase();
        let shares = known.clone().map(|known| (strsim::jaro(&known.to_lowercase(), &name), known));
        alike.extend(shares.filter(|(share, _)| *share >= ALIKE));
    }
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let mut nearest: Vec<&str> = Vec::new();
    for (_, name) in alike {
        if nearest.len() < NEAREST && !nearest.contains(&name) {
            nearest.push(name);
        }
    }
    let mut reported = json!({ "members": known.collect::<Vec<_>>() });
    if !nearest.is_empty() {
        reported["nearest"] = nearest.into();
    }
    reported
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_the_schemas_own() {
        let known = ["name", "productType", "unitOfMeasure", "variants"];
        let reported = |unknown: &[&str]| members(known.iter().copied(), unknown.iter().copied());
        assert_eq!(reported(&["Naem"])["nearest"], json!(["name"]));
        assert_eq!(reported(&["product_type", "variant"])["nearest"], json!(["productType", "variants"]));
        assert_eq!(reported(&["xyzzy"]), json!({ "members": known }));
        assert_eq!(reported(&["n".repeat(1000).as_str()]), json!({ "members": known }));
    }
}
