//! A list kept in a JSON column, typed on both sides: contacts, addresses, tags, containers.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use stoa_sdk::descriptor::ColumnType;
use stoa_sdk::store::Value;
use stoa_sdk::{Field, Json};

/// A list as a column keeps it and as answers show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonList<T>(pub Vec<T>);

impl<T> Default for JsonList<T> {
    fn default() -> JsonList<T> {
        JsonList(Vec::new())
    }
}

impl<T> FromIterator<T> for JsonList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> JsonList<T> {
        JsonList(items.into_iter().collect())
    }
}

impl<T: Serialize + DeserializeOwned> Field for JsonList<T> {
    type Plain = Self;
    const TYPE: ColumnType = ColumnType::Json;

    fn put(&self) -> Value {
        // Lists of structs of texts and numbers always serialize.
        let list = serde_json::to_value(&self.0).unwrap_or(serde_json::Value::Array(Vec::new()));
        Json::from_value(&list).put()
    }

    fn take(value: Value) -> Option<Self> {
        Json::take(value)?.parse().map(JsonList)
    }
}

stoa_sdk::inline_schema!([T: JsonSchema] JsonList<T>, |generator| <Vec<T>>::json_schema(generator));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_comes_back_from_its_column() {
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        struct Box {
            width: i64,
            label: Option<String>,
        }
        let list: JsonList<Box> = [Box { width: 2, label: None }].into_iter().collect();
        let kept = list.put();
        assert_eq!(kept, Value::Json(r#"[{"label":null,"width":2}]"#.to_owned()), "members in the store's order");
        assert_eq!(JsonList::take(kept), Some(list));
        assert_eq!(JsonList::<Box>::take(Value::Json("{}".to_owned())), None);
        assert_eq!(JsonList::<Box>::default().put(), Value::Json("[]".to_owned()));
    }
}
