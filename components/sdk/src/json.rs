//! Free JSON of a record: kept as text between the store and the answer, parsed only by who must look into it.

use schemars::json_schema;
use serde::{Serialize, Serializer, de::DeserializeOwned};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON text. Members are sorted, as the store gives them back.
#[derive(Debug, Clone)]
pub struct Json(Box<RawValue>);

impl Json {
    /// The compact text of a value, its members sorted at every level.
    pub fn from_value(value: &Value) -> Json {
        let text = sort_members(value).to_string();
        // A `Value` prints as JSON, so the fallback is never taken.
        Json(RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }

    /// A JSON text as it is; None if it is not valid JSON.
    pub fn from_text(text: String) -> Option<Json> {
        RawValue::from_string(text).ok().map(Json)
    }

    /// The text as it is.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// None where the text has another shape.
    pub fn parse<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.0.get()).ok()
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Json) -> bool {
        self.text() == other.text()
    }
}

fn sort_members(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sort_members).collect(),
        Value::Object(members) => {
            let mut pairs: Vec<_> = members.iter().collect();
            pairs.sort_by_key(|(name, _)| name.as_str());
            Value::Object(pairs.into_iter().map(|(name, member)| (name.clone(), sort_members(member))).collect())
        }
        plain => plain.clone(),
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

inline_schema!([] Json, |_| json_schema!({ "type": "object" }));

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_are_sorted_at_every_level() {
        let json = Json::from_value(&json!({ "b": [{ "z": 1, "a": null }], "a": "x" }));
        assert_eq!(json.text(), r#"{"a":"x","b":[{"a":null,"z":1}]}"#);
        assert_eq!(serde_json::to_string(&json).unwrap(), json.text());
    }
}
