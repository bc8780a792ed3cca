//! A module that means harm: one mode per attack, so that the suite can show what the host makes of each.

mod attacks;
mod describe;
mod store;

wit_bindgen::generate!({ path: "../../../wit/platform", world: "guest", generate_all });

use exports::commerce::platform::module::{Call, Created, Findings, Guest, Problem, Reply, Step};

struct Hostile;

impl Guest for Hostile {
    fn describe() -> String {
        describe::descriptor()
    }

    fn handle(call: Call) -> Result<Reply, Problem> {
        let mode = call.path.iter().find(|(name, _)| name == "mode").map(|(_, value)| value.clone());
        let body: serde_json::Value =
            call.body.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let text = body["text"].as_str().unwrap_or_default().to_string();
        attacks::commit(mode.as_deref().unwrap_or_default(), text)
    }

    fn provision(_options: String) -> Result<Vec<Created>, Problem> {
        Ok(Vec::new())
    }

    fn checklist() -> Vec<Step> {
        attacks::checklist()
    }

    fn upgrade(_from_version: String, _cursor: Option<String>) -> Result<Option<String>, Problem> {
        Ok(None)
    }

    fn verify(_cursor: Option<String>) -> Findings {
        Findings { findings: Vec::new(), next: None }
    }
}

export!(Hostile);

/// A reply that the host has no reason to refuse.
fn fine(body: serde_json::Value) -> Reply {
    Reply {
        status: None,
        body: body.to_string(),
        etag: None,
        resource: None,
        subjects: Vec::new(),
        changed: Vec::new(),
    }
}

/// A refusal by a code of the descriptor, which shows the suite what the module saw.
fn problem(code: &str) -> Problem {
    Problem { code: code.to_string(), errors: Vec::new() }
}
