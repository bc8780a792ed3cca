//! A module that says of itself whatever a test wrote over its descriptor's bytes: for what the host refuses at the start. An
//! operation with the path parameter `code` answers a problem whose item has that code.

use std::hint::black_box;

wit_bindgen::generate!({ path: "../../../wit/platform", world: "guest", generate_all });

use exports::commerce::platform::module::{Call, Created, Findings, Guest, Item, Problem, Reply, Step};

const MARK: &[u8] = b"{\"descriptor\":\"of the test\"}";

/// The suite finds the mark in the component's bytes and writes its own descriptor over the room, padded with spaces.
static DESCRIPTOR: [u8; 16 * 1024] = {
    let mut room = [b' '; 16 * 1024];
    let mut index = 0;
    while index < MARK.len() {
        room[index] = MARK[index];
        index += 1;
    }
    room
};

struct Puppet;

impl Guest for Puppet {
    fn describe() -> String {
        String::from_utf8_lossy(black_box(&DESCRIPTOR)).trim_end().to_string()
    }

    fn handle(call: Call) -> Result<Reply, Problem> {
        if let Some((_, code)) = call.path.iter().find(|(name, _)| name == "code") {
            let item = Item {
                pointer: "/path/code".to_owned(),
                code: code.clone(),
                required: None,
                identified: None,
                expected: None,
                conflicts_with: None,
            };
            return Err(Problem { code: "ILLEGAL_STATE".to_owned(), errors: vec![item] });
        }
        let body = format!("{{\"operation\":\"{}\"}}", call.operation);
        Ok(Reply { status: None, body, etag: None, resource: None, subjects: Vec::new(), changed: Vec::new() })
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

export!(Puppet);
