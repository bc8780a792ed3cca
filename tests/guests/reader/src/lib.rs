//! A module that was built against version 1.0.0 of a service.

wit_bindgen::generate!({
    inline: "
        package commerce:reader-module;
        world reader {
            include commerce:platform/guest@0.1.0;
            import commerce:shelf/items@1.0.0;
        }
    ",
    path: ["../../../wit/platform", "wit"],
    generate_all,
});

use commerce::shelf::items;
use exports::commerce::platform::module::{Call, Created, Findings, Guest, Problem, Reply, Step};

const DESCRIPTOR: &str = r#"{
    "name": "reader",
    "version": "1.0.0",
    "description": "Reads items.",
    "permissions": [{ "code": "reader.read", "description": "Read." }],
    "routes": [{
        "method": "GET",
        "path": "/tenants/{tenantId}/reader/items",
        "operation": "readItems",
        "summary": "Items",
        "audience": "user",
        "access": { "all": ["reader.read"] },
        "idempotency": "none",
        "readOnly": true,
        "status": 200,
        "response": { "type": "object" },
        "bodyLimit": 0
    }]
}"#;

struct Reader;

impl Guest for Reader {
    fn describe() -> String {
        DESCRIPTOR.to_string()
    }

    fn handle(_call: Call) -> Result<Reply, Problem> {
        // The second name is long enough to be in the component as it is: the suite puts another in its place.
        let found = items::find(&["pear".to_string(), "a plum as large as a pear".to_string()]);
        let members: Vec<String> = found.iter().map(|item| format!("\"{}\":{}", item.name, item.amount)).collect();
        let body = format!("{{{}}}", members.join(","));
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

export!(Reader);
