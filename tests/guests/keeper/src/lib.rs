//! A module that offers a service at version 1.1.0, with one function more than those knew who were built against 1.0.0.

wit_bindgen::generate!({
    inline: "
        package commerce:keeper-module;
        world keeper {
            include commerce:platform/guest@0.1.0;
            export commerce:shelf/items@1.1.0;
        }
    ",
    path: ["../../../wit/platform", "wit"],
    generate_all,
});

use exports::commerce::platform::module::{Call, Created, Findings, Guest, Problem, Reply, Step};
use exports::commerce::shelf::items::{Guest as Items, Item};

const DESCRIPTOR: &str = r#"{ "name": "keeper", "version": "1.1.0", "description": "Keeps items." }"#;

const ITEMS: &[(&str, u32)] = &[("apple", 3), ("pear", 5)];

struct Keeper;

impl Items for Keeper {
    fn find(names: Vec<String>) -> Vec<Item> {
        assert!(!names.iter().any(|name| name == "what no shelf ever holds."), "it holds none");
        let known = ITEMS.iter().filter(|(name, _)| names.iter().any(|wanted| wanted == name));
        known.map(|(name, amount)| Item { name: name.to_string(), amount: *amount }).collect()
    }

    fn count() -> u32 {
        ITEMS.len() as u32
    }
}

impl Guest for Keeper {
    fn describe() -> String {
        DESCRIPTOR.to_string()
    }

    fn handle(_call: Call) -> Result<Reply, Problem> {
        Err(Problem { code: "NOT_FOUND".to_string(), errors: Vec::new() })
    }

    fn provision(_options: String) -> Result<Vec<Created>, Problem> {
        Ok(Vec::new())
    }

    fn checklist() -> Vec<Step> {
        Vec::new()
    }

    fn upgrade(_from_version: String, _cursor: Option<String>) -> Result<Option<String>, Problem> {
        Ok(None)
    }

    fn verify(_cursor: Option<String>) -> Findings {
        Findings { findings: Vec::new(), next: None }
    }
}

export!(Keeper);
