//! The puppet: a guest whose descriptor a test writes, and which says of each call which operation it was.

use serde_json::{Value as Json, json};

use crate::company::with;
use crate::modules::guest;

/// Room for the descriptor in the guest: `tests/guests/puppet/src/lib.rs`.
const MARK: &[u8] = b"{\"descriptor\":\"of the test\"}";
const ROOM: usize = 16 * 1024;

/// The guest describing itself so: its bytes with the descriptor's room overwritten.
pub fn puppet(descriptor: &Json) -> Vec<u8> {
    puppet_of_text(&descriptor.to_string())
}

/// The guest describing itself by any text.
pub fn puppet_of_text(descriptor: &str) -> Vec<u8> {
    let mut bytes = guest("puppet");
    let found: Vec<usize> =
        bytes.windows(MARK.len()).enumerate().filter(|(_, window)| *window == MARK).map(|(offset, _)| offset).collect();
    let [offset] = found[..] else { panic!("the puppet has its descriptor at {found:?}") };
    assert!(descriptor.len() <= ROOM, "the descriptor has {} bytes", descriptor.len());
    let room = &mut bytes[offset..offset + ROOM];
    room.fill(b' ');
    room[..descriptor.len()].copy_from_slice(descriptor.as_bytes());
    bytes
}

/// The smallest lawful descriptor, with one read.
pub fn descriptor(name: &str) -> Json {
    json!({
        "name": name,
        "version": "1.0.0",
        "description": "Says what the test wrote.",
        "permissions": [{ "code": format!("{name}.read"), "description": "Read." }],
        "routes": [route(name, "GET", "things", "listThings")],
    })
}

/// The same as a partner's module: with only names of its own.
pub fn descriptor_of_partner(name: &str) -> Json {
    let operation = format!("list{}Things", pascal(name));
    with(&descriptor(name), json!({ "routes": [route(name, "GET", "things", &operation)] }))
}

/// `loyalty-points` as `LoyaltyPoints`.
pub fn pascal(name: &str) -> String {
    let word = |word: &str| word.chars().next().map(|first| format!("{}{}", first.to_ascii_uppercase(), &word[1..]));
    name.split('-').filter_map(word).collect()
}

/// A route of that descriptor, which its one permission opens.
pub fn route(name: &str, method: &str, path: &str, operation: &str) -> Json {
    json!({
        "method": method,
        "path": format!("/tenants/{{tenantId}}/{name}/{path}"),
        "operation": operation,
        "summary": "A thing",
        "audience": "user",
        "access": { "all": [format!("{name}.read")] },
        "idempotency": "none",
        "readOnly": true,
        "status": 200,
        "response": { "type": "object", "properties": { "operation": { "type": "string" } } },
        "bodyLimit": 0,
    })
}
