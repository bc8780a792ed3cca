//! One spelling for JSON values on both databases: members sorted, whole numbers as integers. `jsonb` has an order and
//! number forms of its own, a text column has none, and modules must not see the difference.

use serde_json::{Number, Value};

/// The normal text; none if it is no JSON, or holds U+0000, which `jsonb` cannot.
pub fn normal(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    Some(sort_members(value)?.to_string())
}

/// As `normal`, of a parsed value.
pub fn normal_value(value: &Value) -> Option<String> {
    Some(sort_members(value.clone())?.to_string())
}

fn sort_members(value: Value) -> Option<Value> {
    Some(match value {
        Value::String(text) => {
            if text.contains('\0') {
                return None;
            }
            Value::String(text)
        }
        Value::Number(number) => Value::Number(whole(number)),
        Value::Array(items) => Value::Array(items.into_iter().map(sort_members).collect::<Option<_>>()?),
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> = members.into_iter().collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            let mut out = serde_json::Map::with_capacity(members.len());
            for (name, value) in members {
                if name.contains('\0') {
                    return None;
                }
                out.insert(name, sort_members(value)?);
            }
            Value::Object(out)
        }
        other => other,
    })
}

/// `1.0` and `1e2` are the integers `1` and `100`; beyond 64 bits a number stays a double.
fn whole(number: Number) -> Number {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 => {
            if (0.0..18_446_744_073_709_551_616.0).contains(&float) {
                Number::from(float as u64)
            } else if (-9_223_372_036_854_775_808.0..0.0).contains(&float) {
                Number::from(float as i64)
            } else {
                number
            }
        }
        _ => number,
    }
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn members_are_sorted_and_whole_numbers_are_integers() {
        let text = r#"{"b":[1.0,1e2,-0.0,1.5,1e16,1e20],"aa":{"z":1,"y":null},"a":"x"}"#;
        let want = r#"{"a":"x","aa":{"y":null,"z":1},"b":[1,100,0,1.5,10000000000000000,1e+20]}"#;
        assert_eq!(normal(text).as_deref(), Some(want));
        assert_eq!(normal(want).as_deref(), Some(want));
        assert_eq!(normal(r#"{"a":"\u0000"}"#), None);
        assert_eq!(normal("{"), None);
    }
}
