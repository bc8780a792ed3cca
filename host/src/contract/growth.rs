//! The one list of a body that a route's work grows with, by its pointer: `/lines`, or `/lines/*/unitIds` for the lists of all
//! lines together. Its schema bounds it, so no caller gets larger limits by a list of anything else.

use serde_json::Value;

use super::Schema;
use super::tree::Types;

/// Entries of the list, or of all of them together.
pub fn count_entries(body: &Value, pointer: &str) -> usize {
    let mut values = vec![body];
    for step in pointer.split('/').skip(1) {
        values = match step {
            "*" => values.iter().filter_map(|value| value.as_array()).flatten().collect(),
            name => values.iter().filter_map(|value| value.get(name)).collect(),
        };
    }
    values.iter().filter_map(|value| value.as_array()).map(Vec::len).fold(0, usize::saturating_add)
}

impl Schema {
    /// Returns whether the pointer names lists whose items the schema counts.
    pub fn has_bounded_list(&self, pointer: &str) -> bool {
        let tree = self.tree();
        let mut ids = vec![tree.root];
        for step in pointer.split('/').skip(1) {
            let mut here = Vec::new();
            ids.iter().for_each(|id| tree.expand(*id, &mut here));
            let nodes = here.iter().map(|id| tree.node(*id));
            ids = match step {
                "*" => nodes.filter_map(|node| node.items).collect(),
                name => nodes.filter_map(|node| node.member(name)).map(|member| member.node).collect(),
            };
        }
        let mut here = Vec::new();
        ids.iter().for_each(|id| tree.expand(*id, &mut here));
        let mut nodes = here.iter().map(|id| tree.node(*id));
        pointer.starts_with('/') && nodes.any(|node| node.types.meets(Types::ARRAY) && node.most_items.is_some())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_named_list_counts_and_no_other() {
        let body =
            json!({ "lines": [{ "unitIds": [1, 2] }, { "unitIds": [3], "junk": [1, 2, 3, 4] }, {}], "junk": [1, 2] });
        for (pointer, entries) in [("/lines", 3), ("/lines/*/unitIds", 3), ("/none", 0), ("/lines/*", 0), ("", 0)] {
            assert_eq!(count_entries(&body, pointer), entries, "{pointer}");
        }
    }

    #[test]
    fn only_a_list_with_a_most_of_its_items_is_one() {
        let schema = json!({ "$ref": "#/$defs/Order" });
        let defs = json!({
            "Order": { "type": "object", "properties": {
                "lines": { "type": "array", "maxItems": 100, "items": { "$ref": "#/$defs/Line" } },
                "open": { "type": "array", "items": { "type": "string" } }, "free": {},
            } },
            "Line": { "type": "object", "properties": { "unitIds": { "type": "array", "maxItems": 9, "items": true } } },
        });
        let schema = Schema::compile(&schema, defs.as_object().unwrap()).unwrap();
        for (pointer, is_one) in [
            ("/lines", true),
            ("/lines/*/unitIds", true),
            ("lines", false),
            ("", false),
            ("/lines/*", false),
            ("/open", false),
            ("/free", false),
            ("/none", false),
        ] {
            assert_eq!(schema.has_bounded_list(pointer), is_one, "{pointer}");
        }
    }
}
