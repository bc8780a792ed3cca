//! Differences of two shapes of one type in a value itself: which values, how long, in which form. Members and items are walked in
//! `schema.rs`.

use std::collections::BTreeSet;

use serde_json::{Map, Number, Value, json};

use super::shape::{Class, Facts, LIMITS, Shape, is_less};
use crate::contract::{refs, tree};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FacetKind {
    Type,
    Values,
    Range,
    Format,
    Rule,
    Normalization,
}

/// One difference: values are lost (`narrower`), or gained (`wider`), or both.
pub struct Difference {
    pub kind: FacetKind,
    pub narrower: bool,
    pub wider: bool,
    pub detail: String,
}

type Defs<'a> = &'a Map<String, Value>;

pub fn compare(old: (&Shape, Defs), new: (&Shape, Defs)) -> Vec<Difference> {
    let (was, is) = (&old.0.facts, &new.0.facts);
    let mut found = Vec::new();
    let mut tell = |kind, narrower, wider, detail: String| {
        if narrower || wider {
            found.push(Difference { kind, narrower, wider, detail });
        }
    };
    if was.values.is_some() || is.values.is_some() {
        let (narrower, wider, detail) = values(old.0.class, was, is);
        tell(FacetKind::Values, narrower, wider, detail);
    } else {
        tell(FacetKind::Type, is.integer && !was.integer, was.integer && !is.integer, whole(was.integer));
        for (keyword, below, _) in LIMITS {
            let (was, is) = (limit(was, keyword), limit(is, keyword));
            let stricter = |a: Option<&Number>, b: Option<&Number>| match (a, b) {
                (None, Some(_)) => true,
                (Some(a), Some(b)) => {
                    if below {
                        is_less(a, b)
                    } else {
                        is_less(b, a)
                    }
                }
                (_, None) => false,
            };
            let shown = |limit: Option<&Number>| limit.map_or("none".to_owned(), Number::to_string);
            let detail = format!("{keyword}: was {}, now {}", shown(was), shown(is));
            tell(FacetKind::Range, stricter(was, is), stricter(is, was), detail);
        }
        for (keyword, was, is) in [("pattern", &was.patterns, &is.patterns), ("format", &was.formats, &is.formats)] {
            let detail = format!("{keyword}: was {}, now {}", join_texts(was), join_texts(is));
            tell(FacetKind::Format, !is.is_subset(was), !was.is_subset(is), detail);
        }
    }
    let distinct = |unique: bool| if unique { "differ" } else { "repeat" };
    let detail = format!("items may {}, now may {}", distinct(was.unique), distinct(is.unique));
    tell(
        FacetKind::Range,
        is.unique && !was.unique,
        was.unique && !is.unique,
        detail.replace("may differ", "must differ"),
    );
    let detail = format!("x-normalize: was {}, now {}", join_texts(&was.normalized), join_texts(&is.normalized));
    tell(FacetKind::Normalization, was.normalized != is.normalized, false, detail);
    let keywords: BTreeSet<&str> = was.rules.keys().chain(is.rules.keys()).copied().collect();
    for keyword in keywords {
        let (was, is) = (whole_rule(was, keyword, old.1), whole_rule(is, keyword, new.1));
        if was != is {
            let (narrower, wider) = (is.is_some(), was.is_some());
            tell(
                FacetKind::Rule,
                narrower,
                wider,
                format!(
                    "`{keyword}` is {}",
                    match (narrower, wider) {
                        (true, false) => "new",
                        (false, _) => "gone",
                        _ => "another, which is not compared further",
                    }
                ),
            );
        }
    }
    found
}

fn whole(was: bool) -> String {
    if was { "was integer, now number" } else { "was number, now integer" }.to_owned()
}

fn join_texts(texts: &BTreeSet<&str>) -> String {
    if texts.is_empty() {
        return "none".to_owned();
    }
    texts.iter().copied().collect::<Vec<_>>().join(" and ")
}

/// A limit that limits: the least length is 0 anyway.
fn limit<'a>(facts: &'a Facts, keyword: &str) -> Option<&'a Number> {
    let counts = matches!(keyword, "minLength" | "minItems" | "minProperties");
    facts.limits.get(keyword).filter(|limit| !(counts && limit.as_u64() == Some(0)))
}

/// Enumerations by their values; one against a rule by whether its values keep the rule.
fn values(class: Class, was: &Facts, is: &Facts) -> (bool, bool, String) {
    match (&was.values, &is.values) {
        (Some(old), Some(new)) => {
            let lost: Vec<&Value> = old.iter().filter(|value| !new.contains(value)).copied().collect();
            let gained: Vec<&Value> = new.iter().filter(|value| !old.contains(value)).copied().collect();
            let mut detail = Vec::new();
            if !lost.is_empty() {
                detail.push(format!("no longer {}", list_values(&lost)));
            }
            if !gained.is_empty() {
                detail.push(format!("now also {}", list_values(&gained)));
            }
            (!lost.is_empty(), !gained.is_empty(), detail.join(", "))
        }
        (Some(old), None) => {
            let outside = outside(class, old, is);
            let lost = if outside.is_empty() { String::new() } else { format!(" but {}", list_values(&outside)) };
            (!outside.is_empty(), true, format!("was one of {}, now any{lost}", list_values(old)))
        }
        (None, Some(new)) => {
            (true, !outside(class, new, was).is_empty(), format!("was any, now one of {}", list_values(new)))
        }
        (None, None) => (false, false, String::new()),
    }
}

fn list_values(values: &[&Value]) -> String {
    const MOST: usize = 20;
    let mut texts: Vec<String> = values.iter().take(MOST).map(|value| value.to_string()).collect();
    if values.len() > MOST {
        texts.push(format!("{} more", values.len() - MOST));
    }
    texts.join(", ")
}

/// Values that violate the facts about texts and numbers. Every object and every array counts as a violation.
fn outside<'a>(class: Class, values: &[&'a Value], facts: &Facts) -> Vec<&'a Value> {
    let mut parts: Vec<Value> = facts.limits.iter().map(|(keyword, limit)| json!({(*keyword): limit})).collect();
    parts.extend(facts.patterns.iter().map(|pattern| json!({"pattern": pattern})));
    parts.extend(facts.formats.iter().map(|format| json!({"format": format})));
    if facts.integer {
        parts.push(json!({"type": "integer"}));
    }
    let plain = !matches!(class, Class::Array | Class::Object) && facts.rules.is_empty();
    let judge = tree::validator(&json!({"allOf": parts}), &Map::new());
    // `allOf` must not be empty: then nothing is said.
    let free = parts.is_empty();
    values
        .iter()
        .filter(|value| !(plain && (free || judge.as_ref().is_ok_and(|judge| judge.is_valid(value)))))
        .copied()
        .collect()
}

/// Schemas, and what each refers to, where that can be found.
type Whole = (Vec<Value>, Vec<Option<Map<String, Value>>>);

/// A keyword's schemas with all that they refer to.
fn whole_rule(facts: &Facts, keyword: &str, defs: Defs) -> Option<Whole> {
    let schemas = facts.rules.get(keyword)?;
    let closures = schemas.iter().map(|schema| refs::closure(schema, defs).ok()).collect();
    Some((schemas.iter().map(|schema| (*schema).clone()).collect(), closures))
}
