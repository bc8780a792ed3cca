//! A small module that extends the price of a unit and never changes it. The suite writes other digits in its name, so
//! that there are as many as a point has no room for.

wit_bindgen::generate!({
    inline: "
        package commerce:many-module;
        world many {
            include commerce:platform/guest@0.1.0;
            export commerce:extension/price-adjustment@0.1.0;
        }
    ",
    path: ["../../../wit/platform", "../../../wit/extension"],
    generate_all,
});

use exports::commerce::extension::price_adjustment::{Adjustment, Guest as PriceAdjustment, Question};
use exports::commerce::platform::module::{Call, Created, Findings, Guest, Problem, Reply, Step};

const DESCRIPTOR: &str = r#"{
    "name": "many-00",
    "version": "1.0.0",
    "description": "One of many modules that extend one point for the suite, and of which each leaves every price as it is.",
    "extends": [{ "interface": "commerce:extension/price-adjustment" }]
}"#;

struct Many;

impl PriceAdjustment for Many {
    fn adjust(_what: Question, _earlier: Vec<Adjustment>) -> Vec<Adjustment> {
        Vec::new()
    }
}

impl Guest for Many {
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

export!(Many);
